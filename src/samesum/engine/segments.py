"""Reductions of the elements that share a label or a place, in any order: the same bits however they come."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from samesum import _core
from samesum.algebra.rows import Reduction
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
