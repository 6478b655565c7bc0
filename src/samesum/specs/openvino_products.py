"""Operators of OpenVINO that add up products: of matrices, by Einstein's notation, convolutions."""

from __future__ import annotations

from samesum.formats.elements import INTEGERS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_DATA, _FILTERS = Input("data", min_rank=3), Input("filters", min_rank=3)
_WINDOWS = (
    *(Attribute(name, Kind.INTEGERS, required=True) for name in ("strides", "pads_begin", "pads_end", "dilations")),
    Attribute("auto_pad", Kind.WORD, "explicit", words=("explicit", "same_upper", "same_lower", "valid", "notset")),
)
_BACKWARD = (
    (_DATA, _FILTERS, Input("output_shape", INTEGERS, 1, 1, optional=True)),
    (*_WINDOWS, Attribute("output_padding", Kind.INTEGERS)),
)


def _numeric(name: str, since: int, inputs: tuple[Input, ...], attributes: tuple[Attribute, ...]) -> Operator:
    return Operator(name, (Version(since, NUMBERS_PLUS, Signature(inputs, attributes)),))


OPENVINO_PRODUCTS = group(
    Made.PRODUCT,
    _numeric(
        "MatMul",
        1,
        (Input("A"), Input("B")),
        (Attribute("transpose_a", Kind.FLAG, False), Attribute("transpose_b", Kind.FLAG, False)),
    ),
    _numeric("Convolution", 1, (_DATA, _FILTERS), _WINDOWS),
    _numeric("GroupConvolution", 1, (_DATA, _FILTERS), _WINDOWS),
    _numeric("ConvolutionBackpropData", 1, *_BACKWARD),
    _numeric("GroupConvolutionBackpropData", 1, *_BACKWARD),
    _numeric("Einsum", 7, (Input("inputs", repeated=True),), (Attribute("equation", Kind.TEXT, required=True),)),
)
