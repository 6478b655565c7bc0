"""Dtype and shape of the operators that split, pad, pick and order elements, as far as they are known beforehand."""

from __future__ import annotations

import numpy as np

from samesum.errors import SamesumError
from samesum.formats.arrays import Shape
from samesum.formats.axes import from_front
from samesum.operators.facts import INT64, at, first
from samesum.operators.foretelling import tried
from samesum.operators.padding import Places
from samesum.operators.rows import Attributes, Fact, Facts, Infer, InferAll, RunAll


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


def tiled(_: Attributes, facts: Facts) -> Fact:
    """Each dim times its number."""
    data, repeats = first(facts), _integers(facts[1])
    if data.shape is None or repeats is None or len(repeats) != len(data.shape):
        return Fact(data.dtype, None if data.shape is None else (None,) * len(data.shape))
    return Fact(data.dtype, _times(data.shape, repeats))


def tiled_ir(_: Attributes, facts: Facts) -> Fact:
    """Tile of OpenVINO, with ones in front of the shorter one."""
    data, repeats = first(facts), _integers(facts[1])
    if data.shape is None or repeats is None:
        return Fact(data.dtype)
    rank = max(len(data.shape), len(repeats))
    before = ((1,) * (rank - len(each)) for each in (data.shape, repeats))
    return Fact(data.dtype, _times(next(before) + data.shape, next(before) + repeats))


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


def gathered_nd(attributes: Attributes, facts: Facts) -> Fact:
    """The indices' shape without the last dim, then what the tuples leave of the data's."""
    data, indices = first(facts), at(facts, 1).shape
    if data.shape is None or not indices or indices[-1] is None:
        return Fact(data.dtype)
    return Fact(data.dtype, indices[:-1] + data.shape[attributes.get("batch_dims", 0) + indices[-1] :])


def hot(values: int) -> Infer:
    """The indices' shape with one more dim, in the type of the input at `values`."""

    def infer(attributes: Attributes, facts: Facts) -> Fact:
        dtype, shape = at(facts, values).dtype, first(facts).shape
        depth = at(facts, 1).value
        if shape is None:
            return Fact(dtype)
        try:
            axis = from_front(attributes["axis"], len(shape) + 1)
        except SamesumError:
            return Fact(dtype)
        is_known = depth is not None and depth.size == 1 and 0 <= depth.item() < np.inf
        count = int(depth.item()) if depth is not None and is_known else None
        return Fact(dtype, shape[:axis] + (count,) + shape[axis:])

    return infer


def top_k(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The data's shape with K elements along the axis: values and places."""
    data = first(facts)
    number = (attributes["k"],) if len(facts) < 2 else _integers(facts[1])
    shape: Shape | None = None
    if data.shape is not None:
        try:
            axis = from_front(attributes["axis"], len(data.shape))
        except SamesumError:
            axis = None
        if axis is not None:
            each = number[0] if number is not None and len(number) == 1 else None
            shape = data.shape[:axis] + (each,) + data.shape[axis + 1 :]
    return (Fact(data.dtype, shape), Fact(attributes.get("index_element_type", INT64), shape))[:count]


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
