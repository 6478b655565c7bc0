"""Operators of the standards on arrays in memory: checked by their spec, then run as their row says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import zip_longest
from typing import NoReturn

from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.engine.machine import FloatingPointScope
from samesum.errors import AttributeValueError, DtypeError, SamesumError, ShapeError, saying
from samesum.formats.arrays import MAX_RANK, NDArray, Out, native, type_name
from samesum.formats.elements import names
from samesum.operators import facts
from samesum.operators.attention import MICROSOFT_ATTENTION_ROWS, ONNX_ATTENTION_ROWS, OPENVINO_ATTENTION_ROWS
from samesum.operators.fused_norms import MICROSOFT_ROWS, ONNX_FUSED_ROWS
from samesum.operators.fused_products import MICROSOFT_PRODUCT_ROWS
from samesum.operators.pools import ONNX_POOL_ROWS, OPENVINO_POOL_ROWS
from samesum.operators.reductions import normalized, reduced, scanned
from samesum.operators.rows import UNKNOWN, Fact, Facts, Inputs, Row
from samesum.operators.rows_around import ONNX_ROWS, OPENVINO_ROWS
from samesum.operators.rows_of_elements import ONNX_ELEMENT_ROWS, OPENVINO_ELEMENT_ROWS
from samesum.operators.rows_of_moving import ONNX_MOVING_ROWS, OPENVINO_MOVING_ROWS
from samesum.operators.rows_of_products import ONNX_PRODUCT_ROWS, OPENVINO_PRODUCT_ROWS
from samesum.specs.bind import Operation, check_count
from samesum.specs.lookup import CATALOGUE, versions_with_type
from samesum.specs.row import Input, Spec

# The row of every version of every operator: what `specs` says, and how it runs.

_AROUND = {
    "onnx": (
        *ONNX_ROWS,
        *ONNX_ELEMENT_ROWS,
        *ONNX_MOVING_ROWS,
        *ONNX_POOL_ROWS,
        *ONNX_PRODUCT_ROWS,
        *ONNX_FUSED_ROWS,
        *ONNX_ATTENTION_ROWS,
    ),
    "openvino": (
        *OPENVINO_ROWS,
        *OPENVINO_ELEMENT_ROWS,
        *OPENVINO_MOVING_ROWS,
        *OPENVINO_POOL_ROWS,
        *OPENVINO_PRODUCT_ROWS,
        *OPENVINO_ATTENTION_ROWS,
    ),
    "com.microsoft": (*MICROSOFT_ROWS, *MICROSOFT_PRODUCT_ROWS, *MICROSOFT_ATTENTION_ROWS),
}


def _row(spec: Spec) -> Row:
    name, since = spec.operator.name, spec.version.since
    if isinstance(spec.row, Reduction):
        return Row(name, partial(reduced, spec.row), facts.reduction, since)
    if isinstance(spec.row, Scan):
        return Row(name, partial(scanned, spec.row), facts.of_data, since)
    if isinstance(spec.row, Normalization):
        return Row(name, partial(normalized, spec.row), facts.of_data, since)
    return _newest(row for row in _AROUND[spec.standard.name] if row.operator == name and row.since <= since)


def _newest(rows: Iterable[Row]) -> Row:
    return max(rows, key=lambda row: row.since)


ROWS = {spec.identifier: _row(spec) for spec in CATALOGUE if not spec.operator.holds_graphs}
"""By the identifier of the version; operators that hold graphs are run by `graph`."""


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


def foretell(operation: Operation, facts: Facts) -> Fact:
    """What is known of the result beforehand: nothing where the version does not allow the inputs."""
    return ROWS[operation.spec.identifier].infer(operation, facts) if _fit(operation.spec, facts) else UNKNOWN


def foretell_all(operation: Operation, count: int, facts: Facts) -> tuple[Fact, ...]:
    """What is known of the first `count` outputs, as `foretell` has it."""
    outputs = ROWS[operation.spec.identifier].all
    if outputs is None or not _fit(operation.spec, facts):
        return (UNKNOWN,) * count
    return outputs.infer(operation, facts, count)


def _fit(spec: Spec, facts: Facts) -> bool:
    """True unless `check_inputs` would refuse what is known of some input."""
    expected = spec.inputs + spec.inputs[-1:] * (len(facts) - len(spec.inputs))
    for each, fact in zip_longest(expected, facts):
        if fact is None:
            if not each.optional:
                return False
            continue
        if fact.dtype is not None and type_name(fact.dtype) not in (each.types or spec.types):
            return False
        if fact.shape is not None and not each.min_rank <= len(fact.shape) <= each.max_rank:
            return False
    return True


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
