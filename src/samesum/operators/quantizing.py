"""Numbers and their quantized form: the real quotient or product, rounded once."""

from __future__ import annotations

from contextlib import suppress

import ml_dtypes
import numpy as np

from samesum.algebra.rows import MAX, MIN, SUM
from samesum.engine.memory import reduce, reduce_terms
from samesum.errors import AttributeValueError, DtypeError, SamesumError, ShapeError
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.axes import from_front
from samesum.formats.conversion import convert
from samesum.formats.elements import FLOATS_PLUS, MODEL_ELEMENTS, SHORT_INTEGERS, names
from samesum.operators import pointwise
from samesum.operators.facts import at, first
from samesum.operators.pointwise import WIDE, broadcast_shape, check_broadcast, given, optional, widened
from samesum.operators.rows import Attributes, Fact, Facts, Inputs

_UINT8, _SINGLE = np.dtype(np.uint8), np.dtype(np.float32)
MOST_LEVELS = 2**24
"""Of FakeQuantize: up to it products of levels and limits are exact in float64."""


def quantize(attributes: Attributes, inputs: Inputs) -> NDArray:
    """QuantizeLinear: x / y_scale rounded to the nearest integer, the even one of two, plus the zero point, saturated.

    The quotient is the real one, whatever `precision` says. NaN gives the least integer. For floats of 8 or 4 bits the
    real x / y_scale + y_zero_point is rounded once.
    """
    x, scale, zero = given(inputs, 0), given(inputs, 1), optional(inputs, 2)
    target = _quantized_type(attributes, None if zero is None else zero.dtype)
    scale = _laid(x, widened(scale), attributes)
    zeros = np.float64(0) if zero is None else _laid(x, widened(zero), attributes)
    with np.errstate(all="ignore"):
        if not _is_integer(target):
            real = pointwise.total(pointwise.quotient(widened(x), scale), zeros)
            return convert(_plain(real), target, attributes.get("saturate", True))
        # Of numbers of up to 32 bits the quotient in float64 is a tie only if the real one is.
        return saturated(np.rint(widened(x) / scale) + zeros, target)


def saturated(whole: NDArray, target: Dtype) -> NDArray:
    """Whole float64 numbers in an integer type of up to 16 bits; NaN becomes its least one."""
    limits = ml_dtypes.iinfo(target)  # type: ignore[no-untyped-call]
    low, high = float(limits.min), float(limits.max)
    bounded = np.where(whole > low, np.minimum(whole, high), low)
    return bounded.astype(np.int32).astype(target)


def dequantize(attributes: Attributes, inputs: Inputs) -> NDArray:
    """DequantizeLinear: the exact (x - x_zero_point) x_scale, rounded once to the type of the result."""
    x, scale, zero = given(inputs, 0), given(inputs, 1), optional(inputs, 2)
    target = _real_type(attributes, scale.dtype)
    scales = _laid(x, widened(scale), attributes)
    shifted = widened(x)
    with np.errstate(all="ignore"):
        if zero is not None:
            shifted = shifted - _laid(x, widened(zero), attributes)
        return convert(_plain(pointwise.product(shifted, scales)), target)


