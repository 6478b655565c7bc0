"""MatMul, Gemm, Einsum and the quantized ones: the formula against exact numbers, shapes before running, errors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from contraction_oracle import contracted
from naming import case, looped
from oracle import assert_bits
from samesum import onnx, openvino
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import ROWS, apply
from samesum.operators.rows import Fact
from samesum.specs.lookup import operation_of

FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


def normal(*shape: int, seed: int = 0, dtype: Any = np.float32) -> NDArray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


@looped("dtype", FLOATS)
def test_gemm_is_rounded_once(dtype: Any) -> None:
    a, b = normal(4, 9, dtype=dtype), normal(5, 9, seed=1, dtype=dtype)
    for shape, alpha, beta in product(((), (5,), (4, 1), (1, 5), (4, 5)), (1.0, -0.3), (1.0, 0.1, 0.0)):
        with case(shape, alpha, beta):
            c = normal(*shape, seed=2, dtype=dtype)
            whole = np.broadcast_to(c, (4, 5))
            numbers = [float(np.float32(x)) for x in (alpha, beta)]
            expected = contracted(a, b, whole, None, *numbers)
            assert_bits(onnx.Gemm(a, b, c, alpha=alpha, beta=beta, transB=1), expected, "C")
            turned = onnx.Gemm(np.ascontiguousarray(a.T), b.T, c, alpha=alpha, beta=beta, transA=1)
            assert_bits(turned, expected, "transposed")
    assert_bits(onnx.Gemm(a, b.T, alpha=0.3), contracted(a, b, None, None, float(np.float32(0.3))), "no C")
    big = np.full((1, 3), np.finfo(dtype).max if dtype != ml_dtypes.bfloat16 else 3e38).astype(dtype)
    assert onnx.Gemm(big, np.ones((3, 1), dtype), big[:, :1], beta=-2.5).ravel() == big[0, 0] / dtype(2)


def test_gemm_of_integers_wraps_and_is_truncated() -> None:
    for dtype in (np.int32, np.uint64):
        a, b = (np.random.default_rng(i).integers(0, 2**31, (3, 3)).astype(dtype) for i in (1, 2))
        c = np.array([1, 2, 3], dtype)
        mask = (1 << 8 * np.dtype(dtype).itemsize) - 1
        for alpha, beta in ((1.0, 1.0), (3.0, 1.0), (0.5, 0.25), (-1.5, 2.0)):
            sums = a.astype(object) @ b.astype(object)
            exact = [[int(Fraction(alpha) * v + Fraction(beta) * int(c[j])) for j, v in enumerate(row)] for row in sums]
            expected = np.array([[v & mask for v in row] for row in exact], f"u{np.dtype(dtype).itemsize}").view(dtype)
            assert_bits(onnx.Gemm(a, b, c, alpha=alpha, beta=beta), expected, f"{alpha} and {beta}")
    with pytest.raises(AttributeValueError, match="alpha is inf"):
        onnx.Gemm(a, b, c, alpha=np.inf)


def test_older_versions_of_gemm() -> None:
    a, b, c = normal(2, 3), normal(3, 4, seed=1), normal(4, seed=2)
    expected = onnx.Gemm(a, b, c)
    for opset in (1, 6):
        assert_bits(onnx.Gemm(a, b, c, broadcast=1, opset=opset), expected, f"{opset}")
        with pytest.raises(ShapeError, match="broadcast is 0"):
            onnx.Gemm(a, b, c, opset=opset)
    with pytest.raises(AttributeValueError, match="input C is missing"):
        onnx.Gemm(a, b, opset=9)
    with pytest.raises(DtypeError, match="version 9"):
        onnx.MatMul(np.eye(2, dtype=np.int32), np.eye(2, dtype=np.int32), opset=1)


def test_openvino_transposes_matrices_and_no_vectors() -> None:
    a, b, v = normal(2, 3, 4), normal(2, 5, 4, seed=1), normal(4, seed=2)
    expected = np.stack([contracted(x, y) for x, y in zip(a, b, strict=True)])
    assert_bits(openvino.MatMul(a, b, transpose_b=True), expected, "b")
    assert_bits(openvino.MatMul(a.swapaxes(1, 2), b, transpose_a=True, transpose_b=True), expected, "both")
    assert_bits(openvino.MatMul(v, b, transpose_a=True, transpose_b=True), openvino.MatMul(v, b.swapaxes(1, 2)), "row")
    assert_bits(openvino.MatMul(a, v, transpose_b=True), openvino.MatMul(a, v), "column")


def test_what_is_not_finite() -> None:
    inf, nan = np.inf, np.nan
    a = np.float32([[inf, 1], [inf, 0], [-inf, 1], [nan, 1], [3e38, 3e38], [-0.0, 0]])
    b = np.float32([[1, 0, inf], [1, inf, -inf]])
    with np.errstate(all="ignore"):
        wide = a.astype(np.float64) @ b.astype(np.float64)
        expected = wide.astype(np.float32) + np.float32(0)
    found = onnx.MatMul(a, b)
    np.testing.assert_array_equal(found, expected)
    assert not np.signbit(found[5]).any()


def quotient(total: int, scale: Fraction, zero: int, dtype: Any) -> int:
    """Half to even, as Python rounds fractions; then saturated."""
    limits = np.iinfo(dtype)
    return int(min(max(round(total * scale) + zero, limits.min), limits.max))


@looped("left, right", product((np.uint8, np.int8), repeat=2))
def test_quantized_matrices_are_rounded_once(left: Any, right: Any) -> None:
    rng = np.random.default_rng(7)
    a, b = (
        rng.integers(*(np.iinfo(t).min, np.iinfo(t).max + 1), s).astype(t) for t, s in ((left, (3, 8)), (right, (8, 4)))
    )
    for scales in ((0.5, 0.25, 16.0), (0.1, 0.3, 7.7), (1.0, 1.0, 2.0**-3), (3e-38, 1e-6, 1e-42), (1.0, 1.0, 1e4)):
        for rows, columns in product((False, True), repeat=2):
            s_a = np.float32(scales[0]) * np.array([1, 2, 3] if rows else 1, np.float32)
            s_b = np.float32(scales[1]) * np.array([1, 2, 3, 5] if columns else 1, np.float32)
            z_a, z_b = (rng.integers(0, 100, s.shape).astype(t) for s, t in ((s_a, left), (s_b, right)))
            s_y, z_y = np.float32(scales[2]), right(3)
            total = (a.astype(int) - z_a.astype(int).reshape(-1, 1)) @ (b.astype(int) - z_b.astype(int))
            factors = np.broadcast_to(s_a.reshape(-1, 1), total.shape), np.broadcast_to(s_b, total.shape)
            expected = [
                [
                    quotient(int(v), Fraction(float(x)) * Fraction(float(y)) / Fraction(float(s_y)), 3, right)
                    for v, x, y in zip(*row, strict=True)
                ]
                for row in zip(total, *factors, strict=True)
            ]
            with case(scales, rows, columns):
                found = onnx.QLinearMatMul(a, s_a, z_a, b, s_b, z_b, s_y, z_y)
                assert_bits(found, np.array(expected, right), "QLinearMatMul")
                found = onnx.MatMulInteger(a, b, z_a, z_b)
                assert_bits(found, total.astype(np.int32), "MatMulInteger")


def test_ties_and_their_neighbours_of_quantized_products() -> None:
    """Totals times a scale whose quotient is half of an odd number, or the least more or less."""
    a = np.arange(-128, 128).astype(np.int8).reshape(-1, 1)
    for scale in (0.5, np.nextafter(np.float32(0.5), np.float32(0)), np.nextafter(np.float32(0.5), np.float32(1))):
        for divisor in (1.0, 3.0, np.nextafter(np.float32(1), np.float32(2))):
            one, zero = np.float32(1), np.int8(0)
            exact = Fraction(float(scale)) / Fraction(float(divisor))
            expected = [[quotient(int(v), exact, 0, np.int8)] for v in a.ravel()]
            found = onnx.QLinearMatMul(a, np.float32(scale), zero, np.int8([[1]]), one, zero, np.float32(divisor), zero)
            assert_bits(found, np.array(expected, np.int8), f"{scale} / {divisor}")


def test_quantized_convolutions_pad_with_the_zero_point() -> None:
    rng = np.random.default_rng(9)
    x, w = rng.integers(0, 256, (2, 4, 5, 6), np.uint8), rng.integers(-128, 128, (6, 2, 3, 2), np.int8)
    z_w, b = rng.integers(-9, 9, 6).astype(np.int8), rng.integers(-999, 999, 6).astype(np.int32)
    s_w = rng.uniform(0.01, 0.2, 6).astype(np.float32)
    options: dict[str, Any] = {"group": 2, "pads": [1, 0, 2, 1], "strides": [1, 2]}
    above, kernel = (x.astype(np.float64) - 7), w.astype(np.float64) - z_w.reshape(-1, 1, 1, 1)
    total = onnx.Conv(above, kernel, **options)
    found = onnx.ConvInteger(x, w, np.uint8(7), z_w, **options)
    np.testing.assert_array_equal(found, total.astype(np.int32), strict=True)
    s_x, s_y = np.float32(0.07), np.float32(3.1)
    found = onnx.QLinearConv(x, s_x, np.uint8(7), w, s_w, z_w, s_y, np.uint8(128), b, **options)
    for i in range(6):
        scale = Fraction(float(s_x)) * Fraction(float(s_w[i])) / Fraction(float(s_y))
        expected = [quotient(int(v) + int(b[i]), scale, 128, np.uint8) for v in total[:, i].ravel()]
        assert_bits(found[:, i], np.array(expected, np.uint8).reshape(found[:, i].shape), f"result {i}")


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: onnx.Gemm(normal(2, 3), normal(3, 4), normal(3)), ShapeError, r"C has shape \(3,\)"),
    (lambda: onnx.Gemm(normal(2, 3), normal(3, 4), normal(1, 1, 4)), ShapeError, "C has rank 3"),
    (lambda: onnx.Gemm(normal(2, 3), normal(4, 4)), ShapeError, "3 elements"),
    (lambda: onnx.Gemm(normal(3), normal(3, 4)), ShapeError, "rank 1"),
    (lambda: onnx.MatMul(normal(2, 3), normal(3, 4, dtype="f8")), DtypeError, "one type"),
    (lambda: onnx.MatMulInteger(np.uint8([[1]]), np.int8([[1]]), np.int8(1)), DtypeError, "uint8 and int8|int8"),
    (lambda: onnx.MatMulInteger(np.uint8([[1]]), np.int8([[1]]), None, np.uint8(1)), DtypeError, "is uint8"),
    (lambda: onnx.MatMulInteger(np.uint8([[1, 2]]), np.int8([[1], [2]]), np.uint8([1, 2])), ShapeError, "a_zero_point"),
    (
        lambda: onnx.QLinearMatMul(*(np.uint8([[1]]), np.float32(0), np.uint8(1)) * 2, np.float32(1), np.uint8(0)),
        AttributeValueError,
        "a_scale holds",
    ),
    (lambda: onnx.Einsum(normal(2, 3), equation="ij,jk"), Exception, "names 2 operands"),
    (lambda: openvino.Einsum(normal(2, 3), normal(2, 3), equation="ij,jk->ik"), ShapeError, "several lengths"),
]  # fmt: skip


@looped("call, error, says", REFUSED)
def test_what_does_not_fit_is_refused_in_words(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_the_shape_of_a_zero_point_is_checked_whatever_it_holds() -> None:
    a, b, none = np.ones((2, 3), np.uint8), np.ones((3, 4), np.uint8), np.uint8(0)
    x, w, one = np.ones((1, 2, 3, 3), np.uint8), np.ones((2, 2, 2, 2), np.uint8), np.float32(1)
    for value, shape in product((0, 1), ((0,), (5,), (2, 2), (0, 2))):
        zeros = np.full(shape, value, np.uint8)
        for name, call in (
            ("a_zero_point", lambda z: onnx.MatMulInteger(a, b, z)),
            ("b_zero_point", lambda z: onnx.MatMulInteger(a, b, none, z)),
            ("a_zero_point", lambda z: onnx.QLinearMatMul(a, one, z, b, one, none, one, none)),
            ("b_zero_point", lambda z: onnx.QLinearMatMul(a, one, none, b, one, z, one, none)),
            ("w_zero_point", lambda z: onnx.ConvInteger(x, w, none, z)),
            ("w_zero_point", lambda z: onnx.QLinearConv(x, one, none, w, one, z, one, none)),
        ):
            with pytest.raises(ShapeError, match=f"{name} has shape"):
                call(zeros)


FORETOLD = [
    ("onnx", "MatMul", {}, [(5, 1, 2, 3), (4, 3, 2)]),
    ("onnx", "MatMul", {}, [(3,), (4, 3, 2)]),
    ("onnx", "MatMul", {}, [(4, 2, 3), (3,)]),
    ("onnx", "MatMul", {}, [(3,), (3,)]),
    ("onnx", "Gemm", {"transA": 1}, [(3, 2), (3, 4)]),
    ("onnx", "Gemm", {"transB": 1}, [(2, 3), (4, 3)]),
    ("onnx", "Einsum", {"equation": "...ij,jk"}, [(5, 2, 3), (3, 4)]),
    ("onnx", "Einsum", {"equation": "ab,bc->ca"}, [(2, 1), (3, 4)]),
    ("openvino", "MatMul", {"transpose_a": True, "transpose_b": True}, [(2, 3, 4), (2, 5, 3)]),
    ("openvino", "MatMul", {"transpose_a": True}, [(4,), (2, 4, 5)]),
    ("com.microsoft", "FusedMatMul", {"transBatchA": 1, "transB": 1}, [(3, 2, 4), (2, 5, 4)]),
    ("com.microsoft", "FusedMatMul", {"transBatchB": 1, "transA": 1}, [(2, 4, 3), (4, 2, 5)]),
]


@looped("standard, name, attributes, shapes", FORETOLD)
def test_shapes_are_known_before_anything_runs(
    standard: str, name: str, attributes: dict[str, Any], shapes: list[tuple[int, ...]]
) -> None:
    operation = operation_of(standard, name, None, **attributes)
    arrays = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    found = apply(operation, arrays)
    infer = ROWS[operation.spec.identifier].infer
    (fact,) = infer(operation, [Fact(each.dtype, each.shape) for each in arrays], 1)
    assert (fact.dtype, fact.shape) == (found.dtype, found.shape)
    for i in range(len(shapes)):
        facts = [Fact(each.dtype, each.shape) for each in arrays]
        facts[i] = Fact(arrays[i].dtype, (None,) * arrays[i].ndim)
        partly = infer(operation, facts, 1)[0].shape
        assert partly is not None
        assert all(p in (None, n) for p, n in zip(partly, found.shape, strict=True))
        facts[i] = Fact(arrays[i].dtype)
        assert infer(operation, facts, 1)[0].shape is None


def test_axes_that_count_as_rows_are_moved_before_anything_is_transposed() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-5, 6, shape).astype(np.float32) for shape in ((2, 5, 3, 4), (2, 5, 4, 6)))
    for turned_a, turned_b, moved_a, moved_b in product((0, 1), repeat=4):
        x, y = (each.swapaxes(-1, -2) if turned else each for each, turned in ((a, turned_a), (b, turned_b)))
        x, y = (np.moveaxis(each, -2, 0) if moved else each for each, moved in ((x, moved_a), (y, moved_b)))
        operation = operation_of(
            "com.microsoft", "FusedMatMul", None,
            transA=turned_a, transB=turned_b, transBatchA=moved_a, transBatchB=moved_b, alpha=0.5,
        )  # fmt: skip
        with case(turned_a, turned_b, moved_a, moved_b):
            np.testing.assert_array_equal(apply(operation, [x, y]), (a @ b) / 2)
            facts = [Fact(x.dtype, x.shape), Fact(y.dtype, y.shape)]
            (fact,) = ROWS[operation.spec.identifier].infer(operation, facts, 1)
            assert fact.shape == (2, 5, 3, 6)
