"""Functions on arrays, cumulative sums, products and extremes of data that comes in chunks."""

from __future__ import annotations

import math
from typing import Any, Literal, SupportsIndex

import numpy as np

from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Finalize, Map
from samesum.engine.arrays import as_array, as_dtype
from samesum.engine.machine import undisturbed
from samesum.engine.memory import EXCLUSIVE, flags_of, scan
from samesum.engine.totals import Totals, decoded
from samesum.errors import ArgumentError, ArgumentTypeError, DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, boolean_of, native, type_text
from samesum.formats.axes import all_from_front, axis_number
from samesum.frontends.arrays.measure import Measure, Sums
from samesum.frontends.arrays.measures import FloatProducts, IntegerProducts, measure_of
from samesum.frontends.arrays.scans import cumulative_max, cumulative_min, cumulative_prod, cumulative_sum
from samesum.frontends.arrays.state import State

# Prefixes that go on from what a measure has seen: the exact total joins the chunk as a few elements before it.

_MOST_PARTS = 80
"""Elements that stand for a total: a sum of doubles has 40 at most, but for those beyond the greatest double."""


def _prefixes(measure: Measure, x: NDArray, axis: int, dtype: Dtype, is_exclusive: bool) -> NDArray:
    """Every prefix of what `measure` has seen and the elements of `x` along `axis`, each rounded once; it sees `x` too.

    The measure is of the same axis, of elements of this type, and of results of `dtype`.
    """
    if isinstance(measure, FloatProducts):
        return measure.products.scan(x, axis, is_exclusive, dtype)  # type: ignore[no-any-return]
    row = CUMULATIVE_PROD if isinstance(measure, IntegerProducts) else CUMULATIVE_SUM
    flags = flags_of(row) | (EXCLUSIVE if is_exclusive else 0)
    if isinstance(measure, Sums) and dtype.kind not in "iu":
        joined = _joined(measure.totals, x, axis)
        if joined is None:
            return _one_by_one(measure, x, axis, dtype, is_exclusive)
        count = joined.shape[axis] - x.shape[axis]
        result = np.asarray(scan(row, joined, axis, flags, dtype))
        result = result[(slice(None),) * axis + (slice(count, None),)]
    else:
        result = np.asarray(scan(row, x, axis, flags, dtype))
        carry = np.expand_dims(np.asarray(_modular(measure, dtype, x, axis)), axis)
        combine: Any = np.multiply if isinstance(measure, IntegerProducts) else np.add
        combine(result, carry, out=result)
    measure.add(x, (axis,), None, 0)
    return result


def _modular(measure: Any, dtype: Dtype, x: NDArray, axis: int) -> NDArray:
    """The total so far modulo the range of an integer type."""
    if isinstance(measure, IntegerProducts):
        return np.asarray(measure.result(dtype))
    return np.asarray(measure.totals.rounded(int(Finalize.ITSELF), dtype, _ones(x, axis)))


def _ones(x: NDArray, axis: int) -> NDArray:
    return np.ones(x.shape[:axis] + x.shape[axis + 1 :], np.int64)


def _joined(totals: Any, x: NDArray, axis: int) -> NDArray | None:
    """The elements of `x` after some whose sum the totals are, doubles if need be; None where that takes too many."""
    if x.dtype.kind in "iub":
        parts = _integer_parts(totals, x.dtype)
    else:
        parts = totals.elements(_MOST_PARTS)
        if parts is None:
            wide = Totals(int(Map.ITSELF), np.dtype(np.float64), math.prod(x.shape[:axis] + x.shape[axis + 1 :]))
            wide.decode(totals.encoded())
            parts, x = wide.elements(_MOST_PARTS), x.astype(np.float64)
    if parts is None or len(parts) == 0:
        return x if parts is not None else None
    shaped = parts.reshape(-1, *x.shape[:axis], *x.shape[axis + 1 :])
    return np.concatenate([np.moveaxis(shaped, 0, axis), x], axis)


