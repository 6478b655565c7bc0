"""Operators of OpenVINO that add up products: of matrices, by Einstein's notation, convolutions."""

from __future__ import annotations

from samesum.formats.elements import FLOATS_PLUS, INDEX, INTEGERS, NUMBERS_PLUS
from samesum.specs.onnx_products import ACTIVATIONS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

# Operators of OpenVINO that go along a sequence step by step, and their single steps.

_DIRECTION = Attribute("direction", Kind.WORD, required=True, words=("forward", "reverse", "bidirectional"))
_LINEAR = Attribute("linear_before_reset", Kind.FLAG, False)
_LENGTHS = Input("sequence_lengths", INDEX, 1, 1)


def _attributes(*activations: str) -> tuple[Attribute, ...]:
    return (
        Attribute("hidden_size", Kind.INTEGER, required=True),
        Attribute("activations", Kind.WORDS, activations, words=ACTIVATIONS),
        Attribute("activations_alpha", Kind.NUMBERS, meaning="activation_alpha"),
        Attribute("activations_beta", Kind.NUMBERS, meaning="activation_beta"),
        Attribute("clip", Kind.NUMBER),
    )


def _inputs(rank: int, *names: str) -> tuple[Input, ...]:
    return tuple(Input(name, min_rank=rank, max_rank=rank) for name in names)


def _sequence(name: str, states: int, attributes: tuple[Attribute, ...]) -> Operator:
    data = _inputs(3, "X", *("initial_hidden_state", "initial_cell_state")[:states])
    inputs = (*data, _LENGTHS, *_inputs(3, "W", "R"), *_inputs(2, "B"))
    return Operator(name, (Version(5, FLOATS_PLUS, Signature(inputs, (*attributes, _DIRECTION))),))


def _cell(name: str, since: int, states: int, attributes: tuple[Attribute, ...]) -> Operator:
    data = _inputs(2, "X", *("initial_hidden_state", "initial_cell_state")[:states])
    inputs = (*data, *_inputs(2, "W", "R"), *_inputs(1, "B"))
    return Operator(name, (Version(since, FLOATS_PLUS, Signature(inputs, attributes)),))


_OF_RNN, _OF_LSTM = _attributes("tanh"), _attributes("sigmoid", "tanh", "tanh")
_OF_GRU = (*_attributes("sigmoid", "tanh"), _LINEAR)
OPENVINO_RECURRENT = (
    _sequence("RNNSequence", 1, _OF_RNN),
    _sequence("GRUSequence", 1, _OF_GRU),
    _sequence("LSTMSequence", 2, _OF_LSTM),
    _cell("RNNCell", 1, 1, _OF_RNN),
    _cell("GRUCell", 3, 1, _OF_GRU),
    _cell("LSTMCell", 4, 2, _OF_LSTM),
)


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
