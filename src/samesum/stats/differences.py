"""Two checkpoints: which tensors differ, in how many elements, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from samesum.errors import UnsafeModelError
from samesum.files.tensor import Box, Skipped, StreamTensor, Tensor
from samesum.formats.arrays import NDArray
from samesum.stats.figures import Figure
from samesum.stats.measuring import Seen, type_of

_WIDE = 2.0**53
"""Below it float64 holds every integer."""
_WHOLE_BYTES = 1 << 30
"""What a tensor may take that is kept whole, because the two are not stored in the same order."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How many elements differ and the greatest |a - b|; both None for tensors of different shapes.

    Where elements are not decoded, bytes are counted, and `max_abs` is None.
    """

    name: str
    differ: int | None
    max_abs: Figure


@dataclass(frozen=True, slots=True)
class NotCompared:
    """A tensor of which nobody can tell, and why."""

    name: str
    reason: str


def difference(
    a: Tensor | Skipped, b: Tensor | Skipped, seen: Seen = lambda _: None
) -> Difference | NotCompared | None:
    """What differs between two tensors; None if nothing does. NaNs are equal, and so are -0 and +0.

    Where elements are not decoded the bytes are compared, if both are of the same type, and those of blocks too, which
    may differ where no value does. Raises UnsafeModelError for large tensors that are stored in different orders.
    """
    if a.shape != b.shape and None not in (a.shape, b.shape):
        return Difference(a.name, None, None)
    if not isinstance(a, Skipped) and not isinstance(b, Skipped):
        x, y = (each.stored if isinstance(each, StreamTensor) else None for each in (a, b))
        if x is None or y is None or type_of(a) != type_of(b):
            return _of_elements(a, b, seen)
        of_bytes = _of_bytes(x, y, seen)
        return of_bytes and (_of_elements(a, b, seen) or of_bytes)
    kinds = [each.kind if isinstance(each, Skipped) else type_of(each) for each in (a, b)]
    if kinds[0] != kinds[1]:
        return NotCompared(a.name, f"it is {kinds[0]} in A and {kinds[1]} in B")
    if not isinstance(a, Skipped) or not isinstance(b, Skipped) or a.stored is None or b.stored is None:
        return NotCompared(a.name, f"{a.reason if isinstance(a, Skipped) else kinds[0]}, and its bytes are not known")
    return _of_bytes(a.stored, b.stored, seen)


def _of_bytes(a: Tensor, b: Tensor, seen: Seen) -> Difference | None:
    """Bytes that are there in one of them alone differ too."""
    count = max(a.nbytes, b.nbytes)
    for x, y in _aligned(a.boxes(True), b.boxes(True)):
        seen(x.nbytes + y.nbytes)
        count -= int(np.count_nonzero(x == y))
    return Difference(a.name, count, None) if count else None


def _of_elements(a: Tensor, b: Tensor, seen: Seen) -> Difference | None:
    count = 0
    most: int | float = 0
    for x, y in _pairs(a, b):
        seen(x.nbytes + y.nbytes)
        if x.dtype == y.dtype and np.array_equal(x.view(np.uint8), y.view(np.uint8)):
            continue
        found, size = _between(x, y)
        count += found
        most = _greater(most, size)
    return Difference(a.name, count, most) if count else None


def _pairs(a: Tensor, b: Tensor) -> Iterator[tuple[NDArray, NDArray]]:
    """The elements of both in the same order, in flat arrays of the same lengths."""
    if isinstance(a, StreamTensor) and isinstance(b, StreamTensor) and a.is_fortran == b.is_fortran:
        yield from _aligned(a.boxes(True), b.boxes(True))
        return
    other = whole(b)
    for box in a.boxes(False):
        part = other[tuple(slice(begin, end) for begin, end in box.ranges)]
        yield np.ascontiguousarray(box.array).reshape(-1), np.ascontiguousarray(part).reshape(-1)


def whole(tensor: Tensor) -> NDArray:
    """All elements; UnsafeModelError for more bytes than may be kept."""
    size = math.prod(tensor.shape) * tensor.element.dtype.itemsize
    if size > _WHOLE_BYTES:
        raise UnsafeModelError(
            f"{tensor.name!r} in {tensor.file} takes {size} bytes and is not stored in the order that is needed "
            f"here; at most {_WHOLE_BYTES} are allowed"
        )
    whole = np.empty(tensor.shape, tensor.element.dtype)
    for box in tensor.boxes(False):
        whole[tuple(slice(begin, end) for begin, end in box.ranges)] = box.array
    return whole


def _aligned(first: Iterator[Box], second: Iterator[Box]) -> Iterator[tuple[NDArray, NDArray]]:
    """As many of both, until one of them ends."""
    x = y = np.empty(0, np.uint8)
    while True:
        if not x.size:
            box = next(first, None)
            if box is None:
                return
            x = box.array
        if not y.size:
            box = next(second, None)
            if box is None:
                return
            y = box.array
        count = min(x.size, y.size)
        yield x[:count], y[:count]
        x, y = x[count:], y[count:]


def _between(x: NDArray, y: NDArray) -> tuple[int, int | float]:
    """How many elements differ, and the greatest distance: the exact one, rounded to float64 once at most."""
    if x.dtype.kind in "iub" and y.dtype.kind in "iub":
        return _integers(x, y)
    a, b = x.astype(np.float64), y.astype(np.float64)
    is_wide = np.zeros(a.shape, bool)
    if any(each.dtype.kind in "iu" and each.dtype.itemsize == 8 for each in (x, y)):
        is_wide = (np.abs(a) >= _WIDE) | (np.abs(b) >= _WIDE)
    whole = [each if each.dtype.kind in "iu" else value for each, value in ((x, a), (y, b))]
    count, most = _wide(*(each[is_wide].tolist() for each in whole))
    unequal = ~((a == b) | (np.isnan(a) & np.isnan(b)) | is_wide)
    if found := int(np.count_nonzero(unequal)):
        with np.errstate(over="ignore", invalid="ignore"):
            size = float(np.abs(a[unequal] - b[unequal]).max())
        count, most = count + found, _greater(most, size)
    return count, most


def _wide(x: Sequence[Any], y: Sequence[Any]) -> tuple[int, float]:
    """Integers that float64 does not hold beside floats, or the other way round; Python compares them exactly."""
    count, most = 0, 0.0
    for a, b in zip(x, y, strict=True):
        if a != b:
            finite = math.isfinite(a) and math.isfinite(b)
            size = abs(float(Fraction(a) - Fraction(b))) if finite else abs(float(a) - float(b))
            count, most = count + 1, _greater(most, size)
    return count, most


def _greater(most: int | float, size: int | float) -> int | float:
    """NaN is the greatest."""
    return size if math.isnan(size) or size > most else most


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
