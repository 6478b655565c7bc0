"""Where the windows of a pool lie: what kernel, strides, dilations and padding say of each spatial axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from samesum.engine.memory import AxisWindows
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import NDArray, excess
from samesum.operators.rows import Attributes

SAME = ("same_upper", "same_lower")


@dataclass(frozen=True, slots=True)
class Pool:
    """What a standard says of the windows, for each spatial axis."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    auto_pad: str = "explicit"
    rounding: str = "floor"
    """`ceil` counts the last window that begins before the end of the padding, `ceil_torch` if it begins before that
    of the data or in the padding before it."""
    counts_padding: bool = False


@dataclass(frozen=True, slots=True)
class Along:
    """The windows along one axis of `size` elements."""

    size: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    end: int
    outputs: int
    counts_padding: bool


def pool_of(attributes: Attributes, rank: int, kernel: tuple[int, ...] | None = None) -> Pool:
    """What either standard says of the windows of data of this rank, complete and allowed.

    `kernel` is that of a convolution's weights, which an attribute may repeat.
    """
    is_onnx, word = "pads" in attributes, attributes["auto_pad"].lower()
    is_explicit = word in ("explicit", "notset")
    name = "kernel_shape" if is_onnx else "kernel" if kernel is None else "the kernel"
    said: Any = attributes.get(name)
    if kernel is None and said is None:
        raise AttributeValueError(f"the attribute {name!r} is missing")
    if kernel is not None and said not in (None, kernel):
        raise ShapeError(f"{name} is {list(said)}; the weights have a kernel of {list(kernel)}")
    pads = ("pads", "pads") if is_onnx else ("pads_begin", "pads_end")
    begins, ends = (attributes[each] or () if is_explicit else () for each in pads)
    if is_onnx:
        if len(begins) not in (0, 2 * (rank - 2)):
            raise ShapeError(f"pads has {len(begins)} numbers; two for each of the {rank - 2} spatial axes are needed")
        half = len(begins) // 2
        begins, ends = begins[:half], begins[half:]
    pool = Pool(
        said if kernel is None else kernel,
        attributes["strides"] or (),
        attributes.get("dilations") or (),
        begins,
        ends,
        "explicit" if is_explicit else word,
        attributes.get("rounding_type", "ceil_torch" if attributes.get("ceil_mode") else "floor"),
        bool(attributes.get("count_include_pad", not attributes.get("exclude_pad", True))),
    )
    return _checked(pool, rank, (name, "strides", "dilations", *pads))


def _checked(pool: Pool, rank: int, names: tuple[str, str, str, str, str]) -> Pool:
    """`pool` with lists that were left out completed, or the error that says which of `names` is wrong."""
    spatial = rank - 2
    if spatial < 1:
        raise ShapeError(f"the data has rank {rank}; a batch, channels and one spatial axis at least are needed")
    lists = []
    given = (pool.kernel, pool.strides, pool.dilations, pool.begins, pool.ends)
    for name, values, least in zip(names, given, (1, 1, 1, 0, 0), strict=True):
        full = values if values or name == names[0] else (least,) * spatial
        if len(full) != spatial:
            raise ShapeError(f"{name} has {len(full)} numbers; the data has {spatial} spatial axes")
        if min(full) < least:
            raise AttributeValueError(f"{name} is {list(full)}; allowed are numbers from {least} on")
        if max(full) >= 2**31:
            raise AttributeValueError(f"{name} is {list(full)}; allowed are numbers below 2^31")
        lists.append(full)
    return replace(pool, kernel=lists[0], strides=lists[1], dilations=lists[2], begins=lists[3], ends=lists[4])


def windows_of(pool: Pool, shape: Sequence[int]) -> list[AxisWindows]:
    """The windows along each spatial axis of data of this shape."""
    return [
        AxisWindows(axis, each.dilation, _table(each))
        for axis, each in enumerate((along(pool, i, size) for i, size in enumerate(shape[2:])), 2)
    ]


