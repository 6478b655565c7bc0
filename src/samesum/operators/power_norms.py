"""p-norms of windows, for any whole p from 3 on: zeros stand where a window reaches beyond the elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from samesum.engine.memory import AxisWindows
from samesum.engine.power_norms import power_norm
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray

MOST = 1024
"""The greatest p: a sum of powers has so many times the bits of the elements."""
_BLOCK = 1 << 18
"""Elements that are looked at together."""


def whole_power(p: float) -> int:
    """`p` as an integer, or AttributeValueError."""
    if not 1 <= p <= MOST or p != int(p):
        raise AttributeValueError(f"p is {p!r}; allowed are whole numbers from 1 to {MOST}")
    return int(p)


def root_of_powers(x: NDArray, windows: Sequence[AxisWindows], p: int) -> NDArray:
    """The p-norm of each window of `x`, in its type."""
    spatial = tuple(each.table.shape[1] for each in windows)
    planes = x.reshape(prod(x.shape[:2]), *x.shape[2:])
    result = np.empty((len(planes), int(np.prod(spatial))), x.dtype.newbyteorder("="))
    for first, sets in _sets(planes, windows):
        result[first : first + len(sets)] = power_norm(sets, (2,), p, result.dtype)
    return result.reshape(*x.shape[:2], *spatial)


def _sets(planes: NDArray, windows: Sequence[AxisWindows]) -> Iterator[tuple[int, NDArray]]:
    """Some planes at a time, the first one's number and (planes, windows, elements), with zeros for what is missing."""
    indices = []
    for each in windows:
        first, count, _ = each.table
        taps = np.arange(max(1, int(count.max(initial=0))))
        index = first[:, None] + taps * each.dilation
        indices.append(np.where(taps < count[:, None], index, planes.shape[each.axis - 1]))
    size = int(np.prod([index.size for index in indices]))
    step = max(1, _BLOCK // max(1, size))
    for start in range(0, len(planes), step):
        block = planes[start : start + step]
        for i, index in enumerate(indices):
            axis = 1 + 2 * i
            zeros = np.zeros((*block.shape[:axis], 1, *block.shape[axis + 1 :]), block.dtype)
            block = np.take(np.concatenate([block, zeros], axis), index, axis)
        n = len(indices)
        order = (0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2))
        counts = int(np.prod([index.shape[1] for index in indices]))
        yield start, block.transpose(order).reshape(len(block), -1, counts)
