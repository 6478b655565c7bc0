"""Batch normalization in inference is the exact formula rounded once, in every version of both standards."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

import cases
from building import ir_run, onnx_run
from machines import same_everywhere
from oracle import assert_bits, form_of
from samesum.engine.memory import Channels, normalize_batch
from samesum.errors import ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import quotient

EPSILON = float(np.float32(1e-5))
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def expected(x: NDArray, scale: NDArray, bias: NDArray, mean: NDArray, variance: NDArray, epsilon: float) -> NDArray:
    """By mpmath, with so many bits that ties of rational results are ties."""
    form = form_of(x.dtype)
    codes = np.empty(x.shape, f"u{x.itemsize}")
    with mpmath.workprec(2500):
        for place in np.ndindex(x.shape):
            c = place[1]
            number = [Fraction(float(v)) for v in (x[place], mean[c], scale[c], variance[c], bias[c])]
            a = (number[0] - number[1]) * number[2]
            v = number[3] + Fraction(epsilon)
            root = mpmath.sqrt(mpmath.mpf(v.numerator) / v.denominator)
            value = (
                mpmath.mpf(a.numerator) / a.denominator / root + mpmath.mpf(number[4].numerator) / number[4].denominator
            )
            exact = Fraction(int(mpmath.nint(value * mpmath.mpf(2) ** 2000)), 2**2000)
            codes[place] = form.nearest(*quotient(exact.numerator, 0, exact.denominator))
    return codes.view(x.dtype)


def drawn(dtype: Any, shape: tuple[int, ...], seed: int) -> list[NDArray]:
    rng = np.random.default_rng(seed)
    c = shape[1]
    x = (rng.normal(size=shape) * 3 + 100).astype(dtype)
    mean, variance = (rng.normal(size=c) + 100).astype(dtype), (rng.random(c) * 9).astype(dtype)
    return [x, rng.normal(size=c).astype(dtype), rng.normal(size=c).astype(dtype), mean, variance]


@each_float
def test_random_data(dtype: Any) -> None:
    inputs = drawn(dtype, (3, 5, 7), 1)
    reference = expected(*inputs, EPSILON)
    for opset in (9, 15) if str(dtype) != "bfloat16" else (15,):
        assert_bits(onnx_run("BatchNormalization", inputs, opset), reference)
    x, *others = inputs
    assert_bits(ir_run("BatchNormInference", [x, *others], f'epsilon="{EPSILON}"', "opset5"), reference)
    first = ir_run("BatchNormInference", [*others[:2], x, *others[2:]], f'epsilon="{EPSILON}"')
    assert_bits(first, reference)


@each_float
def test_ties_cancellation_and_small_results(dtype: Any) -> None:
    """A factor of 1/2 exactly, so that many results lie halfway; a bias that cancels; elements equal to the mean."""
    form = form_of(dtype)
    x = (np.arange(24).reshape(2, 3, 4) + 2.0 ** (form.precision - 2)).astype(dtype)
    mean, scale = np.array([0, 1, 0]).astype(dtype), np.array([1, 1, -0.5]).astype(dtype)
    variance = np.array([4, 1, 1]).astype(dtype)
    bias = np.array([0.25, -float(x[0, 1, 1]), 2.0 ** (form.precision - 3)]).astype(dtype)
    found = onnx_run("BatchNormalization", [x, scale, bias, mean, variance], 15, epsilon=0.0)
    assert_bits(found, expected(x, scale, bias, mean, variance, 0.0))
    same = onnx_run("BatchNormalization", [x, scale, bias, x[0, :, 0], variance * 3], 15)
    assert_bits(same, expected(x, scale, bias, x[0, :, 0], variance * 3, EPSILON))
    assert_bits(same[0, :, 0], bias)


def test_long_channels_of_any_elements() -> None:
    """Zeros, outliers, ties, infinities and NaN among hundreds of elements of a channel, and results that cancel."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=(1, 6, 80)).astype(np.float32) * 2 + 1
    x[0, 1, ::3] = 0
    x[0, 2, ::9] *= 1e4
    x[0, 3, 40:] *= 1e30
    x[0, 4] = np.float32(2.0**-24) * rng.integers(-9, 9, 80) + 1
    x[0, 5, 100:] *= 1e-30
    scale = np.float32([0.7, -1.3, 1, 1e-3, 1, 3])
    bias = np.float32([0.1, 0, -0.5, 0, 0.25, 0])
    mean, variance = np.float32([1, 0, 1, 1, 0.5, 0]), np.float32([4, 4, 4, 4, 1, 0.25])
    wanted = expected(x, scale, bias, mean, variance, EPSILON)
    inputs = [x, scale, bias, mean, variance]
    assert_bits(same_everywhere(lambda: [onnx_run("BatchNormalization", inputs, 15)])[0], wanted)
    for bad in (np.nan, np.inf, -np.inf):
        x[0, :, 77] = bad
        with np.errstate(invalid="ignore"):
            wanted[0, :, 77] = np.float32(bad) * scale
        assert_bits(same_everywhere(lambda: [onnx_run("BatchNormalization", inputs, 15)])[0], wanted)


