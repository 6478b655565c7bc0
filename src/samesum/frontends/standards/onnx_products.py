"""ONNX's API for arrays, products of matrices and convolutions: named and called as the standard does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import arrays, operation_given
from samesum.operators.apply import apply

_Integers = Sequence[int] | None
_DEFAULTS = {"auto_pad": "NOTSET", "group": 1, "alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}


def MatMul(A: ArrayLike, B: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The product of the matrices in the last two axes, as NumPy has it: each exact sum of products is rounded once.

    The axes before them broadcast; a vector is a row as `A` and a column as `B`. Integers wrap. A NaN, an infinity
    times zero and infinities of both signs give NaN; an exact zero is +0. `opset` chooses the version.

    Raises DtypeError for types that the version does not allow or that differ, ShapeError for shapes that do not fit.
    Source: https://onnx.ai/onnx/operators/onnx__MatMul.html (1, 9, 13).

    >>> import numpy as np
    >>> MatMul(np.float32([[1e8, 1, -1e8]]), np.float32([[1], [3], [1]]))
    array([[3.]], dtype=float32)
    """
    return _applied("MatMul", opset, {}, A, B)


def Gemm(
    A: ArrayLike,
    B: ArrayLike,
    C: ArrayLike | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    broadcast: int | None = None,
    opset: int | None = None,
) -> NDArray:
    """`alpha * A @ B + beta * C` for matrices, which may be transposed first: the whole formula, rounded once.

    `alpha` and `beta` are their float32 values; `C` broadcasts to the result (before opset 7 if `broadcast` is 1), and
    may be left out from opset 11 on. Of integers the result is the real value truncated toward zero, modulo 2^k. The
    rest is as in `MatMul`. Source: https://onnx.ai/onnx/operators/onnx__Gemm.html (1, 6, 7, 9, 11, 13).

    >>> import numpy as np
    >>> Gemm(np.float32([[3e38, 1]]), np.float32([[2], [1]]), np.float32([-3e38]), beta=2.0)
    array([[1.]], dtype=float32)
    """
    given = {"alpha": alpha, "beta": beta, "transA": transA, "transB": transB, "broadcast": broadcast}
    return _applied("Gemm", opset, given, A, B, C)


def Einsum(*Inputs: ArrayLike, equation: str, opset: int | None = None) -> NDArray:
    """Einstein's sum, with two inputs the exact sum of the exact products, rounded once.

    More inputs are multiplied from the left, and what comes of each pair is rounded once. `equation` and the errors
    are as in `samesum.einsum`, those of types as in `MatMul`.
    Source: https://onnx.ai/onnx/operators/onnx__Einsum.html (12, 28).

    >>> import numpy as np
    >>> Einsum(np.float32([[1, 2], [3, 4]]), np.float32([1, 10]), equation="ij,j->i")
    array([21., 43.], dtype=float32)
    """
    return _applied("Einsum", opset, {"equation": equation}, *Inputs)


def Conv(
    X: ArrayLike,
    W: ArrayLike,
    B: ArrayLike | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: _Integers = None,
    group: int = 1,
    kernel_shape: _Integers = None,
    pads: _Integers = None,
    strides: _Integers = None,
    opset: int | None = None,
) -> NDArray:
    """The convolution of `X` along the axes after the channels: products, sum and bias are rounded once together.

    `W` is (results, channels of a group, kernel), `B` has one number for each result. `strides` and `dilations` have
    one number for each spatial axis, `pads` the zeros before each of them and then those behind each; what is left out
    is 1 and no padding. `auto_pad` is NOTSET, SAME_UPPER, SAME_LOWER or VALID. What is not finite is as in `MatMul`.

    Raises DtypeError for types that the version does not allow or that differ, ShapeError for shapes that do not fit,
    AttributeValueError for numbers out of range.
    Source: https://onnx.ai/onnx/operators/onnx__Conv.html (1, 11, 22).

    >>> import numpy as np
    >>> Conv(np.float32([[[1e8, 1, -1e8, 2, 1e8]]]), np.float32([[[1, 1, 1]]]), np.float32([3]), strides=[2])
    array([[[4., 5.]]], dtype=float32)
    """
    return _applied("Conv", opset, _said(auto_pad, dilations, group, kernel_shape, pads, strides), X, W, B)


def ConvTranspose(
    X: ArrayLike,
    W: ArrayLike,
    B: ArrayLike | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: _Integers = None,
    group: int = 1,
    kernel_shape: _Integers = None,
    output_padding: _Integers = None,
    output_shape: _Integers = None,
    pads: _Integers = None,
    strides: _Integers = None,
    opset: int | None = None,
) -> NDArray:
    """The transposed convolution of `X`: each element spreads the kernel; products, sum and bias are rounded once.

    `W` is (channels, results of a group, kernel). `pads` are taken off the result, `output_padding` is added behind;
    `output_shape`, the spatial sizes, decides the pads. The rest is as in `Conv`.
    Source: https://onnx.ai/onnx/operators/onnx__ConvTranspose.html (1, 11, 22).

    >>> import numpy as np
    >>> ConvTranspose(np.float32([[[1, 2]]]), np.float32([[[1, 10, 100]]]), strides=[2])
    array([[[  1.,  10., 102.,  20., 200.]]], dtype=float32)
    """
    windows = _said(auto_pad, dilations, group, kernel_shape, pads, strides)
    more = {"output_padding": output_padding, "output_shape": output_shape}
    return _applied("ConvTranspose", opset, windows | more, X, W, B)