def _integer_parts(totals: Any, dtype: Dtype) -> NDArray | None:
    """Each row is as much of what is left as its type holds."""
    wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    limits = np.iinfo(wide)
    rest = np.array([number << shift for number, shift in decoded(totals.encoded())], dtype=object)
    parts: list[NDArray] = []
    while rest.any():
        if len(parts) == _MOST_PARTS:
            return None
        part = np.minimum(np.maximum(rest, int(limits.min)), int(limits.max))
        parts.append(part.astype(wide))
        rest = rest - part
    return np.array(parts, wide).reshape(len(parts), rest.size)


def _one_by_one(measure: Sums, x: NDArray, axis: int, dtype: Dtype, is_exclusive: bool) -> NDArray:
    """Row after row: for totals that no few elements stand for."""
    result = np.empty(x.shape, dtype)
    counts = _ones(x, axis)
    for i in range(x.shape[axis]):
        row = (slice(None),) * axis + (slice(i, i + 1),)
        if not is_exclusive:
            measure.add(x[row], (axis,), None, 0)
        result[row] = np.expand_dims(np.asarray(measure.totals.rounded(int(Finalize.ITSELF), dtype, counts)), axis)
        if is_exclusive:
            measure.add(x[row], (axis,), None, 0)
    return result


_KEYS = {"sum": "sum", "prod": "product"}
_FUNCTIONS = {"sum": cumulative_sum, "prod": cumulative_prod}
_EXTREMES = {"min": cumulative_min, "max": cumulative_max}


