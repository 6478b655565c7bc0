"""Attention as the standards have it: every form of it is one of plain queries, keys, values and a mask."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from naming import case, looped
from oracle import assert_bits
from samesum.engine.attention import Shown, attention
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import ROWS, apply, apply_all
from samesum.operators.rows import Fact
from samesum.specs.lookup import operation_of

FLOAT32 = np.dtype(np.float32)


def drawn(*shape: int, seed: int = 1, dtype: Any = FLOAT32) -> NDArray:
    return cases.make("normal", np.dtype(dtype), int(np.prod(shape)), seed).reshape(shape)


B, H, G, L, S, D, E = 2, 4, 2, 3, 6, 4, 5
Q, K, V = drawn(B, H, L, D, seed=1), drawn(B, G, S, D, seed=2), drawn(B, G, S, E, seed=3)
REPEATED = np.repeat(K, H // G, 1), np.repeat(V, H // G, 1)


def plain(mask: NDArray | None = None, **given: Any) -> NDArray:
    """All heads have keys of their own, and a mask says what each query sees."""
    return attention(Q, *REPEATED, None if mask is None else np.broadcast_to(mask, (B, H, L, S)), **given)[0]


def flat(x: NDArray) -> NDArray:
    return np.ascontiguousarray(x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1))


ROW, COLUMN = np.arange(L)[:, None], np.arange(S)
MASK = drawn(B, H, L, S, seed=4)
SEEN = MASK > -0.5
LENGTHS = np.array([5, 2])


def lower(x: NDArray) -> NDArray:
    return np.tril(np.ones(x.shape[-2:], bool))


@looped(
    "name, attributes, inputs, mask",
    [
        ("heads", {}, (), None),
        ("booleans", {}, (SEEN,), SEEN),
        ("floats", {}, (MASK,), MASK),
        ("one mask for all heads", {}, (MASK[:, :1],), MASK[:, :1]),
        ("one mask for all", {}, (MASK[0, 0],), MASK[0, 0]),
        ("a mask of integers", {}, ((4 * MASK[0, 0]).astype(np.int8),), (4 * MASK[0, 0]).astype(np.int8).astype("f")),
        ("a mask for fewer keys", {}, (MASK[..., :4],), np.where(COLUMN < 4, MASK, -np.inf)),
        ("causal", {"is_causal": 1}, (), COLUMN <= ROW),
        ("causal with a mask", {"is_causal": 1}, (MASK,), np.where(COLUMN <= ROW, MASK, -np.inf)),
        ("lengths", {}, (None, None, None, LENGTHS), LENGTHS[:, None, None, None] > COLUMN),
        (
            "causal with lengths",
            {"is_causal": 1},
            (None, None, None, LENGTHS),
            (ROW + (LENGTHS - L)[:, None, None, None] >= COLUMN) & (LENGTHS[:, None, None, None] > COLUMN),
        ),
        ("a window", {"left_window_size": 1}, (), COLUMN >= ROW - 1),
        ("two windows", {"left_window_size": 1, "right_window_size": 2}, (SEEN,),
         SEEN & (COLUMN >= ROW - 1) & (COLUMN <= ROW + 2)),
        ("a window and floats", {"right_window_size": 0}, (MASK,), np.where(COLUMN <= ROW, MASK, -np.inf)),
    ],
)  # fmt: skip
def test_every_input_of_onnx_is_a_mask(
    name: str, attributes: dict[str, int], inputs: tuple[Any, ...], mask: NDArray | None
) -> None:
    expected = plain(mask)
    assert_bits(ss.onnx.Attention(Q, K, V, *inputs, **attributes), expected, name)  # type: ignore[arg-type]
    found = ss.onnx.Attention(flat(Q), flat(K), flat(V), *inputs, q_num_heads=H, kv_num_heads=G, **attributes)  # type: ignore[arg-type]
    assert_bits(found, flat(expected), f"{name}, rank 3")


def test_a_mask_with_a_last_axis_of_one_broadcasts_in_23_and_is_one_for_the_first_key_since() -> None:
    """A mask for fewer keys leaves out the others since 24, by text, function body and reference of the standard."""
    reference, helper = pytest.importorskip("onnx.reference"), pytest.importorskip("onnx.helper")
    for mask, opset in product((MASK[0, 0, :, :1], SEEN[0, 0, :1, :1] | True, MASK[..., :4]), (23, 24, 25)):
        if opset == 23:
            if mask.shape[-1] == 1:
                assert_bits(ss.onnx.Attention(Q, K, V, mask, opset=23), plain(mask), "broadcast")
            else:
                with pytest.raises(ss.ShapeError, match="does not broadcast to"):
                    ss.onnx.Attention(Q, K, V, mask, opset=23)
            continue
        node = helper.make_node("Attention", list("qkvm"), ["y"])
        ends = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for name, x in zip("qkvm", (Q, K, V, mask), strict=True)
        ]
        graph = helper.make_graph([node], "g", ends, [helper.make_tensor_value_info("y", 1, None)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        (theirs,) = reference.ReferenceEvaluator(model).run(None, dict(zip("qkvm", (Q, K, V, mask), strict=True)))
        np.testing.assert_allclose(ss.onnx.Attention(Q, K, V, mask, opset=opset), theirs, rtol=1e-5, atol=1e-6)


def test_past_keys_come_first() -> None:
    for causal in (0, 1):
        mask = COLUMN <= ROW + 2 if causal else None
        outputs = ss.onnx.Attention(
            Q, K[:, :, 2:], V[:, :, 2:], None, K[:, :, :2], V[:, :, :2], is_causal=causal, outputs=4
        )
        assert_bits(outputs[0], plain(mask), f"causal {causal}")
        assert_bits(outputs[1], K, "present_key")
        assert_bits(outputs[2], V, "present_value")
        assert_bits(outputs[3], attention(Q, *REPEATED, shown=Shown.SCALED)[1], "products")
        window = ss.onnx.Attention(
            Q, K[:, :, 2:], V[:, :, 2:], None, K[:, :, :2], V[:, :, :2], is_causal=causal, left_window_size=1
        )
        seen = COLUMN >= ROW + 1
        assert_bits(window, plain(seen & (COLUMN <= ROW + 2) if causal else seen), f"a window, causal {causal}")


@looped("mode", range(4))
@looped("cap", [0.0, 1.5])
def test_each_mode_is_its_own_formula(mode: int, cap: float) -> None:
    for precision in (None, 1, 10, 11, 16):
        given = {} if precision is None else {"softmax_precision": precision}
        found = ss.onnx.Attention(Q, K, V, MASK, qk_matmul_output_mode=mode, softcap=cap, scale=0.3, outputs=4, **given)
        expected = attention(Q, *REPEATED, MASK, None, float(np.float32(0.3)), cap, Shown(mode))
        assert_bits(found[0], expected[0], "result")
        assert_bits(found[3], expected[1], "products")


def test_a_query_that_sees_nothing_has_zeros() -> None:
    mask = SEEN.copy()
    mask[1, 2, 0] = False
    y, _, _, shares = ss.onnx.Attention(Q, K, V, mask, qk_matmul_output_mode=3, outputs=4)
    assert_bits(y[1, 2, 0], np.zeros(E, FLOAT32))
    assert_bits(shares[1, 2, 0], np.zeros(S, FLOAT32))
    assert np.all(y[1, 2, 1:] != 0)


def test_openvino() -> None:
    q, k, v = Q, *REPEATED
    both = ss.openvino.ScaledDotProductAttention
    assert_bits(both(q, k, v), plain(), "plain")
    assert_bits(both(q, k, v, MASK), plain(MASK), "floats")
    assert_bits(both(q, k, v, SEEN[0, 0]), plain(SEEN[0, 0]), "booleans")
    assert_bits(both(q, k, v, np.float32(0), np.float32([0.3])), plain(scale=float(np.float32(0.3))), "a scale")
    deep = MASK[0].reshape((1,) * 30 + MASK[0].shape)
    assert_bits(both(q, k, v, deep), plain(MASK[0]).reshape((1,) * 29 + Q.shape[:-1] + (E,)), "a mask of 33 axes")
    assert_bits(both(q, k, v, MASK, causal=True), plain(COLUMN <= ROW), "causal: no mask")
    assert_bits(both(q, k[:1], v[:1], MASK[0]), attention(q, k[:1], v[:1], MASK[0])[0], "batches that broadcast")


def test_functions_of_arrays_have_pytorch_s_meaning() -> None:
    torch = pytest.importorskip("torch")
    q, k, v = Q, *REPEATED
    for given in ({}, {"attn_mask": MASK}, {"attn_mask": SEEN}, {"is_causal": True}, {"scale": 0.3}):
        with case(*given):
            tensors = {name: torch.from_numpy(x) if isinstance(x, np.ndarray) else x for name, x in given.items()}
            expected = torch.nn.functional.scaled_dot_product_attention(
                *(torch.from_numpy(x) for x in (q, k, v)), **tensors
            )
            found = ss.scaled_dot_product_attention(q, k, v, **given)
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)
    assert_bits(ss.scaled_dot_product_attention(q, k, v, is_causal=True), plain(lower(MASK)), "causal")
    assert_bits(ss.scaled_dot_product_attention(torch.from_numpy(q), k, v), plain(), "a tensor")


def microsoft(inputs: dict[str, NDArray], count: int = 1, **attributes: Any) -> tuple[NDArray, ...]:
    names = ("query", "key", "value", "bias", "key_padding_mask", "attention_bias", "past_key", "past_value")
    return apply_all(
        operation_of("com.microsoft", "MultiHeadAttention", 1, **attributes),
        count,
        [inputs.get(name) for name in names],
    )


ROWS_Q, ROWS_K, ROWS_V = flat(Q), flat(REPEATED[0]), flat(REPEATED[1])
BIAS = drawn(2 * H * D + H * E, seed=6)
THERE = np.int32([[1, 1, 1, 0, 1, 1], [1, 1, 0, 0, 0, 0]])
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


ALL_ROWS = {"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V}
PACKED = np.stack([ROWS_Q.reshape(B, L, H, D)] * 3, 3)
REFUSED: dict[str, Any] = {
    "no heads": lambda: ss.onnx.Attention(flat(Q), flat(K), flat(V)),
    "uneven heads": lambda: ss.onnx.Attention(flat(Q), flat(K), flat(V), q_num_heads=3, kv_num_heads=2),
    "groups that do not divide": lambda: ss.onnx.Attention(Q[:, :3], K, V),
    "two ranks": lambda: ss.onnx.Attention(Q, flat(K), V),
    "another head size": lambda: ss.onnx.Attention(Q[..., :3], K, V),
    "fewer values": lambda: ss.onnx.Attention(Q, K, V[:, :, 1:]),
    "a mask of another shape": lambda: ss.onnx.Attention(Q, K, V, MASK[:, :3]),
    "a mask of another shape beside a window": lambda: ss.onnx.Attention(Q, K, V, MASK[:, :3], left_window_size=1),
    "half a past": lambda: ss.onnx.Attention(Q, K, V, None, K),
    "a past of other heads": lambda: ss.onnx.Attention(Q, K, V, None, K[:, :1], V[:, :1]),
    "past and lengths": lambda: ss.onnx.Attention(Q, K, V, None, K, V, LENGTHS),
    "lengths of another batch": lambda: ss.onnx.Attention(Q, K, V, None, None, None, LENGTHS[:1]),
    "lengths in 23": lambda: ss.onnx.Attention(Q, K, V, None, None, None, LENGTHS, opset=23),
    "windows in 24": lambda: ss.onnx.Attention(Q, K, V, left_window_size=1, opset=24),
    "a window below": lambda: ss.onnx.Attention(Q, K, V, left_window_size=-2),
    "a mode": lambda: ss.onnx.Attention(Q, K, V, qk_matmul_output_mode=4),
    "a precision": lambda: ss.onnx.Attention(Q, K, V, softmax_precision=2),
    "no scale": lambda: ss.onnx.Attention(Q, K, V, scale=np.nan),
    "outputs": lambda: ss.onnx.Attention(Q, K, V, outputs=5),
    "keys of another type": lambda: ss.onnx.Attention(Q, K.astype(np.float16), V),
    "integers beyond float64": lambda: ss.onnx.Attention(Q, K, V, np.full((L, S), 2**53 + 2)),
    "a mask and causal": lambda: ss.scaled_dot_product_attention(Q, Q, Q, attn_mask=MASK, is_causal=True),
    "integers": lambda: ss.scaled_dot_product_attention(COLUMN, COLUMN, COLUMN),
    "vectors": lambda: ss.scaled_dot_product_attention(Q[0, 0, 0], K, V),
    "batches": lambda: ss.scaled_dot_product_attention(Q[:1], np.concatenate([Q, Q]), drawn(3, H, L, E)),
    "several scales": lambda: ss.openvino.ScaledDotProductAttention(Q, *REPEATED, None, np.float32([1, 2])),
    "heads of 5": lambda: microsoft({"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V}, num_heads=5),
    "a past of values of another type": lambda: ss.onnx.Attention(Q, K, V, None, K, V.astype(np.float16)),
    "three operands packed as two": lambda: microsoft({"query": PACKED[:, :, :, :2]}, num_heads=H),
    "four operands packed as three": lambda: microsoft({"query": PACKED[:, :, :, [0, 1, 2, 2]]}, num_heads=H),
    "packed heads of another number": lambda: microsoft({"query": PACKED}, num_heads=2),
    "keys and values packed as one": lambda: microsoft({"query": ROWS_Q, "key": PACKED[:, :, :, :1]}, num_heads=H),
    "keys and values of other heads": lambda: microsoft({"query": ROWS_Q, "key": K, "value": K}, num_heads=H),
    "keys and values of two ranks": lambda: microsoft(
        {"query": ROWS_Q, "key": REPEATED[0], "value": ROWS_V}, num_heads=H
    ),
    "a bias of more keys": lambda: microsoft(ALL_ROWS | {"attention_bias": drawn(B, H, L, S + 1)}, num_heads=H),
    "a bias of another batch": lambda: microsoft(
        ALL_ROWS | {"attention_bias": drawn(3, H, L, S), "key_padding_mask": THERE}, num_heads=H
    ),
    "no keys": lambda: microsoft({"query": ROWS_Q}, num_heads=H),
    "a bias": lambda: microsoft({"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V, "bias": BIAS[1:]}, num_heads=H),
    "padding": lambda: microsoft(
        {"query": ROWS_Q, "key": ROWS_K, "value": ROWS_V, "key_padding_mask": np.int32([[1, 0]])}, num_heads=H
    ),
}


def test_what_does_not_fit_is_refused() -> None:
    for name, call in REFUSED.items():
        with case(name), pytest.raises(SamesumError):
            call()


@looped("size", [0, 1])
def test_no_keys_and_no_queries(size: int) -> None:
    assert_bits(ss.onnx.Attention(Q, K[:, :, :0], V[:, :, :0]), np.zeros((B, H, L, E), FLOAT32))
    assert ss.onnx.Attention(Q[:, :, :0], K, V).shape == (B, H, 0, E)
    assert ss.onnx.Attention(Q[:0], K[:0], V[:0]).shape == (0, H, L, E)
    found = ss.scaled_dot_product_attention(Q[..., :0], REPEATED[0][..., :0], REPEATED[1])
    assert_bits(found, ss.mean(REPEATED[1], axis=2, keepdims=True).repeat(L, 2))
    assert ss.onnx.Attention(Q, K, V[..., :size]).shape == (B, H, L, size)


def fact(x: NDArray | None) -> Fact | None:
    return None if x is None else Fact(x.dtype, x.shape)


def test_shapes_are_foretold() -> None:
    """As they are, and with nothing known of a shape."""
    onnx = [(Q, K, V), (Q, K, V, MASK, K, V), (flat(Q), flat(K), flat(V)), (Q, K, V.astype(np.float16))]
    for inputs in onnx:
        heads = {"q_num_heads": H, "kv_num_heads": G} if inputs[0].ndim == 3 else {}
        if len(inputs) == 6:
            inputs = (*inputs[:3], np.zeros((L, 2 * S), FLOAT32), *inputs[4:])
        operation = operation_of("onnx", "Attention", None, **heads)
        row = ROWS[operation.spec.identifier]
        assert row.all is not None
        found = apply_all(operation, 4, list(inputs))
        assert row.all.infer(operation, [fact(x) for x in inputs], 4) == tuple(map(fact, found))
        unknown = row.all.infer(operation, [Fact(x.dtype) for x in inputs], 4)
        assert [each.dtype for each in unknown] == [x.dtype for x in found]
    operation = operation_of("openvino", "ScaledDotProductAttention", None)
    row = ROWS[operation.spec.identifier]
    deep = MASK.reshape((1,) * 3 + MASK.shape)
    for inputs in ((Q, *REPEATED), (Q, *REPEATED, deep), (Q, K[:1, :1], V[:1, :1], MASK[0, 0]), (Q[0], *REPEATED)):
        assert row.infer(operation, [fact(x) for x in inputs]) == fact(apply(operation, list(inputs)))
    operation = operation_of("com.microsoft", "MultiHeadAttention", 1, num_heads=H)
    row = ROWS[operation.spec.identifier]
    assert row.all is not None
    inputs = (ROWS_Q, ROWS_K, ROWS_V)
    assert row.all.infer(operation, [fact(x) for x in inputs], 1) == (fact(apply_all(operation, 1, list(inputs))[0]),)
