"""ONNX's API for arrays, products of matrices, convolutions and attention: named and called as the standard does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Sequence

from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.calls import one, some

_Integers = Sequence[int] | None


def MatMul(A: ArrayLike, B: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The product of the matrices in the last two axes, as NumPy has it: each exact sum of products is rounded once.

    The axes before them broadcast; a vector is a row as `A` and a column as `B`. Integers wrap. A NaN, an infinity
    times zero and infinities of both signs give NaN; an exact zero is +0. `opset` chooses the version.

    Raises DtypeError for types that the version does not allow or that differ, ShapeError for shapes that do not fit.
    Source: https://onnx.ai/onnx/operators/onnx__MatMul.html (1, 9, 13).

    >>> MatMul(np.float32([[1e8, 1, -1e8]]), np.float32([[1], [3], [1]]))
    array([[3.]], dtype=float32)
    """
    return one("onnx", MatMul, locals())


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

    >>> Gemm(np.float32([[3e38, 1]]), np.float32([[2], [1]]), np.float32([-3e38]), beta=2.0)
    array([[1.]], dtype=float32)
    """
    return one("onnx", Gemm, locals())


def Einsum(*Inputs: ArrayLike, equation: str, opset: int | None = None) -> NDArray:
    """Einstein's sum, with two inputs the exact sum of the exact products, rounded once.

    More inputs are multiplied from the left, and what comes of each pair is rounded once. `equation` and the errors
    are as in `samesum.einsum`, those of types as in `MatMul`.
    Source: https://onnx.ai/onnx/operators/onnx__Einsum.html (12, 28).

    >>> Einsum(np.float32([[1, 2], [3, 4]]), np.float32([1, 10]), equation="ij,j->i")
    array([21., 43.], dtype=float32)
    """
    return one("onnx", Einsum, locals())


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

    >>> Conv(np.float32([[[1e8, 1, -1e8, 2, 1e8]]]), np.float32([[[1, 1, 1]]]), np.float32([3]), strides=[2])
    array([[[4., 5.]]], dtype=float32)
    """
    return one("onnx", Conv, locals())


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

    >>> ConvTranspose(np.float32([[[1, 2]]]), np.float32([[[1, 10, 100]]]), strides=[2])
    array([[[  1.,  10., 102.,  20., 200.]]], dtype=float32)
    """
    return one("onnx", ConvTranspose, locals())


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

    >>> MatMulInteger(np.uint8([[11, 7]]), np.uint8([[1], [4]]), np.uint8(12))
    array([[-21]], dtype=int32)
    """
    return one("onnx", MatMulInteger, locals())


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

    >>> ConvInteger(np.uint8([[[2, 3, 4]]]), np.uint8([[[1, 1]]]), np.uint8(1), pads=[1, 0])
    array([[[1, 3, 5]]], dtype=int32)
    """
    return one("onnx", ConvInteger, locals())


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

    >>> one, zero = np.float32(1), np.uint8(0)
    >>> QLinearMatMul(np.uint8([[3, 5]]), one, zero, np.uint8([[1], [2]]), one, zero, np.float32(2), np.uint8(10))
    array([[16]], dtype=uint8)
    """
    return one("onnx", QLinearMatMul, locals())


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

    >>> one, zero = np.float32([1]), np.uint8([0])
    >>> QLinearConv(np.uint8([[[2, 3]]]), one, zero, np.uint8([[[1, 2]]]), one, zero, np.float32([0.5]), zero)
    array([[[16]]], dtype=uint8)
    """
    return one("onnx", QLinearConv, locals())


def Attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    attn_mask: ArrayLike | None = None,
    past_key: ArrayLike | None = None,
    past_value: ArrayLike | None = None,
    nonpad_kv_seqlen: ArrayLike | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int | None = None,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int | None = None,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """Scaled dot product attention, the whole formula rounded once; `softmax_precision` changes nothing.

    `Q`, `K` and `V` are (batch, heads, length, size), or (batch, length, heads * size) with `q_num_heads` and
    `kv_num_heads`; `Q` and `K` have one type, `V` may have another. `scale` is the real 1 / sqrt(size) unless it is
    given, and its float32 value then. With `outputs` from 2 to 4 the result is a tuple: with `present_key`,
    `present_value` and `qk_matmul_output`, which is its own formula, rounded once, whatever the mode. A key that is
    left out has no influence, a query that sees none has zeros.
    `opset` chooses the version: `nonpad_kv_seqlen` came with 24, the windows with 25. Since 24 an `attn_mask` with a
    last axis shorter than the keys, of 1 too, leaves out the keys beyond it; in 23 it broadcasts.

    Raises DtypeError for types that the version does not allow, ShapeError for shapes that do not fit,
    AttributeValueError for values that are not allowed and for inputs and outputs that the version lacks.
    Source: https://onnx.ai/onnx/operators/onnx__Attention.html (23, 24, 25).

    >>> x = np.float32([[[[1, 0], [0, 1]]]])
    >>> Attention(0 * x, x, np.float32([[[[1, 2], [4, 8]]]]), is_causal=1)
    array([[[[1. , 2. ],
             [2.5, 5. ]]]], dtype=float32)
    """
    return some("onnx", Attention, locals(), 1, 2, 3, 4)
