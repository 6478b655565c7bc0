"""Operators of ONNX (domain ai.onnx) that add up products: of matrices, by Einstein's notation, convolutions."""

from __future__ import annotations

from samesum.formats.elements import BFLOAT16S, FLOAT8, FLOATS, FLOATS_PLUS, NUMBERS, NUMBERS_PLUS, SHORT, WIDE
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group, operator, version

# Operators of ONNX (domain ai.onnx) between numbers and their quantized form, other than products.

_Types = frozenset[str]

_SINGLE = frozenset({"float32"})
_INT32 = frozenset({"int32"})
_BYTES = frozenset({"int8", "uint8"})
_NOT_DOUBLE = FLOATS_PLUS - {"float64"}
_BYTE_FLOATS = FLOAT8 - {"float8_e8m0fnu"}
_SCALE_TYPES = _NOT_DOUBLE | {"float8_e8m0fnu"}
_OF_19 = _BYTES | _BYTE_FLOATS
_OF_21 = _OF_19 | {"int16", "uint16", "int4", "uint4"}
_OF_23 = _OF_21 | {"float4_e2m1fn"}
_OF_25 = _OF_21 | SHORT

_AXIS = Attribute("axis", Kind.AXIS, 1)
_BLOCK = Attribute("block_size", Kind.INTEGER, 0)
_SATURATE = Attribute("saturate", Kind.FLAG, True)
_OUTPUT = Attribute("output_dtype", Kind.INTEGER, 0)
_PRECISION = Attribute("precision", Kind.INTEGER, 0)
"""It does not matter: the real quotient is rounded."""


def _to(scales: _Types | None, results: _Types, *attributes: Attribute) -> Signature:
    return Signature((Input("x"), Input("y_scale", scales), Input("y_zero_point", results, optional=True)), attributes)


def _from(scales: _Types, *attributes: Attribute) -> Signature:
    return Signature((Input("x"), Input("x_scale", scales), Input("x_zero_point", optional=True)), attributes)


_MORE = (_OUTPUT, _BLOCK, _SATURATE, _AXIS)
ONNX_QUANTIZED = (
    operator(
        "QuantizeLinear",
        Version(10, _SINGLE | _INT32, _to(_SINGLE, _BYTES)),
        Version(13, _SINGLE | _INT32, _to(_SINGLE, _BYTES, _AXIS)),
        Version(19, _NOT_DOUBLE | _INT32, _to(None, _OF_19, _SATURATE, _AXIS)),
        Version(21, _NOT_DOUBLE | _INT32, _to(None, _OF_21, *_MORE)),
        Version(23, _NOT_DOUBLE | _INT32, _to(_NOT_DOUBLE | _INT32, _OF_23, _PRECISION, *_MORE)),
        Version(24, _NOT_DOUBLE | _INT32, _to(_SCALE_TYPES | _INT32, _OF_23, _PRECISION, *_MORE)),
        Version(25, _NOT_DOUBLE | _INT32, _to(_SCALE_TYPES | _INT32, _OF_25, _PRECISION, *_MORE)),
    ),
    operator(
        "DequantizeLinear",
        Version(10, _BYTES | _INT32, _from(_SINGLE)),
        Version(13, _BYTES | _INT32, _from(_SINGLE, _AXIS)),
        Version(19, _OF_19 | _INT32, _from(_NOT_DOUBLE, _AXIS)),
        Version(21, _OF_21 | _INT32, _from(_NOT_DOUBLE, _BLOCK, _AXIS)),
        Version(23, _OF_23 | _INT32, _from(_NOT_DOUBLE, _OUTPUT, _BLOCK, _AXIS)),
        Version(24, _OF_23 | _INT32, _from(_SCALE_TYPES, _OUTPUT, _BLOCK, _AXIS)),
        Version(25, _OF_25 | _INT32, _from(_SCALE_TYPES, _OUTPUT, _BLOCK, _AXIS)),
    ),
    operator("DynamicQuantizeLinear", version(11, _SINGLE, (Input("x"),))),
)


