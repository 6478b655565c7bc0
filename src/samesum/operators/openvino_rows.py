"""How the operators of OpenVINO around the family run. A row holds up to the next one of its operator."""

from __future__ import annotations

import numpy as np

from samesum.engine import elementwise
from samesum.formats.arrays import NDArray
from samesum.operators import facts, foretelling, norms, pointwise, shaping, slicing
from samesum.operators.rows import Cut, Row, Run, row
from samesum.operators.scatter_rows import OPENVINO_SCATTER_ROWS


def _unary(name: str, function: pointwise.Unary, is_light: bool = False) -> Row:
    return row(name, pointwise.unary(function), facts.same, cut=Cut.EACH, is_light=is_light)


def _binary(name: str, function: pointwise.Binary, is_light: bool = False) -> Row:
    return row(name, pointwise.binary(function), facts.broadcast, cut=Cut.EACH, is_light=is_light)


def _viewing(name: str, run: Run) -> Row:
    return row(name, run, foretelling.tried(run))


def _squared_difference(a: NDArray, b: NDArray) -> object:
    return np.square(np.subtract(a, b))


OPENVINO_ROWS = (
    _unary("Sqrt", np.sqrt),
    _unary("Exp", elementwise.exponential),
    _unary("Log", elementwise.logarithm),
    _unary("Abs", np.abs, is_light=True),
    _unary("Negative", np.negative, is_light=True),
    _unary("ReLU", pointwise.relu),
    _binary("Add", np.add, is_light=True),
    _binary("Subtract", np.subtract, is_light=True),
    _binary("Multiply", np.multiply, is_light=True),
    _binary("Divide", pointwise.divide),
    _binary("Power", pointwise.power),
    _binary("Maximum", np.maximum),
    _binary("Minimum", np.minimum),
    _binary("SquaredDifference", _squared_difference),
    row("Clamp", pointwise.clip_attributes, facts.same, cut=Cut.FIRST),
    row("Identity", pointwise.identity, facts.same, cut=Cut.EACH, is_light=True),
    row("Convert", pointwise.convert_ir, foretelling.to_attribute("destination_type"), cut=Cut.EACH),
    row("ConvertLike", pointwise.cast_like, foretelling.cast_like, cut=Cut.FIRST),
    row("Reshape", shaping.reshape, foretelling.reshape(shaping.reshape)),
    _viewing("Squeeze", shaping.squeeze_ir),
    _viewing("Unsqueeze", shaping.unsqueeze),
    _viewing("Transpose", shaping.transpose_ir),
    _viewing("Broadcast", shaping.broadcast_ir),
    row("ShapeOf", shaping.shape_of_ir, foretelling.shape_of),
    row("Range", shaping.arange, foretelling.arange),
    row("Concat", shaping.concat, foretelling.concat),
    _viewing("Slice", slicing.slice_ir),
    _viewing("StridedSlice", slicing.strided_slice),
    row("Gather", slicing.gather_ir, foretelling.gather),
    row("MVN", norms.mvn_across, facts.same, 2),
    row("MVN", norms.mvn_axes, facts.same, 6),
    row("NormalizeL2", norms.normalize_l2, facts.same),
    row("GroupNormalization", norms.group_norm("channel"), facts.same, 12),
    *OPENVINO_SCATTER_ROWS,
)
