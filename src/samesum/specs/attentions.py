"""Attention of one node in all three standards: means of values by the exponentials of products of queries and keys."""

from __future__ import annotations

from samesum.formats.elements import BOOL, FLOATS_PLUS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, group, operator, version

_QUERY = Input("Q", min_rank=3, max_rank=4)
_PAST = (
    Input("past_key", min_rank=4, max_rank=4, optional=True),
    Input("past_value", FLOATS_PLUS, 4, 4, optional=True),
)
_ONNX_INPUTS = (
    _QUERY,
    Input("K", min_rank=3, max_rank=4),
    Input("V", FLOATS_PLUS, 3, 4),
    Input("attn_mask", NUMBERS_PLUS | BOOL, max_rank=4, optional=True),
    *_PAST,
)
_LENGTHS = Input("nonpad_kv_seqlen", frozenset({"int64"}), 1, 1, optional=True)
_ONNX_ATTRIBUTES = (
    Attribute("is_causal", Kind.FLAG, False),
    Attribute("kv_num_heads", Kind.INTEGER),
    Attribute("q_num_heads", Kind.INTEGER),
    Attribute("qk_matmul_output_mode", Kind.INTEGER, 0),
    Attribute("scale", Kind.NUMBER),
    Attribute("softcap", Kind.NUMBER, 0.0),
    Attribute("softmax_precision", Kind.INTEGER),
)
_WINDOWS = tuple(Attribute(f"{side}_window_size", Kind.INTEGER, -1) for side in ("left", "right"))

ONNX_ATTENTION = group(
    Made.PRODUCT,
    operator(
        "Attention",
        version(23, FLOATS_PLUS, _ONNX_INPUTS, *_ONNX_ATTRIBUTES),
        version(24, FLOATS_PLUS, (*_ONNX_INPUTS, _LENGTHS), *_ONNX_ATTRIBUTES),
        version(25, FLOATS_PLUS, (*_ONNX_INPUTS, _LENGTHS), *_ONNX_ATTRIBUTES, *_WINDOWS),
    ),
)

OPENVINO_ATTENTION = group(
    Made.PRODUCT,
    operator(
        "ScaledDotProductAttention",
        version(
            13,
            FLOATS_PLUS,
            (
                Input("query", min_rank=2),
                Input("key", min_rank=2),
                Input("value", min_rank=2),
                Input("attention_mask", FLOATS_PLUS | BOOL, optional=True),
                Input("scale", max_rank=1, optional=True),
            ),
            Attribute("causal", Kind.FLAG, False),
        ),
    ),
)

_INT32 = frozenset({"int32"})

MICROSOFT_ATTENTION = group(
    Made.PRODUCT,
    operator(
        "MultiHeadAttention",
        version(
            1,
            FLOATS_PLUS,
            (
                Input("query", min_rank=3, max_rank=5),
                Input("key", min_rank=3, max_rank=5, optional=True),
                Input("value", min_rank=3, max_rank=4, optional=True),
                Input("bias", min_rank=1, max_rank=1, optional=True),
                Input("key_padding_mask", _INT32, 1, 3, optional=True),
                Input("attention_bias", max_rank=4, optional=True),
                Input("past_key", min_rank=4, max_rank=4, optional=True),
                Input("past_value", min_rank=4, max_rank=4, optional=True),
                Input("past_sequence_length", _INT32, optional=True),
                Input("cache_indirection", _INT32, optional=True),
            ),
            Attribute("mask_filter_value", Kind.NUMBER, -10000.0),
            Attribute("num_heads", Kind.INTEGER, required=True),
            Attribute("scale", Kind.NUMBER, 0.0),
            Attribute("unidirectional", Kind.FLAG, False),
        ),
    ),
)
