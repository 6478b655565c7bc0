"""A model that was loaded: what goes in, what comes out, and running it."""

from __future__ import annotations

from typing import Any

from samesum.formats.arrays import NDArray
from samesum.graph.execute import execute
from samesum.graph.model import Value
from samesum.graph.program import Program, described


class Model:
    """A model read by `load`; it never changes and may run in several threads at once.

    >>> import samesum as ss
    >>> model = ss.load("examples/onnx/opset13/reduce_sum_axes_2_3.onnx")
    >>> isinstance(model, ss.Model), model.outputs[0].name
    (True, 'reduced')
    """

    __slots__ = ("_program",)

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def name(self) -> str:
        """What messages call the model: its file name."""
        return self._program.graph.name

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The inputs that have to be given, in the model's order. Unknown dims are None."""
        return self._program.graph.inputs

    @property
    def outputs(self) -> tuple[Value, ...]:
        """The outputs in the model's order. Unknown dims are None."""
        return self._program.outputs

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators that run, in order, each with its version."""
        return tuple(step.title for step in self._program.steps)

    def run(self, inputs: Any = (), /) -> dict[str, NDArray]:
        """The outputs by name for inputs given by name, by position or, where there is one, as the bare array.

        Lists and Python numbers become arrays of the input's type; arrays of another type are refused. Raises
        AttributeValueError for a missing or unknown input, DtypeError and ShapeError for one that does not fit,
        and what the operators raise; every message names the model and the node.
        """
        return execute(self._program, inputs)

    def plan(self) -> str:
        """What will run, one line for each step."""
        return described(self._program)

    def __repr__(self) -> str:
        ends = (", ".join(map(str, values)) for values in (self.inputs, self.outputs))
        return f"<Model {self.name}: {' -> '.join(ends)}>"
