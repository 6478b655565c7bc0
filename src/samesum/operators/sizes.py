"""Dtype and shape of the operators that split, pad, pick and order elements, as far as they are known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from samesum.errors import SamesumError, ShapeError
from samesum.formats.arrays import NDArray, Shape, checked
from samesum.formats.axes import all_from_front, from_front
from samesum.formats.conversion import convert
from samesum.operators.facts import INT64, at, first, shaped, tried
from samesum.operators.pointwise import given, integers, optional
from samesum.operators.rows import Attributes, Fact, Facts, Infer, InferAll, Inputs, Run, RunAll

# Pad: elements put before and after those of an axis, or taken away where a number is negative.

_Pads = Sequence[int]
Places = Callable[[Attributes, int, Inputs], tuple[_Pads, _Pads]]
"""How many elements go before and after each axis, from attributes, the rank and the inputs."""


def of_attribute(name: str) -> Places:
    """The pads before opset 11, where attribute `name` has the numbers."""
    return lambda attributes, rank, _: _halves(attributes[name], range(rank), rank)


def of_inputs(_: Attributes, rank: int, inputs: Inputs) -> tuple[_Pads, _Pads]:
    """The pads of ONNX since opset 11, where pads and, since 18, axes are inputs."""
    where = optional(inputs, 3)
    axes = range(rank) if where is None else all_from_front(integers(where), rank)
    return _halves(integers(given(inputs, 1)), axes, rank)


def of_ir(_: Attributes, rank: int, inputs: Inputs) -> tuple[_Pads, _Pads]:
    """The pads of OpenVINO: pads_begin and pads_end."""
    before, after = integers(given(inputs, 1)), integers(given(inputs, 2))
    if not len(before) == len(after) == rank:
        raise ShapeError(f"pads_begin and pads_end have {len(before)} and {len(after)} elements; the rank is {rank}")
    return before, after


def pad(places: Places, value: int | None = None) -> Run:
    """Pad with the value in the input at `value`, or in the attribute of that name."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        data = given(inputs, 0)
        fill = np.array(attributes["value"]) if value is None else optional(inputs, value)
        before, after = places(attributes, data.ndim, inputs)
        mode = attributes["pad_mode"] if "pad_mode" in attributes else attributes["mode"]
        return _padded(data, before, after, mode, _value(data, fill))

    return run


def _halves(pads: _Pads, axes: Sequence[int], rank: int) -> tuple[_Pads, _Pads]:
    if len(pads) != 2 * len(axes):
        raise ShapeError(f"pads {list(pads)} do not fit {len(axes)} axes; two numbers for each are needed")
    before, after = [0] * rank, [0] * rank
    for place, axis in enumerate(axes):
        before[axis], after[axis] = pads[place], pads[place + len(axes)]
    return before, after


def _value(data: NDArray, value: NDArray | None) -> NDArray:
    if value is None:
        return np.zeros((), data.dtype)
    if value.size != 1:
        raise ShapeError(f"the value has shape {value.shape}; a scalar is needed")
    return convert(value.reshape(()), data.dtype)


def _padded(data: NDArray, before: _Pads, after: _Pads, mode: str, value: NDArray) -> NDArray:
    """What is taken away goes first, so that the rest is repeated."""
    checked([max(size + a + b, 0) for size, a, b in zip(data.shape, before, after, strict=True)])
    for axis, (a, b) in enumerate(zip(before, after, strict=True)):
        if data.shape[axis] + min(a, 0) + min(b, 0) < 0:
            raise ShapeError(f"pads {a} and {b} take more than the {data.shape[axis]} elements of axis {axis}")
    data = data[tuple(slice(-min(a, 0), n + min(b, 0)) for a, b, n in zip(before, after, data.shape, strict=True))]
    grown = [
        (axis, max(a, 0), max(b, 0)) for axis, (a, b) in enumerate(zip(before, after, strict=True)) if a > 0 or b > 0
    ]
    if mode == "constant":
        return _filled(data, grown, value)
    for axis, a, b in grown:
        if not data.shape[axis]:
            raise ShapeError(f"axis {axis} has no element that mode {mode} could repeat")
        data = np.take(data, _sources(mode, data.shape[axis], a, b), axis)
    return data


def _filled(data: NDArray, grown: Sequence[tuple[int, int, int]], value: NDArray) -> NDArray:
    if not grown:
        return data
    shape, places = list(data.shape), [slice(None)] * data.ndim
    for axis, a, b in grown:
        shape[axis] += a + b
        places[axis] = slice(a, a + data.shape[axis])
    result = np.full(shape, value, data.dtype)
    result[tuple(places)] = data
    return result


def _sources(mode: str, size: int, before: int, after: int) -> NDArray:
    """For each place of the padded axis the element that it repeats."""
    places = np.arange(-before, size + after)
    if mode == "edge":
        return np.clip(places, 0, size - 1)
    if mode == "wrap":
        return places % size
    period = 2 * size if mode == "symmetric" else max(2 * size - 2, 1)
    places %= period
    return np.where(places < size, places, period - (mode == "symmetric") - places)


