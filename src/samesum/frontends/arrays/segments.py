"""Functions on arrays, reductions of what shares a label or a place: segments of an array, updates of a target."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args

import numpy as np

from samesum.algebra.rows import L1_NORM, L2_NORM, MAX, MEAN, MIN, PROD, REDUCTIONS, STD, SUM, VAR, Reduction
from samesum.engine.arrays import as_array, deferred
from samesum.engine.memory import flags_of, reduce_several
from samesum.engine.memory import reduce as reduce_all
from samesum.engine.segments import reduce_labelled, scatter_elements
from samesum.errors import ArgumentError, AttributeValueError, DtypeError, ShapeError, saying
from samesum.formats.arrays import ArrayLike, Dtype, NDArray, boolean_of, checked, integer_of
from samesum.formats.axes import from_front
from samesum.frontends.arrays.calls import checked_correction

Segments = Literal[
    "sum", "mean", "prod", "min", "max", "var", "std", "l1", "l2", "l1_norm", "l2_norm", "sum_square", "log_sum",
    "logsumexp", "all", "any",
]  # fmt: skip
Scatters = Literal["sum", "prod", "mean", "min", "max"]

_NAMED = {row.name: row for row in REDUCTIONS} | {"l1": L1_NORM, "l2": L2_NORM}
_SCATTERS = {row.name: row for row in (SUM, PROD, MEAN, MIN, MAX)}


def segment_reduce(
    x: ArrayLike,
    labels: ArrayLike,
    axis: int = 0,
    num_segments: int | None = None,
    reduce: Segments = "sum",
    *,
    correction: float = 0.0,
) -> NDArray:
    """One reduction for each label: of the slices of `x` along `axis` that have it, exact, rounded once.

    `labels` is an integer array of rank 1 with one label from 0 on for each slice, in any order. The result has
    `num_segments` slices along `axis` (None: one more than the greatest label) and the dtype that the function named
    by `reduce` gives: `sum`, `mean`, `l2` and so on. `correction` is that of `var` and `std`. The order of the slices,
    cuts and threads change no bit. A label without slices gives what the function gives for an empty set: 0 for a sum,
    1 for a product, NaN for a mean. Of a Dask array, or of labels that are one, the result is lazy; lazy labels without
    `num_segments` leave its length unknown.

    Raises ShapeError for labels of another shape, and for `min` and `max` if a label has no slices; DtypeError for
    labels that are no integers and a dtype that the function refuses; ArgumentError for a label that is negative
    or not below `num_segments` and for another `reduce`; AxisError for an axis out of range.
    Source: TensorFlow, `tf.math.unsorted_segment_sum` and its siblings.

    >>> x = np.float32([0.1, 1e8, 0.2, -1e8, 5])
    >>> segment_reduce(x, [1, 0, 1, 0, 0])
    array([5. , 0.3], dtype=float32)
    >>> segment_reduce(x, [1, 0, 1, 0, 0], num_segments=3, reduce="mean")
    array([1.6666666, 0.15     ,       nan], dtype=float32)
    """
    if (later := deferred("segment_reduce", (x, labels), axis, num_segments, reduce, correction)) is not None:
        return later
    row = _named(reduce, _NAMED, get_args(Segments))
    array, numbers = as_array(x), _integers("labels", labels)
    along = from_front(axis, array.ndim)
    if numbers.shape != array.shape[along : along + 1]:
        raise ShapeError(f"labels have shape {numbers.shape}; axis {along} of x takes ({array.shape[along]},)")
    count = label_count(numbers, num_segments)
    given = checked_correction(correction)
    if given and row not in (VAR, STD):
        raise ArgumentError(f"correction is {correction!r}; {reduce} has none")
    return _segments(row, array, along, numbers, count, given)


def scatter_reduce(
    target: ArrayLike,
    axis: int,
    index: ArrayLike,
    src: ArrayLike,
    reduce: Scatters = "sum",
    *,
    include_self: bool = True,
) -> NDArray:
    """A copy of `target` in which each element that `index` names is the reduction of all elements that go there.

    `target`, `index` and `src` have one rank. Element `src[i, j, k]` goes to `target[index[i, j, k], j, k]` for axis
    0, and so on; `index` is not longer than `src` along any axis, nor than `target` along any but `axis`. An `index`
    of rank 1 names whole slices along `axis`, for an `src` that has the shape of `target` elsewhere. Negative indices
    count from the end, as NumPy's do. `reduce` is "sum", "prod", "mean", "min" or "max"; the element of `target` takes
    part if `include_self`. What no index names stays. The result is exact and rounded once, in the dtype of `target`:
    nothing is lost, and no order of the updates, cut or thread changes a bit. Integers wrap; their mean is rounded
    down, as PyTorch's is. Booleans have min, max, the or as their sum and the and as their product.

    Raises ArgumentError for an index out of range, before anything is written, and for another `reduce`;
    ShapeError for shapes that do not fit; DtypeError for an index that is not of integers and an `src` of another
    dtype; AxisError for an axis out of range.
    Source: PyTorch, `Tensor.scatter_reduce` and `index_reduce`.

    >>> scatter_reduce(np.zeros(1, np.float32), 0, np.zeros(2**20, np.int64), np.full(2**20, 0.1, np.float32))
    array([104857.6], dtype=float32)
    >>> scatter_reduce(np.zeros((2, 2)), 0, [1, 1, 0], [[1.0, 2], [3, 4], [5, 6]], "mean", include_self=False)
    array([[5., 6.],
           [2., 3.]])
    """
    row, is_part = _named(reduce, _SCATTERS, get_args(Scatters)), boolean_of("include_self", include_self)
    array, places, source = as_array(target), _integers("index", index), as_array(src)
    along = from_front(axis, array.ndim)
    if source.dtype.newbyteorder("=") != array.dtype.newbyteorder("="):
        raise DtypeError(f"src is {source.dtype.name} and target {array.dtype.name}; one dtype is needed")
    if array.dtype == np.bool_ and row is MEAN:
        raise DtypeError("booleans have no mean; allowed are integer and float dtypes")
    if places.ndim == 1 and array.ndim > 1:
        places = _of_slices(array, along, places, source)
    _check_shapes(array, along, places, source)
    part = source[tuple(slice(n) for n in places.shape)]
    return scatter_elements(array, along, places, part, row, is_part)


def _segments(row: Reduction, x: NDArray, axis: int, labels: NDArray, count: int, correction: float) -> NDArray:
    flags, shape = flags_of(row), checked((*x.shape[:axis], count, *x.shape[axis + 1 :]))
    none = _result_of_none(row.name, x.dtype.newbyteorder("="))
    result = np.empty(shape, none.dtype)
    if row.has_identity:
        result[...] = none
    try:
        empty = reduce_labelled(row, x, axis, labels, result, flags=flags, correction=correction)
    except AttributeValueError as error:  # the engine's word for operators of the standards
        raise ArgumentError(str(error)) from None
    except MemoryError as error:
        raise saying(f"{row.name} of {count} segments", error) from None
    if empty >= 0 and not row.has_identity:
        raise ShapeError(f"no {row.name} of an empty set: label {empty} of 0 to {count - 1} has no element")
    return result


@cache
def _result_of_none(name: str, dtype: Dtype) -> NDArray:
    """What the reduction gives for no elements of a type; of one that refuses this, any number of its result."""
    row = _NAMED[name]
    return reduce_all(row, np.zeros(0 if row.has_identity else 1, dtype), None, flags_of(row))


def _named(name: Any, rows: dict[str, Reduction], allowed: tuple[str, ...]) -> Reduction:
    if not isinstance(name, str) or name not in allowed:
        raise ArgumentError(f"reduce is {name!r}; allowed are {', '.join(sorted(allowed))}")
    return rows[name]


def _integers(name: str, given: ArrayLike) -> NDArray:
    array = as_array(given)
    if array.size == 0 and isinstance(given, list | tuple):
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise DtypeError(f"{name} has dtype {array.dtype.name}; allowed are integer dtypes")
    return array


def label_count(labels: NDArray, num_segments: Any) -> int:
    """How many segments there are, by the labels where it is not said."""
    if num_segments is None:
        least, most = map(int, reduce_several([(MIN, 0), (MAX, 0)], labels)) if labels.size else (0, -1)
        if least < 0:
            raise ArgumentError(
                f"labels has {least}; allowed are 0 to num_segments - 1, where None is one more than the greatest label"
            )
        return most + 1
    count = integer_of("num_segments", num_segments)
    if count < 0:
        raise ArgumentError(f"num_segments is {count}; 0 or more is needed")
    return count


def _of_slices(target: NDArray, axis: int, places: NDArray, source: NDArray) -> NDArray:
    """An index of rank 1 for all elements of its slices."""
    shape = (*target.shape[:axis], len(places), *target.shape[axis + 1 :])
    if source.shape != shape:
        raise ShapeError(f"src has shape {source.shape}; {len(places)} slices along axis {axis} of target take {shape}")
    return np.broadcast_to(places.reshape(-1, *(1,) * (target.ndim - 1 - axis)), shape)


def _check_shapes(target: NDArray, axis: int, index: NDArray, source: NDArray) -> None:
    fits = target.ndim == index.ndim == source.ndim and all(
        n <= source.shape[i] and (i == axis or n <= target.shape[i]) for i, n in enumerate(index.shape)
    )
    if not fits:
        raise ShapeError(
            f"index has shape {index.shape}; it may not be longer than src, {source.shape}, along any axis, nor than "
            f"target, {target.shape}, along any but axis {axis}"
        )
