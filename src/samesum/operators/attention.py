"""Attention as the standards have it: heads, masks, what was before, and which keys a query sees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from samesum.engine.attention import Shown, attention
from samesum.errors import AttributeValueError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray, Shape
from samesum.operators.facts import at, broadcast, first
from samesum.operators.pointwise import given, optional
from samesum.operators.rows import Attributes, Fact, Facts, Inputs, several
from samesum.operators.rows import row as row_of

_PRECISIONS = (1, 10, 11, 16)


def onnx_attention(pads: bool, attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """Attention: the result, the keys and values with those before, and what the mode shows of the products.

    `softmax_precision` changes nothing: each output is its own formula, rounded once. A mask that ends before the keys
    leaves out those beyond it if it is one that `pads`, since 24, where a last axis of 1 ends there, too.
    """
    _check_onnx(attributes)
    is_flat, (query, key, value) = _heads(attributes, *(given(inputs, i) for i in range(3)))
    past_key, past_value, lengths = (optional(inputs, i) for i in (4, 5, 6))
    if lengths is not None and past_key is not None:
        raise ShapeError("nonpad_kv_seqlen and past_key are given; one of them at most is allowed")
    before, key, value = _after_past(past_key, past_value, key, value)
    keys = key.shape[2]
    mask = _full_mask(optional(inputs, 3), keys if pads else 0)
    if mask is not None:
        _spread(mask, (*query.shape[:3], keys))
    if lengths is not None and lengths.shape != query.shape[:1]:
        raise ShapeError(f"nonpad_kv_seqlen has shape {lengths.shape}; allowed is {query.shape[:1]}")
    starts = np.array([before]) if lengths is None else lengths - query.shape[2]
    mask = _windowed(mask, attributes, starts, query.shape[2], keys)
    ends = None if lengths is None else lengths[:, None, None]
    if attributes["is_causal"]:
        seen = starts[:, None, None] + np.arange(1, query.shape[2] + 1)
        ends = seen if ends is None else np.minimum(seen, ends)
    shown = Shown(attributes["qk_matmul_output_mode"]) if count > 3 else Shown.NOTHING
    result, products = _grouped(query, key, value, mask, ends, attributes["scale"], attributes["softcap"], shown)
    outputs = (_flat(result) if is_flat else result, key, value, *(() if products is None else (products,)))
    return tuple(np.ascontiguousarray(each) for each in outputs[:count])


def _check_onnx(attributes: Attributes) -> None:
    mode, precision = attributes["qk_matmul_output_mode"], attributes["softmax_precision"]
    if mode not in range(4):
        raise AttributeValueError(f"qk_matmul_output_mode is {mode}; allowed are 0 to 3")
    if precision is not None and precision not in _PRECISIONS:
        raise AttributeValueError(f"softmax_precision is {precision}; allowed are {', '.join(map(str, _PRECISIONS))}")
    for name in ("left_window_size", "right_window_size"):
        if attributes.get(name, -1) < -1:
            raise AttributeValueError(f"{name} is {attributes[name]}; allowed are -1 and numbers from 0 on")


def _heads(attributes: Attributes, *arrays: NDArray) -> tuple[bool, list[NDArray]]:
    """Whether heads lie within the last axis, and the arrays as (batch, heads, length, size)."""
    ranks = {x.ndim for x in arrays}
    if len(ranks) > 1:
        raise ShapeError(f"Q, K and V have the shapes {', '.join(str(x.shape) for x in arrays)}; one rank is needed")
    if ranks == {4}:
        return False, list(arrays)
    counts = (attributes["q_num_heads"], attributes["kv_num_heads"], attributes["kv_num_heads"])
    if None in counts:
        raise AttributeValueError("q_num_heads and kv_num_heads are needed for inputs of rank 3")
    return True, [_split(x, count) for x, count in zip(arrays, counts, strict=True)]


def _split(x: NDArray, heads: int) -> NDArray:
    """(batch, length, heads * size) as (batch, heads, length, size)."""
    if heads < 1 or x.shape[2] % heads:
        raise ShapeError(f"the last axis of shape {x.shape} does not make {heads} heads of one size")
    return x.reshape(*x.shape[:2], heads, x.shape[2] // heads).transpose(0, 2, 1, 3)


def _flat(x: NDArray) -> NDArray:
    batch, heads, length, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)


def _after_past(
    past_key: NDArray | None, past_value: NDArray | None, key: NDArray, value: NDArray
) -> tuple[int, NDArray, NDArray]:
    """How many keys were before, and all keys and values."""
    if past_key is None and past_value is None:
        return 0, key, value
    if past_key is None or past_value is None:
        raise ShapeError("past_key and past_value are given together or not at all")
    joined = []
    for name, past, new in (("past_key", past_key, key), ("past_value", past_value, value)):
        if past.ndim != 4 or past.shape[:2] != new.shape[:2] or past.shape[3] != new.shape[3]:
            raise ShapeError(f"{name} has shape {past.shape}, which does not go before one of {new.shape}")
        if past.dtype != new.dtype:
            raise DtypeError(f"{name} is {past.dtype.name}, and what comes after it {new.dtype.name}")
        joined.append(np.concatenate([past, new], axis=2))
    return past_key.shape[2], joined[0], joined[1]


def _full_mask(mask: NDArray | None, keys: int) -> NDArray | None:
    """The mask for so many keys: those beyond its end are left out. Integers are added as they are."""
    if mask is None:
        return None
    if mask.dtype.kind in "iu":
        mask = _as_floats(mask)
    missing = keys - mask.shape[-1] if mask.ndim else 0
    if missing <= 0:
        return mask
    width = [(0, 0)] * (mask.ndim - 1) + [(0, missing)]
    return np.pad(mask, width, constant_values=False if mask.dtype == np.bool_ else -np.inf)


def _as_floats(mask: NDArray) -> NDArray:
    floats = mask.astype(np.float64)
    if mask.itemsize == 8 and np.any(np.abs(floats) > 2.0**53):
        raise DtypeError(f"a mask of {mask.dtype} has numbers beyond 2^53, which no float64 holds")
    return floats


def _windowed(mask: NDArray | None, attributes: Attributes, starts: NDArray, rows: int, keys: int) -> NDArray | None:
    """The mask, without the keys that lie too far from a query on one of its sides."""
    left, right = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
    if left < 0 and right < 0:
        return mask
    away = np.arange(keys) - (starts[:, None, None, None] + np.arange(rows)[:, None])
    inside = (away >= -left) | (left < 0)
    inside &= (away <= right) | (right < 0)
    if mask is None:
        return np.asarray(inside)
    return mask & inside if mask.dtype == np.bool_ else np.where(inside, mask, mask.dtype.type(-np.inf))


def _grouped(
    query: NDArray,
    key: NDArray,
    value: NDArray,
    mask: NDArray | None,
    ends: NDArray | None,
    scale: float | None,
    cap: float,
    shown: Shown,
) -> tuple[NDArray, NDArray | None]:
    """Attention of (batch, heads, length, size): each head of keys serves as many heads of queries that follow."""
    batch, heads, length, _ = query.shape
    groups = key.shape[1]
    if value.shape[1] != groups or groups < 1 or heads % groups or not key.shape[0] == value.shape[0] == batch:
        raise ShapeError(
            f"queries {query.shape}, keys {key.shape} and values {value.shape} have no heads that belong together"
        )
    split = (batch, groups, heads // groups)
    if mask is not None:
        mask = _spread(mask, (batch, heads, length, key.shape[2])).reshape(*split, length, key.shape[2])
    result, products = attention(
        query.reshape(*split, *query.shape[2:]),
        key[:, :, None],
        value[:, :, None],
        mask,
        None if ends is None else np.broadcast_to(ends[..., None, :], (len(ends), 1, 1, length)),
        scale,
        cap,
        shown,
    )
    joined = result.reshape(batch, heads, *result.shape[3:])
    return joined, None if products is None else products.reshape(batch, heads, *products.shape[3:])


def onnx_attention_outputs(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The queries' shape with the values' size, the joined keys and values, and a number for each query and key."""
    query, key, value = (_head_shape(attributes, at(facts, i).shape, name) for i, name in enumerate("qkv"))
    dtype, flat = first(facts).dtype, len(first(facts).shape or ()) == 3
    past = at(facts, 4)
    keys = None if key is None else key[2]
    if len(facts) > 4 and facts[4] is not None:
        before = None if past.shape is None else past.shape[2]
        keys = None if before is None or keys is None else before + keys
    size = None if value is None else value[3]
    result: Shape | None = None
    if query is not None:
        result = (*query[:3], size)
        if flat:
            width = None if query[1] is None or size is None else query[1] * size
            result = (query[0], query[2], width)
    joined = [None if shape is None else (*shape[:2], keys, shape[3]) for shape in (key, value)]
    products = None if query is None else (*query[:3], keys)
    found = (
        Fact(dtype, result),
        Fact(dtype, joined[0]),
        Fact(at(facts, 2).dtype, joined[1]),
        Fact(dtype, products),
    )
    return found[:count]