def test_doubles_of_any_size() -> None:
    x = np.array([[1e300, 1e-300, -1e308], [3.0, 1e200, 5e-324]]).T.copy()
    scale, bias, mean = np.array([1e-290, 1e3]), np.array([1e-300, 5e-324]), np.array([-1e300, 1e-320])
    variance = np.array([1e-310, 7.0])
    found = onnx_run("BatchNormalization", [x, scale, bias, mean, variance], 15, epsilon=0.0)
    assert_bits(found, expected(x, scale, bias, mean, variance, 0.0))


def test_special_values_are_those_of_the_formula() -> None:
    x = np.float32([[np.inf, 1, np.nan, 2, 3, 5, 1]])
    scale = np.float32([1, 1, 1, np.nan, 1, 1, 1])
    bias = np.float32([0, 0, 0, 0, 0, 0, 7])
    mean, variance = np.float32([0, 1, 0, 0, 0, np.inf, 0]), np.float32([1, 0, 1, 1, -1, 1, np.inf])
    found = onnx_run("BatchNormalization", [x, scale, bias, mean, variance], 15, epsilon=0.0)
    nan = float("nan")
    assert_bits(found, np.float32([[np.inf, nan, nan, nan, nan, -np.inf, 7]]))


def test_ranks_and_mixed_types() -> None:
    one = np.ones(1, np.float32)
    assert onnx_run("BatchNormalization", [np.float32([3, 5]), one, one, one, one * 4], epsilon=0.0).tolist() == [2, 3]
    x, *others = drawn(np.float16, (2, 3, 2, 2), 4)
    scale, bias = (each.astype(np.float64) / 3 for each in others[:2])
    mean, variance = (each.astype(np.float32) for each in others[2:])
    reference = expected(x, scale, bias, mean, variance, EPSILON)
    assert_bits(onnx_run("BatchNormalization", [x, scale, bias, mean, variance], 15), reference)
    each = np.ones((3, 2, 2), np.float32)
    features = [x.astype(np.float32), each, each * 2, each * 0, each * 4]
    found = onnx_run("BatchNormalization", features, 7, spatial=0, epsilon=0.0)
    assert found.tolist() == (x.astype(np.float32) / 2 + 2).tolist()
    with pytest.raises(ShapeError, match=r"has shape \(2,\); data \(2, 3, 2, 2\) allow \(3,\)"):
        onnx_run("BatchNormalization", [x, scale[:2], bias, mean, variance], 15)


@pytest.mark.parametrize(
    ("opset", "attributes"), [(15, {"training_mode": 1}), (6, {}), (1, {"consumed_inputs": [0] * 5})]
)
def test_training_is_refused(opset: int, attributes: Any) -> None:
    with pytest.raises(UnsupportedOperator, match="supported is"):
        onnx_run("BatchNormalization", drawn(np.float32, (1, 2), 1), opset, **attributes)


def test_inference_of_the_oldest_versions() -> None:
    inputs = drawn(np.float32, (2, 3, 4), 8)
    reference = onnx_run("BatchNormalization", inputs, 9)
    assert_bits(onnx_run("BatchNormalization", inputs, 6, is_test=1), reference)
    assert_bits(onnx_run("BatchNormalization", inputs, 1, is_test=1, consumed_inputs=[0] * 5), reference)


