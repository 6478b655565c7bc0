"""OpenVINO's API for arrays, products of matrices, convolutions and attention: named and called as it does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Sequence

from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.calls import one

_Integers = Sequence[int]


def MatMul(
    A: ArrayLike, B: ArrayLike, *, transpose_a: bool = False, transpose_b: bool = False, opset: int | None = None
) -> NDArray:
    """The product of the matrices in the last two axes, each exact sum of products rounded once.

    The axes before them broadcast; a vector is a row as `A` and a column as `B`, and is not transposed. Integers wrap.
    A NaN, an infinity times zero and infinities of both signs give NaN; an exact zero is +0.

    Raises DtypeError for types that are no numbers or that differ, ShapeError for shapes that do not fit.
    Source: OpenVINO operation specification, MatMul-1.

    >>> MatMul(np.float32([[1e8, 1, -1e8]]), np.float32([[1, 3, 1]]), transpose_b=True)
    array([[3.]], dtype=float32)
    """
    return one("openvino", MatMul, locals())


def Einsum(*inputs: ArrayLike, equation: str, opset: int | None = None) -> NDArray:
    """Einstein's sum, with two inputs the exact sum of the exact products, rounded once.

    More inputs are multiplied from the left, and what comes of each pair is rounded once. `equation` and the errors
    are as in `samesum.einsum`. Source: OpenVINO operation specification, Einsum-7.

    >>> Einsum(np.float32([[1, 2], [3, 4]]), np.float32([1, 10]), equation="ij,j->i")
    array([21., 43.], dtype=float32)
    """
    return one("openvino", Einsum, locals())


def Convolution(
    data: ArrayLike,
    filters: ArrayLike,
    *,
    strides: _Integers,
    pads_begin: _Integers,
    pads_end: _Integers,
    dilations: _Integers,
    auto_pad: str = "explicit",
    opset: int | None = None,
) -> NDArray:
    """The convolution of `data` along the axes after the channels: products and sum are rounded once.

    `filters` are (results, channels, kernel); the lists have one number for each spatial axis. `auto_pad` is explicit,
    same_upper, same_lower or valid, and all but the first ignore the pads. What is not finite is as in `MatMul`.

    Raises DtypeError for types that are no numbers or that differ, ShapeError for shapes that do not fit,
    AttributeValueError for numbers out of range. Source: OpenVINO operation specification, Convolution-1.

    >>> x, w, one, none = np.float32([[[1e8, 1, -1e8, 2]]]), np.float32([[[1, 1, 1]]]), [1], [0]
    >>> Convolution(x, w, strides=one, pads_begin=none, pads_end=none, dilations=one)
    array([[[ 1.e+00, -1.e+08]]], dtype=float32)
    """
    return one("openvino", Convolution, locals())


def GroupConvolution(
    data: ArrayLike,
    filters: ArrayLike,
    *,
    strides: _Integers,
    pads_begin: _Integers,
    pads_end: _Integers,
    dilations: _Integers,
    auto_pad: str = "explicit",
    opset: int | None = None,
) -> NDArray:
    """The convolution of each group of channels; `filters` are (groups, results, channels, kernel).

    The rest is as in `Convolution`. Source: OpenVINO operation specification, GroupConvolution-1.

    >>> x, w, one, none = np.float32([[[1, 2], [3, 4]]]), np.float32([[[[1]]], [[[10]]]]), [1], [0]
    >>> GroupConvolution(x, w, strides=one, pads_begin=none, pads_end=none, dilations=one)
    array([[[ 1.,  2.],
            [30., 40.]]], dtype=float32)
    """
    return one("openvino", GroupConvolution, locals())


def ConvolutionBackpropData(
    data: ArrayLike,
    filters: ArrayLike,
    output_shape: ArrayLike | None = None,
    *,
    strides: _Integers,
    pads_begin: _Integers,
    pads_end: _Integers,
    dilations: _Integers,
    auto_pad: str = "explicit",
    output_padding: _Integers | None = None,
    opset: int | None = None,
) -> NDArray:
    """The transposed convolution of `data`: each element spreads the kernel; products and sum are rounded once.

    `filters` are (channels, results, kernel). The pads are taken off the result, `output_padding` is added behind.
    `output_shape` are the spatial sizes, integers; with `auto_pad` same_upper or same_lower they decide the pads. The
    rest is as in `Convolution`. Source: OpenVINO operation specification, ConvolutionBackpropData-1.

    >>> x, w, one, none = np.float32([[[1, 2]]]), np.float32([[[1, 10, 100]]]), [1], [0]
    >>> ConvolutionBackpropData(x, w, strides=[2], pads_begin=none, pads_end=none, dilations=one)
    array([[[  1.,  10., 102.,  20., 200.]]], dtype=float32)
    """
    return one("openvino", ConvolutionBackpropData, locals())


def GroupConvolutionBackpropData(
    data: ArrayLike,
    filters: ArrayLike,
    output_shape: ArrayLike | None = None,
    *,
    strides: _Integers,
    pads_begin: _Integers,
    pads_end: _Integers,
    dilations: _Integers,
    auto_pad: str = "explicit",
    output_padding: _Integers | None = None,
    opset: int | None = None,
) -> NDArray:
    """The transposed convolution of each group of channels; `filters` are (groups, channels, results, kernel).

    The rest is as in `ConvolutionBackpropData`. Source: OpenVINO operation specification,
    GroupConvolutionBackpropData-1.

    >>> x, w, one, none = np.float32([[[1], [2]]]), np.float32([[[[1, 10]]], [[[1, 10]]]]), [1], [0]
    >>> GroupConvolutionBackpropData(x, w, strides=one, pads_begin=none, pads_end=none, dilations=one)
    array([[[ 1., 10.],
            [ 2., 20.]]], dtype=float32)
    """
    return one("openvino", GroupConvolutionBackpropData, locals())


def ScaledDotProductAttention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attention_mask: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    *,
    causal: bool = False,
    opset: int | None = None,
) -> NDArray:
    """`softmax(query key^T * scale + attention_mask) value`, the whole formula rounded once.

    Shapes are (..., L, E), (..., S, E) and (..., S, Ev); batches broadcast. `scale` has one element and is the real
    1 / sqrt(E) if it is left out. With `causal` query i sees the keys 0 to i, and the mask is ignored. A query that
    sees no key has zeros.

    Raises DtypeError for types that the version does not allow and ShapeError for shapes that do not fit.
    Source: OpenVINO operation specification, ScaledDotProductAttention-13.

    >>> x = np.float32([[1, 0], [0, 1]])
    >>> ScaledDotProductAttention(0 * x, x, np.float32([[1, 2], [4, 8]]))
    array([[2.5, 5. ],
           [2.5, 5. ]], dtype=float32)
    """
    return one("openvino", ScaledDotProductAttention, locals())
