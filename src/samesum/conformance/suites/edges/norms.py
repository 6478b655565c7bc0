"""Edges of normalizations about a mean or by a norm and of global pools.

Constant and tiny lines, the ends of the range, infinities, epsilon, groups that do not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import INF, NAN, bf16, f16, f32, f64, i32, i64, onnx, openvino, within_an_ulp
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import Dtype, NDArray

ZEROS = np.zeros((2, 2, 2), np.float32)
MAX = float.fromhex("0x1.fffffep127")
LOG_2 = 0.6931471805599453
FAMILY = ("Softmax", "LogSoftmax", "Hardmax")


def _hardmax() -> Iterator[Case]:
    for id, x, expected in (
        ("first-of-equal", f32([1, 7, 7]), f32([0, 1, 0])),
        ("nan", f16([INF, NAN, NAN]), f16([0, 1, 0])),
        ("zeros-are-equal", bf16([-0.0, 0.0]), bf16([1, 0])),
        ("infs", f64([-INF, -INF]), f64([1, 0])),
    ):
        yield onnx(id, "Hardmax", 13, (x,), expected)
    x = f32([[[1, 2], [3, 3]], [[0, 0], [9, 0]]])
    last = f32([[[0, 1], [1, 0]], [[1, 0], [1, 0]]])
    yield onnx("last-axis", "Hardmax", 13, (x,), last)
    yield onnx("axis-0", "Hardmax", 13, (x,), f32([[[1, 1], [0, 1]], [[0, 0], [1, 0]]]), axis=0)
    for opset in (1, 11):
        yield onnx("as-a-matrix", "Hardmax", opset, (x,), f32([[[0, 0], [1, 0]], [[0, 0], [1, 0]]]))
        yield onnx("as-one-row", "Hardmax", opset, (x,), f32([[[0, 0], [0, 0]], [[0, 0], [1, 0]]]), axis=0)
        yield onnx("as-a-matrix-of-short-rows", "Hardmax", opset, (x,), last, axis=2)


def _softmax() -> Iterator[Case]:
    """The exact values are powers of two, or 1 and what is far below it."""
    for make in (f16, bf16, f32, f64):
        for count in (1, 2, 4, 64):
            yield onnx(f"equal-{count}", "Softmax", 13, (make([3] * count),), make([1 / count] * count))
        yield onnx("one-is-not-minus-inf", "Softmax", 13, (make([-INF, 7, -INF]),), make([0, 1, 0]))
        yield onnx("nan", "Softmax", 13, (make([1, NAN]),), make([NAN, NAN]))
    yield onnx("largest", "Softmax", 13, (f32([MAX, MAX]),), f32([0.5, 0.5]))
    yield onnx("large-negative", "Softmax", 13, (f64([-1e300, -1e300]),), f64([0.5, 0.5]))
    yield onnx("far-apart", "Softmax", 13, (f32([1000, 0]),), f32([1, 0]))
    yield onnx("many", "Softmax", 13, (np.zeros(2**16, np.float16),), np.full(2**16, 2.0**-16, np.float16))
    yield onnx("many", "Softmax", 13, (np.zeros(2**16, np.float32),), np.full(2**16, 2.0**-16, np.float32))
    yield within_an_ulp(onnx("thirds", "Softmax", 13, (f64([5, 5, 5]),), f64([1 / 3] * 3)))
    yield onnx("last-axis", "Softmax", 13, (ZEROS,), ZEROS + f32(0.5))
    for opset in (1, 11):
        yield onnx("as-a-matrix", "Softmax", opset, (ZEROS,), ZEROS + f32(0.25))
        yield onnx("as-one-row", "Softmax", opset, (ZEROS,), ZEROS + f32(0.125), axis=0)
        yield onnx("as-a-matrix-of-short-rows", "Softmax", opset, (ZEROS,), ZEROS + f32(0.5), axis=2)


def _log_softmax() -> Iterator[Case]:
    for make in (f16, bf16, f32, f64):
        yield within_an_ulp(onnx("equal", "LogSoftmax", 13, (make([3, 3]),), make([-LOG_2, -LOG_2])))
        yield onnx("minus-inf", "LogSoftmax", 13, (make([-INF, 7]),), make([-INF, 0.0]))
        yield onnx("nan", "LogSoftmax", 13, (make([NAN, 1]),), make([NAN, NAN]))
        yield onnx("one", "LogSoftmax", 13, (make([5]),), make([0.0]))
    yield within_an_ulp(onnx("far-apart", "LogSoftmax", 13, (f32([1000, 0]),), f32([0, -1000])))
    yield within_an_ulp(onnx("largest", "LogSoftmax", 13, (f32([MAX, MAX]),), f32([-LOG_2, -LOG_2])))
    for opset in (1, 11):
        expected = np.full((2, 2, 2), -2 * LOG_2, np.float32)
        yield within_an_ulp(onnx("as-a-matrix", "LogSoftmax", opset, (ZEROS,), expected))


def _all() -> Iterator[Case]:
    for operator in FAMILY:
        for opset in (1, 13):
            yield onnx("out-of-range", operator, opset, (ZEROS,), AxisError, axis=4)
            yield onnx("no-elements", operator, opset, (f32(np.ones((2, 0))),), f32(np.ones((2, 0))), axis=1)
            yield onnx("refused", operator, opset, (i32([1]),), DtypeError, "no version allows it", axis=0)
        yield onnx("rank-0", operator, 13, (f32(1),), ShapeError, "rank 0")
        yield onnx("refused", operator, 11, (bf16([1]),), DtypeError, "bfloat16 is allowed by version 13", axis=0)


def _of_openvino() -> Iterator[Case]:
    yield openvino("axis-omitted", "SoftMax", 1, (f32(np.zeros((2, 4))),), f32(np.full((2, 4), 0.25)))
    yield openvino("axis-0", "SoftMax", 7, (f64(np.zeros((2, 4))),), f64(np.full((2, 4), 0.5)), axis=0)
    yield openvino("axis-negative", "SoftMax", 8, (f16(np.zeros((2, 4))),), f16(np.full((2, 4), 0.25)), axis=-1)
    yield openvino("one-axis-only", "SoftMax", 8, (ZEROS,), ZEROS + f32(0.5), axis=1)
    yield openvino("nan", "SoftMax", 8, (f32([[NAN, 0]]),), f32([[NAN, NAN]]))
    yield openvino("out-of-range", "SoftMax", 8, (ZEROS,), AxisError, axis=3)
    yield openvino("refused", "SoftMax", 8, (i32([[1]]),), DtypeError, "no version allows it")
    yield openvino("minus-inf", "LogSoftmax", 5, (f32([[-INF, 7]]),), f32([[-INF, 0.0]]))
    yield openvino("axis-0", "LogSoftmax", 5, (bf16([[1], [-INF]]),), bf16([[0.0], [-INF]]), axis=0)
    yield openvino("out-of-range", "LogSoftmax", 5, (ZEROS,), AxisError, axis=-4)
    yield openvino("before-the-first", "LogSoftmax", 4, (ZEROS,), UnsupportedOperator, "version 5")


NORMALIZATIONS = (*_hardmax(), *_softmax(), *_log_softmax(), *_all(), *_of_openvino())


_Rows = list[list[float]]
_Attributes = dict[str, Any]

_NAN = float("nan")
_TYPES = ("float16", "bfloat16", "float32", "float64")
_OPSETS = {
    "LayerNormalization": (17, 23),
    "RMSNormalization": (23,),
    "GroupNormalization": (18, 21),
    "InstanceNormalization": (6, 22),
    "MeanVarianceNormalization": (9, 13),
    "LpNormalization": (1, 22),
    "GlobalAveragePool": (1, 22),
    "GlobalMaxPool": (1, 22),
    "GlobalLpPool": (2, 22),
}
_NEWER_BFLOAT16 = {"InstanceNormalization": 22, "MeanVarianceNormalization": 13, "LpNormalization": 22} | {
    f"Global{kind}Pool": 22 for kind in ("Average", "Max", "Lp")
}


def _typed(name: str) -> Iterator[tuple[Dtype, float]]:
    """Each type and powers of two in its range at which squares leave it."""
    dtype = np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)
    ends = {"float16": (-20, 13), "bfloat16": (-126, 120), "float32": (-126, 120), "float64": (-1000, 1010)}
    for power in (0, *ends[name]):
        yield dtype, 2.0**power


def _of_lines() -> Iterator[tuple[str, _Rows, _Rows, _Rows, _Rows]]:
    """A line each by name, and what it is about its mean, by its root mean square and by its two norms."""
    yield "pair", [[1, 3]], [[-1, 1]], [], []
    yield "opposite", [[-3, 3]], [[-1, 1]], [[-1, 1]], []
    yield "constant", [[5, 5, 5, 5]], [[0, 0, 0, 0]], [[1, 1, 1, 1]], [[0.5, 0.5, 0.5, 0.5]]
    yield "zero", [[0, 0, 0]], [[0, 0, 0]], [[0, 0, 0]], [[0, 0, 0]]
    yield "one", [[7]], [[0]], [[1]], [[1]]
    yield "two-and-two", [[2, 2, 6, 6]], [[-1, -1, 1, 1]], [], []


def _scaled() -> Iterator[Case]:
    for name in _TYPES:
        for dtype, scale in _typed(name):
            for line, values, centred, by_mean, by_sum in _of_lines():
                x = (np.array(values, np.float64) * scale).astype(dtype)
                ones = np.ones(x.shape[1], dtype)
                where = f"{line}-{name}-{scale:g}"
                for opset in _OPSETS["LayerNormalization"]:
                    wanted = np.array(centred).astype(dtype)
                    yield onnx(where, "LayerNormalization", opset, (x, ones), wanted, epsilon=0.0)
                if by_mean:
                    wanted = np.array(by_mean).astype(dtype)
                    yield onnx(where, "RMSNormalization", 23, (x, ones), wanted, epsilon=0.0)
                if by_sum:
                    wanted = np.array(by_sum).astype(dtype)
                    yield onnx(where, "LpNormalization", 22, (x,), wanted)
                    yield openvino(where, "NormalizeL2", 1, (x, i64([1])), wanted, eps=0.0, eps_mode="add")
                wanted = np.array(centred).astype(dtype)
                modes: _Attributes = {"normalize_variance": True, "eps": 0.0, "eps_mode": "inside_sqrt"}
                yield openvino(where, "MVN", 6, (x, i64([-1])), wanted, **modes)


def _with_bias() -> Iterator[Case]:
    x, scale, bias = f32([[1000, 1002], [5, 5]]), f32([2, 3]), f32([0.25, -7])
    wanted = f32([[-1.75, -4], [0.25, -7]])
    yield onnx("bias-of-a-constant-line", "LayerNormalization", 17, (x, scale, bias), wanted, epsilon=0.0)
    four = x.reshape(1, 4, 1)
    by_channel = f32([2, 3, 2, 3]), f32([0.25, -7, 0.25, -7])
    wanted_four: NDArray = wanted.reshape(1, 4, 1)
    yield onnx("bias", "GroupNormalization", 21, (four, *by_channel), wanted_four, num_groups=2, epsilon=0.0)
    yield openvino("bias", "GroupNormalization", 12, (four, *by_channel), wanted_four, num_groups=2, epsilon=0.0)
    by_group = f32([1, 2]), f32([0.5, -1])
    wanted_groups = f32([[-0.5, 1.5], [-1, -1]]).reshape(1, 4, 1)
    yield onnx("scale-of-groups", "GroupNormalization", 18, (four, *by_group), wanted_groups, num_groups=2, epsilon=0.0)
    for opset in _OPSETS["InstanceNormalization"]:
        inputs = (x.reshape(1, 2, 2), f32([2, 3]), f32([1, -1]))
        wanted_each = f32([[[-1, 3], [-1, -1]]])
        yield onnx("bias", "InstanceNormalization", opset, inputs, wanted_each, epsilon=0.0)


def _with_epsilon() -> Iterator[Case]:
    x = f32([[-3, 3]])
    yield onnx("epsilon-16", "LayerNormalization", 17, (x, f32([1, 5])), f32([[-0.6, 3]]), epsilon=16.0)
    yield onnx("epsilon-16", "RMSNormalization", 23, (x, f32([1, 5])), f32([[-0.6, 3]]), epsilon=16.0)
    flags: _Attributes = {"normalize_variance": True, "eps_mode": "inside_sqrt"}
    yield openvino("eps-inside", "MVN", 6, (x, i64([1])), f32([[-0.6, 0.6]]), eps=16.0, **flags)
    outside: _Attributes = {"normalize_variance": True, "eps_mode": "outside_sqrt"}
    yield openvino("eps-outside", "MVN", 6, (x, i64([1])), f32([[-0.75, 0.75]]), eps=1.0, **outside)
    before: _Attributes = {"across_channels": False, "normalize_variance": True, "eps": 16.0}
    yield openvino("eps-inside", "MVN", 2, (x.reshape(1, 1, 2),), f32([[[-0.6, 0.6]]]), **before)
    plain: _Attributes = {"normalize_variance": False, "eps_mode": "inside_sqrt"}
    yield openvino("no-variance", "MVN", 6, (f32([[1, 4]]), i64([1])), f32([[-1.5, 1.5]]), eps=9.0, **plain)
    y = f32([[2, 2]])
    yield openvino("eps-added", "NormalizeL2", 1, (y, i64([1])), f32([[0.5, 0.5]]), eps=8.0, eps_mode="add")
    yield openvino("eps-greater", "NormalizeL2", 1, (y, i64([1])), f32([[0.5, 0.5]]), eps=16.0, eps_mode="max")
    zero = f32([[0, 0]])
    yield openvino("eps-of-a-zero-line", "NormalizeL2", 1, (zero, i64([1])), zero, eps=0.0, eps_mode="max")
    for opset in _OPSETS["LpNormalization"]:
        yield onnx("p-1", "LpNormalization", opset, (f32([[-1, 3]]),), f32([[-0.25, 0.75]]), p=1)
        yield onnx("p-3", "LpNormalization", opset, (y,), AttributeValueError, "p is 3", p=3)


def _not_finite() -> Iterator[Case]:
    nan = f32([[_NAN, _NAN], [-1, 1]])
    for name, bad in (("nan", _NAN), ("inf", float("inf")), ("minus-inf", float("-inf"))):
        x, ones = f32([[bad, 1], [2, 4]]), f32([1, 1])
        yield onnx(name, "LayerNormalization", 17, (x, ones), nan, epsilon=0.0)
        for mode in ("inside_sqrt", "outside_sqrt"):
            attributes: _Attributes = {"normalize_variance": True, "eps": 0.0, "eps_mode": mode}
            yield openvino(f"{name}-{mode}", "MVN", 6, (x, i64([1])), nan, **attributes)
        centred: _Attributes = {"normalize_variance": False, "eps": 0.0, "eps_mode": "inside_sqrt"}
        yield openvino(f"{name}-no-variance", "MVN", 6, (x, i64([1])), nan, **centred)
        line = f32([[bad, 1]])
        yield onnx(name, "RMSNormalization", 23, (line, ones), f32([[_NAN, _NAN]]))
        yield onnx(name, "LpNormalization", 22, (line,), f32([[_NAN, _NAN]]))
        yield openvino(name, "NormalizeL2", 1, (line, i64([1])), f32([[_NAN, _NAN]]), eps=1.0, eps_mode="add")


def _pools() -> Iterator[Case]:
    for opset in (1, 22):
        x = f32([[[3, 4], [1e30, 1e30]]])
        yield onnx("plane", "GlobalAveragePool", opset, (x,), f32([[[3.5], [1e30]]]))
        yield onnx("plane", "GlobalMaxPool", opset, (x,), f32([[[4], [1e30]]]))
        yield onnx("cancelling", "GlobalAveragePool", opset, (f32([[[1e30, 4, -1e30, 0]]]),), f32([[[1]]]))
        yield onnx("nan", "GlobalMaxPool", opset, (f32([[[1, _NAN]]]),), f32([[[_NAN]]]))
    for opset in _OPSETS["GlobalLpPool"]:
        x = f32([[[3, -4]]])
        yield onnx("root", "GlobalLpPool", opset, (x,), f32([[[5]]]))
        yield onnx("p-1", "GlobalLpPool", opset, (x,), f32([[[7]]]), p=1)


def _refused() -> Iterator[Case]:
    x, ones = f32([[1, 2, 3, 4]]), f32([1, 1, 1, 1])
    for axis in (2, -3):
        yield onnx(f"axis-{axis}", "LayerNormalization", 17, (x, ones), AxisError, axis=axis)
        yield onnx(f"axis-{axis}", "LpNormalization", 22, (x,), AxisError, axis=axis)
    yield onnx("scale-of-three", "LayerNormalization", 17, (x, ones[:3]), ShapeError, "broadcast")
    yield onnx("negative-epsilon", "LayerNormalization", 17, (x, ones), AttributeValueError, "epsilon", epsilon=-1.0)
    yield onnx("three-groups", "GroupNormalization", 21, (x, ones, ones), ShapeError, "3 equal groups", num_groups=3)
    yield onnx("short-scale", "GroupNormalization", 21, (x, ones[:2], ones), ShapeError, r"\(2,\)", num_groups=2)
    three: _Attributes = {"num_groups": 3, "epsilon": 1.0}
    yield openvino("three-groups", "GroupNormalization", 12, (x, ones, ones), ShapeError, "3 equal groups", **three)
    mode: _Attributes = {"normalize_variance": True, "eps": 1.0, "eps_mode": "inside_sqrt"}
    yield openvino("axes-out-of-range", "MVN", 6, (x, i64([2])), AxisError, **mode)
    yield openvino("axes-repeated", "NormalizeL2", 1, (x, i64([1, -1])), AxisError, eps=1.0, eps_mode="add")
    for operator, since in _NEWER_BFLOAT16.items():
        rows = np.ones((1, 4, 2), ml_dtypes.bfloat16)
        more = (np.ones(4, ml_dtypes.bfloat16),) * 2 if operator == "InstanceNormalization" else ()
        yield onnx("too-early", operator, since - 1, (rows, *more), DtypeError, "bfloat16")


NORMS = (
    *_scaled(), *_with_bias(), *_with_epsilon(), *_not_finite(), *_pools(), *_refused(),
)  # fmt: skip