def _head_shape(attributes: Mapping[str, Any], shape: Shape | None, which: str) -> Shape | None:
    """(batch, heads, length, size), as far as it is known."""
    if shape is None or len(shape) == 4:
        return shape
    heads = attributes["q_num_heads" if which == "q" else "kv_num_heads"]
    if len(shape) != 3 or not heads or heads < 0:
        return None
    return shape[0], heads, shape[1], None if shape[2] is None else shape[2] // heads


def openvino_attention(attributes: Attributes, inputs: Inputs) -> NDArray:
    """ScaledDotProductAttention: with `causal` the mask is ignored, as the specification says."""
    query, key, value = (given(inputs, i) for i in range(3))
    mask, scale = optional(inputs, 3), optional(inputs, 4)
    if scale is not None and scale.size != 1:
        raise ShapeError(f"scale has shape {scale.shape}; one element is allowed")
    ends = None
    if attributes["causal"]:
        mask, ends = None, np.arange(1, query.shape[-2] + 1)
    if mask is not None:
        mask = _spread(mask, (*mask.shape[:-2], query.shape[-2], key.shape[-2]))
    return attention(query, key, value, mask, ends, None if scale is None else float(scale.reshape(-1)[0]))[0]


def _spread(mask: NDArray, shape: tuple[int, ...]) -> NDArray:
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ShapeError(f"the mask has shape {mask.shape}; it does not broadcast to {shape}") from None


