"""Normalizations about a mean or by a norm, as the standards have them: which axes, which scale, which epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from samesum.algebra.rows import CENTRED, L1_QUOTIENT, L2_NORM, L2_QUOTIENT, LAYER_NORM, MAX, MEAN, RMS_NORM
from samesum.algebra.rows import L1_NORM as L1
from samesum.engine.memory import (
    KEEPDIMS,
    NO_EPSILON,
    AxisWindows,
    Channels,
    Epsilon,
    normalize_batch,
    normalize_lines,
    normalize_lines_with_inverse,
    reduce,
)
from samesum.engine.power_norms import power_norm
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import MAX_RANK, NDArray
from samesum.formats.axes import all_from_front, from_front
from samesum.operators.facts import stash_of
from samesum.operators.pointwise import given, integers, optional
from samesum.operators.pool_windows import whole_axes
from samesum.operators.rows import Attributes, Inputs, Make, Run
from samesum.specs.table import MEAN_VARIANCE_EPSILON

# p-norms of windows, for any whole p from 3 on: zeros stand where a window reaches beyond the elements.

_MOST = 1024
"""The greatest p: a sum of powers has so many times the bits of the elements."""
_MOST_AXES = MAX_RANK // 2 - 1
"""Planes of windows have each spatial axis twice."""
_BLOCK = 1 << 18
"""Elements that are looked at together."""


def whole_power(p: float) -> int:
    """`p` as an integer, or AttributeValueError."""
    if not 1 <= p <= _MOST or p != int(p):
        raise AttributeValueError(f"p is {p!r}; allowed are whole numbers from 1 to {_MOST}")
    return int(p)


def root_of_powers(x: NDArray, windows: Sequence[AxisWindows], p: int) -> NDArray:
    """The p-norm of each window of `x`, in its type."""
    if len(windows) > _MOST_AXES:
        raise ShapeError(f"windows along {len(windows)} axes; of a p-norm {_MOST_AXES} are allowed")
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


BatchNorm = tuple[Attributes, list[NDArray]]
"""Scale, bias, mean and variance in float64, which holds every element of the allowed types."""


def batch_norm_of(places: tuple[int, ...] = (1, 2, 3, 4)) -> Make:
    """What the inputs at these places and the attributes say."""
    return lambda attributes, inputs: (
        attributes,
        [np.asarray(given(inputs, i), np.float64, order="C") for i in places],
    )


def batch_norm(at: int = 0) -> Callable[[BatchNorm, Inputs], NDArray]:
    """The operator with the data at this place among its inputs."""

    def run(of: BatchNorm, inputs: Inputs) -> NDArray:
        (attributes, numbers), x = of, given(inputs, at)
        samples = x.reshape(-1, 1) if x.ndim < 2 else x
        last = 2 if attributes.get("spatial", True) else samples.ndim
        scale, bias, mean, variance = numbers
        allowed = samples.shape[1:last]
        for each in numbers:
            if each.shape != allowed:
                shape = each.shape
                raise ShapeError(f"a scale, bias, mean or variance has shape {shape}; data {x.shape} allow {allowed}")
        result = normalize_batch(samples, Channels(1, last, scale, bias, mean, variance, attributes["epsilon"]))
        return result if samples is x else result.reshape(x.shape)

    return run


_MEAN_VARIANCE = Epsilon(outside=MEAN_VARIANCE_EPSILON)
"""Of MeanVarianceNormalization, as its function body says: added to the deviation."""


def inside(attributes: Attributes) -> Epsilon:
    """What is added under the root."""
    return Epsilon(attributes["epsilon"])


def from_axis(attributes: Attributes, x: NDArray) -> tuple[int, ...]:
    """All axes from `axis` on."""
    return tuple(range(from_front(attributes["axis"], x.ndim), x.ndim))


def layer_norm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """LayerNormalization: over all axes from `axis` on."""
    x = given(inputs, 0)
    axes = from_axis(attributes, x)
    return normalize_lines(LAYER_NORM, x, axes, inside(attributes), given(inputs, 1), optional(inputs, 2))


def layer_norm_outputs(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """LayerNormalization with its inner outputs in the stash type: the mean and the inverse of the deviation."""
    if count == 1:
        return (layer_norm(attributes, inputs),)
    x = given(inputs, 0)
    axes = from_axis(attributes, x)
    stash = stash_of(attributes)
    result, inverse = normalize_lines_with_inverse(
        LAYER_NORM, x, axes, inside(attributes), given(inputs, 1), optional(inputs, 2), stash
    )
    return (result, reduce(MEAN, x, axes, KEEPDIMS, stash), inverse)[:count]


def rms_norm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """RMSNormalization: over all axes from `axis` on, in the type of the scale."""
    x, scale = given(inputs, 0), given(inputs, 1)
    axes = from_axis(attributes, x)
    return normalize_lines(RMS_NORM, x, axes, inside(attributes), scale, dtype=scale.dtype.newbyteorder("="))


def instance_norm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """InstanceNormalization: over all axes after the channels."""
    x = given(inputs, 0)
    _check_rank(x)
    scale, bias = (_of_channels(given(inputs, i), name, x.shape[1], x.ndim) for i, name in ((1, "scale"), (2, "B")))
    return normalize_lines(LAYER_NORM, x, tuple(range(2, x.ndim)), inside(attributes), scale, bias)


def group_norm(each: str) -> Run:
    """GroupNormalization with a scale and a bias for each `group` or `channel`."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        x, groups = given(inputs, 0), attributes["num_groups"]
        _check_rank(x)
        if groups < 1 or x.shape[1] % groups:
            raise ShapeError(f"the {x.shape[1]} channels of shape {x.shape} do not make {groups} equal groups")
        shape = (x.shape[0], groups, x.shape[1] // groups, prod(x.shape[2:]))
        scales = []
        for i, name in ((1, "scale"), (2, "bias")):
            array = _of_channels(given(inputs, i), name, groups if each == "group" else x.shape[1], x.ndim)
            lengths = (groups, 1) if each == "group" else shape[1:3]
            scales.append(array.reshape(*lengths, 1))
        found = normalize_lines(LAYER_NORM, x.reshape(shape), (2, 3), inside(attributes), scales[0], scales[1])
        return found.reshape(x.shape)

    return run


def _check_rank(x: NDArray) -> None:
    if x.ndim < 2:
        raise ShapeError(f"the data has rank {x.ndim} (shape {x.shape}); a batch and channels are needed")


def _of_channels(array: NDArray, name: str, count: int, rank: int) -> NDArray:
    """Along axis 1 of data of this rank."""
    if array.shape != (count,):
        raise ShapeError(f"{name} has shape {array.shape}; allowed is ({count},)")
    return array.reshape((count,) + (1,) * (rank - 2))


def mean_variance_norm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """MeanVarianceNormalization: over the axes, by the deviation and the float32 next to 1e-9."""
    x = given(inputs, 0)
    axes = all_from_front(attributes["axes"], x.ndim)
    return normalize_lines(LAYER_NORM, x, axes, _MEAN_VARIANCE)


def lp_norm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """LpNormalization: by the sum of the magnitudes or the root of that of the squares; a zero line stays zero."""
    x, p = given(inputs, 0), attributes["p"]
    if p not in (1, 2):
        raise AttributeValueError(f"p is {p}; allowed are 1 and 2")
    return normalize_lines(L1_QUOTIENT if p == 1 else L2_QUOTIENT, x, (from_front(attributes["axis"], x.ndim),))


def mvn_across(attributes: Attributes, inputs: Inputs) -> NDArray:
    """MVN-1: over all axes after the channels, or with them, or over those that OpenVINO writes into its files."""
    x = given(inputs, 0)
    _check_rank(x)
    written = attributes["reduction_axes"]
    axes = (
        all_from_front(written, x.ndim) if written else tuple(range(1 if attributes["across_channels"] else 2, x.ndim))
    )
    return _mvn(x, axes, attributes, Epsilon(attributes["eps"]))


def mvn_axes(attributes: Attributes, inputs: Inputs) -> NDArray:
    """MVN-6: over the axes of the second input."""
    x = given(inputs, 0)
    return _mvn(x, all_from_front(integers(given(inputs, 1)), x.ndim), attributes, mvn_epsilon(attributes))


def mvn_epsilon(attributes: Attributes) -> Epsilon:
    """What MVN-6 adds to the variance, or to its root."""
    eps = attributes["eps"]
    return Epsilon(eps) if attributes["eps_mode"].lower() == "inside_sqrt" else Epsilon(outside=eps)


def _mvn(x: NDArray, axes: Sequence[int], attributes: Attributes, epsilon: Epsilon) -> NDArray:
    divides = attributes["normalize_variance"]
    return normalize_lines(LAYER_NORM if divides else CENTRED, x, axes, epsilon if divides else NO_EPSILON)


def normalize_l2(attributes: Attributes, inputs: Inputs) -> NDArray:
    """NormalizeL2: by the root of the sum of squares and eps, or of the greater of both."""
    x = given(inputs, 0)
    epsilon = Epsilon(attributes["eps"], at_least=attributes["eps_mode"].lower() == "max")
    return normalize_lines(L2_QUOTIENT, x, all_from_front(integers(given(inputs, 1)), x.ndim), epsilon)


def global_pool(row: Any) -> Run:
    """A reduction over all axes after the channels, which stay with length 1."""

    def run(_: Attributes, inputs: Inputs) -> NDArray:
        x = given(inputs, 0)
        _check_rank(x)
        return reduce(row, x, tuple(range(2, x.ndim)), KEEPDIMS)

    return run


def global_lp_pool(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The p-norm over all axes after the channels, of any whole p from 1 on."""
    x, p = given(inputs, 0), whole_power(attributes["p"])
    _check_rank(x)
    if p > 2:
        return root_of_powers(x, whole_axes(x.shape), p)
    return global_pool(L1 if p == 1 else L2_NORM)({}, inputs)


GLOBAL_AVERAGE, GLOBAL_MAXIMUM = global_pool(MEAN), global_pool(MAX)
