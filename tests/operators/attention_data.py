"""Queries, keys, values and masks of the tests of attention, and what attention with plain ones gives."""

from __future__ import annotations

from typing import Any

import numpy as np

import cases
from samesum.engine.attention import attention
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply_all
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
