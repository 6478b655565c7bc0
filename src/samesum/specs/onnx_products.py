"""Operators of ONNX (domain ai.onnx) that add up products: of matrices, by Einstein's notation, convolutions."""

from __future__ import annotations

from samesum.formats.elements import BFLOAT16S, FLOATS, FLOATS_PLUS, NUMBERS, NUMBERS_PLUS, WIDE
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_H = FLOATS | WIDE
_H_BF = _H | BFLOAT16S
_BYTES = frozenset({"int8", "uint8"})
_SINGLE = frozenset({"float32"})
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
    (_X, _W, _BIAS),
    (*WINDOWS, Attribute("output_padding", Kind.INTEGERS), Attribute("output_shape", Kind.INTEGERS)),
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
    Operator(
        "MatMul",
        tuple(Version(since, types, Signature((_A, _B))) for since, types in ((1, FLOATS), (9, _H), (13, _H_BF))),
    ),
    Operator(
        "Gemm",
        (
            Version(1, FLOATS, _GEMM_BROADCAST),
            Version(6, FLOATS, _GEMM_BROADCAST),
            Version(7, FLOATS, _GEMM_THREE),
            Version(9, _H, _GEMM_THREE),
            Version(11, _H, _GEMM_TWO),
            Version(13, _H_BF, _GEMM_TWO),
        ),
    ),
    Operator("Einsum", (Version(12, NUMBERS, _EQUATION), Version(28, NUMBERS_PLUS, _EQUATION))),
    Operator("Conv", tuple(Version(since, types, _CONV) for since, types in _FLOAT_WINDOWS)),
    Operator("ConvTranspose", tuple(Version(since, types, _CONV_TRANSPOSE) for since, types in _FLOAT_WINDOWS)),
    Operator(
        "MatMulInteger",
        (
            Version(
                10, _BYTES, Signature((_A, Input("B", _BYTES), _zero("a_zero_point"), _zero("b_zero_point", _BYTES)))
            ),
        ),
        result="int32",
    ),
    Operator(
        "ConvInteger",
        (
            Version(
                10,
                _BYTES,
                Signature(
                    (
                        Input("x", min_rank=3),
                        Input("w", _BYTES, min_rank=3),
                        _zero("x_zero_point"),
                        _zero("w_zero_point", _BYTES),
                    ),
                    WINDOWS,
                ),
            ),
        ),
        result="int32",
    ),
    Operator(
        "QLinearMatMul",
        (Version(10, _BYTES, _quantized_matrices(_SINGLE)), Version(21, _BYTES, _quantized_matrices(_SCALES))),
    ),
    Operator("QLinearConv", (Version(10, _BYTES, _QUANTIZED_CONV),)),
)
