"""Reductions of the elements that share a label or a place, in any order: the same bits however they come."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from samesum import _core
from samesum.algebra.rows import ALL, ANY, MAX, MEAN, MIN, PROD, SUM, Reduction
from samesum.engine.contractions import vecdot
from samesum.engine.memory import reduce_several
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray

_LABEL_TYPES = frozenset({np.dtype(np.int32), np.dtype(np.int64)})


def reduce_labelled(
    row: Reduction,
    x: NDArray,
    axis: int,
    labels: NDArray,
    out: NDArray,
    *,
    initial: NDArray | None = None,
    negative: bool = False,
    flags: int = 0,
    correction: float = 0.0,
    what: str = "labels",
) -> int:
    """Writes `row` of all slices of `x` along `axis` with one label to that place of `out` along `axis`.

    `out` is C-contiguous; places without slices stay as they are. The first of them is returned, or -1. With `initial`,
    of the shape of `out`, each place has one more slice. `negative` labels count from the end. Raises
    AttributeValueError for a label out of range, before anything is written.
    """
    shape = (prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :]))
    results = (shape[0], out.shape[axis], shape[2])
    numbers = _numbers(labels)
    stranger, empty = _core.reduce_segments(
        row.code,
        flags,
        correction,
        _dense(x).reshape(shape),
        numbers,
        negative and labels.dtype.kind == "i",
        None if initial is None else _dense(initial).reshape(results),
        out.reshape(results),
    )
    if stranger >= 0:
        refuse_place(what, labels.reshape(-1)[stranger], out.shape[axis], negative)
    return empty


def refuse_place(what: str, found: Any, size: int, negative: bool) -> None:
    """Raises AttributeValueError for a place that is not there."""
    allowed = (
        f"allowed are {-size if negative else 0} to {size - 1}" if size else "the length is 0, so that none is allowed"
    )
    raise AttributeValueError(f"{what} has {found}; {allowed}")


def _numbers(labels: NDArray) -> NDArray:
    """The labels in a type that the core reads; what int64 does not hold becomes negative."""
    flat = labels.reshape(-1)
    if flat.dtype not in _LABEL_TYPES:
        flat = flat.astype(np.int32 if flat.dtype.itemsize < 4 else np.int64)
    return _dense(flat)


def _dense(x: NDArray) -> NDArray:
    """`x` as the core reads it; `np.require` alone takes some microseconds."""
    if x.flags.c_contiguous and x.flags.aligned and x.dtype.isnative:
        return x
    return np.require(x, dtype=x.dtype.newbyteorder("="), requirements=["C", "A"])


# Elements or slices that go to places of a target, which may be named several times.

_OF_BOOLEANS = {SUM.name: ANY, PROD.name: ALL, MIN.name: ALL, MAX.name: ANY}
"""A sum of booleans that stays one is their or, a product their and."""


def scatter_elements(
    target: NDArray, axis: int, index: NDArray, source: NDArray, row: Reduction | None, include_self: bool = True
) -> NDArray:
    """A copy of `target` in which each element named by `index` along `axis` is `row` of the elements that go there.

    `index` and `source` have one shape, which is that of a part of `target` but along `axis`. Negative indices count
    from the end. Without a `row` the last one in order stays. Raises AttributeValueError for an index out of range.
    """
    result = np.array(target, dtype=target.dtype.newbyteorder("="), order="C")
    if index.size == 0:
        return result
    rows = _same_for_all(axis, index, target)
    if rows is not None:
        return _scatter_along(result, target, axis, rows, source, row, include_self)
    check_places("index", index, target.shape[axis])
    strides = [prod(target.shape[i + 1 :]) for i in range(target.ndim)]
    places = _from_front(index, target.shape[axis]) * strides[axis]
    for i in range(target.ndim):
        if i != axis and index.shape[i] > 1:
            steps = np.arange(index.shape[i], dtype=np.int64) * strides[i]
            places += steps.reshape(-1, *(1,) * (target.ndim - 1 - i))
    flat = _scatter_along(
        result.reshape(-1), target.reshape(-1), 0, places.reshape(-1), source.reshape(-1), row, include_self
    )
    return flat.reshape(target.shape)


def scatter_slices(
    target: NDArray, places: NDArray, source: NDArray, row: Reduction | None, include_self: bool = True
) -> NDArray:
    """A copy of `target` in which each slice that `places` names is `row` of the slices that go there.

    `places` [n, k] names slices `target[place]` for each of `source` [n, *target.shape[k:]]; the rest is as in
    `scatter_elements`.
    """
    result = np.array(target, dtype=target.dtype.newbyteorder("="), order="C")
    depth = places.shape[-1]
    lengths = target.shape[:depth]
    rows = np.zeros(len(places), np.int64)
    if source.size == 0:
        return result
    for i, length in enumerate(lengths):
        along = places[:, i]
        check_places(f"indices[..., {i}]", along, length)
        rows = rows * length + _from_front(along, length)
    shape = (prod(lengths), *target.shape[depth:])
    slices = _scatter_along(
        result.reshape(shape), target.reshape(shape), 0, rows, source.reshape(-1, *shape[1:]), row, include_self
    )
    return slices.reshape(target.shape)


def check_places(what: str, places: NDArray, length: int, negative: bool = True) -> None:
    """Raises AttributeValueError unless all lie from -length (or 0, if none may be negative) to length - 1."""
    if places.size == 0:
        return
    for found in map(int, reduce_several([(MIN, 0), (MAX, 0)], places)):
        if not (-length if negative else 0) <= found < length:
            refuse_place(what, found, length, negative)


def _from_front(places: NDArray, length: int) -> NDArray:
    """Places that are there, as int64 from 0 on."""
    wide = places.astype(np.int64, copy=False)
    return wide if places.dtype.kind == "u" else np.where(wide < 0, wide + length, wide)


def _same_for_all(axis: int, index: NDArray, target: NDArray) -> NDArray | None:
    """The index along `axis` if it was broadcast along all others, so that whole slices go to one place."""
    others = [i for i in range(index.ndim) if i != axis]
    if any(index.shape[i] != target.shape[i] or (index.strides[i] and index.shape[i] > 1) for i in others):
        return None
    return index[tuple(slice(None) if i == axis else 0 for i in range(index.ndim))]


def _scatter_along(
    result: NDArray,
    target: NDArray,
    axis: int,
    places: NDArray,
    source: NDArray,
    row: Reduction | None,
    include_self: bool,
) -> NDArray:
    if row is None:
        check_places("index", places, result.shape[axis])
        result[(slice(None),) * axis + (places,)] = source
        return result
    if result.dtype == np.bool_:
        row = _OF_BOOLEANS.get(row.name, row)
    initial = target if include_self else None
    reduce_labelled(row, source, axis, places, result, initial=initial, negative=True, what="index")
    if row is MEAN and result.dtype.kind == "i":
        result -= _are_above(result, initial, axis, places, source)
    return result


def _are_above(means: NDArray, initial: NDArray | None, axis: int, places: NDArray, source: NDArray) -> NDArray:
    """1 where a mean that was truncated toward zero is above the exact one; both standards round it down."""
    size = means.shape[axis]
    counts = np.bincount(_from_front(places, size), minlength=size)
    counts[counts > 0] += initial is not None
    sums = np.zeros(means.shape, np.int64)
    reduce_labelled(SUM, source, axis, places, sums, initial=initial, negative=True)
    along = counts.reshape(-1, *(1,) * (means.ndim - 1 - axis))
    return (sums - means * along < 0).astype(means.dtype)


# Sums of products by label: every product is kept exactly until the sum is rounded once.


def sum_weighted(rows: NDArray, weights: NDArray, labels: NDArray, out: NDArray, what: str = "labels") -> None:
    """Writes the sums of `weights[i] * rows[i]` of each label to that row of `out`, rounded once; integers wrap.

    `rows` has rank 2, all have one dtype. Rows of labels without products stay as they are. The errors are those of
    `reduce_labelled`.
    """
    if rows.dtype.kind in "iu":
        reduce_labelled(SUM, rows * weights[:, None], 0, labels, out, what=what)
    elif rows.dtype.itemsize < 8:
        with np.errstate(invalid="ignore"):
            products = rows.astype(np.float64) * weights.astype(np.float64)[:, None]
        reduce_labelled(SUM, products, 0, labels, out, what=what)
    else:
        check_places(what, labels, len(out), negative=False)
        order = np.argsort(labels, kind="stable")
        found, starts = np.unique(labels[order], return_index=True)
        for label, some in zip(found.tolist(), np.split(order, starts[1:]), strict=bool(order.size)):
            out[label] = vecdot(rows[some], weights[some, None], -2)
