"""Normalizations as ONNX Runtime fuses them: of a sum of inputs, with that sum as an output."""

from __future__ import annotations

import numpy as np

from samesum.algebra.rows import LAYER_NORM, MEAN, RMS_NORM, SUM, Norm
from samesum.engine import elementwise
from samesum.engine.memory import KEEPDIMS, reduce, reduce_terms
from samesum.engine.norms import normalize_lines, normalize_lines_with_inverse
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators import activations, facts, pointwise
from samesum.operators.facts import at, first, of_each_line, stash_of
from samesum.operators.norms import from_axis, inside, rms_norm
from samesum.operators.pointwise import given, optional, widened
from samesum.operators.rows import Attributes, Fact, Facts, Inputs, Row, RunAll, row, several


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


MICROSOFT_ROWS: tuple[Row, ...] = (
    several("SkipLayerNormalization", skip_norm(LAYER_NORM, True), skip_norm_outputs, most=4),
    several("SkipSimplifiedLayerNormalization", skip_norm(RMS_NORM, False), skip_norm_outputs, most=4),
    row("Gelu", pointwise.unary(elementwise.gelu), facts.same),
    row("BiasGelu", activations.biased(elementwise.gelu), facts.same),
    row("FastGelu", activations.biased(elementwise.gelu_tanh), facts.same),
    row("QuickGelu", activations.of(activations.swish, "alpha"), facts.same),
)

ONNX_FUSED_ROWS: tuple[Row, ...] = (
    several("SimplifiedLayerNormalization", simplified_norm, simplified_norm_outputs, most=2),
)