def output_sizes(pool: Pool, spatial: Sequence[int | None]) -> tuple[int | None, ...]:
    """The sizes of the result along the spatial axes, as far as those of the data are known."""
    return tuple(None if size is None else along(pool, i, size).outputs for i, size in enumerate(spatial))


def along(pool: Pool, i: int, size: int) -> Along:
    """The windows along the spatial axis `i`, of this size."""
    kernel, stride, dilation = pool.kernel[i], pool.strides[i], pool.dilations[i]
    reach = dilation * (kernel - 1) + 1
    begin, end = (0, 0) if pool.auto_pad == "valid" else (pool.begins[i], pool.ends[i])
    if pool.auto_pad in SAME:
        outputs = -(-size // stride)
        padding = max(0, (outputs - 1) * stride + reach - size)
        begin = padding // 2 if pool.auto_pad == "same_upper" else padding - padding // 2
        return Along(size, kernel, stride, dilation, begin, padding - begin, outputs, pool.counts_padding)
    room = size + begin + end - reach
    if room < 0 or size == 0:
        raise ShapeError(f"a window of {reach} elements does not fit into {size} with padding of {begin} and {end}")
    outputs = room // stride + 1
    if pool.rounding != "floor" and pool.auto_pad != "valid":
        outputs = -(-room // stride) + 1
        if pool.rounding == "ceil_torch" and (outputs - 1) * stride >= size + begin:
            outputs -= 1
    return Along(size, kernel, stride, dilation, begin, end, outputs, pool.counts_padding)


@lru_cache(maxsize=256)
def _table(along: Along) -> NDArray:
    start = np.arange(along.outputs, dtype=np.int64) * along.stride - along.begin
    skipped = np.maximum(0, -(start // along.dilation))
    first = start + skipped * along.dilation
    inside = np.clip((along.size - 1 - start) // along.dilation + 1, 0, along.kernel)
    count = np.maximum(0, inside - skipped)
    weight = count
    if along.counts_padding:
        padded = np.clip((along.size + along.end - 1 - start) // along.dilation + 1, 0, along.kernel)
        weight = np.maximum(padded, count)
    return _frozen(np.where(count > 0, first, 0), count, weight)


def _frozen(*rows: NDArray) -> NDArray:
    table = np.ascontiguousarray(np.stack(rows), dtype=np.int64)
    table.flags.writeable = False
    return table


def adaptive_windows(sizes: Sequence[int], shape: Sequence[int]) -> list[AxisWindows]:
    """Windows that share each spatial axis of data of this shape evenly, as many as `sizes` say."""
    if len(shape) < 3 or len(sizes) != len(shape) - 2:
        raise ShapeError(
            f"the output shape {list(sizes)} does not name the spatial axes of data of shape {tuple(shape)}"
        )
    for size, length in zip(sizes, shape[2:], strict=True):
        if size < 1 or length < 1:
            raise ShapeError(f"{length} elements are not shared by {size} windows; one at least of each is needed")
    if reason := excess([*shape[:2], *sizes]):
        raise ShapeError(f"the output: {reason}")
    return [AxisWindows(axis, 1, _shares(length, sizes[axis - 2])) for axis, length in enumerate(shape[2:], 2)]


@lru_cache(maxsize=256)
def _shares(length: int, windows: int) -> NDArray:
    i = np.arange(windows, dtype=np.int64)
    first, end = i * length // windows, -(-(i + 1) * length // windows)
    return _frozen(first, end - first, end - first)


def whole_axes(shape: Sequence[int]) -> list[AxisWindows]:
    """One window along each spatial axis of data of this shape: all of it."""
    return [
        AxisWindows(axis, 1, _frozen(np.zeros(1), np.array([n]), np.array([n]))) for axis, n in enumerate(shape[2:], 2)
    ]