def MatMulInteger(
    A: ArrayLike,
    B: ArrayLike,
    a_zero_point: ArrayLike | None = None,
    b_zero_point: ArrayLike | None = None,
    *,
    opset: int | None = None,
) -> NDArray:
    """The product of int8 or uint8 matrices less their zero points, in int32 modulo 2^32.

    A zero point is one number, or one for each row of `A` and for each column of `B`. The rest is as in `MatMul`.
    Source: https://onnx.ai/onnx/operators/onnx__MatMulInteger.html (10).

    >>> import numpy as np
    >>> MatMulInteger(np.uint8([[11, 7]]), np.uint8([[1], [4]]), np.uint8(12))
    array([[-21]], dtype=int32)
    """
    return _applied("MatMulInteger", opset, {}, A, B, a_zero_point, b_zero_point)


def ConvInteger(
    x: ArrayLike,
    w: ArrayLike,
    x_zero_point: ArrayLike | None = None,
    w_zero_point: ArrayLike | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: _Integers = None,
    group: int = 1,
    kernel_shape: _Integers = None,
    pads: _Integers = None,
    strides: _Integers = None,
    opset: int | None = None,
) -> NDArray:
    """The convolution of int8 or uint8 arrays less their zero points, in int32 modulo 2^32; padding is a zero point.

    `w_zero_point` is one number, or one for each result. The rest is as in `Conv`.
    Source: https://onnx.ai/onnx/operators/onnx__ConvInteger.html (10).

    >>> import numpy as np
    >>> ConvInteger(np.uint8([[[2, 3, 4]]]), np.uint8([[[1, 1]]]), np.uint8(1), pads=[1, 0])
    array([[[1, 3, 5]]], dtype=int32)
    """
    windows = _said(auto_pad, dilations, group, kernel_shape, pads, strides)
    return _applied("ConvInteger", opset, windows, x, w, x_zero_point, w_zero_point)


def QLinearMatMul(
    a: ArrayLike,
    a_scale: ArrayLike,
    a_zero_point: ArrayLike,
    b: ArrayLike,
    b_scale: ArrayLike,
    b_zero_point: ArrayLike,
    y_scale: ArrayLike,
    y_zero_point: ArrayLike,
    *,
    opset: int | None = None,
) -> NDArray:
    """The product of quantized matrices, quantized: the exact sum times `a_scale * b_scale / y_scale`, rounded once.

    It is rounded half to even; then `y_zero_point` is added and the result saturates. Scales and zero points of `a` and
    `b` are as in `MatMulInteger`. Raises AttributeValueError for scales that are not finite numbers above 0; the other
    errors are those of `MatMul`. Source: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html (10, 21).

    >>> import numpy as np
    >>> one, zero = np.float32(1), np.uint8(0)
    >>> QLinearMatMul(np.uint8([[3, 5]]), one, zero, np.uint8([[1], [2]]), one, zero, np.float32(2), np.uint8(10))
    array([[16]], dtype=uint8)
    """
    inputs = (a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point)
    return _applied("QLinearMatMul", opset, {}, *inputs)


def QLinearConv(
    x: ArrayLike,
    x_scale: ArrayLike,
    x_zero_point: ArrayLike,
    w: ArrayLike,
    w_scale: ArrayLike,
    w_zero_point: ArrayLike,
    y_scale: ArrayLike,
    y_zero_point: ArrayLike,
    B: ArrayLike | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: _Integers = None,
    group: int = 1,
    kernel_shape: _Integers = None,
    pads: _Integers = None,
    strides: _Integers = None,
    opset: int | None = None,
) -> NDArray:
    """The convolution of quantized arrays, quantized: the exact sum and bias times `x_scale * w_scale / y_scale`.

    It is rounded once, as in `QLinearMatMul`. `B` is int32, of the scale `x_scale * w_scale`; `w_scale` and
    `w_zero_point` are one number, or one for each result. The rest is as in `Conv` and `QLinearMatMul`.
    Source: https://onnx.ai/onnx/operators/onnx__QLinearConv.html (10).

    >>> import numpy as np
    >>> one, zero = np.float32([1]), np.uint8([0])
    >>> QLinearConv(np.uint8([[[2, 3]]]), one, zero, np.uint8([[[1, 2]]]), one, zero, np.float32([0.5]), zero)
    array([[[16]]], dtype=uint8)
    """
    windows = _said(auto_pad, dilations, group, kernel_shape, pads, strides)
    inputs = (x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B)
    return _applied("QLinearConv", opset, windows, *inputs)


def _said(auto_pad: str, dilations: Any, group: int, kernel_shape: Any, pads: Any, strides: Any) -> dict[str, object]:
    return {
        "auto_pad": auto_pad,
        "dilations": dilations,
        "group": group,
        "kernel_shape": kernel_shape,
        "pads": pads,
        "strides": strides,
    }


def _applied(name: str, opset: int | None, attributes: Mapping[str, object], *inputs: ArrayLike | None) -> NDArray:
    given = operation_given("onnx", name, opset, _DEFAULTS, attributes)
    return apply(given, arrays(*inputs))
