"""How the operators of ONNX around the family run. A row holds up to the next one of its operator."""

from __future__ import annotations

import numpy as np

from samesum.algebra.rows import MAX, MEAN, MIN, SUM
from samesum.engine import elementwise
from samesum.operators import facts, foretelling, norms, pointwise, shaping, slicing
from samesum.operators.rows import Cut, Row, Run, row, several
from samesum.operators.scatter_rows import ONNX_SCATTER_ROWS


def _unary(name: str, function: pointwise.Unary, is_light: bool = False) -> Row:
    return row(name, pointwise.unary(function), facts.same, cut=Cut.EACH, is_light=is_light)


def _binary(name: str, function: pointwise.Binary, is_light: bool = False) -> tuple[Row, ...]:
    return (
        row(name, pointwise.binary_by_suffix(function), facts.same),
        row(name, pointwise.binary(function), facts.broadcast, 7, Cut.EACH, is_light),
    )


def _variadic(name: str, run: Run) -> Row:
    return row(name, run, facts.broadcast, cut=Cut.EACH)


def _viewing(name: str, run: Run, since: int = 1) -> Row:
    return row(name, run, foretelling.tried(run), since)


ONNX_ROWS = (
    _unary("Sqrt", np.sqrt),
    _unary("Exp", elementwise.exponential),
    _unary("Log", elementwise.logarithm),
    _unary("Abs", np.abs, is_light=True),
    _unary("Neg", np.negative, is_light=True),
    _unary("Relu", pointwise.relu),
    *_binary("Add", np.add, is_light=True),
    *_binary("Sub", np.subtract, is_light=True),
    *_binary("Mul", np.multiply, is_light=True),
    *_binary("Div", pointwise.divide),
    *_binary("Pow", pointwise.power),
    _variadic("Max", pointwise.variadic(MAX)),
    _variadic("Min", pointwise.variadic(MIN)),
    _variadic("Sum", pointwise.variadic(SUM)),
    _variadic("Mean", pointwise.variadic(MEAN)),
    row("Clip", pointwise.clip_attributes, facts.same, cut=Cut.FIRST),
    row("Clip", pointwise.clip_inputs, facts.same, 11, Cut.FIRST),
    row("Identity", pointwise.identity, facts.same, cut=Cut.EACH, is_light=True),
    row("Cast", pointwise.cast, foretelling.to_attribute("to"), cut=Cut.EACH),
    row("CastLike", pointwise.cast_like, foretelling.cast_like, cut=Cut.FIRST),
    row("Reshape", shaping.reshape, foretelling.reshape(shaping.reshape)),
    _viewing("Squeeze", shaping.squeeze),
    _viewing("Unsqueeze", shaping.unsqueeze),
    _viewing("Transpose", shaping.transpose),
    _viewing("Expand", shaping.expand),
    row("Shape", shaping.shape_of, foretelling.shape_of),
    row("Range", shaping.arange, foretelling.arange),
    row("Concat", shaping.concat, foretelling.concat),
    _viewing("Slice", slicing.slice_attributes),
    _viewing("Slice", slicing.slice_inputs, 10),
    row("Gather", slicing.gather, foretelling.gather),
    several("LayerNormalization", norms.layer_norm_outputs, foretelling.layer_norm_outputs, most=3),
    row("RMSNormalization", norms.rms_norm, foretelling.in_type_of_second),
    row("GroupNormalization", norms.group_norm("group"), facts.same),
    row("GroupNormalization", norms.group_norm("channel"), facts.same, 21),
    row("InstanceNormalization", norms.instance_norm, facts.same),
    row("MeanVarianceNormalization", norms.mean_variance_norm, facts.same),
    row("LpNormalization", norms.lp_norm, facts.same),
    row("GlobalAveragePool", norms.GLOBAL_AVERAGE, foretelling.pooled),
    row("GlobalMaxPool", norms.GLOBAL_MAXIMUM, foretelling.pooled),
    row("GlobalLpPool", norms.global_lp_pool, foretelling.pooled),
    *ONNX_SCATTER_ROWS,
)
