"""What is kept of the slices of a label, and of products, between chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from samesum.algebra.rows import Finalize, Map
from samesum.engine.segments import check_places
from samesum.engine.totals import Totals, moved, product_error
from samesum.errors import ArgumentError, AttributeValueError, ShapeError
from samesum.formats.arrays import Dtype, NDArray
from samesum.frontends.arrays.segments import segment_reduce
from samesum.frontends.arrays.state import State, _restored
from samesum.frontends.arrays.state_names import WITHOUT_EMPTY

# Exact states of the slices that share a label, of data that comes in chunks.
#
# The labels are cut into runs of equal length, each of which has one state if it has a slice. States are kept as bytes,
# which take a few bytes for each exact sum that they hold.

_OUTPUTS = 4096
"""What a state has at most, if a label does not have more by itself: its exact sums take 0.2 to 5 MB."""
_MOST_PADDING = 4
"""A label with more slices than so many times the mean of its run, and _SHORT more, has a state of its own first."""
_SHORT = 8


@dataclass(frozen=True, slots=True)
class LabelStates:
    """The states of `name` over the first axis of slices of shape `kept`: bytes by the number of the run of labels."""

    name: Any
    correction: float
    dtype: Dtype
    kept: tuple[int, ...]
    length: int
    """How many labels a run has."""
    labels: NDArray
    """Those that have a slice, in ascending order."""
    runs: dict[int, bytes]

    @classmethod
    def of_all(cls, parts: Sequence[LabelStates]) -> LabelStates:
        """What all of them have seen, of one or more of the same arguments; they stay as they are."""
        first = parts[0]
        runs: dict[int, list[bytes]] = {}
        for part in parts:
            for run, data in part.runs.items():
                runs.setdefault(run, []).append(data)
        labels = np.unique(np.concatenate([part.labels for part in parts]))
        joined = {run: _merged(each) for run, each in runs.items()}
        return replace(first, labels=labels, runs=joined)

    def result(self, count: int | None) -> NDArray:
        """The results of labels from 0 to `count` - 1 (None: to the greatest one) along a new first axis.

        Raises ShapeError for the extreme of a label without a slice.
        """
        if count is None:
            count = int(self.labels[-1]) + 1 if self.labels.size else 0
        if self.name in WITHOUT_EMPTY and len(self.labels) < count:
            empty = int(np.flatnonzero(np.append(self.labels, count) != np.arange(len(self.labels) + 1))[0])
            raise ShapeError(f"no {self.name} of an empty set: label {empty} of 0 to {count - 1} has no element")
        nothing = np.zeros((0, *self.kept), self.dtype)
        is_filled = self.name not in WITHOUT_EMPTY
        result = segment_reduce(nothing, [], 0, count if is_filled else 0, self.name)
        if not is_filled:
            result = np.empty((count, *self.kept), result.dtype)
        for run, data in self.runs.items():
            begin = run * self.length
            state = _restored(data)
            measure: Any = state._measures.get(self.name)  # of extremes, which some labels of a run may not have
            part = np.asarray(state.result()[self.name] if is_filled else measure.values)
            result[begin : begin + self.length] = part[: count - begin]
        return result


def states_of_labels(name: Any, x: NDArray, labels: NDArray, count: int | None, correction: float) -> LabelStates:
    """The states of the slices of `x` along its first axis, each of which has one label.

    Raises ShapeError for labels of another length, ArgumentError for one that is negative or not below `count`.
    """
    kept = x.shape[1:]
    if labels.shape != x.shape[:1]:
        raise ShapeError(f"labels have shape {labels.shape}; a chunk of x takes ({x.shape[0]},)")
    if count is not None:
        try:
            check_places("labels", labels, count, negative=False)
        except AttributeValueError as error:  # the engine's word for operators of the standards
            raise ArgumentError(str(error)) from None
    order = np.argsort(_narrow(labels), kind="stable")
    found, starts, counts = np.unique(labels[order], return_index=True, return_counts=True)
    places = found.astype(np.int64)
    if (places < 0).any():
        raise ArgumentError(f"labels has {found[places < 0][0]}; allowed are 0 to 2^63 - 1")
    length = max(1, min(_OUTPUTS // max(1, math.prod(kept)), _OUTPUTS if count is None else count))
    runs = {}
    numbers, firsts = np.unique(places // length, return_index=True)
    for run, (begin, end) in zip(numbers.tolist(), pairwise([*firsts, len(places)]), strict=True):
        rows = [order[at : at + n] for at, n in zip(starts[begin:end], counts[begin:end], strict=True)]
        state = State([name], 1, correction=correction)
        _add(state, x, dict(zip((places[begin:end] - run * length).tolist(), rows, strict=True)), length)
        runs[run] = state._stored(is_brief=False)
    return LabelStates(name, correction, x.dtype.newbyteorder("="), kept, length, places, runs)


def _narrow(labels: NDArray) -> NDArray:
    """The labels in two bytes where they fit, since NumPy sorts those by their digits."""
    if labels.size and labels.min() >= 0 and labels.max() < 1 << 16:
        return labels.astype(np.uint16)
    return labels


def _add(state: State, x: NDArray, rows: dict[int, NDArray], length: int) -> None:
    """Adds the rows of `x` that each place of a run has; places with many more than others one by one."""
    total = sum(len(each) for each in rows.values())
    most = _MOST_PADDING * -(-total // length) + _SHORT
    lone = {place: each for place, each in rows.items() if len(each) > most}
    others = {place: each for place, each in rows.items() if place not in lone}
    width = max((len(each) for each in others.values()), default=0)
    chosen = np.zeros((length, width), np.intp)
    is_there = np.zeros((length, width), np.bool_)
    for place, each in others.items():
        chosen[place, : len(each)] = each
        is_there[place, : len(each)] = True
    mask = None if is_there.all() else is_there.reshape(length, width, *(1,) * (x.ndim - 1))
    state.update(_rows(x, chosen), mask)
    if not lone:
        return
    names: Any = state._names
    singles = {}
    for place, each in lone.items():
        singles[place] = State(names, 0, correction=state._correction)
        singles[place].update(_rows(x, each))
    state._merge_along_first(singles)


def _rows(x: NDArray, chosen: NDArray) -> NDArray:
    """The rows by number: a view of those that follow one another."""
    flat = chosen.reshape(-1)
    if flat.size > 1 and flat[-1] - flat[0] == flat.size - 1 and (np.diff(flat) == 1).all():
        return x[flat[0] : flat[-1] + 1].reshape(*chosen.shape, *x.shape[1:])
    return x[chosen]


def _merged(parts: list[bytes]) -> bytes:
    if len(parts) == 1:
        return parts[0]
    total = _restored(parts[0])
    for each in parts[1:]:
        total.merge(_restored(each))
    return total._stored(is_brief=False)


# States of dot products: the exact sums of exact products of floats, of operands that come in chunks.
#
# A product of two floats of 32 bits or fewer is a double. One of two doubles is the sum of two, its rounded value and
# what that leaves out, if its exponent is moderate; the others are scaled, added apart, and their exact sums moved
# back.

_PIECE = 1 << 20
"""Products that are made at a time."""
_MODERATE, _SHIFT = 900, 1200
"""Products of mantissas between 1/4 and 1 times 2^k are two doubles for |k| up to _MODERATE. Exponents lie between
-2146 and 2048, and between -_MODERATE and _MODERATE once the others are nearer to 0 by _SHIFT, whole bytes of a total.
"""

_Terms = Iterator[tuple[int, NDArray]]


def state_of_products(a: NDArray, b: NDArray, axis: int) -> State:
    """The state of the sum of `a * b`, of floats that broadcast, along an axis that counts from the back.

    Its results come from `rounded_products`, since the products are taken in doubles.
    """
    if a.shape[axis] != b.shape[axis]:
        raise ShapeError(f"vectors of different lengths along axis {axis}: {a.shape} and {b.shape}")
    rank = max(a.ndim, b.ndim)
    state = State(["sum"], rank + axis)
    first, second = np.broadcast_arrays(a, b)
    length = first.shape[axis]
    state.update(np.zeros([*first.shape[:axis], 0, *first.shape[rank + axis + 1 :]]))
    step = max(1, _PIECE // max(1, first.size // max(1, length)))
    with np.errstate(all="ignore"):
        for begin in range(0, length, step):
            piece: Any = (..., slice(begin, begin + step), *(slice(None),) * (-axis - 1))
            for shift, terms in _terms(first[piece], second[piece]):
                if shift == 0:
                    state.update(terms)
                else:
                    _add_shifted(state, terms, rank + axis, shift)
    return state


def rounded_products(state: State, dtype: Dtype) -> NDArray:
    """The sums of a state of products, rounded once to any float type."""
    measure: Any = state._measures["sum"]
    counts: Any = state._measures["count"]
    return np.asarray(measure.totals.rounded(int(Finalize.ITSELF), dtype, counts.values))


def _terms(a: NDArray, b: NDArray) -> _Terms:
    """Arrays of doubles whose sum, each times a power of two, is that of the products."""
    if a.dtype != np.float64:
        yield 0, a.astype(np.float64) * b.astype(np.float64)
        return
    (mantissa, exponent), (other, more) = np.frexp(a), np.frexp(b)
    product, power = mantissa * other, exponent + more
    rest = product_error(mantissa, other, product)
    rest[~np.isfinite(product)] = 0.0
    is_low, is_high = power < -_MODERATE, power > _MODERATE
    for shift, chosen in ((0, ~(is_low | is_high)), (-_SHIFT, is_low), (_SHIFT, is_high)):
        if chosen.any():
            for term in (product, rest):
                yield shift, np.ldexp(np.where(chosen, term, 0.0), power - shift)


def _add_shifted(state: State, terms: NDArray, axis: int, shift: int) -> None:
    """Adds the terms times 2^shift."""
    kept = terms.shape[:axis] + terms.shape[axis + 1 :]
    scaled, back = (Totals(int(Map.ITSELF), np.dtype(np.float64), math.prod(kept)) for _ in range(2))
    scaled.add(terms, (axis,))
    back.decode(moved(scaled.encoded(), shift // 8))
    measure: Any = state._measures["sum"]
    measure.totals.merge(back)
