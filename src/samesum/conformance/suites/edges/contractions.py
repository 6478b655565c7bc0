"""Edges of products of matrices, of Einstein's sums and of convolutions.

What cancels, overflows or vanishes on the way, ties, what is not finite, zeros, integers that wrap, vectors, nothing,
padding, zero points, and shapes that do not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    INF,
    NAN,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    onnx,
    openvino,
    u8,
    u32,
    u64,
)
from samesum.errors import ArgumentError, AttributeValueError, DtypeError, ShapeError, UnsupportedOperator

_Attributes = dict[str, Any]
_IR: _Attributes = {"strides": "1", "pads_begin": "0", "pads_end": "0", "dilations": "1"}


def _lines(make: Any) -> Iterator[tuple[str, Sequence[float], Sequence[float], float]]:
    """A row, a column and the sum of their products, for a type of floats."""
    info = ml_dtypes.finfo(make([0]).dtype)  # type: ignore[no-untyped-call]
    most, tiny, eps = float(info.max), float(info.smallest_subnormal), float(info.eps)
    yield "cancelling", (most, 1, -most), (1, 3, 1), 3
    yield "overflow-on-the-way", (most, most, -most), (2, 1, 2), most
    yield "largest", (most, most), (0.5, 0.5), most
    yield "overflow", (most, most), (1, 1), INF
    yield "overflow-below-zero", (most, most), (-1, -1), -INF
    yield "tie", (1, eps), (1, 0.5), 1
    yield "tie-above", (1, eps, tiny), (1, 0.5, 1), 1 + eps
    yield "tie-below", (1 + eps, eps, -tiny), (1, 0.5, 1), 1 + eps
    yield "tie-of-odd", (1 + eps, eps), (1, 0.5), 1 + 2 * eps
    yield "vanishing-on-the-way", (1, tiny, eps), (1, tiny, 0.5), 1 + eps
    yield "vanishing", (tiny, tiny), (tiny, tiny), 0
    yield "subnormal-tie", (tiny, 0), (0.5, 1), 0
    yield "subnormal-above", (tiny, tiny), (0.5, 0.25), tiny
    yield "subnormals", (tiny, tiny, tiny), (0.5, 0.5, 2), 3 * tiny
    yield "infinity", (INF, 1), (1, -5), INF
    yield "infinities", (INF, INF), (1, -1), NAN
    yield "infinity-times-zero", (INF, 1), (0, 1), NAN
    yield "nan", (NAN, INF), (0, 1), NAN
    yield "negative-zeros", (-0.0, -0.0), (1, 1), 0
    yield "cancelled", (1, -1), (1, 1), 0


def _floats() -> Iterator[Case]:
    for make in (f16, bf16, f32, f64):
        for name, row, column, total in _lines(make):
            a, b, y = make([row]), make(column).reshape(-1, 1), make([[total]])
            yield onnx(name, "MatMul", 13, (a, b), y)
            yield openvino(name, "MatMul", 1, (a, b.T), y, transpose_b="true")
            if column[-1] == 1:
                yield onnx(name, "Gemm", 13, (a[:, :-1], b[:-1], a[:, -1:]), y)
            data, kernel = a[None], b.T[None]
            yield onnx(name, "Conv", 22, (data, kernel), y[None])
            yield openvino(name, "Convolution", 1, (data, kernel), y[None], **_IR)
            yield onnx(name, "ConvTranspose", 22, (a.T[None], b[:, :, None]), y[None])
        most = make([[float(ml_dtypes.finfo(make([0]).dtype).max)]])  # type: ignore[no-untyped-call]
        yield onnx("half-of-an-overflow", "Gemm", 13, (most, make([[2]])), most, alpha=0.5)
        yield onnx("most-less-most", "Gemm", 13, (most, make([[4]]), -most), most, beta=3.0)


def _versions() -> Iterator[Case]:
    a, b = f32([[1e30, 3], [1, 2]]), f32([[1, 0], [0, -1]])
    for opset in (1, 9, 13):
        yield onnx("matrices", "MatMul", opset, (a, b), f32([[1e30, -3], [1, -2]]))
    for opset in (1, 6, 7, 9, 11, 13):
        broadcast: _Attributes = {"broadcast": 1} if opset < 7 else {}
        for name, shape in (("row", (1, 2)), ("vector", (2,)), ("number", ())):
            c = np.full(shape, -1e30, np.float32)
            yield onnx(name, "Gemm", opset, (a, b, c), f32([[0, -1e30], [-1e30, -1e30]]), **broadcast)
        yield onnx("whole", "Gemm", opset, (a, b, a), f32([[2e30, 0], [2, 0]]))
        turned: _Attributes = {"transA": 1, "transB": 1, "alpha": 2.0, "beta": 0.0}
        yield onnx("turned", "Gemm", opset, (a, b, a), f32([[2e30, -2], [6, -4]]), **turned)
    for opset in (1, 11, 22):
        x, w = f32([[[1, 2, 3, 4]]]), f32([[[1, 10]]])
        yield onnx("plain", "Conv", opset, (x, w), f32([[[21, 32, 43]]]))
        yield onnx("bias", "Conv", opset, (x, w, f32([0.5])), f32([[[21.5, 32.5, 43.5]]]))
        yield onnx("plain", "ConvTranspose", opset, (x, w), f32([[[1, 12, 23, 34, 40]]]))
        yield onnx("bias", "ConvTranspose", opset, (x, w, f32([0.5])), f32([[[1.5, 12.5, 23.5, 34.5, 40.5]]]))


def _vectors_and_nothing() -> Iterator[Case]:
    v, m = f32([1e8, 1, -1e8]), f32([[1, 2], [3, 4], [1, 2]])
    nothing = np.zeros((2, 0), np.float32)
    for name, a, b, y in (
        ("vectors", v, m[:, 0], f32(3)),
        ("row", v, m, f32([3, 4])),
        ("column", m.T, v, f32([3, 4])),
        ("no-terms", nothing, nothing.T, f32([[0, 0], [0, 0]])),
        ("no-rows", nothing.T, f32([[1, 2, 3], [4, 5, 6]]), np.zeros((0, 3), np.float32)),
        ("no-terms-of-vectors", nothing[0], nothing[0], f32(0)),
        ("batch", np.stack([m.T, -m.T])[:, None], np.stack([m, m + 1, m])[None], None),
    ):
        expected = (a.astype(np.float64) @ b).astype(np.float32) if y is None else y
        yield onnx(name, "MatMul", 13, (a, b), expected)
        yield openvino(name, "MatMul", 1, (a, b), expected)
    yield onnx("no-terms", "Gemm", 13, (nothing, nothing.T, f32([1, -0.0])), f32([[1, 0], [1, 0]]))
    yield onnx("no-batch", "Conv", 22, (np.zeros((0, 1, 3), "f"), f32([[[1, 2]]])), np.zeros((0, 1, 2), np.float32))
    for standard, opset in ((onnx, 12), (openvino, 7)):
        for equation, inputs, y in (
            ("ij,jk->ki", (v[None], m), f32([[3], [4]])),
            ("i,i", (v, m[:, 0]), f32(3)),
            ("i,j->ij", (v[:2], v[:2]), f32([[1e16, 1e8], [1e8, 1]])),
            ("ii->i", (f32([[1, 2], [3, 4]]),), f32([1, 4])),
            ("ii", (f32([[1e8, 2], [3, 1]]),), f32(1e8 + 1)),
            ("ij->", (f32([[1e8, 1], [-1e8, 2]]),), f32(3)),
            ("...i,i...->...", (v[None], m[:, :1]), f32([3])),
            ("bA,Ac->bc", (v[None], m), f32([[3, 4]])),
            ("ij,jk,kl->il", (v[None], m, f32([[1], [2]])), f32([[11]])),
        ):
            yield standard(equation, "Einsum", opset, inputs, y, equation=equation)


def _integers() -> Iterator[Case]:
    for make, most in ((i32, 2**31 - 1), (i64, 2**63 - 1), (u32, 2**32 - 1), (u64, 2**64 - 1)):
        a, b = make([[most, most, 1]]), make([[most], [2], [5]])
        wrapped = (most * most + 2 * most + 5) % (most + 1)
        yield onnx("wrapping", "MatMul", 9, (a, b), make([[wrapped]]))
        yield openvino("wrapping", "MatMul", 1, (a, b), make([[wrapped]]))
        yield onnx("wrapping", "Gemm", 13, (a, b, make([7])), make([[wrapped + 7]]))
        yield onnx("doubled", "Gemm", 13, (make([[3]]), make([[5]]), make([4])), make([[31]]), alpha=1.0, beta=4.0)
        yield onnx("truncated", "Gemm", 13, (make([[3]]), make([[5]]), make([4])), make([[9]]), alpha=0.5, beta=0.5)
    for make in (i8, u8):
        yield openvino("wrapping", "Convolution", 1, (make([[[100, 3]]]), make([[[100, 2]]])), make([[[22]]]), **_IR)
    a, b = u8([[11, 7, 3]]), i8([[1, -4], [2, -5], [3, 6]])
    yield onnx("no-zero-point", "MatMulInteger", 10, (a, b), i32([[34, -61]]))
    yield onnx("zero-point", "MatMulInteger", 10, (a, b, u8(12)), i32([[-38, -25]]))
    yield onnx("zero-points", "MatMulInteger", 10, (a, b, u8([12]), i8([1, -2])), i32([[-23, -55]]))
    x, w = u8([[[2, 3, 4]]]), u8([[[1, 1]]])
    yield onnx("padding-is-a-zero-point", "ConvInteger", 10, (x, w, u8(1)), i32([[[1, 3, 5]]]), pads=[1, 0])
    yield onnx("zero-points", "ConvInteger", 10, (x, w, u8(1), u8([3])), i32([[[-6, -10]]]))


def _quantized() -> Iterator[Case]:
    one, half = f32(1), f32(0.5)
    for name, values, scale, y in (
        ("ties", (1, 3, 5, 7, -1, -3, -5), half, (0, 2, 2, 4, 0, -2, -2)),
        ("saturated", (127, 120, -128, 100, 0, 1, 2), f32(4), (127, 127, -128, 127, 0, 4, 8)),
        ("thirds", (1, 2, 4, 5, -1, -2, 3), f32(1 / 3), (0, 1, 1, 2, 0, -1, 1)),
    ):
        a, b = i8(values).reshape(-1, 1), i8([[1]])
        expected = i8(y).reshape(-1, 1)
        for opset in (10, 21):
            inputs = (a, scale, i8(0), b, one, i8(0), one, i8(0))
            yield onnx(name, "QLinearMatMul", opset, inputs, expected)
        inputs = (a[None, None, :, 0], scale, i8(0), b[None], one, i8([0]), one, i8(0))
        yield onnx(name, "QLinearConv", 10, inputs, expected[None, None, :, 0])
    x, w = u8([[[2, 3]]]), u8([[[1]], [[2]]])
    scales = (x, one, u8(1), w, f32([0.5, 2]), u8([0, 1]), one, u8(10), i32([1, -3]))
    yield onnx("a-scale-for-each-result", "QLinearConv", 10, scales, u8([[[11, 12], [6, 8]]]))
    refused = (i8([[1]]), f32(0), i8(0), i8([[1]]), one, i8(0), one, i8(0))
    yield onnx("scale-of-zero", "QLinearMatMul", 21, refused, AttributeValueError, "a_scale")


_CONVOLVED: tuple[tuple[str, Sequence[int], _Attributes], ...] = (
    ("padded", (10, 21, 32, 43, 4), {"pads": [1, 1]}),
    ("strided", (21, 43), {"strides": [2]}),
    ("dilated", (31, 42), {"dilations": [2]}),
    ("padding-alone", (0, 10, 21, 32, 43, 4, 0), {"pads": [2, 2]}),
    ("SAME_UPPER", (21, 32, 43, 4), {"auto_pad": "SAME_UPPER"}),
    ("SAME_LOWER", (10, 21, 32, 43), {"auto_pad": "SAME_LOWER"}),
    ("VALID", (21, 32, 43), {"auto_pad": "VALID"}),
    ("SAME_UPPER-strided", (21, 43), {"auto_pad": "SAME_UPPER", "strides": [2]}),
    ("kernel-shape", (21, 32, 43), {"kernel_shape": [2]}),
)
_SPREAD: tuple[tuple[str, Sequence[int], _Attributes], ...] = (
    ("strided", (1, 10, 2, 20, 3, 30, 4, 40), {"strides": [2]}),
    ("between-them-nothing", (1, 0, 2, 0, 3, 0, 4), {"strides": [2], "dilations": [1]}),
    ("dilated", (1, 2, 13, 24, 30, 40), {"dilations": [2]}),
    ("padded", (12, 23, 34), {"pads": [1, 1]}),
    ("longer", (1, 10, 2, 20, 3, 30, 4, 40, 0), {"strides": [2], "output_padding": [1]}),
    ("of-a-size", (12, 23, 34), {"output_shape": [3]}),
    ("of-a-size-upper", (1, 12, 23, 34), {"output_shape": [4], "auto_pad": "SAME_UPPER"}),
    ("SAME_UPPER", (1, 12, 23, 34), {"auto_pad": "SAME_UPPER"}),
    ("SAME_LOWER", (12, 23, 34, 40), {"auto_pad": "SAME_LOWER"}),
)
_CONVOLVED_IR: tuple[tuple[str, Sequence[int], _Attributes], ...] = (
    ("padded", (10, 21, 32, 43, 4), {"pads_begin": "1", "pads_end": "1"}),
    ("same_upper", (21, 32, 43, 4), {"auto_pad": "same_upper", "pads_begin": "7"}),
    ("same_lower", (10, 21, 32, 43), {"auto_pad": "same_lower"}),
    ("valid", (21, 32, 43), {"auto_pad": "valid"}),
)
_SPREAD_IR: tuple[tuple[str, Sequence[int], int | None, _Attributes], ...] = (
    ("strided", (1, 10, 2, 20, 3, 30, 4, 40), None, {"strides": "2"}),
    ("padded", (12, 23, 34), None, {"pads_begin": "1", "pads_end": "1"}),
    ("longer", (1, 12, 23, 34, 40, 0), None, {"output_padding": "1"}),
    ("of-a-size", (12, 23, 34), 3, {"pads_begin": "1"}),
    ("of-a-size-upper", (12, 23, 34, 40), 4, {"auto_pad": "same_upper"}),
    ("of-a-size-lower", (1, 12, 23, 34), 4, {"auto_pad": "same_lower"}),
)
"""By name: what comes of 1, 2, 3, 4 and a kernel of 1, 10, where a size is given with it, and the attributes."""


def _windows() -> Iterator[Case]:
    x, w = f32([[[1, 2, 3, 4]]]), f32([[[1, 10]]])
    for name, y, attributes in _CONVOLVED:
        yield onnx(name, "Conv", 22, (x, w), f32([[y]]), **attributes)
    for name, y, attributes in _SPREAD:
        kernel = w[..., :1] if name.startswith("between") else w
        yield onnx(name, "ConvTranspose", 22, (x, kernel), f32([[y]]), **attributes)
    two = f32([[[1, 2], [3, 4]]])
    yield onnx("groups", "Conv", 22, (two, f32([[[1]], [[10]]])), f32([[[1, 2], [30, 40]]]), group=2)
    yield onnx("groups", "ConvTranspose", 22, (two, f32([[[1]], [[10]]])), f32([[[1, 2], [30, 40]]]), group=2)
    grouped = two, f32([[[[1]]], [[[10]]]])
    for name in ("GroupConvolution", "GroupConvolutionBackpropData"):
        yield openvino("groups", name, 1, grouped, f32([[[1, 2], [30, 40]]]), **_IR)
    for name, y, changed in _CONVOLVED_IR:
        yield openvino(name, "Convolution", 1, (x, w), f32([[y]]), **{**_IR, **changed})
    for name, y, size, changed in _SPREAD_IR:
        inputs = (x, w) if size is None else (x, w, i64([size]))
        yield openvino(name, "ConvolutionBackpropData", 1, inputs, f32([[y]]), **{**_IR, **changed})


def _refused() -> Iterator[Case]:
    a, x, w = f32([[1, 2]]), f32([[[1, 2, 3]]]), f32([[[1, 2]]])
    for standard, opset in ((onnx, 13), (openvino, 1)):
        yield standard("lengths", "MatMul", opset, (a, a), ShapeError, "2 elements")
        yield standard("number", "MatMul", opset, (f32(1), a), ShapeError, "one axis")
        yield standard("batches", "MatMul", opset, (f32([[[1]]] * 2), f32([[[1]]] * 3)), ShapeError, "broadcast")
        yield standard("types", "MatMul", opset, (a, f64([[1], [2]])), DtypeError, "one type")
    yield onnx("too-early", "MatMul", 1, (i32([[1]]), i32([[1]])), DtypeError, "version 9")
    yield onnx("bytes", "MatMul", 13, (i8([[1]]), i8([[1]])), DtypeError, "int8")
    yield onnx("rank-of-a-vector", "Gemm", 13, (f32([1]), f32([[1]])), ShapeError, "rank 1")
    yield onnx("C", "Gemm", 13, (a, a.T, f32([1, 2])), ShapeError, "C has shape")
    yield onnx("C-is-missing", "Gemm", 9, (a, a.T), AttributeValueError, "C is missing")
    yield onnx("broadcast-too-late", "Gemm", 7, (a, a.T, a[:, :1]), UnsupportedOperator, "broadcast", broadcast=1)
    yield onnx("flag", "Gemm", 13, (a, a.T), AttributeValueError, "transA", transA=2)
    for equation, error, says in (
        ("ij", ArgumentError, "names 1 operands"),
        ("i,j", ShapeError, "rank 2"),
        ("i1,i2", ArgumentError, "letters"),
    ):
        yield onnx(f"equation-{equation}", "Einsum", 12, (a, a), error, says, equation=equation)
    columns = f32([[1], [2], [3]])
    yield onnx("lengths", "Einsum", 12, (a, columns), ShapeError, "several lengths", equation="ij,jk")
    for name, attributes, error, says in (
        ("pads", {"pads": [1]}, ShapeError, "pads has 1"),
        ("negative-pads", {"pads": [-1, 0]}, AttributeValueError, "pads"),
        ("no-stride", {"strides": [0]}, AttributeValueError, "strides"),
        ("kernel", {"kernel_shape": [3]}, ShapeError, "kernel_shape"),
        ("group", {"group": 2}, ShapeError, "group is 2"),
        ("auto-pad", {"auto_pad": "SAME"}, AttributeValueError, "auto_pad"),
        ("too-wide", {"dilations": [3]}, ShapeError, "does not fit"),
    ):
        given: _Attributes = attributes
        yield onnx(name, "Conv", 22, (x, w), error, says, **given)
    yield onnx("channels", "Conv", 22, (x, f32([[[1], [2]]])), ShapeError, "channels")
    yield onnx("two-biases", "Conv", 22, (x, w, f32([1, 2])), ShapeError, "bias")
    yield onnx("matrix", "Conv", 22, (a, a), ShapeError, "rank 2")
    yield onnx("too-early", "Conv", 11, (bf16([[[1]]]), bf16([[[1]]])), DtypeError, "version 22")
    yield onnx("shape", "ConvTranspose", 22, (x, w), ShapeError, "output_shape", output_shape=[1, 2])
    yield openvino("no-groups", "GroupConvolution", 1, (x, w), ShapeError, "groups first", **_IR)
    yield onnx(
        "zero-points-of-columns", "MatMulInteger", 10, (u8([[1, 2]]), u8([[1], [2]]), u8([1, 2])), ShapeError, "a_zero"
    )


CONTRACTIONS = (
    *_floats(),
    *_versions(),
    *_vectors_and_nothing(),
    *_integers(),
    *_quantized(),
    *_windows(),
    *_refused(),
)
"""All edges."""