# Operators of ONNX (domain ai.onnx) that go along a sequence step by step: RNN, GRU, LSTM.

ACTIVATIONS = (
    "relu", "tanh", "sigmoid", "affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu", "softsign",
    "softplus",
)  # fmt: skip
"""The functions of gates and states, in lower case."""

_DIRECTION = Attribute("direction", Kind.WORD, "forward", words=("forward", "reverse", "bidirectional"))
_ALPHA, _BETA = Attribute("activation_alpha", Kind.NUMBERS), Attribute("activation_beta", Kind.NUMBERS)
_CLIP, _SIZE = Attribute("clip", Kind.NUMBER), Attribute("hidden_size", Kind.INTEGER)
_LAYOUT = Attribute("layout", Kind.FLAG, False)
_SEQUENCE = Attribute("output_sequence", Kind.FLAG, False)
_LINEAR = Attribute("linear_before_reset", Kind.FLAG, False)
_FORGET = Attribute("input_forget", Kind.FLAG, False)
_OF_X, _OF_W, _OF_R = (Input(name, min_rank=3, max_rank=3) for name in "XWR")
_LENGTHS = Input("sequence_lens", _INT32, 1, 1, optional=True)


def _optional(name: str, rank: int) -> Input:
    return Input(name, min_rank=rank, max_rank=rank, optional=True)


_STATE = (_OF_X, _OF_W, _OF_R, _optional("B", 2), _LENGTHS, _optional("initial_h", 3))
_STATES = (*_STATE, _optional("initial_c", 3), _optional("P", 2))


def _recurrent(
    name: str, inputs: tuple[Input, ...], activations: object = None, *own: Attribute, since: int = 1
) -> Operator:
    """An operator whose attributes `own` came with the version `since`."""
    listed = Attribute("activations", Kind.WORDS, activations, words=ACTIVATIONS)
    first = (_DIRECTION, _CLIP, _BETA, _ALPHA, _SIZE, listed)
    versions = [version(1, FLOATS, inputs, *first, *(own if since == 1 else ()), _SEQUENCE)]
    if since > 1:
        versions.append(version(since, FLOATS, inputs, *first, *own, _SEQUENCE))
    versions += [
        version(7, FLOATS, inputs, *first, *own),
        version(14, FLOATS, inputs, *first, *own, _LAYOUT),
        version(22, FLOATS_PLUS, inputs, *first, *own, _LAYOUT),
    ]
    return Operator(name, tuple(versions))


ONNX_RECURRENT = (
    _recurrent("RNN", _STATE, ("Tanh", "Tanh")),
    _recurrent("GRU", _STATE, None, _LINEAR, since=3),
    _recurrent("LSTM", _STATES, None, _FORGET),
)


_H = FLOATS | WIDE
_H_BF = _H | BFLOAT16S
_SCALES = _SINGLE | {"float16", "bfloat16"}

_A, _B, _X, _W = Input("A"), Input("B"), Input("X", min_rank=3), Input("W", min_rank=3)
_BIAS = Input("B", min_rank=1, max_rank=1, optional=True)
_C = Input("C", max_rank=2)
_MATRICES = (Input("A", min_rank=2, max_rank=2), Input("B", min_rank=2, max_rank=2))
_GEMM = (
    Attribute("alpha", Kind.NUMBER, 1.0),
    Attribute("beta", Kind.NUMBER, 1.0),
    Attribute("transA", Kind.FLAG, False, meaning="transpose_a"),
    Attribute("transB", Kind.FLAG, False, meaning="transpose_b"),
)
_GEMM_BROADCAST = Signature((*_MATRICES, _C), (*_GEMM, Attribute("broadcast", Kind.FLAG, False)))
_GEMM_THREE = Signature((*_MATRICES, _C), _GEMM)
_GEMM_TWO = Signature((*_MATRICES, Input("C", max_rank=2, optional=True)), _GEMM)

