"""How the products of matrices and the convolutions of both standards run."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, trunc
from typing import Any

import numpy as np

from samesum.engine import contractions
from samesum.engine.contractions import Added, matmul
from samesum.engine.totals import product_error
from samesum.errors import AttributeValueError, DtypeError, SamesumError, ShapeError
from samesum.formats.arrays import NDArray, Shape
from samesum.operators import convolutions
from samesum.operators.convolutions import ONNX_CONV, Layer, convolved
from samesum.operators.facts import at, broadcast, first
from samesum.operators.pointwise import given, optional
from samesum.operators.rows import Attributes, Fact, Facts, Inputs, Row, made, row

# Products of matrices, of general ones and by Einstein's notation, as the standards have them: rounded once.


def product(attributes: Attributes, inputs: Inputs) -> NDArray:
    """MatMul of both standards: the matrices in the last two axes, of OpenVINO also transposed."""
    a, b = _turned(attributes, given(inputs, 0), given(inputs, 1))
    return matmul(a, b, a.dtype)


def scaled_product(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedMatMul: alpha times the product, in which an axis before the batch may count as that of the rows."""
    a, b = (
        np.moveaxis(x, 0, -2) if attributes[name] and x.ndim > 1 else x
        for x, name in ((given(inputs, 0), "transBatchA"), (given(inputs, 1), "transBatchB"))
    )
    a, b = _turned(attributes, a, b)
    return matmul(a, b, a.dtype, Added(alpha=attributes["alpha"]))


def gemm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Gemm: alpha A B + beta C, which is rounded once. Of integers, the real value truncated, modulo 2^k."""
    a, b = _turned(attributes, given(inputs, 0), given(inputs, 1))
    c = optional(inputs, 2)
    if c is not None:
        _check_broadcast(c, (a.shape[0], b.shape[1]), attributes.get("broadcast", True))
    alpha, beta = attributes["alpha"], attributes["beta"] if c is not None else 1.0
    if a.dtype.kind in "iu" and (alpha, beta) != (1.0, 1.0):
        return _truncated(a, b, c, alpha, beta)
    return matmul(a, b, a.dtype, Added(c, alpha, beta))


def einsum(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Einsum of both standards; three operands and more are rounded at each pair, from the left."""
    operands = [given(inputs, i) for i in range(len(inputs))]
    dtype = operands[0].dtype
    return contractions.einsum(attributes["equation"], operands, dtype, dtype)


def _turned(attributes: Attributes, a: NDArray, b: NDArray) -> tuple[NDArray, NDArray]:
    """The operands with their last two axes exchanged where that is asked for; a vector has no two."""
    if attributes.get("transpose_a") and a.ndim > 1:
        a = a.swapaxes(-1, -2)
    if attributes.get("transpose_b") and b.ndim > 1:
        b = b.swapaxes(-1, -2)
    return a, b


def _check_broadcast(c: NDArray, shape: tuple[int, int], broadcasts: bool) -> None:
    lengths = zip(c.shape[::-1], shape[::-1], strict=False)
    if c.ndim > 2 or any(found not in (1, needed) for found, needed in lengths):
        raise ShapeError(f"C has shape {c.shape}; it does not broadcast to that of the result, {shape}")
    if not broadcasts and c.shape != shape:
        raise ShapeError(f"broadcast is 0 and C has shape {c.shape}; the result has {shape}")


def _truncated(a: NDArray, b: NDArray, c: NDArray | None, alpha: float, beta: float) -> NDArray:
    """In whole numbers and fractions, which hold everything."""
    if not isfinite(alpha) or not isfinite(beta):
        raise AttributeValueError(f"alpha is {alpha} and beta {beta}; of integers allowed are finite numbers")
    if a.shape[1] != b.shape[0]:
        raise ShapeError(f"shapes {a.shape} and {b.shape}: rows and columns have different lengths")
    sums = np.zeros((a.shape[0], b.shape[1]), object)
    for column, line in zip(a.T.astype(object), b.astype(object), strict=True):
        sums += np.outer(column, line)
    total = sums * Fraction(alpha) + (0 if c is None else c.astype(object) * Fraction(beta))
    modulus = 1 << 8 * a.dtype.itemsize
    whole = np.array([trunc(each) % modulus for each in total.ravel()], f"u{a.dtype.itemsize}")
    return whole.view(a.dtype).reshape(sums.shape)


