"""The bits of attention depend on a query, the keys that it sees and their values alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from bits import mix
from machines import same_everywhere
from naming import case, looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

NARROW = cases.FLOATS[:3]
each_narrow = pytest.mark.parametrize("dtype", NARROW, ids=str)


def drawn(dtype: np.dtype[Any], *shape: int, seed: int = 1) -> NDArray:
    return cases.make("normal", dtype, int(np.prod(shape)), seed).reshape(shape)


def operands(dtype: np.dtype[Any], batch: int, rows: int, keys: int, size: int) -> tuple[NDArray, NDArray, NDArray]:
    return (
        drawn(dtype, batch, rows, size, seed=1),
        drawn(dtype, batch, keys, size, seed=2),
        drawn(dtype, batch, keys, size + 3, seed=3),
    )


@each_narrow
def test_other_batches_and_queries_change_nothing(dtype: np.dtype[Any]) -> None:
    q, k, v = operands(dtype, 5, 37, 50, 16)
    whole = ss.scaled_dot_product_attention(q, k, v)
    for b in (0, 3):
        assert_bits(ss.scaled_dot_product_attention(q[b], k[b], v[b]), whole[b], f"batch {b}")
        for i in (0, 5, 36):
            assert_bits(ss.scaled_dot_product_attention(q[b, i : i + 1], k[b], v[b])[0], whole[b, i], f"{b}, {i}")
    assert_bits(ss.scaled_dot_product_attention(q[:, ::-1], k, v), np.ascontiguousarray(whole[:, ::-1]), "reversed")
    shared = ss.scaled_dot_product_attention(q, k[:1], v[:1])
    assert_bits(shared[4], ss.scaled_dot_product_attention(q[4], k[0], v[0]), "one batch of keys for all")


@each_narrow
def test_the_order_of_keys_and_what_is_left_out_change_nothing(dtype: np.dtype[Any]) -> None:
    q, k, v = operands(dtype, 2, 9, 70, 8)
    whole = ss.scaled_dot_product_attention(q, k, v)
    order = np.argsort(mix(70, 5))
    assert_bits(ss.scaled_dot_product_attention(q, k[:, order], v[:, order]), whole, "another order")
    rest = np.full((2, 30, 8), np.nan, dtype), np.full((2, 30, 11), np.inf, dtype)
    longer = np.concatenate([k, rest[0]], 1), np.concatenate([v, rest[1]], 1)
    seen = np.arange(100) < 70
    for mask in (seen, np.where(seen, 0, -np.inf).astype(dtype)):
        masked = ss.scaled_dot_product_attention(q, *longer, attn_mask=np.tile(mask, (9, 1)))
        assert_bits(masked, whole, f"keys of NaN behind, a mask of {mask.dtype}")
    mixed = [x[:, np.argsort(mix(100, 6))] for x in longer]
    mask = np.tile(seen[np.argsort(mix(100, 6))], (9, 1))
    assert_bits(ss.scaled_dot_product_attention(q, *mixed, attn_mask=mask), whole, "and in between")


@each_narrow
def test_past_at_once_or_step_by_step(dtype: np.dtype[Any]) -> None:
    q, k, v = (x[None] for x in operands(dtype, 2, 12, 12, 8))
    whole = ss.onnx.Attention(q, k, v, is_causal=1)
    for sizes in ((12,), (5, 7), (1,) * 12):
        past: tuple[Any, Any] = (k[:, :, :0], v[:, :, :0])
        parts, begin = [], 0
        for size in sizes:
            now = slice(begin, begin + size)
            step = ss.onnx.Attention(q[:, :, now], k[:, :, now], v[:, :, now], None, *past, is_causal=1, outputs=3)
            parts.append(step[0])
            past, begin = (step[1], step[2]), begin + size
        assert_bits(np.concatenate(parts, 2), whole, f"steps of {sizes}")
        assert_bits(past[0], np.ascontiguousarray(k), "present keys")
    lengths = np.array([9])
    cut = ss.onnx.Attention(q, k, v, None, None, None, lengths)
    assert_bits(cut, ss.onnx.Attention(q, k[:, :, :9], v[:, :, :9]), "a longer buffer")


@each_narrow
def test_other_heads_change_nothing(dtype: np.dtype[Any]) -> None:
    """Grouped heads are those of repeated keys, in either rank."""
    q, k, v = drawn(dtype, 2, 6, 5, 8, seed=1), drawn(dtype, 2, 3, 20, 8, seed=2), drawn(dtype, 2, 3, 20, 4, seed=3)
    whole = ss.onnx.Attention(q, k, v)
    for h in range(6):
        assert_bits(ss.onnx.Attention(q[:, h : h + 1], k[:, h // 2, None], v[:, h // 2, None])[:, 0], whole[:, h], "")
    flat = [x.transpose(0, 2, 1, 3).reshape(2, x.shape[2], -1) for x in (q, k, v)]
    found = ss.onnx.Attention(*flat, q_num_heads=6, kv_num_heads=3)
    assert_bits(found, whole.transpose(0, 2, 1, 3).reshape(2, 5, 24), "rank 3")


@each_narrow
def test_every_layout(dtype: np.dtype[Any]) -> None:
    q, k, v = operands(dtype, 2, 20, 33, 9)
    mask = drawn(dtype, 20, 33, seed=4)
    whole = ss.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    ways = {
        "columns": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
        "every second element": lambda x: np.repeat(x, 2, -1)[..., ::2],
        "backwards": lambda x: x[..., ::-1].copy()[..., ::-1],
        "every second row": lambda x: np.repeat(x, 2, -2)[..., ::2, :],
    }
    if dtype.isbuiltin == 1:
        ways["the other byte order"] = lambda x: x.astype(x.dtype.newbyteorder())
    for name, way in ways.items():
        with case(name):
            assert_bits(ss.scaled_dot_product_attention(way(q), way(k), way(v), attn_mask=way(mask)), whole, name)


@looped("dtype", NARROW)
@looped("shape", [(3, 200, 130, 40), (1, 1, 500, 64), (40, 3, 7, 2)])
def test_threads_and_instruction_sets(dtype: np.dtype[Any], shape: tuple[int, int, int, int]) -> None:
    q, k, v = operands(dtype, *shape)
    same_everywhere(lambda: [ss.scaled_dot_product_attention(q, k, v)])
