"""How the operators of both standards that split, pad, pick and order elements run, and batch normalization."""

from __future__ import annotations

import numpy as np

from samesum.errors import AttributeValueError, AxisError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import from_front
from samesum.formats.conversion import convert
from samesum.operators import facts, moving, pointwise, quantizing, recurrent, resizing, sizes, slicing
from samesum.operators.norms import batch_norm, batch_norm_of
from samesum.operators.pointwise import given, lines_along, one_integer, optional, widened
from samesum.operators.rows import Attributes, Inputs, Row, made, row, several

# RotaryEmbedding: pairs of elements turned by the angle of their position, each result rounded once.


def _rotary_embedding(attributes: Attributes, inputs: Inputs) -> NDArray:
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
        y[..., places[0]] = convert(pointwise.total(cos * a, -(sin * b)), x.dtype)
        y[..., places[1]] = convert(pointwise.total(sin * a, cos * b), x.dtype)
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


# TopK: the greatest or least elements along an axis, and where they were.


def _top_k(attributes: Attributes, inputs: Inputs, _: int) -> tuple[NDArray, ...]:
    """TopK of ONNX: in order of the values, of equal ones the first place first; NaN counts as the greatest."""
    count = attributes["k"] if len(inputs) < 2 else one_integer(given(inputs, 1), "K")
    data = given(inputs, 0)
    axis = from_front(attributes["axis"], data.ndim)
    lines, shape = lines_along(data, axis), _shape(data, axis, count)
    places = _places(lines, count, attributes.get("largest", True))
    return np.take_along_axis(lines, places, 1).reshape(shape), places.reshape(shape)


def _top_k_ir(attributes: Attributes, inputs: Inputs, _: int) -> tuple[NDArray, ...]:
    """TopK of OpenVINO: in order of the values, or of the places if `sort` is index."""
    data = given(inputs, 0)
    axis = from_front(attributes["axis"], data.ndim)
    count = one_integer(given(inputs, 1), "K")
    lines, shape = lines_along(data, axis), _shape(data, axis, count)
    places = _places(lines, count, attributes["mode"] == "max")
    if attributes["sort"] == "index":
        places = np.sort(places, 1)
    found = np.take_along_axis(lines, places, 1)
    return found.reshape(shape), places.reshape(shape).astype(attributes["index_element_type"])


def _shape(data: NDArray, axis: int, count: int) -> tuple[int, ...]:
    size = data.shape[axis]
    if not 0 <= count <= size:
        raise ShapeError(f"K is {count}; axis {axis} of shape {data.shape} allows 0 to {size}")
    return (*data.shape[:axis], count, *data.shape[axis + 1 :])


def _places(lines: NDArray, count: int, largest: bool) -> NDArray:
    keys = lines.astype(np.float32) if lines.dtype.itemsize == 2 and lines.dtype.kind not in "iu" else lines
    if not largest:
        order = np.argsort(keys, 1, kind="stable")
    else:  # from the end, so that of equal elements the first one comes first
        order = lines.shape[1] - 1 - np.flip(np.argsort(np.flip(keys, 1), 1, kind="stable"), 1)
    return order[:, :count]


def _padding(places: sizes.Places, value: int | None = None, since: int = 1) -> Row:
    return row("Pad", sizes.pad(places, value), sizes.padded(places, value), since)


def _recurrent(name: str, kind: recurrent.Kind) -> Row:
    run, facts_of = recurrent.recurrent, recurrent.recurrent_facts
    return several(name, run, facts_of, most=1 + kind.states, make=recurrent.layers_of(kind), made_of=(1, 2, 3, 7))


def _recurrent_ir(name: str, kind: recurrent.Kind) -> tuple[Row, ...]:
    rows = []
    for suffix, run, before, most in (
        ("Sequence", recurrent.sequence_of_ir, 2 + kind.states, 1 + kind.states),
        ("Cell", recurrent.step_of_ir, 1 + kind.states, kind.states),
    ):
        facts_of, places = recurrent.recurrent_ir_facts(suffix == "Cell"), (before, before + 1, before + 2)
        make = recurrent.layers_of_ir(kind, before)
        rows.append(several(name + suffix, run, facts_of, most=most, make=make, made_of=places))
    return tuple(rows)


