"""What can be told of a result before it is computed: dtype, rank and dims, as far as they are known.

Nothing here raises on a node that will not run: what does not fit stays unknown, and running it says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from samesum.errors import AttributeValueError, SamesumError
from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.formats.axes import all_from_front, from_front
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.operators.rows import UNKNOWN, Attributes, Fact, Facts, Infer, Row, Run, row
from samesum.specs.bind import Operation

INT64 = np.dtype(np.int64)
_STASHES = {number: ONNX_ELEMENTS[number].dtype for number in (1, 11, 16)}
"""ONNX has float32 and bfloat16; ONNX Runtime's first version of LayerNormalization has float64."""


FOLLOWED = 4096
"""What follows from constants is computed up to so many elements, so that shapes and axes are known beforehand."""


def of_constant(array: NDArray) -> Fact:
    """What is known of a value that is always the same."""
    return Fact(array.dtype, array.shape, array)


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


def shaped(rule: Callable[[Attributes, Shape, Facts], Shape | None]) -> Infer:
    """The first input's dtype, and what the rule makes of its shape where that is known."""

    def infer(attributes: Attributes, facts: Facts) -> Fact:
        data = first(facts)
        try:
            return Fact(data.dtype, None if data.shape is None else rule(attributes, data.shape, facts))
        except SamesumError:
            return Fact(data.dtype)

    return infer


def of_data(_: Operation, facts: Facts, __: int) -> tuple[Fact, ...]:
    """The first input's dtype and shape, of a scan or a normalization."""
    return (same({}, facts),)


def broadcast(attributes: Attributes, facts: Facts) -> Fact:
    """The first input's dtype in the shape to which all inputs broadcast; in its own where only the second one may."""
    if "broadcast" in attributes:
        return same(attributes, facts)
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


def reduction(operation: Operation, facts: Facts, _: int) -> tuple[Fact, ...]:
    """A reduction's result: the dtype that the row says, the reduced axes dropped or of size one."""
    shape, result = first(facts).shape, operation.spec.operator.result
    dtype = first(facts).dtype if result is None else np.dtype(result)
    return (Fact(dtype, None if shape is None else _reduced(operation, shape, reduced_axes(operation, facts))),)


def _reduced(operation: Operation, shape: Shape, axes: tuple[int, ...] | None) -> Shape | None:
    if axes is None:
        return (None,) * len(shape) if operation.keepdims else None
    if operation.keepdims:
        return tuple(1 if i in axes else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in axes)


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


# Dtype and shape of the operators that rearrange elements, as far as they are known before running.
#
# Those that only move strides are tried out on arrays that have a shape and no memory. Every unknown dim is set to one
# size after the other; a dim of the result that stays the same is known, one that varies is not.

_SIZES = (0, 1, 840, 1680)
"""Zero and one, where slices show their limits, and two sizes that -1 in a Reshape can nearly always divide."""


def tried(run: Run) -> Infer:
    """The rule of an operator that returns a view of its first input and reads the values of the others."""

    def infer(attributes: Attributes, facts: Facts) -> Fact:
        data = first(facts)
        others = [None if fact is None else fact.value for fact in facts[1:]]
        known = all(fact is None or fact.value is not None for fact in facts[1:])
        if data.shape is None or not known:
            return Fact(data.dtype)
        shapes = [result.shape for result in _results(run, attributes, data.shape, others)]
        least = 2 if None in data.shape else 1
        return Fact(data.dtype, _common(shapes) if len(shapes) >= least else None)

    return infer


def viewing(operator: str, run: Run, since: int = 1) -> Row:
    """The row of such an operator."""
    return row(operator, run, tried(run), since)


def _results(run: Run, attributes: Attributes, shape: Shape, others: list[NDArray | None]) -> Iterator[NDArray]:
    for size in _SIZES if None in shape else _SIZES[:1]:
        dims = tuple(size if dim is None else dim for dim in shape)
        try:
            yield run(attributes, [np.broadcast_to(np.int8(0), dims), *others])
        except (SamesumError, ValueError):
            continue


def _common(shapes: list[tuple[int, ...]]) -> Shape | None:
    if len({len(shape) for shape in shapes}) > 1:
        return None
    return tuple(dims[0] if len(set(dims)) == 1 else None for dims in zip(*shapes, strict=True))