def product_shape(attributes: Attributes, facts: Facts) -> Fact:
    """The first input's type, and the shape of the product."""
    return Fact(first(facts).dtype, _product(attributes, first(facts).shape, at(facts, 1).shape))


def whole_product_shape(attributes: Attributes, facts: Facts) -> Fact:
    """The shape of the product, in int32."""
    return Fact(np.dtype(np.int32), _product(attributes, first(facts).shape, at(facts, 1).shape))


def quantized_product_shape(attributes: Attributes, facts: Facts) -> Fact:
    """The shape of the product, in the type of the last zero point."""
    return Fact(at(facts, 7).dtype, _product(attributes, first(facts).shape, at(facts, 3).shape))


def _product(attributes: Attributes, a: Shape | None, b: Shape | None) -> Shape | None:
    if not a or not b:
        return None
    if attributes.get("transBatchA") and len(a) > 1:
        a = (*a[1:-1], a[0], a[-1])
    if attributes.get("transBatchB") and len(b) > 1:
        b = (*b[1:-1], b[0], b[-1])
    rows, columns = a[-2:-1], b[-1:] if len(b) > 1 else ()
    if attributes.get("transpose_a") and len(a) > 1:
        rows = a[-1:]
    if attributes.get("transpose_b") and len(b) > 1:
        columns = b[-2:-1]
    batch = broadcast({}, [Fact(shape=a[:-2]), Fact(shape=b[:-2])]).shape
    return None if batch is None else (*batch, *rows, *columns)


def einsum_shape(attributes: Attributes, facts: Facts) -> Fact:
    """The first input's type, and the lengths that the result's letters have."""
    shapes = [None if fact is None else fact.shape for fact in facts]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return Fact(first(facts).dtype)
    try:
        inputs, result = contractions.parsed(attributes["equation"], [len(shape) for shape in known])
    except SamesumError:
        return Fact(first(facts).dtype)
    places = [(labels, shape) for labels, shape in zip(inputs, known, strict=True)]
    return Fact(first(facts).dtype, tuple(_length(label, places) for label in result))


def _length(label: object, places: list[tuple[list[object], Shape]]) -> int | None:
    found = [dim for labels, shape in places for each, dim in zip(labels, shape, strict=True) if each == label]
    long = [dim for dim in found if dim not in (1, None)]
    return long[0] if long else None if None in found else 1


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


ONNX_ROWS = (
    row("MatMul", product, product_shape),
    row("Gemm", gemm, product_shape),
    row("Einsum", einsum, einsum_shape),
    _convolution("Conv", convolutions.ONNX_CONV),
    _convolution("ConvTranspose", convolutions.ONNX_CONV_TRANSPOSE),
    row("MatMulInteger", _matmul_integer, whole_product_shape),
    row("ConvInteger", _conv_integer, convolutions.convolution_shape(convolutions.ONNX_CONV, dtype=_INT32)),
    row("QLinearMatMul", _quantized_matmul, quantized_product_shape),
    row("QLinearConv", _quantized_conv, convolutions.convolution_shape(convolutions.ONNX_CONV, weights=3, like=7)),
)

OPENVINO_ROWS = (
    row("MatMul", product, product_shape),
    row("Einsum", einsum, einsum_shape),
    _convolution("Convolution", convolutions.CONVOLUTION),
    _convolution("GroupConvolution", convolutions.GROUP_CONVOLUTION),
    _convolution("ConvolutionBackpropData", convolutions.BACKPROP),
    _convolution("GroupConvolutionBackpropData", convolutions.GROUP_BACKPROP),
)
