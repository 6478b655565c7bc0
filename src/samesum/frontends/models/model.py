"""A model that was loaded: what goes in, what comes out, and running it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array
from samesum.engine.machine import FloatingPointScope
from samesum.errors import AttributeValueError, DtypeError, ShapeError, during
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray, native, shape_text, type_text
from samesum.formats.conversion import to_bfloat16
from samesum.graph.model import Graph, Value
from samesum.graph.program import Program, described
from samesum.graph.steps import run_steps

# Running a program: one step after the other, each value freed after its last use.

# What a caller gives a model, as arrays by input name that fit what the model declares.


def _fed(graph: Graph, given: Any) -> dict[str, NDArray]:
    """The inputs by name: from a mapping, from a list or tuple by position, or from one array if there is one input.

    Lists and Python numbers become arrays of the input's type, as in ONNX Runtime; arrays of another type are refused.
    Raises AttributeValueError for a missing, a surplus or an unknown input, DtypeError and ShapeError for one that
    does not fit.
    """
    values = {value.name: value for value in graph.inputs}
    values |= {name: Value(name, array.dtype, array.shape) for name, array in graph.defaults.items()}
    named = _named(graph, given)
    if unknown := [name for name in named if name not in values]:
        raise AttributeValueError(f"unknown input {', '.join(map(repr, unknown))}; {_expected(graph)}")
    if missing := [value.name for value in graph.inputs if value.name not in named]:
        raise AttributeValueError(f"missing input {', '.join(map(repr, missing))}; {_expected(graph)}")
    return {name: _fitting(values[name], x) for name, x in named.items()}


def _named(graph: Graph, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return _unaliased(graph, given)
    arrays = list(given) if isinstance(given, list | tuple) else [given]
    if len(arrays) != len(graph.inputs):
        raise AttributeValueError(f"{len(arrays)} inputs were given; {_expected(graph)}")
    return {value.name: x for value, x in zip(graph.inputs, arrays, strict=True)}


def _unaliased(graph: Graph, given: Mapping[Any, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for key, x in given.items():
        name = graph.aliases.get(key, key)
        if name in named:
            raise AttributeValueError(f"input {name!r} is given twice, once as {key!r}")
        named[name] = x
    return named


def _expected(graph: Graph) -> str:
    count = len(graph.inputs)
    listed = ", ".join(f"{value.name!r} {type_text(value.dtype, value.shape)}" for value in graph.inputs) or "none"
    optional = f", optionally {', '.join(map(repr, graph.defaults))}" if graph.defaults else ""
    return f"the model has {count} input{'' if count == 1 else 's'}: {listed}{optional}"


def _fitting(value: Value, x: Any) -> NDArray:
    array = native(_array(value, x))
    if value.dtype is not None and array.dtype != value.dtype:
        raise DtypeError(f"input {value.name!r} is {array.dtype.name}; the model takes {value.dtype.name}")
    if value.shape is None:
        return array
    fits = len(value.shape) == array.ndim and all(
        dim in (None, size) for dim, size in zip(value.shape, array.shape, strict=True)
    )
    if not fits:
        found = shape_text(array.shape)
        raise ShapeError(f"input {value.name!r} has shape {found}; the model takes {shape_text(value.shape)}")
    return array


def _array(value: Value, x: Any) -> NDArray:
    if type(x) is np.ndarray:
        return x
    is_python = isinstance(x, list | tuple | bool | int | float) and not isinstance(x, np.generic)
    if is_python and value.dtype is not None:
        return _converted(value.name, x, value.dtype)
    return as_array(x)


def _converted(name: str, x: Any, dtype: Dtype) -> NDArray:
    """Python's numbers in the type `dtype`, rounded once; a float becomes the integer that int() makes of it."""
    found = as_array(x)
    if found.dtype.kind not in "biuf" and found.dtype != BFLOAT16:
        raise DtypeError(f"input {name!r} holds {found.dtype.name}; the model takes {dtype.name}")
    try:
        return to_bfloat16(found) if dtype == BFLOAT16 else np.array(x, dtype)
    except (OverflowError, ValueError, TypeError) as error:
        raise AttributeValueError(f"input {name!r} holds what {dtype.name} cannot: {error}") from None


def _execute(program: Program, given: Any) -> dict[str, NDArray]:
    """The outputs by name, in the model's order. They share no memory with the inputs, the model or one another.

    The caller's floating-point modes are set aside: they change no bit and are what they were afterwards.
    An error names the model and the node at which it occurred. Nothing is computed twice to find that out.
    """
    graph = program.graph
    with during(graph.name), FloatingPointScope():
        inputs = _fed(graph, given)
        values = {**program.constants, **graph.defaults, **inputs}
        with np.errstate(all="ignore"):
            run_steps(program.steps, values)
        return _outputs(program, values, inputs)


def _outputs(program: Program, values: dict[str, NDArray], inputs: dict[str, NDArray]) -> dict[str, NDArray]:
    graph = program.graph
    owned: list[NDArray] = [*graph.defaults.values(), *inputs.values()]  # constants are read-only
    outputs: dict[str, NDArray] = {}
    for value, source in zip(program.outputs, graph.results, strict=True):
        outputs[value.name] = _own(values[source], owned)
        owned.append(outputs[value.name])
    return outputs


def _own(array: NDArray, others: list[NDArray]) -> NDArray:
    if array.flags.writeable and not any(np.may_share_memory(array, other) for other in others):
        return array
    return array.copy()


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
        return _execute(self._program, inputs)

    def plan(self) -> str:
        """What will run, one line for each step."""
        return described(self._program)

    def __repr__(self) -> str:
        ends = (", ".join(map(str, values)) for values in (self.inputs, self.outputs))
        return f"<Model {self.name}: {' -> '.join(ends)}>"
