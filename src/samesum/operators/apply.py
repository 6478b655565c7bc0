"""Operators of the standards on arrays in memory: checked by their spec, then run as their row says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from math import prod
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from samesum.algebra.rows import ARGMAX, HARDMAX, MAX, SUM, Normalization, Reduction, Scan
from samesum.engine.elementwise import COMBINED
from samesum.engine.machine import FloatingPointScope
from samesum.engine.memory import EXCLUSIVE, KEEPDIMS, REVERSE, SELECT_LAST, normalize, reduce, scan
from samesum.errors import AttributeValueError, AxisError, DtypeError, SamesumError, ShapeError, saying
from samesum.formats.arrays import MAX_RANK, NDArray, Out, native, type_name
from samesum.formats.axes import from_front
from samesum.formats.elements import names
from samesum.operators import (
    attention,
    facts,
    fused,
    pools,
    rows_around,
    rows_of_elements,
    rows_of_moving,
    rows_of_products,
    scatters,
)
from samesum.operators.rows import UNKNOWN, Fact, Facts, Inputs, Part, Row
from samesum.specs.bind import Operation, check_count
from samesum.specs.lookup import CATALOGUE, versions_with_type
from samesum.specs.table import EmptySet, Input, Spec

# Reductions and scans of the standards: which axes, which flags, and what an empty set gives.


def _normalized(row: Normalization, operation: Operation, inputs: Inputs, out: Out | None = None) -> NDArray:
    """The first input along the operation's axis, or along the rows of the matrix that the axis makes of it."""
    data = inputs[0]
    assert data is not None
    shape = data.shape
    if not shape and operation.spec.standard.scalars_have_an_axis:
        data = data.reshape(1)
    axis = from_front(operation.axis, data.ndim)
    if operation.spec.version.as_matrix:
        data = data.reshape(prod(shape[:axis]), prod(shape[axis:]))
        axis = 1
    if row is HARDMAX:
        return _hardmax(data, axis).reshape(shape)
    if data.shape == shape:
        return normalize(row, data, axis, out)
    result = normalize(row, data, axis).reshape(shape)
    # Each element is the maximum of itself, so that the core checks `out` and fills it as ever.
    return result if out is None else reduce(MAX, result, (), out=out)


