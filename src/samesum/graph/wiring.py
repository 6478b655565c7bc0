"""The values between the steps of a graph: which step gives each, which read it, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from samesum.formats.arrays import NDArray
from samesum.graph.steps import Step
from samesum.operators.rows import UNKNOWN, Fact

_IN_ONNX = {"Subtract": "Sub", "Multiply": "Mul", "Divide": "Div", "Power": "Pow", "Maximum": "Max"}
_IN_ONNX |= {"Broadcast": "Expand", "ShapeOf": "Shape"}
_BROADCASTS = 8
"""The ONNX opset since which all of these operators broadcast as NumPy does."""


class Wiring:
    """Asks steps about the values that they read and give, in ONNX's words for the operators of both standards."""

    def __init__(
        self, steps: Sequence[Step], facts: Mapping[str, Fact], constants: Mapping[str, NDArray], results: Sequence[str]
    ) -> None:
        self._facts, self._constants, self.results = facts, constants, frozenset(results)
        self.makers = {name: step for step in steps for name in step.results}
        self.readers: dict[str, list[Step]] = {}
        for step in steps:
            for name in dict.fromkeys(step.node.inputs):
                self.readers.setdefault(name, []).append(step)

    def constant(self, name: str) -> NDArray | None:
        """The array that a value always is; None if it depends on the inputs or is not known beforehand."""
        found = self._constants.get(name)
        return self.fact(name).value if found is None else found

    def fact(self, name: str) -> Fact:
        """What is known of a value."""
        return self._facts.get(name, UNKNOWN)

    def made(self, name: str, operator: str) -> Step | None:
        """The step that gives a value, if it is that operator."""
        step = self.makers.get(name)
        return step if step is not None and operator_of(step) == operator else None

    def number(self, name: str, of: str) -> float | None:
        """A constant of one element that leaves the shape of the value `of` as it is."""
        value, shape = (self.constant(name) if name else None), self.fact(of).shape
        if value is None or shape is None or value.size != 1 or value.ndim > len(shape):
            return None
        return float(value.reshape(())[()])

    def with_number(self, step: Step | None) -> tuple[str, float] | None:
        """The input of a step of two inputs that is no constant, and the constant."""
        if step is not None and len(step.node.inputs) == 2:
            for name, other in both_ways(step):
                number = self.number(other, name)
                if number is not None:
                    return name, number
        return None

    def power(self, name: str, exponent: float) -> str | None:
        """What `name` is that power of, as Pow writes it."""
        step = self.made(name, "Pow")
        if step is None or self.number(step.node.inputs[1], step.node.inputs[0]) != exponent:
            return None
        return step.node.inputs[0]

    def inverted(self, name: str) -> str | None:
        """What `name` is one over."""
        if (step := self.made(name, "Reciprocal")) is not None:
            return step.node.inputs[0]
        step = self.made(name, "Div")
        if step is not None and self.number(step.node.inputs[0], step.node.inputs[1]) == 1:
            return step.node.inputs[1]
        return self.power(name, -1)

    def reduced(self, name: str, operator: str) -> Step | None:
        """The reduction that gives `name`, if its axes are known and stay."""
        step = self.made(name, operator)
        is_kept = step is not None and step.axes and step.operation is not None and step.operation.keepdims
        return step if is_kept else None

    def spread(self, name: str, like: str) -> tuple[Step, ...]:
        """The steps that make `name` of a value by repeating it to the shape of `like`; no steps if it is not so."""
        step = self.made(name, "Expand")
        if step is None or len(step.node.inputs) != 2:
            return ()
        target, (shape, wanted) = step.node.inputs[1], (self.fact(each).shape for each in (name, like))
        if shape is not None and shape == wanted and None not in shape and self.constant(target) is not None:
            return (step,)
        maker = self.made(target, "Shape")
        is_whole = (
            maker is not None and maker.node.inputs[0] == like and not {"start", "end"} & {*maker.node.attributes}
        )
        return (maker, step) if maker is not None and is_whole else ()


def both_ways(step: Step) -> Iterator[tuple[str, str]]:
    """The two inputs of a step in either order."""
    a, b = step.node.inputs
    yield a, b
    yield b, a


def operator_of(step: Step) -> str:
    """The operator in ONNX's words; nothing for one that broadcasts otherwise than NumPy does."""
    node = step.node
    broadcasts = (
        node.opset is not None and node.opset >= _BROADCASTS
        if node.standard == "onnx"
        else node.standard == "openvino" and node.attributes.get("auto_broadcast", "numpy") == "numpy"
    )
    return _IN_ONNX.get(node.operator, node.operator) if broadcasts else ""
