"""What can be told of a result before it is computed: dtype, rank and dims, as far as they are known.

Nothing here raises on a node that will not run: what does not fit stays unknown, and running it says why.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from samesum.errors import AttributeValueError, SamesumError
from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.formats.axes import all_from_front
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.operators.rows import UNKNOWN, Attributes, Fact, Facts
from samesum.specs.bind import Operation

INT64 = np.dtype(np.int64)
_STASHES = {number: ONNX_ELEMENTS[number].dtype for number in (1, 11, 16)}
"""ONNX has float32 and bfloat16; ONNX Runtime's first version of LayerNormalization has float64."""


FOLLOWED = 4096
"""Constants of up to so many elements are followed, so that computed shapes and axes are known beforehand."""


def of_constant(array: NDArray) -> Fact:
    """What is known of a value that is always the same."""
    return Fact(array.dtype, array.shape, array if array.size <= FOLLOWED else None)


def stash_of(attributes: Attributes) -> Dtype:
    """The type of the inner outputs of a normalization, of any data; AttributeValueError for one that is no float."""
    number = attributes["stash_type"]
    if number not in _STASHES:
        allowed = ", ".join(f"{each} ({dtype.name})" for each, dtype in _STASHES.items())
        raise AttributeValueError(f"stash_type is {number}; of inner outputs allowed are {allowed}")
    return _STASHES[number]


def at(facts: Facts, position: int) -> Fact:
    """What is known of the input at `position`, which may be left out."""
    return (facts[position] if position < len(facts) else None) or UNKNOWN


def first(facts: Facts) -> Fact:
    """What is known of the first input."""
    return at(facts, 0)


def same(_: Attributes, facts: Facts) -> Fact:
    """The first input's dtype and shape."""
    return Fact(first(facts).dtype, first(facts).shape)


def of_data(_: Operation, facts: Facts) -> Fact:
    """The first input's dtype and shape, of a scan or a normalization."""
    return same({}, facts)


def broadcast(_: Attributes, facts: Facts) -> Fact:
    """The first input's dtype in the shape to which all inputs broadcast."""
    shapes = [fact.shape for fact in facts if fact is not None]
    return Fact(first(facts).dtype, _merged(shapes))


def _merged(shapes: Iterable[Shape | None]) -> Shape | None:
    result: Shape = ()
    for shape in shapes:
        if shape is None:
            return None
        rank = max(len(result), len(shape))
        pairs = zip(_padded(result, rank), _padded(shape, rank), strict=True)
        result = tuple(_merged_dim(a, b) for a, b in pairs)
    return result


def _padded(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + shape


def _merged_dim(a: int | None, b: int | None) -> int | None:
    if a == b or b == 1:
        return a
    if a == 1 or a is None:
        return b
    return a if b is None else None


def reduction(operation: Operation, facts: Facts) -> Fact:
    """A reduction's result: the dtype that the row says, the reduced axes dropped or of size one."""
    shape = first(facts).shape
    result = operation.spec.operator.result
    dtype = first(facts).dtype if result is None else np.dtype(result)
    axes = reduced_axes(operation, facts)
    if shape is None:
        return Fact(dtype)
    if axes is None:
        return Fact(dtype, (None,) * len(shape) if operation.keepdims else None)
    reduced = set(axes)
    if operation.keepdims:
        return Fact(dtype, tuple(1 if i in reduced else dim for i, dim in enumerate(shape)))
    return Fact(dtype, tuple(dim for i, dim in enumerate(shape) if i not in reduced))


def reduced_axes(operation: Operation, facts: Facts) -> tuple[int, ...] | None:
    """The axes that a reduction will reduce, counted from the front; None if only running it will tell."""
    shape = first(facts).shape
    if shape is None:
        return None
    axes = operation.axes if operation.axis is None else (operation.axis,)
    if len(facts) > 1 and (where := facts[1]) is not None:
        if where.value is None or where.value.dtype.kind not in "iu":
            return None
        axes = tuple(int(axis) for axis in where.value.ravel())
    if not axes:
        return () if operation.noop_with_empty_axes else tuple(range(len(shape)))
    if not shape:
        return ()
    try:
        return all_from_front(axes, len(shape))
    except SamesumError:
        return None
