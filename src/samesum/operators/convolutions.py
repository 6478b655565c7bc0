"""Convolutions and their transposes, as the standards have them: products, sum and bias rounded once together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from samesum.engine.convolutions import Taps, Windows, convolve, plain_taps, transposed_taps, windows
from samesum.errors import SamesumError, ShapeError
from samesum.formats.arrays import MAX_RANK, Dtype, NDArray, Shape
from samesum.formats.arrays import checked as within_limits
from samesum.operators.facts import at, first
from samesum.operators.pointwise import given, integers, optional
from samesum.operators.pool_windows import SAME, Pool, along, pool_of
from samesum.operators.rows import Attributes, Fact, Facts, Infer, Inputs, Make

Dims = tuple[int | None, ...]
Grouped = Callable[[Attributes, Dims, int], Dims]
"""The shape of the weights with the groups in front, from that which they have and the rank of the data."""

_MOST_AXES = MAX_RANK // 2
"""Windows have each spatial axis twice, and groups."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Where the weights of a kind of convolution have what, and in which direction it goes."""

    grouped: Grouped
    is_transposed: bool = False
    """The channels of the data are in front of those of the result, and each element of the data is spread."""


def _grouped_by_attribute(is_transposed: bool) -> Grouped:
    def grouped(attributes: Attributes, shape: Dims, _: int) -> Dims:
        groups, lead = attributes["group"], shape[0]
        if groups < 1 or (lead is not None and lead % groups):
            what = "channels of the data" if is_transposed else "results"
            raise ShapeError(f"group is {groups}, and W of shape {shape} has {lead} {what}, which they do not share")
        return (groups, None if lead is None else lead // groups, *shape[1:])

    return grouped


def _in_one_group(_: Attributes, shape: Dims, rank: int) -> Dims:
    return _as_they_are(_, (1, *shape), rank)


def _as_they_are(_: Attributes, shape: Dims, rank: int) -> Dims:
    if len(shape) != rank + 1:
        raise ShapeError(f"the filters have shape {shape}, groups first; data of rank {rank} need rank {rank + 1}")
    return shape


ONNX_CONV = Layer(_grouped_by_attribute(False))
ONNX_CONV_TRANSPOSE = Layer(_grouped_by_attribute(True), True)
CONVOLUTION, GROUP_CONVOLUTION = Layer(_in_one_group), Layer(_as_they_are)
BACKPROP, GROUP_BACKPROP = Layer(_in_one_group, True), Layer(_as_they_are, True)


@dataclass(frozen=True, slots=True)
class Filters:
    """What a convolution has of its attributes and weights before it is given data."""

    weights: NDArray
    bias: NDArray | None
    laid_out: Callable[[tuple[int, ...]], _LaidOut]
    """From the shape of the data."""
    is_transposed: bool


def filters(layer: Layer) -> Make:
    """Those of the operator of this kind, whose third input is the bias or, of OpenVINO's transposes, the sizes."""

    def make(attributes: Attributes, inputs: Inputs) -> Filters:
        third, has_bias = optional(inputs, 2), "group" in attributes
        sizes = None if has_bias or third is None else integers(third)
        return _filters(layer, attributes, given(inputs, 1), third if has_bias else None, sizes)

    return make


def _filters(
    layer: Layer, attributes: Attributes, w: NDArray, bias: NDArray | None, sizes: tuple[int, ...] | None
) -> Filters:
    return Filters(w, bias, _layouts(layer, tuple(attributes.items()), w.shape, sizes), layer.is_transposed)


def convolution(of: Filters, inputs: Inputs) -> NDArray:
    """The operator, in the type of its data."""
    x = given(inputs, 0)
    return _convolved(of, x, x.dtype)


def convolved(
    layer: Layer, attributes: Attributes, x: NDArray, w: NDArray, bias: NDArray | None, dtype: Dtype
) -> NDArray:
    """The result in `dtype`; `bias` has a number for each result or, of a plain convolution, for each element of it."""
    return _convolved(_filters(layer, attributes, w, bias, None), x, dtype)


def _convolved(filters: Filters, x: NDArray, dtype: Dtype) -> NDArray:
    of, bias = filters.laid_out(x.shape), filters.bias
    weights = filters.weights.reshape(of.weights)
    if filters.is_transposed:
        weights = weights.swapaxes(1, 2)
    term = None
    if bias is not None and bias.shape == of.shape[1:2]:
        term = bias.reshape(of.bias)
    elif bias is not None and bias.shape == of.shape and not filters.is_transposed:
        term = bias.reshape(x.shape[0], *of.bias[:2], *of.shape[2:])
    elif bias is not None:
        raise ShapeError(f"the bias has shape {bias.shape}; {of.shape[1]} numbers are needed, one for each result")
    return convolve(x.reshape(of.data), weights, of.windows, term, dtype).reshape(of.shape)


@dataclass(frozen=True, slots=True)
class _LaidOut:
    """The shapes of what a convolution takes, with the groups, and that of its result."""

    data: tuple[int, ...]
    weights: tuple[int, ...]
    bias: tuple[int, ...]
    shape: tuple[int, ...]
    windows: Windows


@lru_cache(maxsize=256)
def _layouts(
    layer: Layer, said: tuple[tuple[str, Any], ...], w: tuple[int, ...], sizes: tuple[int, ...] | None
) -> Callable[[tuple[int, ...]], _LaidOut]:
    return lru_cache(maxsize=16)(partial(_laid_out, layer, dict(said), w, sizes))


def _laid_out(
    layer: Layer, attributes: Attributes, w: tuple[int, ...], sizes: tuple[int, ...] | None, x: tuple[int, ...]
) -> _LaidOut:
    if len(x) > _MOST_AXES:
        raise ShapeError(f"the data have {len(x)} axes; a convolution allows {_MOST_AXES}")
    shape = within_limits(_whole(layer.grouped(attributes, w, len(x))))
    if len(shape) != len(x) + 1:
        raise ShapeError(f"weights of shape {w} do not go with data of shape {x}: their ranks differ")
    groups, results, channels = shape[:3] if not layer.is_transposed else (shape[0], shape[2], shape[1])
    if x[1] != groups * channels:
        raise ShapeError(
            f"the data of shape {x} have {x[1]} channels; weights of shape {w} in {groups} groups "
            f"need {groups * channels}"
        )
    data = (x[0], groups, channels, *x[2:])
    of = windows(_axes(layer, attributes, shape[3:], x[2:], sizes), data, results)
    bias = (groups, results, *(1,) * len(x[2:]))
    return _LaidOut(data, shape, bias, (x[0], groups * results, *of.shape[3:]), of)


def _whole(shape: Dims) -> tuple[int, ...]:
    return tuple(0 if dim is None else dim for dim in shape)


def _axes(
    layer: Layer, attributes: Attributes, kernel: Sequence[int], spatial: Sequence[int], sizes: Sequence[int] | None
) -> list[list[Taps]]:
    """What meets along each spatial axis."""
    pool = pool_of(attributes, len(spatial) + 2, tuple(kernel))
    if not layer.is_transposed:
        every = [along(pool, i, size) for i, size in enumerate(spatial)]
        return [plain_taps(each.kernel, each.outputs, each.stride, each.dilation, each.begin) for each in every]
    spread = _spread_of(attributes, pool, sizes)
    places = [spread.place(i, size) for i, size in enumerate(spatial)]
    return [
        transposed_taps(pool.kernel[i], outputs, pool.strides[i], pool.dilations[i], begin)
        for i, (outputs, begin) in enumerate(places)
    ]


@dataclass(frozen=True, slots=True)
class _Spread:
    """What a standard says of the result of a transposed convolution, for each spatial axis."""

    pool: Pool
    extra: Sequence[int]
    wanted: Sequence[int] | None
    """The sizes, where they are given."""
    is_onnx: bool

    def place(self, i: int, size: int) -> tuple[int, int]:
        """How many outputs there are along spatial axis `i`, and how many are left out before the first."""
        pool, outputs = self.pool, None if self.wanted is None else self.wanted[i]
        whole = pool.strides[i] * (size - 1) + self.extra[i] + pool.dilations[i] * (pool.kernel[i] - 1) + 1
        is_same = pool.auto_pad in SAME
        if outputs is None and is_same and self.is_onnx:
            outputs = size * pool.strides[i]
        if outputs is None or not (is_same or self.is_onnx):
            rest = whole - pool.begins[i] - pool.ends[i] if outputs is None else outputs
            if rest < 0:
                raise ShapeError(f"the pads leave {rest} elements along spatial axis {i}")
            return rest, pool.begins[i]
        total = max(whole - outputs, 0)
        # Of what is left out, ONNX has the odd one in front unless it is SAME_UPPER, OpenVINO if it is.
        has_less_in_front = (pool.auto_pad == "same_upper") == self.is_onnx
        return outputs, total // 2 if has_less_in_front else total - total // 2


def _spread_of(attributes: Attributes, pool: Pool, sizes: Sequence[int] | None) -> _Spread:
    count, is_onnx = len(pool.kernel), "group" in attributes
    extra = attributes["output_padding"] or (0,) * count
    wanted = attributes["output_shape"] or None if is_onnx else sizes
    if is_onnx and wanted is not None and len(wanted) == count + 2:
        wanted = wanted[2:]  # older models have the batch and the channels, too
    for name, numbers in (("output_padding", extra), ("output_shape", wanted)):
        if numbers is not None and (len(numbers) != count or min(numbers) < 0):
            raise ShapeError(
                f"{name} is {list(numbers)}; a number from 0 on is needed for each of {count} spatial axes"
            )
    return _Spread(pool, extra, wanted, is_onnx)


def convolution_shape(layer: Layer, weights: int = 1, dtype: Dtype | None = None, like: int = 0) -> Infer:
    """The shape of the operator of this kind with the weights at this place, in `dtype` or the type of input `like`."""

    def infer(attributes: Attributes, facts: Facts) -> Fact:
        kind, x, w = dtype or at(facts, like).dtype, first(facts).shape, at(facts, weights).shape
        # Of OpenVINO's transposes the third input has the spatial sizes.
        has_sizes = layer.is_transposed and "group" not in attributes and len(facts) > 2 and facts[2] is not None
        is_open = has_sizes and at(facts, 2).value is None
        if x is None or w is None or len(x) < 3 or None in w[-(len(x) - 2) :] or is_open:
            return Fact(kind, None if x is None else (None,) * len(x))
        try:
            return Fact(kind, _inferred(layer, attributes, x, w, at(facts, 2).value))
        except SamesumError:
            return Fact(kind, (None,) * len(x))

    return infer


def _inferred(layer: Layer, attributes: Attributes, x: Shape, w: Shape, third: NDArray | None) -> Shape:
    shape = layer.grouped(attributes, w, len(x))
    groups, results = shape[0], shape[2 if layer.is_transposed else 1]
    kernel, spatial = _whole(shape[3:]), x[2:]
    pool = pool_of(attributes, len(x), kernel)
    sizes: list[int | None]
    if layer.is_transposed:
        spread = _spread_of(attributes, pool, None if "group" in attributes or third is None else integers(third))
        sizes = [None if size is None else spread.place(i, size)[0] for i, size in enumerate(spatial)]
    else:
        sizes = [None if size is None else along(pool, i, size).outputs for i, size in enumerate(spatial)]
    return (x[0], None if groups is None or results is None else groups * results, *sizes)
