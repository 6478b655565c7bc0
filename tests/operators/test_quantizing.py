"""Quantized operators round the real value once: against exact rationals, at ties, ends of ranges and odd scales."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from building import ir_run, onnx_outputs, onnx_run, same
from naming import looped
from oracle import assert_bits, form_of
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.conversion import convert
from samesum.formats.rounding import BYTES, quotient
from samesum.operators import pointwise

RANGES = {"int2": (-2, 1), "uint2": (0, 3), "int4": (-8, 7), "uint4": (0, 15), "int8": (-128, 127), "uint8": (0, 255)}
RANGES |= {"int16": (-(2**15), 2**15 - 1), "uint16": (0, 2**16 - 1)}
FLOATS = (np.float16, BFLOAT16, np.float32)
BYTE_FLOATS = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")


def typed(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def real(x: Any) -> Fraction:
    return Fraction(float(x))


def nearest(values: list[Fraction], dtype: Any) -> NDArray:
    """Each rounded once, by integers alone."""
    form = form_of(np.dtype(dtype))
    codes = [form.nearest(*quotient(v.numerator, 0, v.denominator)) if v else 0 for v in values]
    return np.array(codes, f"u{np.dtype(dtype).itemsize}").view(dtype)


def quantized(x: NDArray, scale: NDArray, zero: int, low: int, high: int) -> list[int]:
    """Of each element; Python rounds fractions half to even."""
    return [min(max(round(real(v) / real(s)) + zero, low), high) for v, s in np.broadcast(x, scale)]


def near_ties(dtype: Any, count: int, seed: int) -> tuple[NDArray, NDArray]:
    """Numbers whose quotients by the scales are near half a unit, a part of them exactly there."""
    random = np.random.default_rng(seed)
    scale = (0.01 + random.random(count)).astype(dtype)
    scale[::3] = 2.0 ** random.integers(-6, 6, scale[::3].size)
    halves = random.integers(-300, 300, count) + 0.5
    x = (halves * scale.astype(np.float64)).astype(dtype)
    x[::5] = np.nextafter(x[::5].astype(np.float32), np.float32(np.inf)).astype(dtype)
    return x, scale


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_quotients_are_real_to_every_integer_type(dtype: Any) -> None:
    x, scale = near_ties(dtype, 600, 1)
    for name, (low, high) in RANGES.items():
        zero = np.full(x.shape, (low + high) // 2).astype(typed(name))
        found = onnx_run("QuantizeLinear", [x, scale, zero], 25, axis=0)
        wanted = np.array(quantized(x, scale, (low + high) // 2, low, high)).astype(typed(name))
        assert same(found, wanted), name


def test_integers_are_divided_exactly() -> None:
    """Their quotients are ties of float32 that are none."""
    random = np.random.default_rng(2)
    scale = np.float32([2**24 + 2, 3, 1e9, 2**31])
    x = random.integers(-(2**31), 2**31, (500, 4)).astype(np.int32)
    x[:9] = [[-(2**31)], [2**31 - 1], [2**24 + 1], [2**25 + 2], [2**30], [-(2**30)], [0], [1], [-1]]
    assert same(onnx_run("QuantizeLinear", [x, scale, np.int8([0] * 4)], 13), np.int8(
        np.reshape(quantized(x, scale, 0, -128, 127), x.shape)
    ))  # fmt: skip


def test_subnormal_scales_and_ends_of_the_range() -> None:
    tiny = np.float32(2.0**-149)
    x = np.float32([2.5, 3.5, -2.5, 0.5, 254.5, 255.5, -1]) * tiny
    assert same(onnx_run("QuantizeLinear", [x, tiny], 13), np.uint8([2, 4, 0, 0, 254, 255, 0]))
    x = np.float32([np.nan, np.inf, -np.inf, 3e38, -3e38, 0, -0.0])
    for zero in (np.uint8(3), np.int8(-3)):
        limits = np.iinfo(zero.dtype)
        wanted = [limits.min, limits.max, limits.min, limits.max, limits.min, zero, zero]
        assert same(onnx_run("QuantizeLinear", [x, tiny, zero], 13), np.array(wanted, zero.dtype))
    zeros = onnx_run("QuantizeLinear", [np.float32([1, -1, 0]), np.float32(0), np.int8(5)], 13)
    assert same(zeros, np.int8([127, -128, -128]))


@pytest.mark.parametrize("name", BYTE_FLOATS)
def test_floats_of_8_bits_are_rounded_once(name: str) -> None:
    """The float64 next to a quotient may be a tie of theirs, and the float32 next to it often is."""
    form, dtype, random = BYTES[name], typed(name), np.random.default_rng(3)
    codes = np.arange(1, (form.largest or form.infinity - 1) + 1, dtype=np.uint8)
    values = codes.view(dtype).astype(np.float64)
    middle = np.float32((values[1:] + values[:-1]) / 2)
    x = np.concatenate([middle, np.nextafter(middle, np.float32(0)), np.nextafter(middle, np.float32(9e9)), -middle])
    scale = np.float32(1) + random.random(x.size, np.float32) * np.float32(1e-3)
    scale[::2] = 1
    for at in (x, x * scale):
        found = onnx_run("QuantizeLinear", [at, scale, np.zeros(x.size, dtype)], 21, axis=0)
        exact = [real(v) / real(s) for v, s in zip(at, scale, strict=True)]
        wanted = [form.nearest(*quotient(v.numerator, 0, v.denominator)) for v in exact]
        assert found.view(np.uint8).tolist() == wanted
    largest = values[-1]
    x = np.float32([np.inf, -np.inf, 2 * largest, -2 * largest, np.nan, 0])
    found = onnx_run("QuantizeLinear", [x, np.float32(1), np.zeros((), dtype)], 19).astype(np.float32)
    np.testing.assert_array_equal(found, np.float32([largest, -largest, largest, -largest, np.nan, 0]))
    beyond = np.inf if name == "float8_e5m2" else np.nan
    found = onnx_run("QuantizeLinear", [x[:4], np.float32(1), np.zeros((), dtype)], 19, saturate=0).astype(np.float32)
    np.testing.assert_array_equal(found, np.float32([beyond, -beyond, beyond, -beyond]))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_products_are_rounded_once(dtype: Any) -> None:
    random = np.random.default_rng(4)
    x = random.integers(-(2**31), 2**31, 400).astype(np.int32)
    x[:4] = [0, 2**31 - 1, -(2**31), 2**24 + 1]
    scale = (random.random(400) * 2.0 ** random.integers(-149, 16, 400)).astype(dtype)
    for zero in (0, 2**31 - 1, -(2**31)):
        found = onnx_run("DequantizeLinear", [x, scale, np.full(400, zero, np.int32)], 21, axis=0)
        wanted = [(int(v) - zero) * real(s) for v, s in zip(x, scale, strict=True)]
        assert_bits(found, nearest(wanted, dtype))
    for name in (*RANGES, *BYTE_FLOATS):
        x = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float32).astype(typed(name))
        finite = np.isfinite(x.astype(np.float32))
        found = onnx_run("DequantizeLinear", [x, scale[:1]], 25)
        wanted = [real(v) * real(scale[0]) for v in x[finite]]
        found, wanted_bits = found[finite], nearest(wanted, dtype)
        assert_bits(np.where(found == 0, 0, found), np.where(wanted_bits == 0, 0, wanted_bits), name)


def test_the_output_type_may_be_another() -> None:
    x = np.int8([[-128, 127], [1, 3]])
    scale = np.float32([1 + 2**-12, 1e5])
    found = onnx_run("DequantizeLinear", [x, scale], 23, output_dtype=10)
    with np.errstate(over="ignore"):
        assert same(found, np.float16([[-128, np.inf], [1, 3e5]]))
    assert onnx_run("QuantizeLinear", [scale, np.float32(1)], 21, output_dtype=3).tolist() == [1, 127]
    assert onnx_run("QuantizeLinear", [scale, np.float32(0.25)], 21, output_dtype=22).dtype == ml_dtypes.int4


def test_a_scale_for_each_place_or_block() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(3, 7, 2)).astype(np.float32)
    scale = (random.random((3, 3, 2)) + 0.01).astype(np.float32)
    zero = random.integers(0, 255, (3, 3, 2)).astype(np.uint8)
    spread = [np.repeat(each, 3, 1)[:, :7] for each in (scale, zero)]
    for axis in (1, -2):
        found = onnx_run("QuantizeLinear", [x, scale, zero], 21, axis=axis, block_size=3)
        wanted = np.clip(np.rint(x / spread[0].astype(np.float64)) + spread[1], 0, 255)
        assert same(found, wanted.astype(np.uint8))
        back = onnx_run("DequantizeLinear", [found, scale, zero], 21, axis=axis, block_size=3)
        steps = found.astype(np.float64) - spread[1]
        assert same(back, (steps * spread[0].astype(np.float64)).astype(np.float32))
    by_axis = onnx_run("QuantizeLinear", [x, scale[0, 0]], 13, axis=2)
    assert same(by_axis, np.clip(np.rint(x / scale[0, 0].astype(np.float64)), 0, 255).astype(np.uint8))


def test_what_does_not_fit_is_refused() -> None:
    x, two = np.ones((2, 3), np.float32), np.float32([1, 2])
    for arrays, attributes, error, words in (
        ((x, two), {}, ShapeError, r"has shape \(2,\); allowed are one element and 3 of axis 1"),
        ((x, two), {"axis": 2}, AxisError, "axis 2 is out of range"),
        ((x, x), {"block_size": 2}, ShapeError, r"blocks of 2 of \(2, 3\) need \(2, 2\)"),
        ((x, x), {"block_size": -1}, ShapeError, "blocks of -1"),
        ((x, np.float32(1)), {"output_dtype": 1}, AttributeValueError, "output_dtype is 1"),
        ((x, np.float32(1), np.int8(0)), {"output_dtype": 2}, AttributeValueError, "uint8 and the zero point is int8"),
        ((x, np.float64(1)), {}, DtypeError, "float64"),
    ):
        with pytest.raises(error, match=words):
            ss.onnx.QuantizeLinear(*arrays, **attributes)
    with pytest.raises(ShapeError, match="this version allows one element"):
        ss.onnx.QuantizeLinear(x, np.float32([1, 2, 3]), opset=10)
    with pytest.raises(AttributeValueError, match="output_dtype is 11 with a scale of float32"):
        ss.onnx.DequantizeLinear(np.int8([1]), np.float32(1), output_dtype=11)


@looped("seed", range(20))
def test_dynamic_outputs_are_their_formulas(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = (random.normal(size=(7, 9)) * 2.0 ** random.integers(-140, 120)).astype(np.float32)
    if seed % 3 == 0:
        x = np.abs(x) * (-1) ** (seed % 2)
    y, scale, zero = onnx_outputs("DynamicQuantizeLinear", [x], ["y", "s", "z"], 11)
    low, high = min(Fraction(0), real(x.min())), max(Fraction(0), real(x.max()))
    assert_bits(scale, nearest([(high - low) / 255], np.float32).reshape(()))
    expected = min(max(round(-low / real(scale)), 0), 255)
    assert same(zero, np.uint8(expected))
    assert y.ravel().tolist() == quantized(x, scale, expected, 0, 255)


def test_dynamic_ranges_of_nothing_and_of_everything() -> None:
    for x in (np.zeros((2, 2), np.float32), np.zeros((0, 3), np.float32), np.float32([-0.0])):
        y, scale, zero = ss.onnx.DynamicQuantizeLinear(x)
        assert same(y, np.zeros(x.shape, np.uint8))
        assert same(scale, np.float32(1))
        assert same(zero, np.uint8(0))
    y, scale, zero = ss.onnx.DynamicQuantizeLinear(np.float32([-3e38, 3e38, 0]))
    assert scale == np.float32(6e38 / 255)
    assert (y.tolist(), int(zero)) == ([0, 255, 128], 128)


def fake(x: Any, low: Any, high: Any, out_low: Any, out_high: Any, levels: int) -> Fraction:
    x, low, high, out_low, out_high = map(real, (x, low, high, out_low, out_high))
    if x <= min(low, high):
        return out_low
    if x > max(low, high):
        return out_high
    return Fraction(round((x - low) / (high - low) * (levels - 1)), levels - 1) * (out_high - out_low) + out_low


@pytest.mark.parametrize("dtype", [np.float16, np.float32], ids=str)
def test_fake_quantization_is_exact(dtype: Any) -> None:
    random = np.random.default_rng(6)
    for levels, ends in ((2, (-1, 1)), (16, (-1, 1)), (256, (0.1, 0.7)), (255, (3, -2)), (65536, (-1e-3, 1e3))):
        limits = [np.array(end, dtype).reshape(1, 1) for end in (*ends, -0.3, 1.7)]
        x = random.uniform(min(ends) * 1.2 - 0.1, max(ends) * 1.2, (4, 60)).astype(dtype)
        ties = np.linspace(float(limits[0][0, 0]), float(limits[1][0, 0]), 2 * (levels - 1) + 1)[1::2]
        x[1] = random.choice(ties, 60).astype(dtype)
        x[0, :2] = ends
        found = ir_run("FakeQuantize", [x, *limits], f'levels="{levels}"')
        wanted = [fake(v, *(each.item() for each in limits), levels) for v in x.ravel()]
        assert_bits(found, nearest(wanted, dtype).reshape(x.shape), str(levels))


def test_fake_quantization_of_channels_and_of_what_is_not_finite() -> None:
    x = np.float32([[np.nan, np.inf], [-np.inf, 0.4]])
    low, high = np.float32([[-1], [0]]), np.float32([[1], [2]])
    found = ir_run("FakeQuantize", [x, low, high, low, high], 'levels="3"')
    np.testing.assert_array_equal(found, np.float32([[np.nan, 1], [0, 0]]))
    with pytest.raises(ShapeError, match="do not broadcast to the shape"):
        ir_run("FakeQuantize", [x[:1], low, high, low, high], 'levels="3"')
    with pytest.raises(AttributeValueError, match="levels is 1; allowed are 2"):
        ir_run("FakeQuantize", [x, low, high, low, high], 'levels="1"')


def test_numbers_rounded_to_odd_stand_where_the_exact_ones_do() -> None:
    random = np.random.default_rng(7)
    a, b = (random.standard_normal(2000) * 2.0 ** random.integers(-90, 90, 2000) for _ in range(2))
    b[::4] = -a[::4] * (1 + 2.0**-40)
    short = b.astype(np.float32).astype(np.float64)
    for function, y, exact in (
        (pointwise.total, b, lambda x, y: x + y),
        (pointwise.product, short, lambda x, y: x * y),
        (pointwise.quotient, short, lambda x, y: x / y),
    ):
        for found, x, other in zip(function(a, y), a, y, strict=True):
            wanted = exact(real(x), real(other))
            if real(found) == wanted:
                continue
            neighbour = np.nextafter(found, np.inf if wanted > real(found) else -np.inf)
            assert int(found.view(np.int64)) & 1
            assert min(found, neighbour) < wanted < max(found, neighbour)


def test_conversions_to_short_types_round_once_and_keep_low_bits() -> None:
    x = np.float64([1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-4, 448, 465, -0.0])
    assert convert(x, typed("float8_e4m3fn")).astype(float).tolist() == [1.125, 1, 448, 448, 0]
    assert convert(np.int64([2**62, -(2**62), 17]), typed("float8_e5m2")).astype(float).tolist() == [57344, -57344, 16]
    assert convert(np.int32([7, 8, -9, 300]), typed("int4")).astype(int).tolist() == [7, -8, 7, -4]
    assert convert(np.float32([15.9, 16.9, -1]), typed("uint4")).astype(int).tolist() == [15, 0, 15]
    assert convert(np.float32([5, 9, -0.2]), typed("float4_e2m1fn")).astype(float).tolist() == [4, 6, 0]
    assert convert(np.int8([1, -2]).astype(typed("int2")), np.dtype(np.float32)).tolist() == [1, -2]
    assert convert(np.uint8([0, 3]).astype(typed("uint2")), np.dtype(np.bool_)).tolist() == [False, True]


def test_blocks_as_long_as_a_file_says_take_no_memory() -> None:
    x, scale = np.ones((2, 3), np.float32), np.ones((2, 1), np.float32)
    assert same(onnx_run("QuantizeLinear", [x, scale], 21, axis=1, block_size=2**40), x.astype(np.uint8))


def test_what_will_not_run_is_refused_when_it_runs() -> None:
    with pytest.raises(AttributeValueError, match=r"node '#0': onnx.DequantizeLinear-23: output_dtype is 99"):
        onnx_run("DequantizeLinear", [np.int8([1]), np.float32(1)], 23, output_dtype=99)
