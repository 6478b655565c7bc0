"""Prefixes that go on from what a measure has seen: the exact total joins the chunk as a few elements before it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samesum.algebra.pieces import Finalize, Map
from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM
from samesum.engine.memory import EXCLUSIVE, flags_of, scan
from samesum.engine.totals import Totals, decoded
from samesum.formats.arrays import Dtype, NDArray
from samesum.frontends.arrays.measure import Measure, Sums
from samesum.frontends.arrays.products import FloatProducts, IntegerProducts

_MOST_PARTS = 80
"""Elements that stand for a total: a sum of doubles has 40 at most, but for those beyond the greatest double."""


def prefixes(measure: Measure, x: NDArray, axis: int, dtype: Dtype, is_exclusive: bool) -> NDArray:
    """Every prefix of what `measure` has seen and the elements of `x` along `axis`, each rounded once; it sees `x` too.

    The measure is of the same axis, of elements of this type, and of results of `dtype`.
    """
    if isinstance(measure, FloatProducts):
        return measure.products.scan(x, axis, is_exclusive, dtype)  # type: ignore[no-any-return]
    row = CUMULATIVE_PROD if isinstance(measure, IntegerProducts) else CUMULATIVE_SUM
    flags = flags_of(row) | (EXCLUSIVE if is_exclusive else 0)
    if isinstance(measure, Sums) and dtype.kind not in "iu":
        joined = _joined(measure.totals, x, axis)
        if joined is None:
            return _one_by_one(measure, x, axis, dtype, is_exclusive)
        count = joined.shape[axis] - x.shape[axis]
        result = np.asarray(scan(row, joined, axis, flags, dtype))
        result = result[(slice(None),) * axis + (slice(count, None),)]
    else:
        result = np.asarray(scan(row, x, axis, flags, dtype))
        carry = np.expand_dims(np.asarray(_modular(measure, dtype, x, axis)), axis)
        combine: Any = np.multiply if isinstance(measure, IntegerProducts) else np.add
        combine(result, carry, out=result)
    measure.add(x, (axis,), None, 0)
    return result


def _modular(measure: Any, dtype: Dtype, x: NDArray, axis: int) -> NDArray:
    """The total so far modulo the range of an integer type."""
    if isinstance(measure, IntegerProducts):
        return np.asarray(measure.result(dtype))
    return np.asarray(measure.totals.rounded(int(Finalize.ITSELF), dtype, _ones(x, axis)))


def _ones(x: NDArray, axis: int) -> NDArray:
    return np.ones(x.shape[:axis] + x.shape[axis + 1 :], np.int64)


def _joined(totals: Any, x: NDArray, axis: int) -> NDArray | None:
    """The elements of `x` after some whose sum the totals are, doubles if need be; None where that takes too many."""
    if x.dtype.kind in "iub":
        parts = _integer_parts(totals, x.dtype)
    else:
        parts = totals.elements(_MOST_PARTS)
        if parts is None:
            wide = Totals(int(Map.ITSELF), np.dtype(np.float64), math.prod(x.shape[:axis] + x.shape[axis + 1 :]))
            wide.decode(totals.encoded())
            parts, x = wide.elements(_MOST_PARTS), x.astype(np.float64)
    if parts is None or len(parts) == 0:
        return x if parts is not None else None
    shaped = parts.reshape(-1, *x.shape[:axis], *x.shape[axis + 1 :])
    return np.concatenate([np.moveaxis(shaped, 0, axis), x], axis)


def _integer_parts(totals: Any, dtype: Dtype) -> NDArray | None:
    """Each row is as much of what is left as its type holds."""
    wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    limits = np.iinfo(wide)
    rest = np.array([number << shift for number, shift in decoded(totals.encoded())], dtype=object)
    parts: list[NDArray] = []
    while rest.any():
        if len(parts) == _MOST_PARTS:
            return None
        part = np.minimum(np.maximum(rest, int(limits.min)), int(limits.max))
        parts.append(part.astype(wide))
        rest = rest - part
    return np.array(parts, wide).reshape(len(parts), rest.size)


def _one_by_one(measure: Sums, x: NDArray, axis: int, dtype: Dtype, is_exclusive: bool) -> NDArray:
    """Row after row: for totals that no few elements stand for."""
    result = np.empty(x.shape, dtype)
    counts = _ones(x, axis)
    for i in range(x.shape[axis]):
        row = (slice(None),) * axis + (slice(i, i + 1),)
        if not is_exclusive:
            measure.add(x[row], (axis,), None, 0)
        result[row] = np.expand_dims(np.asarray(measure.totals.rounded(int(Finalize.ITSELF), dtype, counts)), axis)
        if is_exclusive:
            measure.add(x[row], (axis,), None, 0)
    return result