ONNX_ROWS = (
    several("Split", moving.split, sizes.split(moving.split)),
    several("Split", moving.split_18, sizes.split(moving.split_18), 18),
    _padding(sizes.of_attribute("paddings")),
    _padding(sizes.of_attribute("pads"), since=2),
    _padding(sizes.of_inputs, 2, 11),
    facts.viewing("Tile", moving.tile_axis),
    row("Tile", moving.tile, sizes.tiled, 6),
    facts.viewing("Flatten", moving.flatten),
    row("GatherElements", slicing.gather_elements, sizes.like_second),
    row("GatherND", slicing.gather_nd, sizes.gathered_nd),
    row("OneHot", slicing.one_hot, sizes.hot(2)),
    several("TopK", _top_k, sizes.top_k, most=2),
    row("Trilu", moving.trilu, facts.same),
    row("Size", moving.size, sizes.size),
    row("ConstantOfShape", moving.constant_of_shape, sizes.constant_of_shape),
    made("BatchNormalization", batch_norm_of(), (1, 2, 3, 4), batch_norm(), facts.same),
    facts.viewing("DepthToSpace", moving.depth_to_space),
    facts.viewing("SpaceToDepth", moving.space_to_depth),
    row("NonZero", moving.non_zero, sizes.indices_of_all),
    several("Dropout", moving.dropped, sizes.with_mask, most=2),
    row("Upsample", resizing.resize_10, resizing.resized_fact),
    row("Resize", resizing.resize_10, resizing.resized_fact, 10),
    row("Resize", resizing.resize, resizing.resized_fact, 11),
    row("RotaryEmbedding", _rotary_embedding, facts.same),
    row("QuantizeLinear", quantizing.quantize, quantizing.quantized_fact),
    row("DequantizeLinear", quantizing.dequantize, quantizing.dequantized_fact),
    several("DynamicQuantizeLinear", quantizing.dynamically_quantized, quantizing.dynamic_facts, most=3),
    _recurrent("RNN", recurrent.RNN),
    _recurrent("GRU", recurrent.GRU),
    _recurrent("LSTM", recurrent.LSTM),
)

OPENVINO_ROWS = (
    several("Split", moving.split_ir, sizes.split(moving.split_ir)),
    several("VariadicSplit", moving.variadic_split, sizes.split(moving.variadic_split)),
    _padding(sizes.of_ir, 3),
    row("Tile", moving.tile_ir, sizes.tiled_ir),
    row("Reverse", moving.reverse, facts.same),
    row("GatherElements", slicing.gather_elements, sizes.like_second, 6),
    row("GatherND", slicing.gather_nd_5, sizes.type_alone, 5),
    row("GatherND", slicing.gather_nd, sizes.gathered_nd, 8),
    row("OneHot", slicing.one_hot_ir(normalizes=False), sizes.hot(2)),
    row("OneHot", slicing.one_hot_ir(normalizes=True), sizes.hot(2), 16),
    several("TopK", _top_k_ir, sizes.top_k, most=2),
    made("BatchNormInference", batch_norm_of((0, 1, 3, 4)), (0, 1, 3, 4), batch_norm(2), sizes.like_third),
    made("BatchNormInference", batch_norm_of(), (1, 2, 3, 4), batch_norm(), facts.same, 5),
    row("Interpolate", resizing.interpolate(3), resizing.interpolated_fact, 4),
    row("Interpolate", resizing.interpolate(2), resizing.interpolated_fact, 11),
    row("FakeQuantize", quantizing.fake_quantized, facts.same),
    *_recurrent_ir("RNN", recurrent.RNN),
    *_recurrent_ir("GRU", recurrent.GRU),
    *_recurrent_ir("LSTM", recurrent.LSTM),
)
