"""Products of matrices, of general ones and by Einstein's notation, as the standards have them: rounded once."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, trunc

import numpy as np

from samesum.engine import contractions
from samesum.engine.contractions import Added, matmul
from samesum.errors import AttributeValueError, SamesumError, ShapeError
from samesum.formats.arrays import NDArray, Shape
from samesum.operators.facts import at, broadcast, first
from samesum.operators.pointwise import given, optional
from samesum.operators.rows import Attributes, Fact, Facts, Inputs


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
    for column, row in zip(a.T.astype(object), b.astype(object), strict=True):
        sums += np.outer(column, row)
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
