"""Windowed pools, as the standards have them: the exact sum, root or extreme of each window, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from samesum.algebra.rows import ARGMAX, L1_NORM, L2_NORM, MAX, MEAN
from samesum.engine.memory import AxisWindows, reduce_windows
from samesum.errors import ShapeError
from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.formats.axes import from_front
from samesum.operators.facts import at, shaped
from samesum.operators.norms import root_of_powers, whole_power
from samesum.operators.pointwise import given, integers
from samesum.operators.pool_windows import adaptive_windows, output_sizes, pool_of, windows_of
from samesum.operators.rows import Attributes, Fact, Facts, Inputs, row, several

_INDICES: dict[str, Dtype] = {"i64": np.dtype(np.int64), "i32": np.dtype(np.int32)}


def _windows(attributes: Attributes, x: NDArray) -> list[AxisWindows]:
    return _windows_of(tuple(attributes.items()), x.shape)


@lru_cache(maxsize=256)
def _windows_of(said: tuple[tuple[str, Any], ...], shape: tuple[int, ...]) -> list[AxisWindows]:
    return windows_of(pool_of(dict(said), len(shape)), shape)


def average_pool(attributes: Attributes, inputs: Inputs) -> NDArray:
    """AveragePool and AvgPool: the mean of each window; of padding alone NaN. Means of integers are truncated."""
    x = given(inputs, 0)
    windows = _windows(attributes, x)
    if x.dtype.kind in "iu" and any((each.table[2] == 0).any() for each in windows):
        raise ShapeError(f"a window of padding alone has no mean in {x.dtype.name}")
    return reduce_windows(MEAN, x, windows)


def max_pool(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """MaxPool: the greatest element of each window, NaN if there is one; and its index in the flattened data.

    Of padding alone they are the least value of the type and -1.
    """
    x = given(inputs, 0)
    windows = _windows(attributes, x)
    greatest = reduce_windows(MAX, x, windows)
    if count == 1:
        return (greatest,)
    if "axis" in attributes:
        axis = from_front(attributes["axis"], x.ndim)
        steps = [0] * axis + _steps(x.shape[axis:])
    else:
        steps = _steps(x.shape)
        if attributes.get("storage_order"):
            steps[2:] = _steps(x.shape[:1:-1])[::-1]
    return greatest, _indexed(x, windows, steps, attributes)


def _steps(shape: Sequence[int]) -> list[int]:
    steps = [1]
    for size in shape[:0:-1]:
        steps.insert(0, steps[0] * size)
    return steps


def _indexed(x: NDArray, windows: list[AxisWindows], steps: Sequence[int], attributes: Attributes) -> NDArray:
    # The core takes axes in the order of memory, in which another one of equal elements may be the first.
    distances = [abs(x.strides[each.axis]) for each in windows if x.shape[each.axis] > 1]
    if 0 not in distances and distances != sorted(distances, reverse=True):
        x = np.ascontiguousarray(x)
    found = reduce_windows(ARGMAX, x, windows, index_steps=steps)
    result: NDArray = found.astype(_INDICES[attributes.get("index_element_type", "i64")], copy=False)
    return result


def lp_pool(attributes: Attributes, inputs: Inputs) -> NDArray:
    """LpPool: the p-norm of each window, of any whole p from 1 on; of padding alone zero."""
    x, p = given(inputs, 0), whole_power(attributes["p"])
    windows = _windows(attributes, x)
    if p > 2:
        return root_of_powers(x, windows, p)
    return reduce_windows(L1_NORM if p == 1 else L2_NORM, x, windows)


def adaptive_average_pool(_: Attributes, inputs: Inputs) -> NDArray:
    """AdaptiveAvgPool: the mean of each of the windows, as many along each spatial axis as the second input says."""
    x = given(inputs, 0)
    return reduce_windows(MEAN, x, adaptive_windows(integers(given(inputs, 1)), x.shape))


def adaptive_max_pool(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """AdaptiveMaxPool: the greatest element of each window and its index among all spatial ones."""
    x = given(inputs, 0)
    windows = adaptive_windows(integers(given(inputs, 1)), x.shape)
    greatest = reduce_windows(MAX, x, windows)
    if count == 1:
        return (greatest,)
    return greatest, _indexed(x, windows, [0, 0, *_steps(x.shape[2:])], attributes)


@shaped
def pooled_shape(attributes: Attributes, shape: Shape, _: Facts) -> Shape:
    """The number of windows along each spatial axis."""
    return (*shape[:2], *output_sizes(pool_of(attributes, len(shape)), shape[2:]))


@shaped
def adaptive_shape(_: Attributes, shape: Shape, facts: Facts) -> Shape | None:
    """The spatial sizes that the second input says."""
    if len(shape) < 3:
        return None
    sizes = at(facts, 1).value
    is_known = sizes is not None and sizes.size == len(shape) - 2
    return (*shape[:2], *(sizes.ravel().tolist() if sizes is not None and is_known else (None,) * (len(shape) - 2)))


def max_pool_shapes(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """What `pooled_shape` gives, and that of the indices."""
    return _with_indices(attributes, pooled_shape(attributes, facts), count)


def adaptive_max_pool_shapes(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """What `adaptive_shape` gives, and that of the indices."""
    return _with_indices(attributes, adaptive_shape(attributes, facts), count)


def _with_indices(attributes: Attributes, greatest: Fact, count: int) -> tuple[Fact, ...]:
    return (greatest, Fact(_INDICES[attributes.get("index_element_type", "i64")], greatest.shape))[:count]


ONNX_ROWS = (
    row("AveragePool", average_pool, pooled_shape),
    several("MaxPool", max_pool, max_pool_shapes, most=1),
    several("MaxPool", max_pool, max_pool_shapes, 8, most=2),
    row("LpPool", lp_pool, pooled_shape),
)

OPENVINO_ROWS = (
    row("AvgPool", average_pool, pooled_shape),
    several("MaxPool", max_pool, max_pool_shapes, most=1),
    several("MaxPool", max_pool, max_pool_shapes, 8, most=2),
    row("AdaptiveAvgPool", adaptive_average_pool, adaptive_shape),
    several("AdaptiveMaxPool", adaptive_max_pool, adaptive_max_pool_shapes, most=2),
)
