"""Functions on arrays, cumulative sums, products and extremes of data that comes in chunks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, SupportsIndex

import numpy as np

from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Finalize, Map
from samesum.engine.arrays import as_array
from samesum.engine.machine import undisturbed
from samesum.engine.memory import EXCLUSIVE, flags_of, scan
from samesum.engine.totals import Totals, decoded
from samesum.errors import ArgumentError, DtypeError, ModelError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, boolean_of, native, type_text
from samesum.formats.axes import all_from_front, axis_number
from samesum.frontends.arrays.measure import FloatProducts, IntegerProducts, Measure, Sums
from samesum.frontends.arrays.scans import cumulative_max, cumulative_min, cumulative_prod, cumulative_sum
from samesum.frontends.arrays.state import State
from samesum.frontends.arrays.state_results import unpacked

# Prefixes that go on from what a measure has seen: the exact total joins the chunk as a few elements before it.

_MOST_PARTS = 80
"""Elements that stand for a total: a sum of doubles has 40 at most, but for those beyond the greatest double."""


def _prefixes(measure: Measure, x: NDArray, axis: int, dtype: Dtype, is_exclusive: bool) -> NDArray:
    """Every prefix of what `measure` has seen and the elements of `x` along `axis`, each rounded once; it sees `x` too.

    The measure is of the same axis, of elements of this type, and of results of `dtype`.
    """
    if isinstance(measure, FloatProducts):
        return measure.totals.scan(x, axis, is_exclusive, dtype)  # type: ignore[no-any-return]
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
    the same lengths. A scan is for one thread at a time. It keeps 12 to 68 bytes for each line of a sum of floats,
    1.2 KB where their sizes are spread too widely, 560 bytes for each of a product, 24 and 8 for integers, one element
    for each of an extreme. It is copied and pickled, and `to_bytes` gives the same bytes on every machine for the same
    data, however that was cut.

    Raises ArgumentError for another name and for what an extreme does not have, AxisError for an axis that is no
    integer, DtypeError for a dtype that the function refuses.

    >>> scan = Scan("sum")
    >>> scan.update(np.array([1e300, 1.0]))
    array([1.e+300, 1.e+300])
    >>> Scan.from_bytes(scan.to_bytes()).update(np.array([-1e300, 2.0]))
    array([1., 3.])
    """

    __slots__ = ("_exclusive", "_result", "_state")

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
        self._state = State([name], axis_number(axis), dtype)
        self._result: Dtype | None = None

    @undisturbed
    def update(self, chunk: ArrayLike) -> NDArray:
        """The prefixes of this chunk, each of everything so far and rounded once, in the shape of the chunk.

        Raises DtypeError for another dtype than that of the chunks before, ShapeError for another rank, for other
        lengths of the other axes and for rank 0, AxisError for an axis that the chunk does not have.
        """
        self._check_whole()
        x, state = native(as_array(chunk)), self._state
        if x.ndim == 0:
            raise ShapeError("the chunk has rank 0; a scan needs rank 1 or more")
        (axis,) = all_from_front(state._axis, x.ndim)
        kept = x.shape[:axis] + x.shape[axis + 1 :]
        self._check(x, kept)
        if state._dtype is None:
            self._result = self._type(x.dtype)
            state._begin(x.dtype, x.ndim, kept)
            state._axis = (axis,)
        with state._changing(), np.errstate(over="ignore"):  # NumPy warns of NaNs of ml_dtypes
            result = self._prefixes(x, axis)
            state._measures["count"].add(x, (axis,), None, 0)
        return result

    def _prefixes(self, x: NDArray, axis: int) -> NDArray:
        """Those of the chunk, which the state's measure takes; the last extreme goes before it."""
        measure: Any = self._state._measures[_KEYS.get(self._name, self._name)]
        if self._name in _KEYS:
            assert self._result is not None
            return _prefixes(measure, x, axis, self._result, self._exclusive)
        function = _EXTREMES[self._name]
        if measure.seen.all():
            joined = np.concatenate([np.expand_dims(measure.values, axis), x], axis)
            result = function(joined, axis)[(slice(None),) * axis + (slice(1, None),)]
        else:
            result = function(x, axis)
        measure.add(x, (axis,), None, 0)
        return result

    def copy(self) -> Scan:
        """A scan of the same elements that goes on by itself."""
        return _restored(self._stored(is_brief=False))

    def to_bytes(self) -> bytes:
        """The scan as bytes, the same for the same elements however they came; https://samesum.readthedocs.io/en/stable/states.html."""
        return self._stored(is_brief=True)

    @classmethod
    def from_bytes(cls, data: bytes) -> Scan:
        """The scan that `to_bytes` wrote. Raises ModelError for damaged bytes and for those of a later version."""
        return cls._read(data, is_brief=True)

    @classmethod
    def _read(cls, data: bytes, is_brief: bool) -> Scan:
        state, exclusive = State._read(data, is_brief, is_scan=True), unpacked(bytes(data))[0].exclusive
        if len(state._names) != 1 or state._axis is None or len(state._axis) != 1:
            raise ModelError(f"the scan is of {list(state._names)} along {state._axis}; one name and axis are needed")
        name: Any = state._names[0]
        try:
            scan = cls(name, state._axis[0], state._result, exclusive=bool(exclusive))
            scan._go_on(state)
        except (ArgumentError, DtypeError) as error:
            raise ModelError(f"the scan is of what there is not: {error}") from None
        return scan

    def _go_on(self, state: State) -> None:
        """What the state has seen, of the same name, axis and dtype, goes before the next chunk."""
        self._state = state
        self._result = None if state._dtype is None else self._type(state._dtype)

    def _stored(self, is_brief: bool) -> bytes:
        self._check_whole()
        return self._state._stored(is_brief, self._exclusive)

    def __reduce__(self) -> tuple[Callable[[bytes], Scan], tuple[bytes]]:
        return _restored, (self._stored(is_brief=False),)

    @property
    def _name(self) -> str:
        return self._state._names[0]

    def _type(self, dtype: Dtype) -> Dtype | None:
        function = _FUNCTIONS.get(self._name)
        return None if function is None else function(np.zeros(1, dtype), dtype=self._state._result).dtype

    def _check_whole(self) -> None:
        if self._state._is_torn:
            raise ArgumentError(f"{self!r} has lost a part of its data: an update was interrupted")

    def _check(self, x: NDArray, kept: tuple[int, ...]) -> None:
        state = self._state
        if state._dtype is None:
            return
        if x.dtype != state._dtype:
            raise DtypeError(f"the chunk is {type_text(x.dtype, x.shape)}; the scan is of {state._dtype.name}")
        if (x.ndim, kept) != (state._rank, state._kept):
            assert state._axis is not None
            lengths: list[Any] = list(state._kept)
            lengths.insert(state._axis[0], "any")
            raise ShapeError(f"the chunk has shape {list(x.shape)}; the scan is of chunks of {lengths}")

    def __repr__(self) -> str:
        asked, axis = self._state._result, self._state._axis
        dtype = "" if asked is None else f", dtype={asked.name}"
        exclusive = ", exclusive=True" if self._exclusive else ""
        return f"Scan({self._name!r}, axis={axis and axis[0]}{dtype}{exclusive})"


def _restored(data: bytes) -> Scan:
    """The scan of a pickle or a copy, of which nothing is lost."""
    return Scan._read(data, is_brief=False)


def scan_after(
    name: Any, before: State | None, axis: int, asked: Dtype | None, x: NDArray, is_exclusive: bool
) -> NDArray:
    """The prefixes of `x` after what a state of this name, axis and dtype has seen, which stays as it is."""
    scan = Scan(name, axis, asked, exclusive=is_exclusive)
    if before is not None and before._dtype is not None:
        scan._go_on(before.copy())
    return scan.update(x)
