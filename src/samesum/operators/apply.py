"""Operators of the standards on arrays in memory: checked by their spec, then run as their row says."""

from __future__ import annotations

from typing import NoReturn

from samesum.engine.machine import FloatingPointScope
from samesum.errors import AttributeValueError, DtypeError, SamesumError, ShapeError, saying
from samesum.formats.arrays import MAX_RANK, NDArray, Out, native, type_name
from samesum.formats.elements import names
from samesum.operators.catalogue import ROWS
from samesum.operators.rows import Inputs
from samesum.specs.bind import Operation, check_count
from samesum.specs.lookup import versions_with_type
from samesum.specs.row import Input, Spec


def apply(operation: Operation, inputs: Inputs, out: Out | None = None) -> NDArray:
    """The operator's result for `inputs`, of the element type that its spec says, in a new array or, of a
    normalization, in `out`.

    An omitted input is None or, at the end, left out. Raises DtypeError, ShapeError, AxisError or
    AttributeValueError (a missing or surplus input); each message begins with the operator and its version.
    """
    if operation.spec.row is not None:  # one call into the core, which knows both byte orders and sets its own modes
        return run(operation, inputs, out)
    with FloatingPointScope():
        return run(operation, _native(inputs), out)


def apply_all(operation: Operation, count: int, inputs: Inputs) -> tuple[NDArray, ...]:
    """The first `count` outputs of an operator that has several; the errors are those of `apply`."""
    with FloatingPointScope():
        return run_all(operation, count, _native(inputs))


def _native(inputs: Inputs) -> Inputs:
    return [None if array is None else native(array) for array in inputs]


def run(operation: Operation, inputs: Inputs, out: Out | None = None) -> NDArray:
    """What `apply` gives of inputs in native byte order, where the thread rounds and flushes as IEEE 754 says."""
    spec = operation.spec
    compute = ROWS[spec.identifier].run
    try:
        check_inputs(spec, inputs)
        return compute(operation, inputs) if out is None else compute(operation, inputs, out)
    except (SamesumError, MemoryError) as error:
        raise saying(spec.identifier, error) from None


def run_all(operation: Operation, count: int, inputs: Inputs) -> tuple[NDArray, ...]:
    """What `apply_all` gives, as `run` does."""
    spec = operation.spec
    outputs = ROWS[spec.identifier].all
    try:
        if outputs is None:
            raise AttributeValueError(f"{count} outputs were asked for; this version has one")
        check_inputs(spec, inputs)
        return outputs.run(operation, inputs, count)
    except (SamesumError, MemoryError) as error:
        raise saying(spec.identifier, error) from None


def check_inputs(spec: Spec, inputs: Inputs) -> None:
    """As many inputs as the version has, of its types and ranks, those of type T all of one, or an error."""
    expected = spec.inputs
    if len(inputs) != len(expected):
        check_count(spec, [array is not None for array in inputs])
        if len(inputs) > len(expected):
            expected += expected[-1:] * (len(inputs) - len(expected))
    shared = ""
    for place, array in enumerate(inputs):
        each = expected[place]
        if array is None:
            if not each.optional:
                check_count(spec, [array is not None for array in inputs])
            continue
        name = type_name(array.dtype)
        if each.types is not None:
            if name not in each.types:
                _refuse_dtype(spec, each, name)
        elif name != shared:
            if name not in spec.types:
                _refuse_dtype(spec, each, name)
            if shared:
                raise DtypeError(f"it was given {shared} and {name}; its inputs must have one type")
            shared = name
        if not each.min_rank <= array.ndim <= each.max_rank:
            _refuse_rank(each, array)


def _refuse_rank(each: Input, array: NDArray) -> NoReturn:
    least, most = each.min_rank, each.max_rank
    allowed = f"at least {least}" if most == MAX_RANK else str(least) if least == most else f"{least} to {most}"
    raise ShapeError(f"{each.name} has rank {array.ndim} (shape {array.shape}); allowed is {allowed}")


def _refuse_dtype(spec: Spec, each: Input, dtype: str) -> NoReturn:
    hint = ""
    if each.types is None:
        others = ", ".join(str(other.version.since) for other in versions_with_type(spec, dtype))
        hint = f"; {dtype} is allowed by version {others}" if others else "; no version allows it"
    raise DtypeError(f"{each.name} is {dtype}; allowed are {names(each.types or spec.types)}{hint}")