def reshape(run: Run) -> Infer:
    """What `tried` finds; where only the length of the new shape is known, that is the rank."""
    exactly = tried(run)

    def infer(attributes: Attributes, facts: Facts) -> Fact:
        fact = exactly(attributes, facts)
        target = facts[1] if len(facts) > 1 else None
        if fact.shape is None and target is not None and target.shape and target.shape[0] is not None:
            return Fact(fact.dtype, (None,) * min(target.shape[0], 64))
        return fact

    return infer


def to_attribute(name: str) -> Infer:
    """The first input's shape in the type that attribute `name` says."""
    return lambda attributes, facts: Fact(attributes[name], first(facts).shape)


def cast_like(_: Attributes, facts: Facts) -> Fact:
    """The first input's shape in the second one's type."""
    return Fact(at(facts, 1).dtype, first(facts).shape)


def comparison(attributes: Attributes, facts: Facts) -> Fact:
    """Booleans in the shape to which all inputs broadcast."""
    return Fact(np.dtype(np.bool_), broadcast(attributes, facts).shape)


def where(_: Attributes, facts: Facts) -> Fact:
    """The second input's type in the shape to which all inputs broadcast."""
    return Fact(at(facts, 1).dtype, broadcast({}, facts).shape)


in_type_of_second = cast_like
"""Of a normalization that has the type of its scale."""


@shaped
def pooled(_: Attributes, shape: Shape, __: Facts) -> Shape | None:
    """One element along every axis after the channels."""
    return shape[:2] + (1,) * (len(shape) - 2) if len(shape) > 1 else None


def shape_of(attributes: Attributes, facts: Facts) -> Fact:
    """A vector of the dims, known where they all are."""
    dtype, shape = attributes.get("output_type", INT64), first(facts).shape
    if shape is None:
        return Fact(dtype, (None,))
    dims = shape[attributes.get("start", 0) : attributes.get("end")]
    return Fact(dtype, (len(dims),), None if None in dims else np.array(dims, dtype))


@shaped
def concat(attributes: Attributes, shape: Shape, facts: Facts) -> Shape | None:
    """The first shape, with the sum of the dims along the axis."""
    shapes = [fact.shape for fact in facts if fact is not None and fact.shape is not None]
    if len(shapes) < len(facts) or any(len(each) != len(shape) for each in shapes):
        return None
    axis, columns = from_front(attributes["axis"], len(shape)), list(zip(*shapes, strict=True))
    dims = [next((dim for dim in column if dim is not None), None) for column in columns]
    along = [dim for dim in columns[axis] if dim is not None]
    dims[axis] = sum(along) if len(along) == len(shapes) else None
    return tuple(dims)


@shaped
def gather(attributes: Attributes, shape: Shape, facts: Facts) -> Shape | None:
    """The indices' shape in the place of the axis."""
    indices, axis = at(facts, 1).shape, attributes.get("axis")
    if len(facts) > 2:
        value = at(facts, 2).value
        axis = int(value.ravel()[0]) if value is not None and value.size == 1 else None
    if indices is None or axis is None:
        return None
    place = from_front(axis, len(shape))
    return shape[:place] + indices[attributes.get("batch_dims", 0) :] + shape[place + 1 :]


def arange(attributes: Attributes, facts: Facts) -> Fact:
    """A vector of unknown length."""
    return Fact(attributes.get("output_type") or first(facts).dtype, (None,))


def layer_norm_outputs(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """The result like the data; mean and inverse deviation in the stash type, with the axes of length 1."""
    data = first(facts)
    return (Fact(data.dtype, data.shape), *(of_each_line(attributes, data),) * (count - 1))


def of_each_line(attributes: Attributes, data: Fact) -> Fact:
    """An inner output of a normalization: in the stash type, with the axes of a line of length 1."""
    try:
        stash = stash_of(attributes)
        if data.shape is None:
            return Fact(stash)
        axis = from_front(attributes["axis"], len(data.shape))
    except SamesumError:
        return UNKNOWN
    return Fact(stash, data.shape[:axis] + (1,) * (len(data.shape) - axis))
