"""How the products of matrices and the convolutions of both standards run."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.engine.contractions import matmul
from samesum.engine.totals import product_error
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators import convolutions, products
from samesum.operators.convolutions import ONNX_CONV, Layer, convolved
from samesum.operators.pointwise import given, optional
from samesum.operators.rows import Attributes, Inputs, Row, made, row

# Products of quantized matrices and convolutions: exact integers, and the real value rounded once.

_INT16, _INT32, _INT64 = np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64)


def _matmul_integer(_: Attributes, inputs: Inputs) -> NDArray:
    """MatMulInteger: the product of what lies above the zero points, modulo 2^32."""
    a = _above(given(inputs, 0), optional(inputs, 2), "a_zero_point", -2)
    b = _above(given(inputs, 1), optional(inputs, 3), "b_zero_point", -1)
    return matmul(a, b, _INT32)


def _conv_integer(attributes: Attributes, inputs: Inputs) -> NDArray:
    """ConvInteger: the convolution of what lies above the zero points, modulo 2^32; padding is such a point."""
    x = _above(given(inputs, 0), _scalar(optional(inputs, 2), "x_zero_point"), "x_zero_point", 1)
    w = _above(given(inputs, 1), optional(inputs, 3), "w_zero_point", 0)
    return convolved(ONNX_CONV, attributes, x, w, None, _INT32)


def _quantized_matmul(_: Attributes, inputs: Inputs) -> NDArray:
    """QLinearMatMul: the exact sum times a_scale b_scale / y_scale, rounded half to even once, and saturated."""
    a, b = (given(inputs, i) for i in (0, 3))
    a_scale, b_scale = (_scales(given(inputs, i), name) for i, name in ((1, "a_scale"), (4, "b_scale")))
    rows, columns = _along(a_scale, a.ndim, -2, a.shape, "a_scale"), _along(b_scale, b.ndim, -1, b.shape, "b_scale")
    total = matmul(
        _above(a, given(inputs, 2), "a_zero_point", -2), _above(b, given(inputs, 5), "b_zero_point", -1), _INT64
    )
    if b.ndim == 1 and rows.ndim:
        rows = rows.squeeze(-1)
    if a.ndim == 1 and columns.ndim:
        columns = columns.squeeze(-2)
    return _requantized(total, rows * columns, inputs, 6)


def _quantized_conv(attributes: Attributes, inputs: Inputs) -> NDArray:
    """QLinearConv: the exact sum and bias times x_scale w_scale / y_scale, rounded half to even once, and saturated."""
    x, w, bias = given(inputs, 0), given(inputs, 3), optional(inputs, 8)
    x_scale = _scalar(_scales(given(inputs, 1), "x_scale"), "x_scale")
    w_scale = _along(_scales(given(inputs, 4), "w_scale"), x.ndim, 1, (1, w.shape[0]), "w_scale")
    above = _above(x, _scalar(given(inputs, 2), "x_zero_point"), "x_zero_point", 1)
    kernel = _above(w, given(inputs, 5), "w_zero_point", 0)
    wide = None if bias is None else bias.astype(_INT64)
    total = convolved(ONNX_CONV, attributes, above, kernel, wide, _INT64)
    return _requantized(total, x_scale.reshape(()) * w_scale, inputs, 6)


def _above(x: NDArray, zero_point: NDArray | None, name: str, axis: int) -> NDArray:
    """What elements are above their zero point: one for all, or one for each place along the axis."""
    if zero_point is None:
        return x
    if zero_point.dtype != x.dtype:
        raise DtypeError(f"{name} is {zero_point.dtype.name}; the elements are {x.dtype.name}")
    zeros = _along(zero_point, x.ndim, axis, x.shape, name)
    return np.subtract(x, zeros, dtype=_INT16) if zeros.any() else x


def _along(numbers: NDArray, rank: int, axis: int, shape: tuple[int, ...], name: str) -> NDArray:
    """One number, or one for each place along the axis, so that they broadcast; of matrices also one for each line."""
    if numbers.size == 1:
        return numbers.reshape(())
    if numbers.ndim == 1 and rank > 1 and numbers.size == shape[axis]:
        place = axis % rank
        return numbers.reshape((1,) * place + numbers.shape + (1,) * (rank - 1 - place))
    is_of_lines = axis < 0 and numbers.ndim == rank > 1 and numbers.shape[-3 - axis] == 1
    if is_of_lines and all(n in (1, m) for n, m in zip(numbers.shape, shape, strict=True)):
        return numbers
    raise ShapeError(
        f"{name} has shape {numbers.shape}; one number is allowed, or one for each place along axis {axis} of {shape}"
    )


def _scalar(numbers: Any, name: str) -> Any:
    if numbers is not None and numbers.size != 1:
        raise ShapeError(f"{name} has shape {numbers.shape}; one number is allowed")
    return numbers


def _scales(scale: NDArray, name: str) -> NDArray:
    wide = scale.astype(np.float64)
    if not np.isfinite(wide).all() or not (wide > 0).all():
        raise AttributeValueError(f"{name} holds {wide.ravel()[:4].tolist()}; scales are finite numbers above 0")
    return wide


def _requantized(total: NDArray, scale: NDArray, inputs: Inputs, at: int) -> NDArray:
    """The integers times `scale`, over the scale in input `at`, above the zero point in the next one."""
    divisor = _scalar(_scales(given(inputs, at), "y_scale"), "y_scale").reshape(())
    zero_point = _scalar(given(inputs, at + 1), "y_zero_point")
    limits = np.iinfo(zero_point.dtype)
    whole = _rounded_quotient(total.astype(np.float64), scale, divisor)
    shifted = np.clip(whole + float(zero_point.item()), limits.min, limits.max)
    return np.asarray(shifted.astype(zero_point.dtype))


def _rounded_quotient(a: NDArray, b: NDArray, divisor: NDArray) -> NDArray:
    """The whole number next to a b / divisor, of two the even one; beyond 2^12 only its sign and size are right.

    `a` holds whole numbers below 2^53, `b` products of two float32, `divisor` float32 above 0. The rest of the nearest
    guess is exact as two numbers, the greater of which is a difference of neighbours.
    """
    high = a * b
    low = product_error(np.broadcast_to(a, high.shape), np.broadcast_to(b, high.shape), high)
    guess = np.clip(np.rint(high / divisor), -4096.0, 4096.0)
    rest, half = high - guess * divisor, divisor / 2
    over, under = (rest - half) + low, (rest + half) + low
    is_odd = guess % 2 == 1
    up = (over > 0) | ((over == 0) & is_odd)
    down = (under < 0) | ((under == 0) & is_odd)
    return np.asarray(guess + up - (down & ~up))


def _convolution(name: str, layer: Layer) -> Row:
    shape = convolutions.convolution_shape(layer)
    return made(name, convolutions.filters(layer), (1, 2), convolutions.convolution, shape)


ONNX_PRODUCT_ROWS = (
    row("MatMul", products.product, products.product_shape),
    row("Gemm", products.gemm, products.product_shape),
    row("Einsum", products.einsum, products.einsum_shape),
    _convolution("Conv", convolutions.ONNX_CONV),
    _convolution("ConvTranspose", convolutions.ONNX_CONV_TRANSPOSE),
    row("MatMulInteger", _matmul_integer, products.whole_product_shape),
    row("ConvInteger", _conv_integer, convolutions.convolution_shape(convolutions.ONNX_CONV, dtype=_INT32)),
    row("QLinearMatMul", _quantized_matmul, products.quantized_product_shape),
    row("QLinearConv", _quantized_conv, convolutions.convolution_shape(convolutions.ONNX_CONV, weights=3, like=7)),
)

OPENVINO_PRODUCT_ROWS = (
    row("MatMul", products.product, products.product_shape),
    row("Einsum", products.einsum, products.einsum_shape),
    _convolution("Convolution", convolutions.CONVOLUTION),
    _convolution("GroupConvolution", convolutions.GROUP_CONVOLUTION),
    _convolution("ConvolutionBackpropData", convolutions.BACKPROP),
    _convolution("GroupConvolutionBackpropData", convolutions.GROUP_BACKPROP),
)
