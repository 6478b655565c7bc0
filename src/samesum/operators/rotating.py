"""RotaryEmbedding: pairs of elements turned by the angle of their position, each result rounded once."""

from __future__ import annotations

import numpy as np

from samesum.errors import AttributeValueError, AxisError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.conversion import convert
from samesum.operators import once
from samesum.operators.pointwise import given, optional, widened
from samesum.operators.rows import Attributes, Inputs


def rotary_embedding(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The exact cos a - sin b and sin a + cos b of each pair, rounded once; what is not turned stays.

    The data are [batch, heads, length, size], or [batch, length, heads size] with `num_heads`.
    """
    x, cos, sin, positions = given(inputs, 0), given(inputs, 1), given(inputs, 2), optional(inputs, 3)
    heads = attributes["num_heads"]
    if x.ndim == 3:
        if not heads or heads < 0 or x.shape[-1] % heads:
            raise AttributeValueError(f"num_heads is {heads}; it has to divide the size of {x.shape}")
        by_head = x.reshape(*x.shape[:2], heads, x.shape[-1] // heads)
    else:
        by_head = np.swapaxes(x, 1, 2)
    return _turned(attributes, by_head, x, [_at(each, positions) for each in (cos, sin)])


def _turned(attributes: Attributes, by_head: NDArray, x: NDArray, caches: list[NDArray]) -> NDArray:
    """`by_head` is [batch, length, heads, size]."""
    turned = attributes["rotary_embedding_dim"] or by_head.shape[-1]
    half = turned // 2
    if turned % 2 or not 0 < turned <= by_head.shape[-1]:
        raise AttributeValueError(
            f"{turned} of {by_head.shape[-1]} elements are turned; allowed are even numbers of them"
        )
    expected = (*by_head.shape[:2], half)
    for each in caches:
        if each.shape != expected:
            raise ShapeError(f"cos or sin is {each.shape} at the positions of {x.shape}; {expected} is needed")
    cos, sin = (widened(each)[:, :, None] for each in caches)
    by_pairs = attributes["interleaved"]
    places = (slice(0, turned, 2), slice(1, turned, 2)) if by_pairs else (slice(0, half), slice(half, turned))
    a, b = (widened(by_head[..., place]) for place in places)
    y = by_head.copy()
    with np.errstate(all="ignore"):
        y[..., places[0]] = convert(once.total(cos * a, -(sin * b)), x.dtype)
        y[..., places[1]] = convert(once.total(sin * a, cos * b), x.dtype)
    return y.reshape(x.shape) if x.ndim == 3 else np.ascontiguousarray(np.swapaxes(y, 1, 2))


def _at(cache: NDArray, positions: NDArray | None) -> NDArray:
    """The cache at each position [batch, length]."""
    if positions is None:
        return cache
    if cache.ndim != 2:
        raise ShapeError(f"cos or sin has shape {cache.shape}; with position_ids it has two axes")
    if positions.size and not 0 <= positions.min() <= positions.max() < len(cache):
        found = f"{positions.min()} to {positions.max()}"
        raise AxisError(f"position_ids are {found}; allowed are 0 to {len(cache) - 1}")
    return cache[positions]