def _hardmax(data: NDArray, axis: int) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere."""
    result: NDArray = np.zeros(data.shape, data.dtype.newbyteorder("="))
    if data.size:
        # NumPy's limit on index arrays is below that on axes.
        lines = (prod(data.shape[:axis]), data.shape[axis], prod(data.shape[axis + 1 :]))
        first = reduce(ARGMAX, data, (axis,), KEEPDIMS).reshape(lines[0], 1, lines[2])
        np.put_along_axis(result.reshape(lines), first, 1, 1)
    return result


def _reduced(row: Reduction, operation: Operation, inputs: Inputs) -> NDArray:
    """The reduction of the first input over the axes that an attribute or the second input names."""
    spec, data = operation.spec, inputs[0]
    assert data is not None
    axes = _axes(operation, inputs[1] if len(inputs) > 1 else None)
    if data.ndim == 0 and axes and spec.standard.scalars_have_an_axis:
        if axes not in ((0,), (-1,)):
            raise AxisError(f"axes {list(axes)} do not fit a scalar; allowed are [], [0] and [-1]")
        axes = ()
    attributes = operation.attributes
    flags = (KEEPDIMS if attributes["keepdims"] else 0) | (SELECT_LAST if attributes.get("select_last") else 0)
    if data.size == 0 and spec.operator.empty_set is not EmptySet.IDENTITY:
        return _of_empty(spec, data, axes, flags)
    return reduce(row, data, axes, flags)


def _scanned(row: Scan, operation: Operation, inputs: Inputs) -> NDArray:
    """Every prefix of the first input along the axis that the second one names, 0 if it is left out."""
    data, where = inputs[0], inputs[1] if len(inputs) > 1 else None
    if where is not None and where.size != 1:
        raise ShapeError(f"axis has {where.size} elements; exactly one is allowed")
    axis = 0 if where is None else int(where.item())
    attributes = operation.attributes
    flags = (EXCLUSIVE if attributes["exclusive"] else 0) | (REVERSE if attributes["reverse"] else 0)
    return scan(row, data, axis, flags)


def _axes(operation: Operation, where: NDArray | None) -> tuple[int, ...] | None:
    """The axes as the core takes them: None is all of them, an empty tuple none."""
    axis = operation.attributes.get("axis")
    if axis is not None:
        return (axis,)
    axes = operation.axes if where is None else tuple(where.ravel().tolist())
    if axes:
        return axes
    return () if operation.noop_with_empty_axes else None


def _of_empty(spec: Spec, data: NDArray, axes: tuple[int, ...] | None, flags: int) -> NDArray:
    """Data without elements, where the standard has its own word on the empty set."""
    result = reduce(SUM, data, axes, flags)
    if result.size == 0 or spec.operator.empty_set is EmptySet.ZERO:
        return result
    integers = data.dtype.kind in "iu"
    if spec.operator.empty_set is EmptySet.LOWEST_FINITE:
        limits = np.iinfo(data.dtype) if integers else ml_dtypes.finfo(data.dtype)  # type: ignore[no-untyped-call]
        result[...] = limits.min
        return result
    if integers:
        raise ShapeError(f"an empty set of {data.dtype.name} has no value here; the shape is {data.shape}")
    result[...] = np.nan
    return result


# The row of every version of every operator: what `specs` says, and how it runs.

_AROUND: dict[tuple[str, str], list[Row]] = {}
"""By standard and operator, of those that stand on no row of the algebra."""
for _module in (
    attention, fused, pools, rows_around, rows_of_elements, rows_of_moving, rows_of_products, scatters,
):  # fmt: skip
    for _standard, _name in (("onnx", "ONNX"), ("openvino", "OPENVINO"), ("com.microsoft", "MICROSOFT")):
        for _each in vars(_module).get(f"{_name}_ROWS", ()):
            _AROUND.setdefault((_standard, _each.operator), []).append(_each)


def _row(spec: Spec) -> Row:
    name, since = spec.operator.name, spec.version.since
    if isinstance(spec.row, Reduction):
        return Row(name, partial(_reduced, spec.row), facts.reduction, since)
    if isinstance(spec.row, Scan):
        return Row(name, partial(_scanned, spec.row), facts.of_data, since)
    if isinstance(spec.row, Normalization):
        return Row(name, partial(_normalized, spec.row), facts.of_data, since)
    rows = _AROUND[spec.standard.name, name]
    return max((row for row in rows if row.since <= since), key=lambda row: row.since)


ROWS = {spec.identifier: _row(spec) for spec in CATALOGUE if not spec.operator.holds_graphs}
"""By the identifier of the version; operators that hold graphs are run by `graph`."""


def apply(operation: Operation, inputs: Inputs, out: Out | None = None) -> NDArray:
    """The operator's result for `inputs`, of the element type that its spec says, in a new array or, of a
    normalization, in `out`.

    An omitted input is None or, at the end, left out. Raises DtypeError, ShapeError, AxisError or
    AttributeValueError (a missing or surplus input); each message begins with the operator and its version.
    """
    return applying(operation)(inputs) if out is None else applying(operation)(inputs, out)


def applying(operation: Operation) -> Callable[..., NDArray]:
    """The function of inputs, and of `out`, that `apply` is."""
    call = planned(operation)
    if operation.spec.row is not None:  # one call into the core, which knows both byte orders and sets its own modes
        return call

    def scoped(inputs: Inputs, *out: Out) -> NDArray:
        with FloatingPointScope():
            result: NDArray = call(_native(inputs), *out)
            return result

    return scoped


def apply_all(operation: Operation, count: int, inputs: Inputs) -> tuple[NDArray, ...]:
    """The first `count` outputs of an operator that has several; the errors are those of `apply`."""
    with FloatingPointScope():
        outputs: tuple[NDArray, ...] = planned(operation, count)(_native(inputs))
        return outputs


def _native(inputs: Inputs) -> Inputs:
    return [None if array is None else native(array) for array in inputs]


def parts(operation: Operation, facts: Facts) -> Sequence[Part] | None:
    """The operations of the core that the operator is on inputs of which these facts are known; else None."""
    row, dtypes = ROWS[operation.spec.identifier], {fact.dtype for fact in facts if fact is not None}
    if row.parts is None or not dtypes < COMBINED or len(dtypes) != 1 or not settle(operation.spec, facts):
        return None
    return row.parts(operation.attributes, facts)


def planned(operation: Operation, count: int | None = None, facts: Facts = ()) -> Callable[..., Any]:
    """The function of inputs in native byte order that gives the first `count` outputs in a tuple, or the first alone
    where that is None, in a thread that rounds and flushes as IEEE 754 says; what follows from `facts`, if they say
    enough of inputs, is decided once.

    What cannot be made of constants is left to the call, which says why.
    """
    spec = operation.spec
    row, are_checked, constants = (
        ROWS[spec.identifier],
        settle(spec, facts),
        [None if fact is None else fact.value for fact in facts],
    )
    is_bare, is_alone = count is None, row.most == 1
    if is_alone and (count or 1) > 1:
        raise AttributeValueError(f"{spec.identifier}: {count} outputs were asked for; this version has one")
    made = None
    if (
        facts
        and _fit(spec, facts)
        and all(i >= len(facts) or facts[i] is None or constants[i] is not None for i in row.made_of)
    ):
        try:
            made = row.make(operation, constants)
        except SamesumError:
            are_checked = False

    def call(inputs: Inputs, *out: Out) -> Any:
        try:
            if not are_checked:
                check_inputs(spec, inputs)
            of = row.make(operation, inputs) if made is None else made
            if is_alone:
                found = row.run(of, inputs, *out)
                return found if is_bare else (found,)
            found = row.run(of, inputs, count or 1)
            return found[0] if is_bare else found
        except (SamesumError, MemoryError) as error:
            raise saying(spec.identifier, error) from None

    return call


def settle(spec: Spec, facts: Facts) -> bool:
    """True if the dtypes and ranks of all inputs are known, and `check_inputs` refuses none."""
    if not facts or any(fact is not None and (fact.dtype is None or fact.shape is None) for fact in facts):
        return False
    try:
        check_inputs(
            spec, [None if fact is None else np.empty((0,) * len(fact.shape or ()), fact.dtype) for fact in facts]
        )
    except SamesumError:
        return False
    return True


def foretell(operation: Operation, count: int, facts: Facts) -> tuple[Fact, ...]:
    """What is known of the first `count` outputs beforehand: nothing where the version does not allow the inputs."""
    row = ROWS[operation.spec.identifier]
    return row.infer(operation, facts, count) if _fit(operation.spec, facts) else (UNKNOWN,) * count


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
