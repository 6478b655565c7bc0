"""Operators as ONNX Runtime fuses them: products with an activation, normalizations of a sum with that sum besides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samesum.algebra.rows import LAYER_NORM, MEAN, RMS_NORM, SUM, Norm
from samesum.engine import elementwise
from samesum.engine.memory import KEEPDIMS, normalize_lines, normalize_lines_with_inverse, reduce, reduce_terms
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators import activations, facts, pointwise
from samesum.operators.activations import NAMED
from samesum.operators.convolutions import ONNX_CONV, convolution_shape, convolved
from samesum.operators.facts import at, first, of_each_line, stash_of
from samesum.operators.norms import from_axis, inside, rms_norm
from samesum.operators.pointwise import given, optional, widened
from samesum.operators.rows import Attributes, Fact, Facts, Inputs, RunAll, row, several
from samesum.operators.rows_of_products import gemm, product_shape, scaled_product

# A general product or a convolution, then a function of each element.
#
# The product is rounded once, and what the function gives of it is again.


def _activated(word: str | None, numbers: Sequence[float | None], x: NDArray) -> NDArray:
    if not word:
        return x
    if word not in NAMED:
        raise AttributeValueError(f"activation is {word!r}; allowed are {', '.join(NAMED)}")
    function, defaults = NAMED[word]
    said = [*numbers, *[None] * len(defaults)]
    parameters = [default if number is None else number for number, default in zip(said, defaults, strict=False)]
    with np.errstate(all="ignore"):
        return np.asarray(function(x, *parameters))


def _fused_gemm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedGemm: Gemm and the activation."""
    numbers = [attributes[f"activation_{name}"] for name in ("alpha", "beta", "gamma")]
    return _activated(attributes["activation"], numbers, gemm(attributes, inputs))


def _fused_conv(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedConv: Conv, Z added, and the activation. With a bias and Z, the latter is added to what was rounded."""
    x, w, bias, z = given(inputs, 0), given(inputs, 1), optional(inputs, 2), optional(inputs, 3)
    total = convolved(ONNX_CONV, attributes, x, w, z if bias is None else bias, x.dtype)
    if bias is not None and z is not None:
        if pointwise.broadcast_shape(total, z) != total.shape:
            raise ShapeError(f"Z has shape {z.shape}; it does not broadcast to that of the result, {total.shape}")
        total = np.asarray(np.add(total, z))
    return _activated(attributes["activation"], attributes["activation_params"] or (), total)


def skip_norm(row: Norm, has_beta: bool) -> RunAll:
    """The sum of input, skip and bias, normalized over the last axis; mean, inverse deviation and sum besides.

    The exact sum is rounded to float64, which holds sums of float16 as they are; the formula over it is rounded once.
    """

    def run(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
        x, skip, gamma = (given(inputs, i) for i in range(3))
        beta = optional(inputs, 3) if has_beta else None
        bias = optional(inputs, 4 if has_beta else 3)
        terms = [x, skip] if bias is None else [x, skip, bias]
        _check(x, skip, gamma, beta, bias)
        summed = reduce_terms(SUM, [widened(term) for term in terms])
        axes, epsilon, dtype = (x.ndim - 1,), inside(attributes), x.dtype.newbyteorder("=")
        if count == 1:
            return (normalize_lines(row, summed, axes, epsilon, gamma, beta, dtype),)
        inverse = normalize_lines_with_inverse(row, summed, axes, epsilon, None, None, np.dtype(np.float32))[1]
        return (
            normalize_lines(row, summed, axes, epsilon, gamma, beta, dtype),
            reduce(MEAN, summed, axes, KEEPDIMS, np.float32),
            inverse,
            reduce_terms(SUM, terms),
        )[:count]

    return run


def _check(x: NDArray, skip: NDArray, *lines: NDArray | None) -> None:
    if skip.shape[-2:] != x.shape[-2:] or skip.shape[:-2] not in (x.shape[:-2], (1,), ()):
        raise ShapeError(f"skip has shape {skip.shape}; allowed is that of the input, {x.shape}, or its last two axes")
    for line in lines:
        if line is not None and line.shape != x.shape[-1:]:
            raise ShapeError(f"gamma, beta and bias have the shape {x.shape[-1:]}; one has {line.shape}")


def skip_norm_outputs(_: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The result and the sum like the input; mean and inverse deviation in float32, with a last axis of length 1."""
    data = first(facts)
    inner = Fact(np.dtype(np.float32), None if data.shape is None else (*data.shape[:-1], 1))
    whole = Fact(data.dtype, data.shape)
    return (whole, inner, inner, whole)[:count]


def simplified_norm(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """SimplifiedLayerNormalization: RMSNormalization, and the inverse of the root in the stash type besides."""
    if count == 1:
        return (rms_norm(attributes, inputs),)
    x = given(inputs, 0)
    axes = from_axis(attributes, x)
    inverse = normalize_lines_with_inverse(RMS_NORM, x, axes, inside(attributes), None, None, stash_of(attributes))[1]
    return rms_norm(attributes, inputs), inverse


def simplified_norm_outputs(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The result like the data, in the type of the scale; the inverse of the root in the stash type."""
    data, scale = first(facts), at(facts, 1)
    return (Fact(scale.dtype, data.shape), of_each_line(attributes, data))[:count]


MICROSOFT_ROWS = (
    row("FusedMatMul", scaled_product, product_shape),
    row("FusedGemm", _fused_gemm, product_shape),
    row("FusedConv", _fused_conv, convolution_shape(ONNX_CONV)),
    several("SkipLayerNormalization", skip_norm(LAYER_NORM, True), skip_norm_outputs, most=4),
    several("SkipSimplifiedLayerNormalization", skip_norm(RMS_NORM, False), skip_norm_outputs, most=4),
    pointwise.unary("Gelu", elementwise.gelu),
    row("BiasGelu", activations.biased(elementwise.gelu), facts.same),
    row("FastGelu", activations.biased(elementwise.gelu_tanh), facts.same),
    row("QuickGelu", activations.of(activations.swish, "alpha"), facts.same),
)

ONNX_ROWS = (several("SimplifiedLayerNormalization", simplified_norm, simplified_norm_outputs, most=2),)