def split(run: RunAll) -> InferAll:
    """Each part is a view, tried out by itself."""

    def infer(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
        return tuple(
            tried(lambda given, inputs, i=i: run(given, inputs, count)[i])(attributes, facts)  # type: ignore[misc]
            for i in range(count)
        )

    return infer


def padded(places: Places, value: int | None) -> Infer:
    """Each dim with what goes before and after it; the input at `value` does not matter."""

    def infer(attributes: Attributes, facts: Facts) -> Fact:
        data = first(facts)
        if data.shape is None:
            return Fact(data.dtype)
        inputs = [None if fact is None else fact.value for fact in facts]
        if any(fact is not None and fact.value is None for i, fact in enumerate(facts) if i not in (0, value)):
            return Fact(data.dtype, (None,) * len(data.shape))
        try:
            before, after = places(attributes, len(data.shape), inputs)
        except SamesumError:
            return Fact(data.dtype)
        grown = zip(data.shape, before, after, strict=True)
        return Fact(data.dtype, tuple(None if n is None else max(n + a + b, 0) for n, a, b in grown))

    return infer


def _integers(fact: Fact | None) -> tuple[int, ...] | None:
    if fact is None or fact.value is None or fact.value.dtype.kind not in "iu":
        return None
    return tuple(fact.value.ravel().tolist())


@shaped
def tiled(_: Attributes, shape: Shape, facts: Facts) -> Shape | None:
    """Each dim times its number."""
    repeats = _integers(facts[1])
    return (None,) * len(shape) if repeats is None or len(repeats) != len(shape) else _times(shape, repeats)


@shaped
def tiled_ir(_: Attributes, shape: Shape, facts: Facts) -> Shape | None:
    """Tile of OpenVINO, with ones in front of the shorter one."""
    repeats = _integers(facts[1])
    if repeats is None:
        return None
    rank = max(len(shape), len(repeats))
    return _times((1,) * (rank - len(shape)) + shape, (1,) * (rank - len(repeats)) + repeats)


def _times(shape: Shape, repeats: tuple[int, ...]) -> Shape:
    return tuple(None if n is None else n * m for n, m in zip(shape, repeats, strict=True))


def like_second(_: Attributes, facts: Facts) -> Fact:
    """The first input's type in the second one's shape."""
    return Fact(first(facts).dtype, at(facts, 1).shape)


def like_third(_: Attributes, facts: Facts) -> Fact:
    """The third input's type and shape."""
    data = at(facts, 2)
    return Fact(data.dtype, data.shape)


def type_alone(_: Attributes, facts: Facts) -> Fact:
    """The first input's type."""
    return Fact(first(facts).dtype)


@shaped
def gathered_nd(attributes: Attributes, shape: Shape, facts: Facts) -> Shape | None:
    """The indices' shape without the last dim, then what the tuples leave of the data's."""
    indices = at(facts, 1).shape
    if not indices or indices[-1] is None:
        return None
    return indices[:-1] + shape[attributes.get("batch_dims", 0) + indices[-1] :]


@shaped
def _with_depth(attributes: Attributes, shape: Shape, facts: Facts) -> Shape:
    axis, depth = from_front(attributes["axis"], len(shape) + 1), at(facts, 1).value
    is_known = depth is not None and depth.size == 1 and 0 <= depth.item() < np.inf
    return shape[:axis] + (int(depth.item()) if depth is not None and is_known else None,) + shape[axis:]


def hot(values: int) -> Infer:
    """The indices' shape with one more dim, in the type of the input at `values`."""
    return lambda attributes, facts: Fact(at(facts, values).dtype, _with_depth(attributes, facts).shape)


@shaped
def _ranked(attributes: Attributes, shape: Shape, facts: Facts) -> Shape:
    axis = from_front(attributes["axis"], len(shape))
    number = (attributes["k"],) if len(facts) < 2 else _integers(facts[1])
    return shape[:axis] + (number[0] if number is not None and len(number) == 1 else None,) + shape[axis + 1 :]


def top_k(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The data's shape with K elements along the axis: values and places."""
    values = _ranked(attributes, facts)
    return (values, Fact(attributes.get("index_element_type", INT64), values.shape))[:count]


def size(_: Attributes, facts: Facts) -> Fact:
    """A scalar, known where all dims are."""
    shape = first(facts).shape
    if shape is None or None in shape:
        return Fact(INT64, ())
    product = 1
    for dim in shape:
        product *= dim or 0
    return Fact(INT64, (), np.array(product, np.int64) if product < 2**63 else None)


def constant_of_shape(attributes: Attributes, facts: Facts) -> Fact:
    """The shape that the input holds, or its rank."""
    value, data = attributes["value"], first(facts)
    dtype = np.dtype(np.float32) if value is None else value.dtype
    shape = _integers(data)
    if shape is None and data.shape and data.shape[0] is not None:
        return Fact(dtype, (None,) * min(data.shape[0], 64))
    return Fact(dtype, shape)


def indices_of_all(_: Attributes, facts: Facts) -> Fact:
    """A row of indices for each axis of the data, as many as are found."""
    shape = first(facts).shape
    return Fact(INT64, (None if shape is None else len(shape), None))


def with_mask(_: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The data, and a mask of their shape."""
    data = first(facts)
    return (Fact(data.dtype, data.shape), Fact(np.dtype(np.bool_), data.shape))[:count]