def openvino_attention_shape(attributes: Attributes, facts: Facts) -> Fact:
    """The queries' length and the values' size, behind the batch to which all broadcast."""
    given_mask = [] if attributes["causal"] else [fact for fact in facts[3:4] if fact is not None]
    shapes = [fact.shape for fact in (*(at(facts, i) for i in range(3)), *given_mask)]
    batches = [Fact(shape=None if shape is None else shape[:-2]) for shape in shapes]
    batch, query, value = broadcast({}, batches).shape, shapes[0], shapes[2]
    if batch is None or query is None or value is None:
        return Fact(first(facts).dtype)
    return Fact(first(facts).dtype, (*batch, query[-2], value[-1]))


def multi_head_attention(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """MultiHeadAttention of com.microsoft: what the projections' bias makes of the inputs is rounded once before."""
    if optional(inputs, 8) is not None or optional(inputs, 9) is not None:
        raise UnsupportedOperator(
            "past_sequence_length and cache_indirection, of buffers that are shared, are not read"
        )
    query, key, value = _unpacked(attributes["num_heads"], inputs)
    before, key, value = _after_past(optional(inputs, 6), optional(inputs, 7), key, value)
    mask = _padding_mask(attributes, optional(inputs, 4), query, key)
    bias = optional(inputs, 5)
    if bias is not None:
        _spread(bias, (*query.shape[:3], key.shape[2]))
        mask = bias if mask is None else mask + bias.astype(np.float64)
    ends = None
    if attributes["unidirectional"]:
        ends = before + np.arange(1, query.shape[2] + 1)[None, None]
    result, _ = _grouped(query, key, value, mask, ends, attributes["scale"] or None, 0.0, Shown.NOTHING)
    outputs = (_flat(result), key, value)
    return tuple(np.ascontiguousarray(each) for each in outputs[:count])


def _unpacked(heads: int, inputs: Inputs) -> list[NDArray]:
    """Queries, keys and values as (batch, heads, length, size), with the bias of their projections."""
    query, key, value, bias = given(inputs, 0), *(optional(inputs, i) for i in (1, 2, 3))
    if query.ndim == 5 and key is None and value is None:
        parts = _parted(query, 3)
    elif key is not None and key.ndim == 5 and value is None and query.ndim == 3:
        parts = [_split(query, heads), *_parted(key, 2)]
    elif key is not None and value is not None and query.ndim == 3 and key.ndim == value.ndim:
        parts = [_split(query, heads), *(x if x.ndim == 4 else _split(x, heads) for x in (key, value))]
    else:
        raise ShapeError("query, key and value are of rank 3, or packed in one input of rank 5, or in two")
    if any(part.shape[1] != heads for part in parts):
        raise ShapeError(f"num_heads is {heads}; there are {', '.join(str(part.shape[1]) for part in parts)}")
    if bias is None:
        return parts
    # Keys and values of rank 4 come from before and have theirs.
    count = 1 if key is not None and key.ndim == 4 else 3
    sizes = [part.shape[1] * part.shape[3] for part in parts]
    if bias.shape != (sum(sizes),):
        raise ShapeError(f"bias has shape {bias.shape}; allowed is ({sum(sizes)},)")
    first_of = np.cumsum([0, *sizes])
    for i in range(count):
        each = bias[first_of[i] : first_of[i + 1]].reshape(parts[i].shape[1], 1, parts[i].shape[3])
        parts[i] = parts[i] + each
    return parts


def _parted(x: NDArray, count: int) -> list[NDArray]:
    if x.shape[3] != count:
        raise ShapeError(f"shape {x.shape} packs {x.shape[3]}; (batch, length, heads, {count}, size) is needed")
    return [x[:, :, :, i].transpose(0, 2, 1, 3) for i in range(count)]


def _padding_mask(attributes: Attributes, mask: NDArray | None, query: NDArray, key: NDArray) -> NDArray | None:
    """What is added to scores of keys that are padding, as (batch, heads, queries, keys) broadcast."""
    if mask is None:
        return None
    batch, keys = key.shape[0], key.shape[2]
    if mask.shape == (batch,):
        there = np.arange(keys) < mask[:, None]
    elif mask.ndim > 1 and mask.shape in ((batch, keys), (batch, query.shape[2], keys)):
        there = mask > 0
    else:
        raise ShapeError(
            f"key_padding_mask has shape {mask.shape}; allowed are {(batch,)}, {(batch, keys)} and "
            f"{(batch, query.shape[2], keys)}"
        )
    there = there[:, None, None] if there.ndim == 2 else there[:, None]
    return np.where(there, 0.0, attributes["mask_filter_value"])


def multi_head_attention_outputs(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The type of the query; shapes where it is of rank 3, as the value is."""
    query, value = first(facts), at(facts, 2)
    shape: Shape | None = None
    if query.shape is not None and len(query.shape) == 3:
        size: int | None = None
        if value.shape is not None and len(value.shape) == 3:
            size = value.shape[2]
        elif value.shape is not None and len(value.shape) == 4 and value.shape[3] is not None:
            size = attributes["num_heads"] * value.shape[3]
        shape = (*query.shape[:2], size)
    return (Fact(query.dtype, shape), Fact(query.dtype), Fact(query.dtype))[:count]


ONNX_ROWS = tuple(
    several("Attention", partial(onnx_attention, pads), onnx_attention_outputs, since, most=4)
    for since, pads in ((23, False), (24, True))
)
OPENVINO_ROWS = (row_of("ScaledDotProductAttention", openvino_attention, openvino_attention_shape, 13),)
MICROSOFT_ROWS = (several("MultiHeadAttention", multi_head_attention, multi_head_attention_outputs, most=3),)
