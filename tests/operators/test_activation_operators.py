"""Activation functions with parameters: products rounded once, the others within 0.51 ulp, the same bits everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import cases
from building import ir_run, onnx_outputs, onnx_run, same
from machines import same_everywhere
from naming import looped
from oracle import assert_bits, form_of
from samesum.errors import AttributeValueError, AxisError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.rounding import quotient

SHORT = (np.float16, BFLOAT16, np.float32)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
Real = Callable[[Any], Any]


def nearest(values: list[Fraction], dtype: Any) -> NDArray:
    form = form_of(np.dtype(dtype))
    codes = [form.nearest(*quotient(v.numerator, 0, v.denominator)) if v else 0 for v in values]
    return np.array(codes, f"u{np.dtype(dtype).itemsize}").view(dtype)


def single(x: float) -> Fraction:
    return Fraction(float(np.float32(x)))


def data(dtype: Any, seed: int = 0) -> NDArray:
    """Numbers of all sizes, near the ends of pieces too."""
    random = np.random.default_rng(seed)
    x = np.concatenate([random.standard_normal(150), random.uniform(-4, 4, 100), [3, -3, 2.9999, -2.9999, 1, -1]])
    small = random.standard_normal(60) * 2.0 ** random.integers(-20, 0, 60)
    return np.concatenate([x, small]).astype(dtype)


def test_leaky_relu_and_prelu_are_rounded_once() -> None:
    for dtype in SHORT:
        x = data(dtype)
        x = x[x != 0]
        wanted = nearest([Fraction(float(v)) * (single(0.3) if v < 0 else 1) for v in x], dtype)
        assert_bits(onnx_run("LeakyRelu", [x], 16, alpha=0.3), wanted)
        slope = data(dtype, 1)[: len(x)]
        wanted = nearest(
            [Fraction(float(v)) * (Fraction(float(s)) if v < 0 else 1) for v, s in zip(x, slope, strict=True)], dtype
        )
        found = onnx_run("PRelu", [x, slope], 16)
        assert_bits(np.where(found == 0, 0, found).astype(dtype), np.where(wanted == 0, 0, wanted).astype(dtype))
    assert same(onnx_run("PRelu", [np.int32([-3, 4, -(2**31)]), np.int32(5)], 9), np.int32([-15, 4, -(2**31)]))


def test_slopes_lie_along_the_last_axes_or_the_channels() -> None:
    x = -np.ones((2, 3, 2), np.float32)
    channels = np.float32([1, 2, 3])
    wanted = -np.broadcast_to(channels[:, None], (2, 3, 2))
    assert same(onnx_run("PRelu", [x, channels], 6), wanted)
    assert same(ir_run("PReLU", [x, channels]), wanted)
    assert same(onnx_run("PRelu", [x, channels[:2]], 7), -np.broadcast_to(channels[:2], x.shape))
    for slope in (channels, np.ones((2, 1, 1, 1), np.float32)):
        with pytest.raises(ShapeError, match="broadcast"):
            onnx_run("PRelu", [x, slope], 7)


def test_hard_functions_are_rounded_once() -> None:
    for dtype in SHORT:
        x = data(dtype)
        six = [min(max(Fraction(float(v)) + 3, Fraction(0)), Fraction(6)) for v in x]
        swish = nearest([Fraction(float(v)) * s / 6 for v, s in zip(x, six, strict=True)], dtype)
        found = onnx_run("HardSwish", [x], 22)
        assert_bits(np.where(found == 0, 0, found).astype(dtype), np.where(swish == 0, 0, swish).astype(dtype))
        assert same(ir_run("HSwish", [x], version="opset4"), found)
        assert_bits(ir_run("HSigmoid", [x], version="opset5"), nearest([s / 6 for s in six], dtype))


SMOOTH: list[tuple[str, int, dict[str, float], Real]] = [
    ("Elu", 22, {"alpha": 0.75}, lambda x: 0.75 * mpmath.expm1(x) if x < 0 else x),
    ("Selu", 22, {"alpha": 1.5, "gamma": 1.25}, lambda x: 1.25 * (1.5 * mpmath.expm1(x) if x < 0 else x)),
    ("Celu", 28, {"alpha": 0.5}, lambda x: 0.5 * mpmath.expm1(x / 0.5) if x < 0 else x),
    ("Swish", 24, {"alpha": 1.5}, lambda x: x / (1 + mpmath.exp(-1.5 * x))),
    ("Mish", 22, {}, lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x)))),
    ("Softsign", 22, {}, lambda x: x / (1 + abs(x))),
]


@each_float
@looped("operator,opset,attributes,function", SMOOTH)
def test_smooth_functions_are_within_their_bound(
    operator: str, opset: int, attributes: Any, function: Real, dtype: Any
) -> None:
    x = data(dtype)
    found = onnx_run(operator, [x], opset, **attributes)
    assert found.dtype == np.dtype(dtype)
    with mpmath.workprec(200):
        for v, got in zip(x.astype(float), found.astype(float), strict=True):
            exact = function(mpmath.mpf(float(v)))
            scaled = Fraction(int(mpmath.nint(exact * mpmath.mpf(2) ** 180)), 2**180)
            best = Fraction(float(nearest([scaled], dtype)[0]))
            ulp = (
                Fraction(float(nearest([abs(best) * (1 + Fraction(1, 2**40))], np.float64)[0]))
                / 2 ** {2: 10, 4: 23, 8: 52}[np.dtype(dtype).itemsize]
            )
            room = 4 * ulp if np.dtype(dtype) == np.float64 else ulp / 100
            assert abs(Fraction(got) - scaled) <= abs(best - scaled) + room, (operator, v, got, float(exact))


def test_ends_of_the_functions() -> None:
    x = np.float32([np.inf, -np.inf, np.nan, 1e38, -1e38, 0])
    for operator, opset, wanted in (
        ("Elu", 22, [np.inf, -1, np.nan, 1e38, -1, 0]),
        ("Celu", 12, [np.inf, -1, np.nan, 1e38, -1, 0]),
        ("Swish", 24, [np.inf, -0.0, np.nan, 1e38, -0.0, 0]),
        ("Mish", 22, [np.inf, -0.0, np.nan, 1e38, -0.0, 0]),
        ("Softsign", 22, [1, -1, np.nan, 1, -1, 0]),
        ("HardSwish", 22, [np.inf, -0.0, np.nan, 1e38, -0.0, 0]),
        ("LeakyRelu", 16, [np.inf, -np.inf, np.nan, 1e38, -1e36, 0]),
        ("ThresholdedRelu", 22, [np.inf, 0, np.nan, 1e38, 0, 0]),
    ):
        np.testing.assert_allclose(onnx_run(operator, [x], opset), np.float32(wanted), 1e-6, err_msg=operator)
    assert same(onnx_run("ThresholdedRelu", [np.float32([0.5, 1, 2])], 10), np.float32([0, 0, 2]))


def test_parameters_of_openvino_are_attributes_or_inputs() -> None:
    x = data(np.float32)
    assert same(ir_run("Elu", [x], 'alpha="0.75"'), onnx_run("Elu", [x], 22, alpha=0.75))
    selu = onnx_run("Selu", [x], 22, alpha=1.5, gamma=1.25)
    assert same(ir_run("Selu", [x, np.float32(1.5), np.float32([1.25])]), selu)
    assert same(ir_run("Swish", [x, np.float32(1.5)], version="opset4"), onnx_run("Swish", [x], 24, alpha=1.5))
    assert same(ir_run("Swish", [x], version="opset4"), onnx_run("Swish", [x], 24))
    assert same(ir_run("Mish", [x], version="opset4"), onnx_run("Mish", [x], 22))
    assert same(ir_run("SoftSign", [x], version="opset9"), onnx_run("Softsign", [x], 22))


def test_bits_are_the_same_everywhere() -> None:
    x = data(np.float32)
    same_everywhere(lambda: [onnx_run(name, [x], opset, **asked) for name, opset, asked, _ in SMOOTH])


def rotated(x: NDArray, cos: NDArray, sin: NDArray, pairs: list[tuple[int, int]]) -> NDArray:
    """[batch, heads, length, size], each pair of places turned, in rational numbers."""
    y = x.copy()
    for b, h, t in np.ndindex(x.shape[:3]):
        for k, (i, j) in enumerate(pairs):
            c, s, p, q = (Fraction(float(v)) for v in (cos[b, t, k], sin[b, t, k], x[b, h, t, i], x[b, h, t, j]))
            y[b, h, t, [i, j]] = nearest([c * p - s * q, s * p + c * q], x.dtype)
    return y


@pytest.mark.parametrize("dtype", SHORT, ids=str)
def test_rotary_embeddings_are_rounded_once(dtype: Any) -> None:
    random = np.random.default_rng(5)
    x = random.standard_normal((2, 3, 4, 6)).astype(dtype)
    cos, sin = (random.standard_normal((9, 2)).astype(dtype) for _ in range(2))
    x[0, 0] = [1, 1, 1, 1, 2, 2]
    sin[:4] = cos[:4]
    places = random.integers(0, 9, (2, 4))
    for interleaved, pairs in ((0, [(0, 2), (1, 3)]), (1, [(0, 1), (2, 3)])):
        wanted = rotated(x, cos[places], sin[places], pairs)
        asked = {"interleaved": interleaved, "rotary_embedding_dim": 4}
        assert_bits(onnx_run("RotaryEmbedding", [x, cos, sin, places], 23, **asked), wanted)
        assert_bits(onnx_run("RotaryEmbedding", [x, cos[places], sin[places]], 23, **asked), wanted)
        flat = np.ascontiguousarray(x.swapaxes(1, 2)).reshape(2, 4, 18)
        found = onnx_run("RotaryEmbedding", [flat, cos, sin, places], 23, num_heads=3, **asked)
        assert_bits(found.reshape(2, 4, 3, 6), np.ascontiguousarray(wanted.swapaxes(1, 2)))
        for empty in (flat[:0], flat[:, :0]):
            at = places[: len(empty), : empty.shape[1]]
            assert same(onnx_run("RotaryEmbedding", [empty, cos, sin, at], 23, num_heads=3, **asked), empty)
    with pytest.raises(AxisError, match="position_ids are 0 to 9; allowed are 0 to 8"):
        onnx_run("RotaryEmbedding", [x[:1, :, :2], cos, sin, np.int64([[0, 9]])], 23, rotary_embedding_dim=4)
    with pytest.raises(AttributeValueError, match="3 of 6 elements are turned"):
        onnx_run("RotaryEmbedding", [x, cos, sin, places], 23, rotary_embedding_dim=3)
    with pytest.raises(ShapeError, match=r"cos or sin is \(2, 4, 2\)"):
        onnx_run("RotaryEmbedding", [x, cos, sin, places], 23)


def test_small_operators_that_models_have() -> None:
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)
    deep = onnx_run(
        "SpaceToDepth", [onnx_run("DepthToSpace", [x], 11, blocksize=2, mode="CRD")], 28, blocksize=2, mode="CRD"
    )
    assert same(deep, x)
    assert same(onnx_run("SpaceToDepth", [onnx_run("DepthToSpace", [x], 13, blocksize=2)], 13, blocksize=2), x)
    with pytest.raises(ShapeError, match="do not divide into blocks of 3 x 3"):
        onnx_run("DepthToSpace", [x], 13, blocksize=3)
    with pytest.raises(ShapeError, match="more than 2\\^40 elements"):
        onnx_run("SpaceToDepth", [x[:, :, :0, :0]], 13, blocksize=2**62)
    for shape, wanted in (((0, 4, 2, 2), (0, 1, 4, 4)), ((1, 4, 0, 2), (1, 1, 0, 4)), ((1, 0, 2, 2), (1, 0, 4, 4))):
        empty = [
            onnx_run("DepthToSpace", [np.zeros(shape, np.float32)], 13, blocksize=2, mode=m) for m in ("CRD", "DCR")
        ]
        assert [each.shape for each in empty] == [wanted, wanted]
    assert same(onnx_run("NonZero", [np.float32([[0, 1], [-2, -0.0]])], 13), np.int64([[0, 1], [1, 0]]))
    assert [onnx_run("NonZero", [np.float32(v)], 13).shape for v in (0, 3)] == [(0, 0), (0, 1)]
    signs = np.float32([np.inf, -np.inf, np.nan, 1])
    assert onnx_run("IsInf", [signs], 20, detect_negative=0).tolist() == [True, False, False, False]
    assert onnx_run("IsNaN", [signs], 20).tolist() == [False, False, True, False]
    assert same(onnx_run("BitwiseXor", [np.uint8([12]), np.uint8([10])], 18), np.uint8([6]))
    y, mask = onnx_outputs("Dropout", [x], ["y", "mask"], 13)
    assert same(y, x)
    assert mask.all()
    with pytest.raises(UnsupportedOperator, match="the result would be random"):
        onnx_outputs("Dropout", [x, np.float32(0.5), np.bool_(True)], ["y"], 13)
