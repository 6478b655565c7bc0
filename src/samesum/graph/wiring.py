"""The values between the steps of a graph: which step gives each, which read it, and what is known of it.

A conversion between float types gives the value that it is given, as far as a whole formula is concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.elements import FLOAT_DTYPES
from samesum.graph.steps import Step
from samesum.operators.rows import UNKNOWN, Fact

_IN_ONNX = {"Subtract": "Sub", "Multiply": "Mul", "Divide": "Div", "Power": "Pow", "Maximum": "Max"}
_IN_ONNX |= {"Broadcast": "Expand", "ShapeOf": "Shape", "Convert": "Cast", "ConvertLike": "CastLike"}
_BROADCASTS = 8
"""The ONNX opset since which all of these operators broadcast as NumPy does."""


class Wiring:
    """Asks steps about the values that they read and give, in ONNX's words for the operators of both standards."""

    def __init__(
        self, steps: Sequence[Step], facts: Mapping[str, Fact], constants: Mapping[str, NDArray], results: Sequence[str]
    ) -> None:
        self._facts, self._constants, self.results = facts, constants, frozenset(results)
        self._makers = {name: step for step in steps for name in step.results}
        self._order = {step.result: place for place, step in enumerate(steps)}
        self.readers: dict[str, list[Step]] = {}
        for step in steps:
            for name in dict.fromkeys(step.node.inputs):
                self.readers.setdefault(name, []).append(step)

    def constant(self, name: str) -> NDArray | None:
        """The array that a value always is; None if it depends on the inputs or is not known beforehand."""
        found, source = self._constants.get(name), self.source(name)
        if found is None and source in self._constants:
            return self._constants[source].astype(self.fact(name).dtype)
        return found

    def fact(self, name: str) -> Fact:
        """What is known of a value."""
        return self._facts.get(name, UNKNOWN)

    def maker(self, name: str) -> Step | None:
        """The step that gives a value, before conversions."""
        step = self._makers.get(name)
        while step is not None and self.is_conversion(step):
            step = self._makers.get(step.node.inputs[0])
        return step

    def made(self, name: str, operator: str) -> Step | None:
        """The step that gives a value, before conversions, if it is that operator."""
        step = self.maker(name)
        return step if step is not None and operator_of(step) == operator else None

    def is_conversion(self, step: Step) -> bool:
        """True for a conversion from one float type to another or the same."""
        if operator_of(step) not in ("Cast", "CastLike"):
            return False
        return {self.fact(name).dtype for name in (step.node.inputs[0], step.result)} <= FLOAT_DTYPES

    def source(self, name: str) -> str:
        """What a value was before conversions that keep every bit."""
        step = self._makers.get(name)
        while step is not None and self.is_conversion(step) and self._is_kept(step):
            name = step.node.inputs[0]
            step = self._makers.get(name)
        return name

    def _is_kept(self, conversion: Step) -> bool:
        narrow, wide = (self.fact(name).dtype for name in (conversion.node.inputs[0], conversion.result))
        return narrow is not None and wide is not None and is_within(narrow, wide)

    def between(self, data: str, end: Step) -> tuple[Step, ...]:
        """The steps that lead from the value `data`, or from what it was converted to, to `end`, in their order."""
        found, waiting = {}, [end]
        while waiting:
            step = waiting.pop()
            if step.result in found:
                continue
            found[step.result] = step
            for name in step.node.inputs:
                if self.source(name) != data and self.constant(name) is None and name in self._makers:
                    waiting.append(self._makers[name])
        return self.in_order(found.values())

    def conversions(self, names: Iterable[str], data: str) -> tuple[Step, ...]:
        """The steps that make these values of `data`, in their order."""
        found = {}
        for name in names:
            at = name
            while at != data:
                step = self._makers[at]
                found[step.result] = step
                at = step.node.inputs[0]
        return self.in_order(found.values())

    def in_order(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        """The steps in the order in which they run."""
        return tuple(sorted(steps, key=lambda step: self._order[step.result]))

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

    def spread(self, name: str, like: str) -> str | None:
        """The value that `name` repeats to the shape of `like`; None if it is not so."""
        step = self.made(name, "Expand")
        if step is None or len(step.node.inputs) != 2:
            return None
        target, (shape, wanted) = step.node.inputs[1], (self.fact(each).shape for each in (name, like))
        is_known = shape is not None and shape == wanted and None not in shape and self.constant(target) is not None
        return step.node.inputs[0] if is_known or self.is_shape_of(target, like) else None

    def is_shape_of(self, name: str, like: str) -> bool:
        """True if a value is the whole shape of `like`."""
        maker = self.made(name, "Shape")
        return (
            maker is not None
            and self.source(maker.node.inputs[0]) == self.source(like)
            and not {"start", "end"} & {*maker.node.attributes}
        )


def is_within(narrow: Dtype, wide: Dtype) -> bool:
    """True if every number of the one float type is one of the other."""
    return narrow == wide or (narrow.itemsize < wide.itemsize)


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
