"""OpenVINO as a standard: its operators and what holds for each of them."""

from __future__ import annotations

from samesum.algebra.rows import (
    ALL,
    ANY,
    CUMULATIVE_SUM,
    L1_NORM,
    L2_NORM,
    LOG_SOFTMAX,
    MAX,
    MEAN,
    MIN,
    PROD,
    SOFTMAX,
    SUM,
)
from samesum.formats.elements import BOOL, FLOATS_PLUS, INDEX, INTEGERS, NUMBERS_PLUS
from samesum.specs.attentions import OPENVINO_ATTENTION
from samesum.specs.onnx_products import ACTIVATIONS
from samesum.specs.openvino_around import OPENVINO_AROUND, OPENVINO_ELEMENTWISE
from samesum.specs.openvino_made import OPENVINO_NORMS, OPENVINO_POOLS, OPENVINO_SCATTERS
from samesum.specs.openvino_moving import OPENVINO_CONTROL, OPENVINO_MOVING
from samesum.specs.row import (
    Attribute,
    EmptySet,
    Input,
    Kind,
    Made,
    Operator,
    Signature,
    Standard,
    Version,
    group,
    operator,
    version,
)

# Operators of OpenVINO that add up products: of matrices, by Einstein's notation, convolutions.

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
    return operator(name, version(5, FLOATS_PLUS, inputs, *attributes, _DIRECTION))


def _cell(name: str, since: int, states: int, attributes: tuple[Attribute, ...]) -> Operator:
    data = _inputs(2, "X", *("initial_hidden_state", "initial_cell_state")[:states])
    inputs = (*data, *_inputs(2, "W", "R"), *_inputs(1, "B"))
    return operator(name, version(since, FLOATS_PLUS, inputs, *attributes))


_OF_RNN, _OF_LSTM = _attributes("tanh"), _attributes("sigmoid", "tanh", "tanh")
_OF_GRU = (*_attributes("sigmoid", "tanh"), _LINEAR)
_OPENVINO_RECURRENT = (
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
    return operator(name, version(since, NUMBERS_PLUS, inputs, *attributes))


_OPENVINO_PRODUCTS = group(
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


# Reductions, scans and normalizations of OpenVINO: a version lives in the opset that brought it and in later ones.

_KEEP_DIMS = Attribute("keep_dims", Kind.FLAG, False, meaning="keepdims")
_EXCLUSIVE = Attribute("exclusive", Kind.FLAG, False)
_REVERSE = Attribute("reverse", Kind.FLAG, False)

_AXIS_FROM_FRONT = Attribute("axis", Kind.AXIS_FROM_FRONT, 1)
_AXIS = Attribute("axis", Kind.AXIS, 1)

_REDUCE = Signature((Input("data"), Input("axes", INTEGERS, max_rank=1)), (_KEEP_DIMS,))
_SCAN = Signature((Input("data", min_rank=1), Input("axis", INDEX, max_rank=1, optional=True)), (_EXCLUSIVE, _REVERSE))
_NORMALIZE = Signature((Input("data"),), (_AXIS,))

_LOGICAL_1 = (Version(1, BOOL, _REDUCE),)
_REDUCE_1 = (Version(1, NUMBERS_PLUS, _REDUCE),)
_REDUCE_4 = (Version(4, NUMBERS_PLUS, _REDUCE),)
_SCAN_3 = (Version(3, NUMBERS_PLUS, _SCAN),)
_SOFTMAX = (version(1, FLOATS_PLUS, (Input("data"),), _AXIS_FROM_FRONT), Version(8, FLOATS_PLUS, _NORMALIZE))
_LOG_SOFTMAX_5 = (Version(5, FLOATS_PLUS, _NORMALIZE),)

_OPENVINO_FAMILY = (
    Operator("ReduceSum", _REDUCE_1, SUM),
    Operator("ReduceMean", _REDUCE_1, MEAN, EmptySet.ZERO),
    Operator("ReduceProd", _REDUCE_1, PROD),
    Operator("ReduceMax", _REDUCE_1, MAX, EmptySet.LOWEST_FINITE),
    Operator("ReduceMin", _REDUCE_1, MIN),
    Operator("ReduceLogicalAnd", _LOGICAL_1, ALL),
    Operator("ReduceLogicalOr", _LOGICAL_1, ANY),
    Operator("ReduceL1", _REDUCE_4, L1_NORM),
    Operator("ReduceL2", _REDUCE_4, L2_NORM),
    Operator("CumSum", _SCAN_3, CUMULATIVE_SUM),
    Operator("SoftMax", _SOFTMAX, SOFTMAX),
    Operator("LogSoftmax", _LOG_SOFTMAX_5, LOG_SOFTMAX),
)


OPENVINO = Standard(
    "openvino",
    newest_opset=16,
    operators=_OPENVINO_FAMILY
    + OPENVINO_AROUND
    + OPENVINO_ELEMENTWISE
    + OPENVINO_MOVING
    + OPENVINO_NORMS
    + OPENVINO_POOLS
    + OPENVINO_SCATTERS
    + OPENVINO_ATTENTION
    + _OPENVINO_RECURRENT
    + _OPENVINO_PRODUCTS
    + OPENVINO_CONTROL,
    empty_axes_reduce_all=False,
    scalars_have_an_axis=True,
    minds_case=False,
    spells_values=True,
)