class Scan:
    """A cumulative sum, product or extreme that goes on from chunk to chunk, with the bits of one call on everything.

    `name` is `sum`, `prod`, `min` or `max`; `axis`, `dtype` and `exclusive` mean what they mean in `cumulative_sum`,
    and an extreme has no other dtype and is not exclusive. Each chunk has the same dtype and, along the other axes,
    the same lengths. A scan is for one thread at a time. It keeps about 1.2 KB for each line of a sum of floats, 560
    bytes for each of a product, 24 and 8 for integers, one element for each of an extreme.

    Raises ArgumentError for another name and for what an extreme does not have, AxisError for an axis that is no
    integer, DtypeError for a dtype that the function refuses.

    >>> import numpy as np
    >>> scan = Scan("sum")
    >>> scan.update(np.array([1e300, 1.0]))
    array([1.e+300, 1.e+300])
    >>> scan.update(np.array([-1e300, 2.0]))
    array([1., 3.])
    """

    __slots__ = (
        "_asked",
        "_axis",
        "_dtype",
        "_exclusive",
        "_is_torn",
        "_last",
        "_measure",
        "_name",
        "_result",
        "_shape",
    )

    def __init__(
        self,
        name: Literal["sum", "prod", "min", "max"],
        axis: SupportsIndex = 0,
        dtype: DTypeLike | None = None,
        *,
        exclusive: bool = False,
    ) -> None:
        self._exclusive = boolean_of("exclusive", exclusive)
        if not isinstance(name, str) or name not in _KEYS | _EXTREMES:
            raise ArgumentError(f"there is no scan {name!r}; allowed are {', '.join(_KEYS | _EXTREMES)}")
        if name in _EXTREMES and (dtype is not None or exclusive):
            raise ArgumentError(
                f"the scan {name!r} with dtype={dtype!r} and exclusive={exclusive!r}; it has the dtype of the chunks "
                "and is not exclusive"
            )
        self._name = name
        self._axis = axis_number(axis)
        self._asked = as_dtype(dtype)
        self._dtype: Dtype | None = None
        self._last: NDArray | None = None
        self._result: Dtype | None = None
        self._shape: tuple[int, ...] = ()
        self._measure: Measure | None = None
        self._is_torn = False

    @undisturbed
    def update(self, chunk: ArrayLike) -> NDArray:
        """The prefixes of this chunk, each of everything so far and rounded once, in the shape of the chunk.

        Raises DtypeError for another dtype than that of the chunks before, ShapeError for another rank, for other
        lengths of the other axes and for rank 0, AxisError for an axis that the chunk does not have.
        """
        if self._is_torn:
            raise ArgumentError(f"{self!r} has lost a part of its data: an update was interrupted")
        x = native(as_array(chunk))
        if x.ndim == 0:
            raise ShapeError("the chunk has rank 0; a scan needs rank 1 or more")
        (axis,) = all_from_front(self._axis, x.ndim)
        shape = x.shape[:axis] + (-1,) + x.shape[axis + 1 :]
        self._check(x, shape)
        if self._name in _EXTREMES:
            self._dtype, self._shape = x.dtype, shape
            return self._extremes(x, axis)
        if self._measure is None:
            self._begin(x.dtype, shape, axis)
        assert self._measure is not None and self._result is not None  # noqa: PT018
        self._is_torn = True
        with np.errstate(invalid="ignore", over="ignore"):  # NumPy warns of NaNs of ml_dtypes
            result = _prefixes(self._measure, x, axis, self._result, self._exclusive)
        self._is_torn = False
        return result

    def _extremes(self, x: NDArray, axis: int) -> NDArray:
        """The last prefix goes before the chunk."""
        function = _EXTREMES[self._name]
        if self._last is None:
            result = function(x, axis)
        else:
            result = function(np.concatenate([self._last, x], axis), axis).take(range(1, x.shape[axis] + 1), axis)
        if x.shape[axis] > 0:
            self._last = result.take([-1], axis)
        return result

    def _go_on(self, before: State | None, axis: int) -> None:
        """The extreme of what a state has seen goes before the next chunk; nothing does if that was no element."""
        seen: Any = None if before is None else before._measures.get(self._name)
        if seen is not None and seen.seen.all():
            self._last = np.expand_dims(seen.values, axis)

    def __reduce__(self) -> Any:
        raise ArgumentTypeError(f"{self!r} is neither copied nor pickled; a State of {self._name!r} is")

    def _check(self, x: NDArray, shape: tuple[int, ...]) -> None:
        if self._dtype is None:
            return
        if x.dtype != self._dtype:
            raise DtypeError(f"the chunk is {type_text(x.dtype, x.shape)}; the scan is of {self._dtype.name}")
        if shape != self._shape:
            lengths = [("any" if size < 0 else size) for size in self._shape]
            raise ShapeError(f"the chunk has shape {list(x.shape)}; the scan is of chunks of {lengths}")

    def _begin(self, dtype: Dtype, shape: tuple[int, ...], axis: int) -> None:
        self._result = _FUNCTIONS[self._name](np.zeros(1, dtype), dtype=self._asked).dtype
        kept = shape[:axis] + shape[axis + 1 :]
        self._measure = measure_of(_KEYS[self._name], dtype, kept, self._asked)
        self._dtype, self._shape = dtype, shape

    def __repr__(self) -> str:
        dtype = "" if self._asked is None else f", dtype={self._asked.name}"
        exclusive = ", exclusive=True" if self._exclusive else ""
        return f"Scan({self._name!r}, axis={self._axis}{dtype}{exclusive})"


def scan_after(
    name: Any, before: State | None, axis: int, asked: Dtype | None, x: NDArray, is_exclusive: bool
) -> NDArray:
    """The prefixes of `x` after what a state of this name, axis and dtype has seen, which stays as it is."""
    scan = Scan(name, axis, asked, exclusive=is_exclusive)
    if name in _EXTREMES:
        scan._go_on(before, axis)
    elif before is not None and before._dtype is not None:
        scan._begin(x.dtype, x.shape[:axis] + (-1,) + x.shape[axis + 1 :], axis)
        scan._measure = before.copy()._measures[_KEYS[name]]
    return scan.update(x)