def channels_of(shape: tuple[int, ...], seed: int, mean: float = 100) -> Channels:
    rng = np.random.default_rng(seed)
    return Channels(
        1, 2, rng.normal(size=shape[1]), rng.normal(size=shape[1]), rng.normal(size=shape[1]) + mean,
        rng.random(shape[1]) * 9, EPSILON,
    )  # fmt: skip


def all_of(x: NDArray, channels: Channels) -> NDArray:
    c = channels
    return expected(x, c.scale, c.bias, c.mean, c.variance, c.epsilon)


FAMILIES = ("normal", "ties", "wide", "subnormals", "near_overflow", "zeros")
SHAPES = ((40, 3), (9, 40), (2, 3, 17), (1, 2, 3, 11), (3, 1, 9), (2, 5, 1, 1))


@each_float
@pytest.mark.usefixtures("each_instruction_set")
def test_hard_data_of_every_shape(dtype: Any) -> None:
    for seed, (shape, family) in enumerate((shape, family) for shape in SHAPES for family in FAMILIES):
        x = cases.make(family, dtype, int(np.prod(shape)), seed).reshape(shape)
        for mean in (0, 100):
            channels = channels_of(shape, seed, mean)
            last_is_channels = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
            reference = all_of(x, channels)
            assert_bits(normalize_batch(x, channels), reference, f"{family} {shape} {mean}")
            got = normalize_batch(last_is_channels, channels)
            assert_bits(np.ascontiguousarray(got), reference, f"{family} {shape} {mean}, channels last")


@each_float
def test_a_mean_of_one_channel_that_cancels_leaves_the_others_as_they_are(dtype: Any) -> None:
    """Nothing is left of a bias beside the mean, so that no row of channels has terms of its own."""
    x = cases.make("normal", dtype, 60, 1).reshape(20, 3)
    scale, bias, mean, variance = np.array([[1, 2, 0.5], [3, -1, 2.0**60 / 3], [3, 0, 2.0**61 / 3], [1, 4, 1]])
    channels = Channels(1, 2, scale, bias, mean, variance, 0.0)
    assert_bits(normalize_batch(x, channels), all_of(x, channels))


@each_float
@pytest.mark.parametrize("shape", [(3, 5, 40, 33), (2500, 7), (40, 1500)], ids=str)
def test_layout_threads_and_instruction_sets_change_no_bit(shape: tuple[int, ...], dtype: Any) -> None:
    x = cases.make("anything_finite", dtype, int(np.prod(shape)), 1).reshape(shape)
    x[0, 0], x[-1, -1] = np.nan, np.inf
    channels, order = channels_of(shape, 3), (0, *range(2, len(shape)), 1)
    reference = normalize_batch(x, channels)
    assert np.isnan(reference[0, 0]).all()
    views = {
        "channels last": np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order)),
        "every second element": np.repeat(x, 2, -1)[..., ::2],
        "negative strides": x[::-1, :, ...].copy()[::-1],
        "Fortran order": np.asfortranarray(x),
    }
    if dtype != ml_dtypes.bfloat16:
        views["the other byte order"] = x.astype(x.dtype.newbyteorder())
    for name, view in views.items():
        assert_bits(np.ascontiguousarray(normalize_batch(view, channels)), reference, name)
        out = np.empty_like(view, dtype)
        assert normalize_batch(view, channels, out) is out
        assert_bits(np.ascontiguousarray(out), reference, f"{name}, out")
    in_place = x.copy()
    normalize_batch(in_place, channels, in_place)
    assert_bits(in_place, reference, "in place")
    same_everywhere(
        lambda: [normalize_batch(x, channels), np.ascontiguousarray(normalize_batch(views["channels last"], channels))]
    )


def test_numbers_that_do_not_fit_the_channels_are_refused() -> None:
    x, three = np.ones((2, 3), np.float32), np.ones(3)
    with pytest.raises(ShapeError, match=r"float64 numbers are needed for each of 3 channels; got shape \(2,\)"):
        normalize_batch(x, Channels(1, 2, three, three, three, np.ones(2), 0.0))
    with pytest.raises(ShapeError, match="axes 1 to 3 are not those of channels of rank 2"):
        normalize_batch(x, Channels(1, 3, three, three, three, three, 0.0))