def dynamically_quantized(_: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """DynamicQuantizeLinear: each output is its formula over the input and the rounded outputs that it needs.

    The range holds 0. The scale is 1 where the range is 0, as that of no elements (ONNX Runtime has it so), and where
    its 255th part would be rounded to 0 (ONNX Runtime divides by that).
    """
    x = given(inputs, 0)
    axes = tuple(range(x.ndim))
    ends = [widened(reduce(row, x, axes)) if x.size else np.float64(0) for row in (MIN, MAX)]
    with np.errstate(all="ignore"):
        low, high = np.minimum(ends[0], 0), np.maximum(ends[1], 0)
        scale = convert(pointwise.quotient(pointwise.total(high, -low), np.float64(255)), _SINGLE)
        scale = np.where(scale == 0, np.float32(1), scale)
        zero = saturated(np.rint(-low / scale), _UINT8)
        y = saturated(np.rint(widened(x) / scale) + zero, _UINT8)
    return (y, np.asarray(scale), np.asarray(zero))[:count]


def fake_quantized(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FakeQuantize: the nearest of `levels` equal steps between the input limits, as the real number between the output
    limits that it stands for, rounded once. Ties go to the even step; NaN stays NaN.
    """
    x = given(inputs, 0)
    limits = [given(inputs, i) for i in range(1, 5)]
    check_broadcast(attributes, x, *limits)
    if broadcast_shape(x, *limits) != x.shape:
        raise ShapeError(f"the limits {[each.shape for each in limits]} do not broadcast to the shape {x.shape}")
    levels = attributes["levels"]
    if not 2 <= levels <= MOST_LEVELS:
        raise AttributeValueError(f"levels is {levels}; allowed are 2 to {MOST_LEVELS}")
    if x.dtype == WIDE:
        raise DtypeError("x is float64; allowed are float16, bfloat16, float32")
    most, wide = levels - 1, widened(x)
    low, high, out_low, out_high = (np.broadcast_to(widened(each), x.shape) for each in limits)
    with np.errstate(all="ignore"):
        least, below = np.minimum(low, high), np.floor((wide - low) * most / (high - low))
        below = np.clip(np.where(np.isfinite(below), below, 0), 0, most)
        odd_half = 2 * below + 1
        side = reduce_terms(SUM, [wide * (2 * most), low * (-2 * most), high * -odd_half, low * odd_half])
        side = np.where(high < low, -side, side)
        step = np.minimum(below + ((side > 0) | ((side == 0) & (below % 2 == 1))), most)
        real = pointwise.quotient(pointwise.total(out_low * (most - step), out_high * step), np.float64(most))
        real = np.where(wide <= least, out_low, np.where(wide > np.maximum(low, high), out_high, real))
        return convert(_plain(np.where(np.isnan(wide), wide, real)), x.dtype)


def quantized_fact(attributes: Attributes, facts: Facts) -> Fact:
    """The shape of the data in the quantized type, where the zero point or an attribute says which."""
    zero = facts[2] if len(facts) > 2 else None
    dtype = None
    if zero is None or zero.dtype is not None:
        with suppress(SamesumError):
            dtype = _quantized_type(attributes, None if zero is None else zero.dtype)
    return Fact(dtype, first(facts).shape)


def dequantized_fact(attributes: Attributes, facts: Facts) -> Fact:
    """The shape of the data in the type of the scale or the one that an attribute names."""
    scale, dtype = at(facts, 1).dtype, None
    if scale is not None:
        with suppress(SamesumError):
            dtype = _real_type(attributes, scale)
    return Fact(dtype, first(facts).shape)


def dynamic_facts(_: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """Bytes like the data, a scale and a zero point."""
    return (Fact(_UINT8, first(facts).shape), Fact(_SINGLE, ()), Fact(_UINT8, ()))[:count]


def _quantized_type(attributes: Attributes, zero: Dtype | None) -> Dtype:
    number = attributes.get("output_dtype", 0)
    if not number:
        return _UINT8 if zero is None else zero
    element = MODEL_ELEMENTS.get(number)
    if element is None or (element.own.name in FLOATS_PLUS or element.own.itemsize > 2 or element.own == np.bool_):
        raise AttributeValueError(f"output_dtype is {number}; allowed is a quantized type of at most 16 bits")
    if zero is not None and zero != element.own:
        raise AttributeValueError(f"output_dtype is {element.own.name} and the zero point is {zero.name}")
    return element.own


def _real_type(attributes: Attributes, scale: Dtype) -> Dtype:
    number = attributes.get("output_dtype", 0)
    if not number and scale.name in FLOATS_PLUS:
        return scale
    element = MODEL_ELEMENTS.get(number)
    if element is None or element.own == WIDE or element.own.name not in FLOATS_PLUS:
        allowed = names(FLOATS_PLUS - {"float64"})
        raise AttributeValueError(f"output_dtype is {number} with a scale of {scale.name}; allowed are {allowed}")
    return element.own


def _plain(x: NDArray) -> NDArray:
    """The numbers with +0 for each zero, and the canonical NaN."""
    return np.where(np.isnan(x), np.nan, x + 0.0)


def _is_integer(dtype: Dtype) -> bool:
    return dtype.kind in "iu" or dtype.name in SHORT_INTEGERS


def _laid(x: NDArray, values: NDArray, attributes: Attributes) -> NDArray:
    """A scale or zero point for each element: one, one for each place along `axis`, or one for each block there."""
    if values.size == 1 and not attributes.get("block_size", 0):
        return values.reshape(())
    axis, block = attributes.get("axis"), attributes.get("block_size", 0)
    if axis is None:
        raise ShapeError(f"a scale or zero point has shape {values.shape}; this version allows one element")
    place = from_front(axis, x.ndim)
    if not block:
        if values.shape != x.shape[place : place + 1]:
            allowed = f"one element and {x.shape[place]} of axis {axis}"
            raise ShapeError(f"a scale or zero point has shape {values.shape}; allowed are {allowed}")
        return values.reshape((-1,) + (1,) * (x.ndim - place - 1))
    blocks = -(-x.shape[place] // block) if block > 0 else 0
    expected = (*x.shape[:place], blocks, *x.shape[place + 1 :])
    if block < 0 or values.shape != expected:
        raise ShapeError(
            f"a scale or zero point has shape {values.shape}; blocks of {block} of {x.shape} need {expected}"
        )
    return np.repeat(values, min(block, x.shape[place]), place)[(slice(None),) * place + (slice(x.shape[place]),)]