WINDOWS = (
    Attribute("auto_pad", Kind.WORD, "NOTSET", words=("notset", "same_upper", "same_lower", "valid")),
    Attribute("dilations", Kind.INTEGERS),
    Attribute("group", Kind.INTEGER, 1),
    Attribute("kernel_shape", Kind.INTEGERS),
    Attribute("pads", Kind.INTEGERS),
    Attribute("strides", Kind.INTEGERS),
)
"""What every convolution says of its windows."""
_CONV = Signature((_X, _W, _BIAS), WINDOWS)
_CONV_TRANSPOSE = Signature(
    (_X, _W, _BIAS), (*WINDOWS, Attribute("output_padding", Kind.INTEGERS), Attribute("output_shape", Kind.INTEGERS))
)


def _zero(name: str, types: frozenset[str] | None = None, *, optional: bool = True) -> Input:
    return Input(name, types, optional=optional)


def _quantized_matrices(scales: frozenset[str]) -> Signature:
    return Signature((
        _zero("a", optional=False), Input("a_scale", scales), _zero("a_zero_point", optional=False),
        Input("b", _BYTES), Input("b_scale", scales), Input("b_zero_point", _BYTES),
        Input("y_scale", scales), Input("y_zero_point", _BYTES),
    ))  # fmt: skip


_QUANTIZED_CONV = Signature(
    (
        Input("x", min_rank=3), Input("x_scale", _SINGLE), Input("x_zero_point"),
        Input("w", _BYTES, min_rank=3), Input("w_scale", _SINGLE), Input("w_zero_point", _BYTES),
        Input("y_scale", _SINGLE), Input("y_zero_point", _BYTES),
        Input("B", frozenset({"int32"}), 1, 1, optional=True),
    ),
    WINDOWS,
)  # fmt: skip

_FLOAT_WINDOWS = ((1, FLOATS), (11, FLOATS), (22, FLOATS_PLUS))
_EQUATION = Signature((Input("Inputs", repeated=True),), (Attribute("equation", Kind.TEXT, required=True),))

ONNX_PRODUCTS = group(
    Made.PRODUCT,
    Operator("MatMul", tuple(version(since, types, (_A, _B)) for since, types in ((1, FLOATS), (9, _H), (13, _H_BF)))),
    operator(
        "Gemm",
        Version(1, FLOATS, _GEMM_BROADCAST),
        Version(6, FLOATS, _GEMM_BROADCAST),
        Version(7, FLOATS, _GEMM_THREE),
        Version(9, _H, _GEMM_THREE),
        Version(11, _H, _GEMM_TWO),
        Version(13, _H_BF, _GEMM_TWO),
    ),
    operator("Einsum", Version(12, NUMBERS, _EQUATION), Version(28, NUMBERS_PLUS, _EQUATION)),
    Operator("Conv", tuple(Version(since, types, _CONV) for since, types in _FLOAT_WINDOWS)),
    Operator("ConvTranspose", tuple(Version(since, types, _CONV_TRANSPOSE) for since, types in _FLOAT_WINDOWS)),
    operator(
        "MatMulInteger",
        version(10, _BYTES, (_A, Input("B", _BYTES), _zero("a_zero_point"), _zero("b_zero_point", _BYTES))),
        result="int32",
    ),
    operator(
        "ConvInteger",
        version(
            10,
            _BYTES,
            (
                Input("x", min_rank=3),
                Input("w", _BYTES, min_rank=3),
                _zero("x_zero_point"),
                _zero("w_zero_point", _BYTES),
            ),
            *WINDOWS,
        ),
        result="int32",
    ),
    operator(
        "QLinearMatMul",
        Version(10, _BYTES, _quantized_matrices(_SINGLE)),
        Version(21, _BYTES, _quantized_matrices(_SCALES)),
    ),
    operator("QLinearConv", Version(10, _BYTES, _QUANTIZED_CONV)),
)
