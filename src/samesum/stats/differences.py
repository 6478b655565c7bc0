"""Two checkpoints: which tensors differ, in how many elements, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samesum.errors import UnsafeModelError
from samesum.files.tensor import Box, StreamTensor, Tensor
from samesum.formats.arrays import NDArray
from samesum.stats.figures import Figure
from samesum.stats.measuring import Seen

_WHOLE_BYTES = 1 << 30
"""What a tensor may take that is kept whole, because the two are not stored in the same order."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How many elements differ and the greatest |a - b|; both None for tensors of different shapes."""

    name: str
    differ: int | None
    max_abs: Figure


def difference(a: Tensor, b: Tensor, seen: Seen = lambda _: None) -> Difference | None:
    """What differs between two tensors; None if nothing does. NaNs are equal, and so are -0 and +0.

    Raises UnsafeModelError for large tensors that are stored in different orders.
    """
    if a.shape != b.shape:
        return Difference(a.name, None, None)
    count = 0
    most: int | float = 0
    for x, y in _pairs(a, b):
        seen(x.nbytes + y.nbytes)
        if x.dtype == y.dtype and np.array_equal(x.view(np.uint8), y.view(np.uint8)):
            continue
        found, size = _between(x, y)
        count += found
        most = size if math.isnan(size) or size > most else most
    return Difference(a.name, count, most) if count else None


def _pairs(a: Tensor, b: Tensor) -> Iterator[tuple[NDArray, NDArray]]:
    """The elements of both in the same order, in flat arrays of the same lengths."""
    if isinstance(a, StreamTensor) and isinstance(b, StreamTensor) and a.is_fortran == b.is_fortran:
        yield from _aligned(a.boxes(True), b.boxes(True))
        return
    whole = _whole(b)
    for box in a.boxes(False):
        part = whole[tuple(slice(begin, end) for begin, end in box.ranges)]
        yield np.ascontiguousarray(box.array).reshape(-1), np.ascontiguousarray(part).reshape(-1)


def _whole(tensor: Tensor) -> NDArray:
    size = math.prod(tensor.shape) * tensor.element.dtype.itemsize
    if size > _WHOLE_BYTES:
        raise UnsafeModelError(
            f"{tensor.name!r} in {tensor.file} takes {size} bytes and is stored in another order than the one it is "
            f"compared with; at most {_WHOLE_BYTES} are allowed"
        )
    whole = np.empty(tensor.shape, tensor.element.dtype)
    for box in tensor.boxes(False):
        whole[tuple(slice(begin, end) for begin, end in box.ranges)] = box.array
    return whole


def _aligned(first: Iterator[Box], second: Iterator[Box]) -> Iterator[tuple[NDArray, NDArray]]:
    x = y = np.empty(0, np.uint8)
    while True:
        if not x.size:
            box = next(first, None)
            if box is None:
                return
            x = box.array
        if not y.size:
            y = next(second).array
        count = min(x.size, y.size)
        yield x[:count], y[:count]
        x, y = x[count:], y[count:]


def _between(x: NDArray, y: NDArray) -> tuple[int, int | float]:
    """How many elements differ, and the greatest distance: the exact one, rounded to float64 once at most."""
    if x.dtype.kind in "iub" and y.dtype.kind in "iub":
        return _integers(x, y)
    a, b = x.astype(np.float64), y.astype(np.float64)
    unequal = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    count = int(np.count_nonzero(unequal))
    if not count:
        return 0, 0
    with np.errstate(over="ignore", invalid="ignore"):
        return count, float(np.abs(a[unequal] - b[unequal]).max())


def _integers(x: NDArray, y: NDArray) -> tuple[int, int]:
    if x.dtype != y.dtype and np.result_type(x, y).kind == "f":
        x, y = x.astype(object), y.astype(object)
    else:
        common = np.result_type(x, y, np.int8) if x.dtype.kind != "u" or y.dtype.kind != "u" else np.result_type(x, y)
        x, y = x.astype(common), y.astype(common)
    unequal = x != y
    count = int(np.count_nonzero(unequal))
    if not count:
        return 0, 0
    low, high = np.minimum(x, y)[unequal], np.maximum(x, y)[unequal]
    if low.dtype.kind == "i":
        unsigned = np.dtype(f"u{low.dtype.itemsize}")
        low, high = low.view(unsigned), high.view(unsigned)
    return count, int((high - low).max())
