"""Functions on arrays, reductions of data that comes in chunks: exact states that merge."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array, as_dtype
from samesum.engine.machine import undisturbed
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ModelError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, integer_of, native, type_text
from samesum.formats.axes import Axes, all_from_front, axis_number
from samesum.frontends.arrays.calls import checked_correction
from samesum.frontends.arrays.measure import Measure
from samesum.frontends.arrays.measures import KEYS, measure_of
from samesum.frontends.arrays.state_names import (
    CORRECTED,
    MEASURES,
    WITH_POSITION,
    StateName,
    checked_names,
    integers,
    mask_for,
    pieces,
)
from samesum.frontends.arrays.state_results import (
    Header,
    dtype_named,
    is_consistent,
    outputs_fit,
    packed,
    result_of,
    result_types,
    unpacked,
)


class State:
    """Several reductions of data that comes in chunks: `result()` has the bits of one call on everything.

    `names` are those of `reduce`: `sum`, `mean`, `l1`, `l2`, `sum_square`, `log_sum`, `logsumexp`, `prod`, `min`,
    `max`, `argmin`, `argmax`, `all`, `any`, `count_nonzero`, `var`, `std`; and `rms` (the root of the mean square).
    `axis` and `dtype` mean what they mean there. `var` is the exact sum of squared deviations from the
    mean over `count - correction`, NaN unless that is positive, and `std` its root.
    Chunks may come in any order and states may be merged in any order; how the data was cut changes no bit. Each chunk
    has the same dtype and, along the axes that are not reduced, the same lengths. A state is for one thread at a time.

    A state pickles, and `to_bytes` gives the same bytes on every machine for the same data. In memory it has
    12 to 36 bytes for each kept output and each kind of sum of floats, 48 more from some thousand elements on, 1.2 KB
    where their sizes are spread too widely, 24 bytes for each sum of integers, 0.7 KB for `logsumexp`. Products of
    floats and sums of exponentials are kept to many more bits than any format has
    (https://samesum.readthedocs.io/en/stable/states.html).

    Raises ArgumentError for a name that is none of these and for a correction that is not finite, AxisError and
    DtypeError as `reduce` does. A state whose update did not come to its end, because it was interrupted or memory was
    short, refuses everything afterwards.

    >>> state = State(["sum", "max"])
    >>> for chunk in ([1e300, 1.0], [-1e300, 3.0]):
    ...     state.update(np.array(chunk))
    >>> state.result()
    {'sum': np.float64(4.0), 'max': np.float64(1e+300)}
    """

    __slots__ = (
        "_axis", "_correction", "_dtype", "_end", "_is_torn", "_kept", "_measures", "_names", "_rank", "_result",
        "_types",
    )  # fmt: skip

    def __init__(
        self,
        names: Sequence[StateName] | Sequence[str],
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        *,
        correction: float = 0,
    ) -> None:
        self._names = checked_names(names)
        self._axis = axis if axis is None else integers(axis)
        if self._has_positions and axis is not None:
            axis_number(axis)
        self._result = as_dtype(dtype)
        checked = checked_correction(correction)
        self._correction = checked if self._is_corrected else 0.0
        self._types: dict[str, Dtype] = {}
        self._dtype: Dtype | None = None
        self._rank: int | None = None
        self._kept: tuple[int, ...] = ()
        self._measures: dict[str, Measure] = {}
        self._end = 0
        self._is_torn = False

    @undisturbed
    def update(self, chunk: ArrayLike, where: ArrayLike | None = None, offset: int | None = None) -> None:
        """Takes the elements of `chunk`, of any length along the reduced axes; only those where `where` is true.

        `offset` is the position of the chunk's first element along the axis (flat for `axis` None), for `argmin` and
        `argmax`; by default the chunk follows the last one.

        Raises DtypeError for another dtype than that of the chunks before, ShapeError for another rank or for other
        lengths that are kept, ArgumentError for an offset that is negative or that several axes have none of.
        """
        self._check_whole()
        x = native(as_array(chunk))
        axes = all_from_front(self._axis, x.ndim)
        kept = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
        self._check(x, kept)
        mask = None if where is None else mask_for(as_array(where), x.shape)
        start = self._start(offset)
        if self._dtype is None:
            self._begin(x.dtype, x.ndim if self._axis is not None else None, kept)
            self._axis = None if self._axis is None else tuple(sorted(axes))
        with self._changing():
            for piece, some, reduced, first in pieces(x, mask, axes, start, len(self._measures)):
                for measure in self._measures.values():
                    measure.add(piece, reduced, some, first)
        if self._has_positions:
            self._end = max(self._end, start + math.prod(x.shape[axis] for axis in axes))

    @undisturbed
    def merge(self, other: State) -> State:
        """Takes what `other` has seen, and returns this state; `other` stays as it is.

        Positions are those that `other` was told by its offsets. Raises ArgumentError for a state of other names,
        another axis or another `dtype`, and DtypeError and ShapeError as `update` does.
        """
        if not isinstance(other, State):
            raise ArgumentTypeError(f"a state is merged with another one; got {type(other).__name__}")
        self._check_whole()
        other._check_whole()
        same = self._arguments == other._arguments
        axis = self._axis
        if same and axis is not None and other._axis is not None and other._rank is not None:
            axis = tuple(sorted(all_from_front(axis, other._rank)))
        if not same or (other._dtype is not None and axis != other._axis):
            raise ArgumentError(f"{other!r} cannot be merged into {self!r}: allowed is one of the same arguments")
        if other._dtype is None:
            return self
        if self._dtype is None:
            self._begin(other._dtype, other._rank, other._kept)
            self._axis = axis
        if (self._dtype, self._rank) != (other._dtype, other._rank):
            raise DtypeError(f"the other state is of {other._described()}; this one is of {self._described()}")
        if self._kept != other._kept:
            raise ShapeError(f"the other state is of {other._described()}; this one is of {self._described()}")
        merged = other if other is not self else self.copy()
        with self._changing():
            for key, measure in self._measures.items():
                measure.merge(merged._measures[key])
        self._end = max(self._end, merged._end)
        return self

    def copy(self) -> State:
        """A state of the same elements that goes on by itself."""
        return _restored(self._stored(is_brief=False))

    @undisturbed
    def result(self) -> dict[str, Any]:
        """The results by name, of all elements so far; the state can go on.

        Raises ShapeError before the first chunk, and for the extreme of a set without an element.
        """
        self._check_whole()
        if self._dtype is None:
            raise ShapeError("nothing was added; a result needs one chunk or more")
        return {
            name: result_of(name, self._types[name], self._measures, self._correction, self._described())
            for name in self._names
        }

    def to_bytes(self) -> bytes:
        """The state as bytes, the same for the same elements however they came; https://samesum.readthedocs.io/en/stable/states.html."""
        return self._stored(is_brief=True)

    @undisturbed
    def _stored(self, is_brief: bool, exclusive: bool | None = None) -> bytes:
        """The bytes; `exclusive` is what a scan is."""
        self._check_whole()
        header = Header(
            self._names,
            self._axis,
            None if self._result is None else self._result.name,
            None if self._dtype is None else self._dtype.name,
            self._rank,
            self._kept,
            self._end,
            self._correction if self._is_corrected else None,
            exclusive,
        )
        return packed(header, [measure.encoded(is_brief) for measure in self._measures.values()])

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """The state that `to_bytes` wrote. Raises ModelError for damaged bytes and for those of a later version."""
        return cls._read(data, is_brief=True)

    @classmethod
    @undisturbed
    def _read(cls, data: bytes, is_brief: bool, is_scan: bool = False) -> State:
        kind, other = ("scan", "state") if is_scan else ("state", "scan")
        if not isinstance(data, bytes | bytearray | memoryview):
            raise ArgumentTypeError(f"a {kind} is read from bytes; got {type(data).__name__}")
        header, sections = unpacked(bytes(data))
        if (header.exclusive is not None) is not is_scan:
            raise ModelError(f"the bytes are of a {other}, which {other.title()}.from_bytes reads")
        try:
            axis = header.axis[0] if header.axis is not None and len(header.axis) == 1 else header.axis
            names: Any = header.names
            state = cls(names, axis, dtype_named(header.result), correction=header.correction or 0.0)
            dtype = dtype_named(header.dtype)
            if dtype is not None:
                result_types(header.names, dtype, state._result)  # refuses what it refuses
        except (ArgumentError, ArgumentTypeError, DtypeError, AxisError) as error:
            raise ModelError(f"the state's header names what there is not: {error}") from None
        correction = repr(state._correction if state._is_corrected else None)
        same = (state._names, state._axis, correction) == (header.names, header.axis, repr(header.correction))
        if not same or not is_consistent(header):
            raise ModelError("the state's header is not in its canonical form")
        keys = state._keys() if dtype is not None else ()
        if not outputs_fit(header, sections, len(keys)):
            raise ModelError(f"the state has {len(sections)} sections that do not fit {len(keys)} measures")
        if dtype is not None:
            state._begin(dtype, header.rank, header.kept)
        for key, section in zip(keys, sections, strict=True):
            if not state._measures[key].decode(section, is_brief):
                raise ModelError(f"the state's section {key!r} is not in its canonical form")
        state._end = header.end
        return state

    def __reduce__(self) -> tuple[Callable[[bytes], State], tuple[bytes]]:
        return _restored, (self._stored(is_brief=False),)

    def __repr__(self) -> str:
        axis = "" if self._axis is None else f", axis={self._axis}"
        dtype = "" if self._result is None else f", dtype={self._result.name}"
        correction = f", correction={self._correction:g}" if self._correction else ""
        return f"State({list(self._names)}{axis}{dtype}{correction})"

    @property
    def _arguments(self) -> tuple[object, ...]:
        return self._names, self._result, self._correction

    @property
    def _is_corrected(self) -> bool:
        return not set(CORRECTED).isdisjoint(self._names)

    @property
    def _has_positions(self) -> bool:
        return not set(WITH_POSITION).isdisjoint(self._names)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """What ends early within leaves the measures of different elements."""
        self._is_torn = True
        with np.errstate(invalid="ignore"):  # NumPy warns of NaNs of ml_dtypes
            yield
        self._is_torn = False

    def _check_whole(self) -> None:
        if self._is_torn:
            raise ArgumentError(f"{self!r} has lost a part of its data: an update or a merge was interrupted")

    def _keys(self) -> tuple[str, ...]:
        wanted = {key for name in self._names for key in MEASURES[name]}
        return tuple(key for key in KEYS if key == "count" or key in wanted)

    def _begin(self, dtype: Dtype, rank: int | None, kept: tuple[int, ...]) -> None:
        self._measures = {key: measure_of(key, dtype, kept, self._result) for key in self._keys()}
        self._dtype, self._rank, self._kept = dtype, rank, kept
        self._types = self._types or result_types(self._names, dtype, self._result)

    def _check(self, x: NDArray, kept: tuple[int, ...]) -> None:
        if self._dtype is None:
            self._types = result_types(self._names, x.dtype, self._result)  # refuses what it refuses
        elif x.dtype != self._dtype:
            raise DtypeError(f"the chunk is {type_text(x.dtype, x.shape)}; the state is of {self._described()}")
        elif (self._axis is not None and x.ndim != self._rank) or kept != self._kept:
            raise ShapeError(f"the chunk is {type_text(x.dtype, x.shape)}; the state is of {self._described()}")

    def _place(self, shape: tuple[int, ...], corner: Sequence[int], whole: tuple[int, ...]) -> None:
        """Positions of a chunk of this shape, counted flat from 0, become those in the whole array."""
        for name in WITH_POSITION:
            measure: Any = self._measures.get(name)
            if measure is not None and measure.seen.all():
                found = np.unravel_index(measure.positions, shape)
                places = tuple(at + start for at, start in zip(found, corner, strict=True))
                measure.positions = np.asarray(np.ravel_multi_index(places, whole), np.int64)

    def _merge_along_first(self, others: Mapping[int, State]) -> None:
        """Takes what others have seen that keep one axis less: each belongs to one place of the first kept axis."""
        assert self._dtype is not None
        with self._changing():
            for key, measure in self._measures.items():
                nothing = measure_of(key, self._dtype, self._kept[1:], self._result)
                places = range(self._kept[0])
                parts = [others[place]._measures[key] if place in others else nothing for place in places]
                stacked = measure_of(key, self._dtype, self._kept, self._result)
                stacked.stack(parts)
                measure.merge(stacked)

    def _described(self) -> str:
        assert self._dtype is not None
        rank = "" if self._rank is None else f" of rank {self._rank}"
        return f"{self._dtype.name}{rank} with {list(self._kept)} kept"

    def _start(self, offset: int | None) -> int:
        if offset is None:
            return self._end
        start = integer_of("the offset", offset)
        if start < 0 or start >= 2**62:
            raise ArgumentError(f"the offset is {start}; allowed are 0 to 2^62 - 1")
        if self._axis is not None and len(self._axis) > 1:
            raise ArgumentError(f"the offset is {start}; a state along the axes {self._axis} counts no positions")
        return start


def _restored(data: bytes) -> State:
    """The state of a pickle or a copy, of which nothing is lost."""
    return State._read(data, is_brief=False)
