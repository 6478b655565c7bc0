"""ONNX's API for arrays, quantized numbers, normalizations and global pools: named and called as the standard does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack, overload

from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.frontends.standards.calls import normalize, one, several, some


def QuantizeLinear(
    x: ArrayLike,
    y_scale: ArrayLike,
    y_zero_point: ArrayLike | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
    opset: int | None = None,
) -> NDArray:
    """`x / y_scale` rounded to the nearest integer, the even one of two, plus `y_zero_point`, saturated.

    The quotient is the real one, whatever `precision` says. The result has the type of the zero point or the one that
    `output_dtype` numbers (TensorProto.DataType), uint8 by default; to floats of 8 or 4 bits the real quotient plus the
    zero point is rounded once. Scale and zero point have one element, one for each place along `axis`, or, with
    `block_size`, one for each block along it. NaN gives the least integer. `opset` chooses the version.

    Raises DtypeError for types that the version does not allow, ShapeError for a scale or zero point of another shape,
    AxisError for an axis out of range, AttributeValueError for another output type.
    Source: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html (10, 13, 19, 21, 23, 24, 25).

    >>> QuantizeLinear(np.float32([-1, 0, 0.3, 0.5, 99]), np.float32(0.2), np.uint8(10))
    array([  5,  10,  12,  12, 255], dtype=uint8)
    """
    return one("onnx", QuantizeLinear, locals())


def DequantizeLinear(
    x: ArrayLike,
    x_scale: ArrayLike,
    x_zero_point: ArrayLike | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    opset: int | None = None,
) -> NDArray:
    """The exact `(x - x_zero_point) * x_scale`, rounded once to the type of the scale or to `output_dtype`.

    Scale and zero point, `axis` and `block_size` and the errors are as in `QuantizeLinear`.
    Source: https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html (10, 13, 19, 21, 23, 24, 25).

    >>> DequantizeLinear(np.int32([2**31 - 1, -3]), np.float32(0.1))
    array([ 2.1474837e+08, -3.0000001e-01], dtype=float32)
    """
    return one("onnx", DequantizeLinear, locals())


def DynamicQuantizeLinear(x: ArrayLike, *, opset: int | None = None) -> tuple[NDArray, NDArray, NDArray]:
    """Bytes, and the scale and zero point that their range asks for: `(y, y_scale, y_zero_point)`.

    The scale is the real range of `x` and 0, over 255, rounded once; the zero point and the bytes are rounded from the
    real quotients by that scale. Where the range is 0 the scale is 1, as ONNX Runtime has it, and also where the scale
    would be rounded to 0.

    Raises DtypeError for data that are not float32.
    Source: https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html (11).

    >>> DynamicQuantizeLinear(np.float32([0, 2, -3]))
    (array([153, 255,   0], dtype=uint8), array(0.01960784, dtype=float32), array(153, dtype=uint8))
    """
    y, scale, zero = several("onnx", DynamicQuantizeLinear, locals(), 3)
    return y, scale, zero


def Softmax(input: ArrayLike, *, axis: int | None = None, opset: int | None = None, out: Out | None = None) -> NDArray:
    """exp(x) over the sum of all exp(x) along `axis`, within 0.6 ulp, in the type and shape of `input`.

    Nothing overflows on the way. `axis` is -1 by default; a negative one counts from the end. Before opset 13 it is
    1 by default and splits the axes of `input` in two: those before it number the rows of a matrix, and the sum is that
    of a whole row. `opset` chooses the version of the operator. `out`, of the same type and shape, takes the result.

    Raises DtypeError for a type that the version does not allow (bfloat16 from 13 on) or for `out` of another one,
    AxisError for an axis out of range, ShapeError for `input` of rank 0 or `out` of another shape.
    Source: https://onnx.ai/onnx/operators/onnx__Softmax.html (1, 11, 13).

    >>> Softmax(np.array([[1000.0, 1000.0], [0.0, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return normalize("onnx", "Softmax", opset, axis, input, out)


def LogSoftmax(
    input: ArrayLike, *, axis: int | None = None, opset: int | None = None, out: Out | None = None
) -> NDArray:
    """The logarithm of what `Softmax` gives, within 0.6 ulp also where that is 0 or 1.

    Arguments, types and errors are those of `Softmax`.
    Source: https://onnx.ai/onnx/operators/onnx__LogSoftmax.html (1, 11, 13).

    >>> LogSoftmax(np.array([[0.0, -1000.0], [-np.inf, 5.0]]))
    array([[   -0., -1000.],
           [  -inf,     0.]])
    """
    return normalize("onnx", "LogSoftmax", opset, axis, input, out)


def Hardmax(input: ArrayLike, *, axis: int | None = None, opset: int | None = None) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere, in the type of `input`.

    Before opset 13 there is one maximum for each row of the matrix. Arguments, types and errors are those of `Softmax`.
    Source: https://onnx.ai/onnx/operators/onnx__Hardmax.html (1, 11, 13).

    >>> Hardmax(np.array([[3.0, 7.0, 7.0], [1.0, 0.0, 0.0]]))
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    return normalize("onnx", "Hardmax", opset, axis, input)


class _Lines(TypedDict, total=False):
    """What LayerNormalization takes besides `outputs`."""

    axis: int
    epsilon: float
    stash_type: int
    opset: int | None


@overload
def LayerNormalization(
    X: ArrayLike, Scale: ArrayLike, B: ArrayLike | None = None, *, outputs: Literal[1] = 1, **lines: Unpack[_Lines]
) -> NDArray: ...
@overload
def LayerNormalization(
    X: ArrayLike, Scale: ArrayLike, B: ArrayLike | None = None, *, outputs: Literal[3], **lines: Unpack[_Lines]
) -> tuple[NDArray, ...]: ...
def LayerNormalization(
    X: ArrayLike,
    Scale: ArrayLike,
    B: ArrayLike | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """`(X - mean) / sqrt(variance + epsilon) * Scale + B` over the axes from `axis` on.

    The whole formula is exact until it is rounded once to the type of `X`, whatever `stash_type` says; `epsilon` is its
    float32 value. `Scale` and `B` broadcast to `X`. Nothing cancels, overflows or underflows on the way; a line of
    equal elements gives B, one NaN or infinity makes its whole line NaN. `opset` chooses the version. With `outputs` 3
    the result is that of three: the mean and the inverse of the deviation too, each rounded once to the type that
    `stash_type` names (1: float32, 11: float64, 16: bfloat16), the axes of a line having length 1.

    Raises DtypeError for types that the version does not allow, AxisError for an axis out of range, ShapeError for a
    scale or bias that does not broadcast, AttributeValueError for an epsilon that is negative or not finite and for
    three outputs with another `stash_type`.
    Source: https://onnx.ai/onnx/operators/onnx__LayerNormalization.html (17).

    >>> LayerNormalization(np.float32([[1e30, 3e30]]), np.float32([1, 1]))
    array([[-1.,  1.]], dtype=float32)
    """
    return some("onnx", LayerNormalization, locals(), 1, 3)


def RMSNormalization(
    X: ArrayLike,
    scale: ArrayLike,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    opset: int | None = None,
) -> NDArray:
    """`X / sqrt(mean of squares + epsilon) * scale` over the axes from `axis` on, rounded once to the type of `scale`.

    The rest is as in `LayerNormalization`.
    Source: https://onnx.ai/onnx/operators/onnx__RMSNormalization.html (23).

    >>> RMSNormalization(np.float32([[3e20, 3e20]]), np.float32([1, 2]))
    array([[1., 2.]], dtype=float32)
    """
    return one("onnx", RMSNormalization, locals())


def GroupNormalization(
    X: ArrayLike,
    scale: ArrayLike,
    bias: ArrayLike,
    *,
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int | None = None,
    opset: int | None = None,
) -> NDArray:
    """`LayerNormalization` over each group of channels (axis 1) and all axes after it.

    `scale` and `bias` have one number for each channel, before opset 21 for each group; `stash_type`, which opset 21
    brought, changes nothing. Raises ShapeError for channels
    that the groups do not share evenly; the rest is as in `LayerNormalization`.
    Source: https://onnx.ai/onnx/operators/onnx__GroupNormalization.html (18, 21).

    >>> GroupNormalization(np.float32([[1000, 1002, 5, 9]]), np.ones(4, "f"), np.zeros(4, "f"), num_groups=2, epsilon=0)
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    return one("onnx", GroupNormalization, locals())


def InstanceNormalization(
    input: ArrayLike, scale: ArrayLike, B: ArrayLike, *, epsilon: float = 1e-5, opset: int | None = None
) -> NDArray:
    """`LayerNormalization` over all axes after the channels, with a scale and a bias for each channel.

    Source: https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html (1, 6, 22).

    >>> InstanceNormalization(np.float32([[[1, 3], [5, 9]]]), np.float32([1, 2]), np.float32([0, 1]), epsilon=0)
    array([[[-1.,  1.],
            [-1.,  3.]]], dtype=float32)
    """
    return one("onnx", InstanceNormalization, locals())


def MeanVarianceNormalization(X: ArrayLike, *, axes: Sequence[int] = (0, 2, 3), opset: int | None = None) -> NDArray:
    """`(X - mean) / (deviation + e)` over `axes`, rounded once; e is the float32 next to 1e-9.

    Source: https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html (9, 13).

    >>> MeanVarianceNormalization(np.float32([[1, 3], [100, 102]]), axes=[1])
    array([[-1.,  1.],
           [-1.,  1.]], dtype=float32)
    """
    return one("onnx", MeanVarianceNormalization, locals())


def LpNormalization(input: ArrayLike, *, axis: int = -1, p: int = 2, opset: int | None = None) -> NDArray:
    """`input` over its norm along `axis`, rounded once: the sum of the magnitudes (p = 1) or the root of that of the
    squares (p = 2). A zero line stays zero.

    Source: https://onnx.ai/onnx/operators/onnx__LpNormalization.html (1, 22).

    >>> LpNormalization(np.float32([3, 4]) * np.float32(2.0**100))
    array([0.6, 0.8], dtype=float32)
    """
    return one("onnx", LpNormalization, locals())


def GlobalAveragePool(X: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The mean over all axes after the channels, which stay with length 1: the exact sum over the count, rounded once.

    Source: https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html (1, 22).

    >>> GlobalAveragePool(np.float32([[[1, 2, 6]]]))
    array([[[3.]]], dtype=float32)
    """
    return one("onnx", GlobalAveragePool, locals())


def GlobalMaxPool(X: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The maximum over all axes after the channels, which stay with length 1; NaN if there is one.

    Source: https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html (1, 22).

    >>> GlobalMaxPool(np.float32([[[1, 2, 6]]]))
    array([[[6.]]], dtype=float32)
    """
    return one("onnx", GlobalMaxPool, locals())


def GlobalLpPool(X: ArrayLike, *, p: int = 2, opset: int | None = None) -> NDArray:
    """The p-norm over all axes after the channels, which stay with length 1, rounded once; p is whole, 1 to 1024.

    Source: https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html (1, 2, 22).

    >>> GlobalLpPool(np.float32([[[3e30, 4e30]]]))
    array([[[5.e+30]]], dtype=float32)
    """
    return one("onnx", GlobalLpPool, locals())
