"""What the functions on arrays share: numbers given beside the data, rows as numbers, and start values."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import numpy as np

from samesum.algebra.rows import MAX, MIN, SUM, Reduction
from samesum.engine.arrays import as_array, as_dtype
from samesum.engine.machine import undisturbed
from samesum.engine.memory import flags_of, reduce, reduce_by_code
from samesum.errors import ArgumentError, ArgumentTypeError, DtypeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Out, Result, boolean_of
from samesum.formats.axes import Axes, all_from_front
from samesum.formats.elements import BOOL, FLOAT8, FLOAT_DTYPES, FLOATS_PLUS, INTEGERS
from samesum.frontends.arrays.state_names import mask_for

_EXACT_IN_FLOAT64 = FLOATS_PLUS | FLOAT8 | INTEGERS | BOOL
_MOST = 2.0**53
"""The integers of 8 bytes below it are those that float64 holds all."""


def real_number(name: str, value: Any) -> float:
    """The value in float64, infinite for an integer beyond its range. ArgumentTypeError for what is no real number."""
    if type(value) is float:
        return value
    try:
        if not isinstance(value, str | bytes | bytearray | np.ma.MaskedArray):
            return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        pass
    raise ArgumentTypeError(f"{name} is {value!r}; a real number is needed")


def exact_numbers(name: str, given: ArrayLike) -> NDArray:
    """An array of numbers that float64 holds without rounding.

    Raises DtypeError for other dtypes, ArgumentError for integers from 2^53 on.
    """
    array = as_array(given)
    if array.dtype not in FLOAT_DTYPES and array.dtype.name not in _EXACT_IN_FLOAT64:
        raise DtypeError(f"{name} is {array.dtype.name}; allowed are {', '.join(sorted(_EXACT_IN_FLOAT64))}")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and np.any(np.abs(array.astype(np.float64)) >= _MOST):
        raise ArgumentError(f"{name} has an integer from 2^53 on, which float64 may not hold; allowed are smaller")
    return array


def as_floats(x: ArrayLike) -> NDArray:
    """An array of floats; integers and booleans become float64, which rounds none of them.

    Raises ArgumentError for integers from 2^53 on.
    """
    array = as_array(x)
    return exact_numbers("x", array).astype(np.float64) if array.dtype.kind in "iub" else array


_EXTREMES = (MIN, MAX)


class NumberedRow:
    """A row's pieces and what it asks of the core, as numbers: for small arrays every step counts."""

    __slots__ = ("code", "flags", "row")

    def __init__(self, row: Reduction, flags: int = 0) -> None:
        self.row, self.code, self.flags = row, row.code, flags_of(row) | flags

    def keeping(self, keepdims: object) -> int:
        """The flags with that of `keepdims`. Raises ArgumentTypeError for what is no boolean."""
        return self.flags | (keepdims is True or boolean_of("keepdims", keepdims))


def real_dtype(dtype: DTypeLike) -> Dtype:
    """The type of a mean, a root or a logarithm: what is between two integers has no place in theirs."""
    target = as_dtype(dtype)
    assert target is not None
    if target.kind in "iub":
        raise DtypeError(f"a mean, root or logarithm of dtype {target.name} was asked for; allowed are float dtypes")
    return target


def checked_correction(correction: Any, name: str = "correction") -> float:
    """The correction as a float; ArgumentTypeError for what is no number, ArgumentError for one that is not finite."""
    number = real_number(name, correction) + 0.0
    if not math.isfinite(number):
        raise ArgumentError(f"{name} is {correction!r}; a finite number is needed")
    return number


@undisturbed
def reduce_from(
    numbered: NumberedRow,
    initial: Any,
    x: ArrayLike,
    axis: Axes,
    dtype: Dtype | None,
    keepdims: object,
    out: Out | None,
    where: ArrayLike | None,
) -> Result:
    """The reduction of each set and `initial`, rounded once: the array is copied, with one more element for each set.

    Raises ArgumentTypeError for what is no real number, ArgumentError for a number that does not join such elements.
    """
    if hasattr(x, "__dask_graph__"):
        raise ArgumentError("initial is for arrays in memory; to a lazy one, append it as an element")
    array, flags = as_array(x), numbered.keeping(keepdims)
    # Refuses what it refuses without a start value.
    reduce_by_code(numbered.code, np.zeros(1, array.dtype), None, numbered.flags, dtype, None)
    axes = sorted(all_from_front(axis, array.ndim))
    mask = None if where is None else _one_more(mask_for(as_array(where), array.shape), axes, True)
    wide, number = (_integers if array.dtype.kind in "iub" else _floats)(numbered.row, array.dtype, initial)
    if array.dtype.kind not in "iub" and dtype is None and numbered.row not in _EXTREMES:
        dtype = array.dtype.newbyteorder("=")
    joined = _one_more(array.astype(wide, copy=False), axes, number)
    return reduce_by_code(numbered.code, joined, axes or -1, flags if axes else numbered.flags, dtype, out, mask)


def _number(initial: Any) -> float:
    """The start value, an integer as one of Python."""
    try:
        return index(initial)
    except TypeError:
        return real_number("initial", initial)


def _integers(row: Reduction, dtype: Dtype, initial: Any) -> tuple[Dtype, Any]:
    """The dtype of integers and the start value together, and that value."""
    number = _number(initial)
    types = [dtype] if row in _EXTREMES else [dtype, np.dtype(np.uint64 if dtype.kind == "u" else np.int64)]
    for each in types:
        least, most = (0, 1) if each.kind == "b" else (int(np.iinfo(each).min), int(np.iinfo(each).max))
        if least <= number <= most and number == int(number):
            return each, number
    raise ArgumentError(
        f"initial is {initial!r} and the elements are {dtype.name}; allowed are integers from {least} to {most}"
    )


def _floats(row: Reduction, dtype: Dtype, initial: Any) -> tuple[Dtype, Any]:
    """The dtype of floats and the start value together, and that value; a value between two floats has float64."""
    given = _number(initial)
    number = real_number("initial", given)
    with np.errstate(all="ignore"):
        held = np.float64(number).astype(dtype)
    if isinstance(given, int) and given != number:
        raise ArgumentError(f"initial is {initial!r}, which float64 does not hold; allowed are numbers that it holds")
    if float(held) == number or math.isnan(number):
        return dtype, held
    if dtype.newbyteorder("=") not in FLOAT_DTYPES:
        raise ArgumentError(
            f"initial is {initial!r}, which {dtype.name} does not hold; allowed are numbers that it holds"
        )
    if row in _EXTREMES:  # rounding keeps the order
        return dtype, reduce(SUM, number, (), 0, dtype.newbyteorder("="))
    return np.dtype(np.float64), number


def _one_more(x: NDArray, axes: list[int], value: Any) -> NDArray:
    """One more element of this value in each set over `axes`, in the first of them; others become 1. An axis of sets
    with two elements is behind the others where `axes` are none."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [x.shape[axis] for axis in kept]
    sets = x.transpose(kept + axes).reshape(*shape, math.prod(x.shape[axis] for axis in axes))
    longer = np.concatenate([sets, np.full((*shape, 1), value, x.dtype)], -1)
    return np.expand_dims(np.moveaxis(longer, -1, axes[0]), axes[1:]) if axes else longer
