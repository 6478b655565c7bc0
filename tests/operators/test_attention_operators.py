"""Attention as the standards have it: every form of it is one of plain queries, keys, values and a mask."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from attention_data import (
    BIAS,
    COLUMN,
    FLOAT32,
    LENGTHS,
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
    E,
    G,
    H,
    K,
    L,
    Q,
    S,
    V,
    drawn,
    flat,
    lower,
    microsoft,
    plain,
)

import samesum as ss
from naming import case, looped
from oracle import assert_bits
from samesum.engine.attention import Shown, attention
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import ROWS, apply, apply_all
from samesum.operators.rows import Fact
from samesum.specs.lookup import operation_of


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
        found = apply_all(operation, 4, list(inputs))
        assert row.infer(operation, [fact(x) for x in inputs], 4) == tuple(map(fact, found))
        unknown = row.infer(operation, [Fact(x.dtype) for x in inputs], 4)
        assert [each.dtype for each in unknown] == [x.dtype for x in found]
    operation = operation_of("openvino", "ScaledDotProductAttention", None)
    row = ROWS[operation.spec.identifier]
    deep = MASK.reshape((1,) * 3 + MASK.shape)
    for inputs in ((Q, *REPEATED), (Q, *REPEATED, deep), (Q, K[:1, :1], V[:1, :1], MASK[0, 0]), (Q[0], *REPEATED)):
        assert row.infer(operation, [fact(x) for x in inputs], 1) == (fact(apply(operation, list(inputs))),)
    operation = operation_of("com.microsoft", "MultiHeadAttention", 1, num_heads=H)
    row = ROWS[operation.spec.identifier]
    inputs = (ROWS_Q, ROWS_K, ROWS_V)
    assert row.infer(operation, [fact(x) for x in inputs], 1) == (fact(apply_all(operation, 1, list(inputs))[0]),)
