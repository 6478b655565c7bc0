"""Normalizations and global pools of both standards: which lines, which scale, which epsilon, which type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from building import onnx_run
from norm_oracle import expected_inverse, expected_line
from oracle import assert_bits, exact
from samesum.algebra.rows import CENTRED, L1_QUOTIENT, L2_QUOTIENT, LAYER_NORM, MEAN, RMS_NORM, Norm
from samesum.engine.memory import Epsilon
from samesum.formats.arrays import BFLOAT16, NDArray

STASHES: dict[int, Any] = {1: np.dtype(np.float32), 11: np.dtype(np.float64), 16: BFLOAT16}
EPSILON = Epsilon(float(np.float32(1e-5)))
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def data(dtype: Any, *shape: int, seed: int = 1) -> NDArray:
    return (cases.make("normal", np.float64, int(np.prod(shape)), seed) * 2 + 50).astype(dtype).reshape(shape)


def lines_of(x: NDArray, axes: Sequence[int]) -> tuple[NDArray, tuple[int, ...]]:
    inner = sorted(axis % x.ndim for axis in axes)
    order = (*(axis for axis in range(x.ndim) if axis not in inner), *inner)
    count = int(np.prod([x.shape[axis] for axis in inner]))
    return np.ascontiguousarray(x.transpose(order)).reshape(-1, count), order


def expected(row: Norm, x: NDArray, axes: Sequence[int], epsilon: Epsilon, *scales: NDArray | None) -> NDArray:
    """`scales` broadcast to `x`."""
    lines, order = lines_of(x, axes)
    spread = [None if each is None else lines_of(np.broadcast_to(each, x.shape), axes)[0] for each in scales]
    found = [
        expected_line(row, line, epsilon, *(s if s is None else s[i] for s in spread)) for i, line in enumerate(lines)
    ]
    shape = [x.shape[axis] for axis in order]
    return np.ascontiguousarray(np.stack(found).reshape(shape).transpose(np.argsort(order)))


@each_float
def test_layer_normalization(dtype: Any) -> None:
    x, scale, bias = data(dtype, 2, 3, 4), data(dtype, 3, 4, seed=2), data(dtype, 4, seed=3)
    for axis in (-1, 1, 2):
        found = ss.onnx.LayerNormalization(x, scale, bias, axis=axis)
        assert_bits(found, expected(LAYER_NORM, x, range(axis % 3, 3), EPSILON, scale, bias))
    every = data(dtype, 2, 3, 4, seed=5)
    assert_bits(ss.onnx.LayerNormalization(x, every), expected(LAYER_NORM, x, (2,), EPSILON, every))


@each_float
def test_the_three_outputs_of_layer_normalization(dtype: Any) -> None:
    x, scale = data(dtype, 2, 3, 4), data(dtype, 4, seed=2)
    for number, stash in STASHES.items():
        y, mean, inverse = ss.onnx.LayerNormalization(x, scale, axis=1, outputs=3, stash_type=number)
        assert_bits(y, ss.onnx.LayerNormalization(x, scale, axis=1))
        assert_bits(mean, exact.reduce(MEAN, x, (1, 2), True, stash))
        codes = [expected_inverse(LAYER_NORM, line, EPSILON, stash) for line in x.reshape(2, -1)]
        assert_bits(inverse, np.array(codes, f"u{stash.itemsize}").view(stash).reshape(2, 1, 1))
    assert ss.onnx.LayerNormalization(x, scale, axis=1, outputs=3)[1].dtype == np.float32
    with pytest.raises(ss.AttributeValueError, match=r"stash_type is 7; of inner outputs allowed are 1 \(float32\)"):
        ss.onnx.LayerNormalization(x, scale, axis=1, outputs=3, stash_type=7)
    with pytest.raises(ss.AttributeValueError, match="outputs is 2"):
        ss.onnx.LayerNormalization(x, scale, outputs=2)


@each_float
def test_rms_normalization_has_the_type_of_its_scale(dtype: Any) -> None:
    x, scale = data(dtype, 3, 5), data(dtype, 5, seed=2)
    assert_bits(ss.onnx.RMSNormalization(x, scale), expected(RMS_NORM, x, (1,), EPSILON, scale))
    for other in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
        wide, scale = x.astype(np.float64), data(other, 5, seed=2)
        found = ss.onnx.RMSNormalization(x, scale)
        assert found.dtype == other
        assert_bits(found, ss.onnx.RMSNormalization(wide, scale))


@each_float
def test_groups_and_instances(dtype: Any) -> None:
    x, scale, bias = data(dtype, 2, 6, 3, 2), data(dtype, 6, seed=2), data(dtype, 6, seed=3)
    channel = (1, 6, 1, 1)
    by_channel = [each.reshape(1, 2, 3, 1, 1) for each in (scale, bias)]
    grouped = expected(LAYER_NORM, x.reshape(2, 2, 3, 3, 2), (2, 3, 4), EPSILON, *by_channel).reshape(x.shape)
    assert_bits(ss.onnx.GroupNormalization(x, scale, bias, num_groups=2), grouped)
    eps = EPSILON.inside
    assert_bits(ss.openvino.GroupNormalization(x, scale, bias, num_groups=2, epsilon=eps), grouped)
    assert_bits(ss.group_norm(x, 2, scale, bias, eps), grouped)
    by_group = [each[:2].reshape(1, 2, 1, 1, 1) for each in (scale, bias)]
    old = expected(LAYER_NORM, x.reshape(2, 2, 3, 3, 2), (2, 3, 4), EPSILON, *by_group).reshape(x.shape)
    assert_bits(ss.onnx.GroupNormalization(x, scale[:2], bias[:2], num_groups=2, opset=18), old)
    instances = expected(LAYER_NORM, x, (2, 3), EPSILON, scale.reshape(channel), bias.reshape(channel))
    assert_bits(ss.onnx.InstanceNormalization(x, scale, bias), instances)


@each_float
def test_mean_variance_normalizations(dtype: Any) -> None:
    x, tiny = data(dtype, 2, 3, 2, 2), Epsilon(outside=float(np.float32(1e-9)))
    assert_bits(ss.onnx.MeanVarianceNormalization(x), expected(LAYER_NORM, x, (0, 2, 3), tiny))
    assert_bits(ss.onnx.MeanVarianceNormalization(x, axes=[-1]), expected(LAYER_NORM, x, (3,), tiny))
    for eps in (0.0, 1e-3, 2.0):
        single = float(np.float32(eps))
        inside, outside = Epsilon(single), Epsilon(outside=single)
        assert_bits(ss.openvino.MVN(x, [2, 3], eps=eps), expected(LAYER_NORM, x, (2, 3), inside))
        found = ss.openvino.MVN(x, [1], eps=eps, eps_mode="outside_sqrt")
        assert_bits(found, expected(LAYER_NORM, x, (1,), outside))
        assert_bits(ss.openvino.MVN(x, eps=eps, opset=2), expected(LAYER_NORM, x, (2, 3), inside))
        across = ss.openvino.MVN(x, eps=eps, across_channels=True, opset=2)
        assert_bits(across, expected(LAYER_NORM, x, (1, 2, 3), inside))
    found = ss.openvino.MVN(x, [0, 3], normalize_variance=False, eps=0.5)
    assert_bits(found, expected(CENTRED, x, (0, 3), Epsilon()))


def test_where_each_epsilon_goes() -> None:
    """The values of OpenVINO 2026 and ONNX Runtime 1.23 for [1, 2, 3, 4], variance 1.25, squares 30, and 0.5."""
    x, one, zero = np.float32([1, 2, 3, 4]).reshape(1, 1, 4, 1), np.ones(1, np.float32), np.zeros(1, np.float32)
    under_the_root = [
        ss.openvino.MVN(x, eps=0.5, opset=2),
        ss.openvino.MVN(x, [2, 3], eps=0.5),
        ss.openvino.GroupNormalization(x, one, zero, num_groups=1, epsilon=0.5),
        ss.onnx.InstanceNormalization(x, one, zero, epsilon=0.5),
        ss.onnx.GroupNormalization(x, one, zero, num_groups=1, epsilon=0.5),
        ss.onnx.LayerNormalization(x.reshape(1, 4), np.ones(4, np.float32), epsilon=0.5),
    ]
    for found in under_the_root:
        assert np.abs(found.ravel() - [-1.1338935, -0.3779645, 0.3779645, 1.1338935]).max() < 2e-7
    outside = ss.openvino.MVN(x, [2, 3], eps=0.5, eps_mode="outside_sqrt")
    assert np.abs(outside.ravel() - [-0.927051, -0.309017, 0.309017, 0.927051]).max() < 2e-7
    added = ss.openvino.NormalizeL2(x, [2, 3], eps=0.5)
    assert np.abs(added.ravel() - [0.1810715, 0.362143, 0.5432145, 0.724286]).max() < 2e-7
    means = ss.onnx.RMSNormalization(x.reshape(1, 4), np.ones(4, np.float32), epsilon=0.5)
    assert np.abs(means.ravel() - [0.35355338, 0.70710677, 1.0606602, 1.4142135]).max() < 2e-7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_mean_variance_normalization_adds_is_a_float32(dtype: Any) -> None:
    x = np.array([[1, -1]], dtype) * dtype(1e-9)
    wanted = expected(LAYER_NORM, x, (1,), Epsilon(outside=float(np.float32(1e-9))))
    assert_bits(ss.onnx.MeanVarianceNormalization(x, axes=[1]), wanted)
    assert_bits(onnx_run("MeanVarianceNormalization", [x], axes=[1]), wanted)
    if dtype == np.float64:
        assert wanted.tolist() != expected(LAYER_NORM, x, (1,), Epsilon(outside=1e-9)).tolist()


@each_float
def test_norms_of_lines(dtype: Any) -> None:
    x = data(dtype, 3, 2, 4)
    x[1, 0] = 0
    for axis in (-1, 0):
        assert_bits(ss.onnx.LpNormalization(x, axis=axis), expected(L2_QUOTIENT, x, (axis,), Epsilon()))
        assert_bits(ss.onnx.LpNormalization(x, axis=axis, p=1), expected(L1_QUOTIENT, x, (axis,), Epsilon()))
    for eps in (0.0, 1e-6, 3e4):
        single = float(np.float32(eps))
        assert_bits(ss.openvino.NormalizeL2(x, [1, 2], eps=eps), expected(L2_QUOTIENT, x, (1, 2), Epsilon(single)))
        found = ss.openvino.NormalizeL2(x, [2], eps=eps, eps_mode="max")
        assert_bits(found, expected(L2_QUOTIENT, x, (2,), Epsilon(single, at_least=True)))


@each_float
def test_global_pools(dtype: Any) -> None:
    x = data(dtype, 2, 3, 4, 5)
    assert_bits(ss.onnx.GlobalAveragePool(x), ss.mean(x, (2, 3), keepdims=True))
    assert_bits(ss.onnx.GlobalMaxPool(x), ss.max(x, (2, 3), keepdims=True))
    assert_bits(ss.onnx.GlobalLpPool(x), ss.l2_norm(x, (2, 3), keepdims=True))
    assert_bits(ss.onnx.GlobalLpPool(x, p=1), ss.l1_norm(x, (2, 3), keepdims=True))
    with pytest.raises(ss.AttributeValueError, match="p is 0"):
        ss.onnx.GlobalLpPool(x, p=0)


def test_what_other_engines_lose() -> None:
    """Their answers: zeros, zeros, zeros, NaN or an error of 1429, 0.096."""
    ones, zeros = np.ones(4, np.float32), np.zeros(4, np.float32)
    x = np.float32([[1, 2, 3, 4]]) * np.float32(1e30)
    assert_bits(ss.onnx.LayerNormalization(x, ones), expected(LAYER_NORM, x, (1,), EPSILON))
    x = np.full((1, 4), 1e20, np.float32)
    assert_bits(ss.onnx.RMSNormalization(x, ones), np.ones((1, 4), np.float32))
    x = np.float32([[3e30, 4e30]])
    assert_bits(ss.onnx.LpNormalization(x), expected(L2_QUOTIENT, x, (1,), Epsilon()))
    x = (cases.make("normal", np.float32, 4 * 16, 1) + 1000).reshape(1, 4, 16)
    grouped = expected(LAYER_NORM, x.reshape(1, 2, 32), (2,), EPSILON).reshape(x.shape)
    assert_bits(ss.onnx.GroupNormalization(x, ones, zeros, num_groups=2), grouped)
    tenth = np.float32(0.1)
    assert ss.onnx.GlobalAveragePool(np.full((1, 1, 1 << 20), tenth)).item() == tenth


def test_what_is_refused() -> None:
    x, one = np.ones((2, 6), np.float32), np.ones(6, np.float32)
    with pytest.raises(ss.ShapeError, match="4 equal groups"):
        ss.onnx.GroupNormalization(x, one, one, num_groups=4)
    with pytest.raises(ss.ShapeError, match=r"scale has shape \(2,\)"):
        ss.onnx.GroupNormalization(x, one[:2], one, num_groups=2)
    with pytest.raises(ss.ShapeError, match="broadcast"):
        ss.onnx.LayerNormalization(x, one[:4])
    with pytest.raises(ss.AxisError):
        ss.onnx.LayerNormalization(x, one, axis=2)
    with pytest.raises(ss.AttributeValueError, match="epsilon"):
        ss.onnx.LayerNormalization(x, one, epsilon=-1.0)
    with pytest.raises(ss.AttributeValueError, match="p is 3"):
        ss.onnx.LpNormalization(x, p=3)
    with pytest.raises(ss.DtypeError):
        ss.onnx.InstanceNormalization(x.astype(ml_dtypes.bfloat16), one, one, opset=6)
    with pytest.raises(ss.ShapeError, match="normalized_shape"):
        ss.layer_norm(x, 5)
    with pytest.raises(ss.ArgumentError, match="eps"):
        ss.rms_norm(x, 6, eps=np.nan)
    with pytest.raises(ss.DtypeError, match="complex128"):
        ss.layer_norm(np.ones((2, 3), complex), 3)
    with pytest.raises(ss.ArgumentError, match="x has an integer from 2\\^53 on"):
        ss.layer_norm(np.full((2, 3), 2**53), 3)
    out = np.empty_like(x)
    assert ss.layer_norm(x, 6, out=out) is out
