"""ONNX Runtime's MultiHeadAttention: every form of it is one of plain queries, keys, values and a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_data import (
    BIAS,
    COLUMN,
    MASK,
    REPEATED,
    ROW,
    ROWS_K,
    ROWS_Q,
    ROWS_V,
    SEEN,
    THERE,
    B,
    D,
    H,
    L,
    Q,
    flat,
    microsoft,
    plain,
)

from naming import looped
from oracle import assert_bits
from samesum.engine.attention import attention

ADDED = np.where(THERE, 0.0, -10000.0)[:, None, None]


@looped(
    "name, inputs, attributes, expected",
    [
        ("plain", {}, {}, lambda: plain()),
        ("a scale", {}, {"scale": 0.25}, lambda: plain(scale=0.25)),
        ("padding", {"key_padding_mask": THERE}, {}, lambda: plain(ADDED)),
        ("lengths", {"key_padding_mask": np.int32([6, 2])}, {},
         lambda: plain(np.where(np.array([6, 2])[:, None] > COLUMN, 0.0, -10000.0)[:, None, None])),
        ("padding of each query", {"key_padding_mask": np.int32(SEEN[:, 0])}, {"mask_filter_value": -50.0},
         lambda: plain(np.where(SEEN[:, :1], 0.0, -50.0))),
        ("a bias", {"attention_bias": MASK[:1]}, {}, lambda: plain(MASK[:1])),
        ("a bias and padding", {"attention_bias": MASK, "key_padding_mask": THERE}, {},
         lambda: plain(ADDED + MASK.astype(np.float64))),
        ("unidirectional", {}, {"unidirectional": 1}, lambda: plain(COLUMN <= ROW)),
        ("heads of keys", {"key": REPEATED[0], "value": REPEATED[1]}, {}, lambda: plain()),
        ("packed", {"key": np.stack([REPEATED[0].transpose(0, 2, 1, 3)] * 2, 3), "value": None}, {},
         lambda: attention(Q, REPEATED[0], REPEATED[0])[0]),
    ],
)  # fmt: skip
def test_onnx_runtime_s(name: str, inputs: dict[str, Any], attributes: dict[str, Any], expected: Any) -> None:
    given = {"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V} | inputs
    assert_bits(microsoft(given, num_heads=H, **attributes)[0], flat(expected()), name)


def test_onnx_runtime_s_projections_are_added_first() -> None:
    given = {"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V, "bias": BIAS}
    parts = np.split(BIAS, [H * D, 2 * H * D])
    added = {name: given[name] + part for name, part in zip(("query", "key", "value"), parts, strict=True)}
    assert_bits(microsoft(given, num_heads=H)[0], microsoft(added, num_heads=H)[0], "rank 3")
    queries = np.stack([ROWS_Q.reshape(B, L, H, D)] * 3, 3)
    alone = dict.fromkeys(("query", "key", "value"), ROWS_Q)
    assert_bits(microsoft({"query": queries}, num_heads=H)[0], microsoft(alone, num_heads=H)[0], "packed")
    past = {"key": ROWS_K[:, 4:], "value": ROWS_V[:, 4:], "past_key": REPEATED[0][:, :, :4]}
    past["past_value"] = REPEATED[1][:, :, :4]
    y, keys, values = microsoft({"query": ROWS_Q} | past, 3, num_heads=H, unidirectional=1)
    assert_bits(y, flat(plain(COLUMN <= ROW + 4)), "past")
    assert_bits(keys, REPEATED[0], "present_key")
    assert_bits(values, REPEATED[1], "present_value")


ENGINE_S: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "plain": ({}, {}, 1),
    "projections": ({"bias": BIAS}, {"scale": 0.3}, 1),
    "padding": ({"key_padding_mask": THERE}, {}, 1),
    "lengths": ({"key_padding_mask": np.int32([6, 2])}, {}, 1),
    "padding of each query": ({"key_padding_mask": np.int32(SEEN[:, 0])}, {}, 1),
    "a bias for all": ({"attention_bias": MASK[:1, :1], "key_padding_mask": THERE}, {}, 1),
    "a bias": ({"attention_bias": MASK, "bias": BIAS}, {}, 1),
    "unidirectional": ({"key": ROWS_K[:, :L], "value": ROWS_V[:, :L]}, {"unidirectional": 1}, 1),
    "heads of keys": ({"key": REPEATED[0], "value": REPEATED[0]}, {}, 1),
    "past": ({"value": ROWS_K, "past_key": REPEATED[0], "past_value": REPEATED[0]}, {}, 3),
}


@pytest.mark.parametrize("name", ENGINE_S)
def test_onnx_runtime_means_the_same(name: str) -> None:
    engine, helper = pytest.importorskip("onnxruntime"), pytest.importorskip("onnx.helper")
    inputs, attributes, count = ENGINE_S[name]
    given = {"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V} | inputs
    names = ("query", "key", "value", "bias", "key_padding_mask", "attention_bias", "past_key", "past_value")
    outputs = ["output", "present_key", "present_value"][:count]
    node = helper.make_node(
        "MultiHeadAttention",
        [each if each in given else "" for each in names],
        outputs,
        domain="com.microsoft",
        num_heads=H,
        **attributes,
    )
    ends = [
        helper.make_tensor_value_info(each, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for each, x in given.items()
    ]
    graph = helper.make_graph([node], "g", ends, [helper.make_tensor_value_info(each, 1, None) for each in outputs])
    domains = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=10)
    session = engine.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for own, other in zip(microsoft(given, count, num_heads=H, **attributes), session.run(None, given), strict=True):
        np.testing.assert_allclose(own, other, rtol=2e-5, atol=2e-6)
