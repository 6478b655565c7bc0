"""The operators of OpenVINO around the family, by the opset that brought each."""

from __future__ import annotations

import numpy as np

from samesum.engine import elementwise
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.elements import FLOATS_PLUS, NUMBERS_PLUS, SIGNED
from samesum.operators import facts, foretelling, pointwise, shaping, slicing
from samesum.operators.attributes import flag, integer, integers, ir_type, number, one_of
from samesum.operators.rows import Attribute, Cut, Row

_SIGNED = FLOATS_PLUS | SIGNED
_AUTO_BROADCAST = Attribute("auto_broadcast", one_of("numpy", "none"), "numpy")
_PYTHON_DIVISION = Attribute("m_pythondiv", flag, True)
_OUTPUT_TYPE = Attribute("output_type", ir_type, np.dtype(np.int64))
_MANY = (1, 2**31)


def _unary(name: str, function: pointwise.Unary, types: frozenset[Dtype], is_light: bool = False) -> Row:
    run = pointwise.unary(function)
    return Row("openvino", name, 1, run, facts.same, types, cut=Cut.EACH, is_light=is_light)


def _binary(name: str, function: pointwise.Binary, *attributes: Attribute, is_light: bool = False) -> Row:
    run, given = pointwise.binary(function), (_AUTO_BROADCAST, *attributes)
    return Row("openvino", name, 1, run, facts.broadcast, NUMBERS_PLUS, (2, 2), given, cut=Cut.EACH, is_light=is_light)


def _squared_difference(a: NDArray, b: NDArray) -> object:
    return np.square(np.subtract(a, b))


_ELEMENTWISE = (
    _unary("Sqrt", np.sqrt, FLOATS_PLUS),
    _unary("Exp", elementwise.exponential, FLOATS_PLUS),
    _unary("Log", elementwise.logarithm, FLOATS_PLUS),
    _unary("Abs", np.abs, NUMBERS_PLUS, is_light=True),
    _unary("Negative", np.negative, _SIGNED, is_light=True),
    _unary("ReLU", pointwise.relu, NUMBERS_PLUS),
    _binary("Add", np.add, is_light=True),
    _binary("Subtract", np.subtract, is_light=True),
    _binary("Multiply", np.multiply, is_light=True),
    _binary("Divide", pointwise.divide, _PYTHON_DIVISION),
    _binary("Power", pointwise.power),
    _binary("Maximum", np.maximum),
    _binary("Minimum", np.minimum),
    _binary("SquaredDifference", _squared_difference),
    Row(
        "openvino",
        "Clamp",
        1,
        pointwise.clip_attributes,
        facts.same,
        NUMBERS_PLUS,
        attributes=(Attribute("min", number, required=True), Attribute("max", number, required=True)),
        cut=Cut.FIRST,
    ),
    Row(
        "openvino",
        "Convert",
        1,
        pointwise.convert_ir,
        foretelling.to_attribute("destination_type"),
        None,
        attributes=(Attribute("destination_type", ir_type, required=True),),
        cut=Cut.EACH,
    ),
    Row("openvino", "ConvertLike", 1, pointwise.cast_like, foretelling.cast_like, None, (2, 2), same=0, cut=Cut.FIRST),
    Row("openvino", "Identity", 16, pointwise.identity, facts.same, None, cut=Cut.EACH, is_light=True),
)


def _shaping(
    name: str,
    since: int,
    run: pointwise.Run,
    infer: foretelling.Infer,
    arity: tuple[int, int],
    *attributes: Attribute,
) -> Row:
    return Row("openvino", name, since, run, infer, None, arity, attributes, same=1)


def _viewing(name: str, since: int, run: pointwise.Run, arity: tuple[int, int], *attributes: Attribute) -> Row:
    return _shaping(name, since, run, foretelling.tried(run), arity, *attributes)


_RESHAPE = foretelling.reshape(shaping.reshape)
_SHAPING = (
    _shaping("Reshape", 1, shaping.reshape, _RESHAPE, (2, 2), Attribute("special_zero", flag, required=True)),
    _viewing("Squeeze", 1, shaping.squeeze_ir, (1, 2)),
    _viewing("Squeeze", 15, shaping.squeeze_ir, (1, 2), Attribute("allow_axis_skip", flag, False)),
    _viewing("Unsqueeze", 1, shaping.unsqueeze, (2, 2)),
    _viewing("Transpose", 1, shaping.transpose_ir, (2, 2)),
    _viewing("Broadcast", 1, shaping.broadcast_ir, (2, 3), Attribute("mode", one_of("numpy", "explicit"), "numpy")),
    _viewing(
        "Broadcast",
        3,
        shaping.broadcast_ir,
        (2, 3),
        Attribute("mode", one_of("numpy", "explicit", "bidirectional"), "numpy"),
    ),
    _shaping("ShapeOf", 1, shaping.shape_of_ir, foretelling.shape_of, (1, 1)),
    _shaping("ShapeOf", 3, shaping.shape_of_ir, foretelling.shape_of, (1, 1), _OUTPUT_TYPE),
    Row("openvino", "Range", 1, shaping.arange, foretelling.arange, NUMBERS_PLUS, (3, 3)),
    _shaping("Range", 4, shaping.arange, foretelling.arange, (3, 3), Attribute("output_type", ir_type, required=True)),
    Row(
        "openvino",
        "Concat",
        1,
        shaping.concat,
        foretelling.concat,
        None,
        _MANY,
        (Attribute("axis", integer, required=True),),
    ),
    _viewing("Slice", 8, slicing.slice_ir, (4, 5)),
    _viewing(
        "StridedSlice",
        1,
        slicing.strided_slice,
        (3, 4),
        *(Attribute(name, integers, ()) for name in slicing.MASKS),
    ),
    _shaping("Gather", 1, slicing.gather_ir, foretelling.gather, (3, 3)),
    _shaping("Gather", 7, slicing.gather_ir, foretelling.gather, (3, 3), Attribute("batch_dims", integer, 0)),
)

OPENVINO_ROWS = _ELEMENTWISE + _SHAPING
