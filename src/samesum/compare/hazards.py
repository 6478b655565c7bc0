"""What float16 and bfloat16 would do at a node on these data: overflow, stagnation, cancellation."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np

from samesum.compare.results import OWN_OVERFLOW, Hazard
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.formats.rounding import FORMATS
from samesum.testing.families import Family, Judged, Node
from samesum.testing.lines import axes_of, lines
from samesum.testing.truths import Arrays, Compute

SHORT = (np.dtype(np.float16), BFLOAT16)
LOST = 2.0**-4
"""A running sum in the short type that is off by more of the sum of magnitudes than this has stagnated."""
MOST_LINES, MOST_ELEMENTS = 64, 1 << 20
LONGEST = 1 << 14
"""Terms of a running sum that are added one at a time."""

_ADDING = frozenset({Family.SUM, Family.MEAN, Family.L1, Family.CUMULATIVE_SUM})
_SQUARING = frozenset({Family.L2, Family.SUM_SQUARE, Family.NORMALIZATION})


def hazards(node: Node, how: Judged, arrays: Arrays, exact: NDArray, compute: Compute) -> Iterator[Hazard]:
    """What would go wrong at the node if the model's floats were float16 or bfloat16; each kind once for each type.

    `exact` is what samesum gives, and `compute` gives it for arrays of other types. `value` is the number that
    overflows, the part of the sum of magnitudes that is lost, or the factor by which the data's own roundings grow.
    """
    data = arrays[0]
    if data is None or data.dtype.name not in FORMATS or data.size == 0:
        return
    if how.family not in _ADDING | _SQUARING:
        yield from _of_result(node, arrays, exact, compute)
        return
    axes = axes_of(node, arrays)
    rows = _rows(data, axes)
    for short in SHORT:
        if short.itemsize <= data.dtype.itemsize:
            for kind, value in _kinds(how.family, rows, short):
                yield Hazard(node.name, node.operator, short.name, kind, value)


def _of_result(node: Node, arrays: Arrays, exact: NDArray, compute: Compute) -> Iterator[Hazard]:
    """A result that leaves the range of a type in which all inputs are."""
    own, largest = exact.dtype, _largest(exact) if exact.dtype.name in FORMATS else 0.0
    limits = {short: float(ml_dtypes.finfo(short).max) for short in SHORT}  # type: ignore[no-untyped-call]
    if largest <= min(limits.values()):
        return
    given = max(_largest(each) for each in arrays if each is not None and each.dtype.name in FORMATS)
    if own in SHORT and given <= limits[own]:
        wide = [each.astype(np.float32) if each is not None and each.dtype == own else each for each in arrays]
        largest = _largest(compute(wide))
    for short, limit in limits.items():
        if short.itemsize <= own.itemsize and given <= limit < largest:
            kind = OWN_OVERFLOW if own == short else "the result overflows"
            yield Hazard(node.name, node.operator, short.name, kind, largest)


def _largest(array: NDArray) -> float:
    """The largest magnitude, infinite beside a number that is none."""
    found = np.max(np.abs(array.astype(np.float32)), initial=0.0)
    return float("inf") if np.isnan(found) else float(found)


def _rows(data: NDArray, axes: tuple[int, ...] | None) -> NDArray:
    """The lines with the largest values, in float64."""
    found = lines(data, range(data.ndim) if axes is None else axes).data
    count = max(1, min(MOST_LINES, MOST_ELEMENTS // max(1, found.shape[1])))
    if len(found) > count:
        tops = np.abs(found).max(axis=1, initial=0)
        found = found[np.argsort(tops, kind="stable")[::-1][:count]]
    return found.astype(np.float64)


def _kinds(family: Family, rows: NDArray, short: Dtype) -> Iterator[tuple[str, float]]:
    limit = float(ml_dtypes.finfo(short).max)  # type: ignore[no-untyped-call]
    finite = rows[np.isfinite(rows).all(axis=1)]
    if finite.size == 0:
        return
    largest = float(np.abs(finite).max())
    if largest > limit:
        yield "the data overflow", largest
        return
    if family in _SQUARING:
        yield from _of_squares(family, finite, limit)
    if family in _ADDING:
        yield from _of_sums(family, finite, short, limit)


def _of_squares(family: Family, rows: NDArray, limit: float) -> Iterator[tuple[str, float]]:
    if family is Family.NORMALIZATION:
        rows = rows - rows.mean(axis=1, keepdims=True)
    square = float(np.square(rows).max())
    if square > limit:
        yield "a square overflows", square
    elif (total := float(np.square(rows).sum(axis=1).max())) > limit:
        yield "the sum of squares overflows", total


def _of_sums(family: Family, rows: NDArray, short: Dtype, limit: float) -> Iterator[tuple[str, float]]:
    terms = np.abs(rows) if family is Family.L1 else rows
    running = np.add.accumulate(terms, axis=1)
    total, partial = np.abs(running[:, -1]), float(np.abs(running).max())
    result = float(total.max()) / (rows.shape[1] if family is Family.MEAN else 1)
    if result > limit:
        yield "the result overflows", result
    elif partial > limit:
        yield "a partial sum overflows", partial
    elif (lost := _lost(terms, short)) > LOST:
        yield "a running sum stagnates", lost
    if family in (Family.SUM, Family.MEAN):
        magnitudes = np.abs(rows).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            conditions = np.where(magnitudes > 0, magnitudes / total, 1)
        grown = float(np.median(conditions))
        if grown > 2.0 ** FORMATS[short.name].precision:
            yield "cancellation", grown


def _lost(terms: NDArray, short: Dtype) -> float:
    """How much of the sum of magnitudes a running sum in the short type loses at most, on the way to LONGEST terms."""
    if terms.shape[1] < 1 << (FORMATS[short.name].precision - 2):
        return 0.0
    terms = terms[:, :LONGEST]
    rounded = terms.astype(short)
    kept = rounded[:, 0].copy()
    for column in np.ascontiguousarray(rounded.T)[1:]:
        kept = (kept + column).astype(short)
    magnitudes = np.abs(terms).sum(axis=1)
    off = np.abs(kept.astype(np.float64) - terms.sum(axis=1))
    return float(np.max(np.divide(off, magnitudes, out=np.zeros_like(off), where=magnitudes > 0)))
