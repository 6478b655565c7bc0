"""How the operators of both standards around the family run. A row holds up to the next one of its operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from samesum.algebra.rows import MAX, MEAN, MIN, SUM
from samesum.engine import elementwise
from samesum.formats.arrays import NDArray
from samesum.operators import facts, norms, pointwise, shaping, slicing
from samesum.operators.rows import Inputs, Make, Row, Run, made, row, several
from samesum.operators.scatters import ONNX_SCATTER_ROWS, OPENVINO_SCATTER_ROWS


def _unary(name: str, function: pointwise.Unary) -> Row:
    return row(name, pointwise.unary(function), facts.same)


def _binary(name: str, function: pointwise.Binary) -> Row:
    return row(name, pointwise.binary(function), facts.broadcast)


def _viewing(name: str, run: Run, since: int = 1) -> Row:
    return row(name, run, facts.tried(run), since)


def _cutting(
    name: str, make: Make, made_of: tuple[int, ...], run: Callable[[Any, Inputs], NDArray], since: int = 1
) -> Row:
    tried = facts.tried(lambda attributes, inputs: run(make(attributes, inputs), inputs))
    return made(name, make, made_of, run, tried, since)


def _squared_difference(a: NDArray, b: NDArray) -> object:
    return np.square(np.subtract(a, b))


OPENVINO_ROWS = (
    _unary("Sqrt", np.sqrt),
    _unary("Exp", elementwise.exponential),
    _unary("Log", elementwise.logarithm),
    _unary("Abs", np.abs),
    _unary("Negative", np.negative),
    _unary("ReLU", pointwise.relu),
    _binary("Add", pointwise.add),
    _binary("Subtract", pointwise.subtract),
    _binary("Multiply", pointwise.multiply),
    _binary("Divide", pointwise.divide),
    _binary("Power", pointwise.power),
    _binary("Maximum", np.maximum),
    _binary("Minimum", np.minimum),
    _binary("SquaredDifference", _squared_difference),
    row("Clamp", pointwise.clip_attributes, facts.same),
    row("Identity", pointwise.identity, facts.same),
    row("Convert", pointwise.convert_ir, facts.to_attribute("destination_type")),
    row("ConvertLike", pointwise.cast_like, facts.cast_like),
    row("Reshape", shaping.reshape, facts.reshape(shaping.reshape)),
    _cutting("Squeeze", shaping.axes_of_ir, (1,), shaping.squeeze),
    _cutting("Unsqueeze", shaping.axes_of, (1,), shaping.unsqueeze),
    _viewing("Transpose", shaping.transpose_ir),
    _viewing("Broadcast", shaping.broadcast_ir),
    row("ShapeOf", shaping.shape_of_ir, facts.shape_of),
    row("Range", shaping.arange, facts.arange),
    row("Concat", shaping.concat, facts.concat),
    _cutting("Slice", slicing.cuts_of_ir, (1, 2, 3, 4), slicing.sliced),
    _viewing("StridedSlice", slicing.strided_slice),
    row("Gather", slicing.gather_ir, facts.gather),
    row("MVN", norms.mvn_across, facts.same, 2),
    row("MVN", norms.mvn_axes, facts.same, 6),
    row("NormalizeL2", norms.normalize_l2, facts.same),
    row("GroupNormalization", norms.group_norm("channel"), facts.same, 12),
    *OPENVINO_SCATTER_ROWS,
)


def _binary_of_onnx(name: str, function: pointwise.Binary) -> tuple[Row, ...]:
    return (
        row(name, pointwise.binary_by_suffix(function), facts.same),
        row(name, pointwise.binary(function), facts.broadcast, 7),
    )


def _variadic(name: str, run: Run) -> Row:
    return row(name, run, facts.broadcast)


ONNX_ROWS = (
    _unary("Sqrt", np.sqrt),
    _unary("Exp", elementwise.exponential),
    _unary("Log", elementwise.logarithm),
    _unary("Abs", np.abs),
    _unary("Neg", np.negative),
    _unary("Relu", pointwise.relu),
    *_binary_of_onnx("Add", pointwise.add),
    *_binary_of_onnx("Sub", pointwise.subtract),
    *_binary_of_onnx("Mul", pointwise.multiply),
    *_binary_of_onnx("Div", pointwise.divide),
    *_binary_of_onnx("Pow", pointwise.power),
    _variadic("Max", pointwise.variadic(MAX)),
    _variadic("Min", pointwise.variadic(MIN)),
    _variadic("Sum", pointwise.variadic(SUM)),
    _variadic("Mean", pointwise.variadic(MEAN)),
    row("Clip", pointwise.clip_attributes, facts.same),
    made("Clip", pointwise.bounds_of_inputs, (1, 2), pointwise.clip_inputs, facts.same, 11),
    row("Identity", pointwise.identity, facts.same),
    row("Cast", pointwise.cast, facts.to_attribute("to")),
    row("CastLike", pointwise.cast_like, facts.cast_like),
    row("Reshape", shaping.reshape, facts.reshape(shaping.reshape)),
    _cutting("Squeeze", shaping.axes_of, (1,), shaping.squeeze),
    _cutting("Unsqueeze", shaping.axes_of, (1,), shaping.unsqueeze),
    _viewing("Transpose", shaping.transpose),
    _viewing("Expand", shaping.expand),
    row("Shape", shaping.shape_of, facts.shape_of),
    row("Range", shaping.arange, facts.arange),
    row("Concat", shaping.concat, facts.concat),
    _cutting("Slice", slicing.cuts_of_attributes, (), slicing.sliced),
    _cutting("Slice", slicing.cuts_of_inputs, (1, 2, 3, 4), slicing.sliced, 10),
    row("Gather", slicing.gather, facts.gather),
    several("LayerNormalization", norms.layer_norm_outputs, facts.layer_norm_outputs, most=3),
    row("RMSNormalization", norms.rms_norm, facts.in_type_of_second),
    row("GroupNormalization", norms.group_norm("group"), facts.same),
    row("GroupNormalization", norms.group_norm("channel"), facts.same, 21),
    row("InstanceNormalization", norms.instance_norm, facts.same),
    row("MeanVarianceNormalization", norms.mean_variance_norm, facts.same),
    row("LpNormalization", norms.lp_norm, facts.same),
    row("GlobalAveragePool", norms.GLOBAL_AVERAGE, facts.pooled),
    row("GlobalMaxPool", norms.GLOBAL_MAXIMUM, facts.pooled),
    row("GlobalLpPool", norms.global_lp_pool, facts.pooled),
    *ONNX_SCATTER_ROWS,
)
