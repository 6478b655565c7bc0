"""Reductions of an array that comes in pieces: the states of all outputs stay from one piece to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

import numpy as np

from samesum import _core
from samesum.algebra.rows import Reduction
from samesum.formats.arrays import NDArray

Pieces = Callable[[], Iterable[NDArray]]
"""The pieces from the first to the last, anew for each call. There is at least one."""

_MOST_CHOSEN = 4096
"""Outputs that a later tier takes at once: a superaccumulator has some kilobytes."""


def reduce_pieces(
    rows: Sequence[tuple[Reduction, int]], pieces: Pieces, axes: tuple[int, ...], count: int
) -> list[NDArray]:
    """The results of `memory.reduce` for each row with its flags, the same bits, of pieces side by side along `axes`.

    All pieces have one dtype and the same kept dims, `count` is how many elements a reduced set has in all of them.
    Positions are counted in the order in which the pieces come. What the first tier does not certify asks for
    the pieces again, of which then only the sets concerned are looked at.
    """
    totals: list[_core.Accumulation] = []
    kept: tuple[int, ...] = ()
    for piece in pieces():
        if not totals:
            kept = _kept_shape(piece, axes)
            totals = [_core.Accumulation(row.code, flags, piece.dtype, prod(kept), count, 0) for row, flags in rows]
        for total in totals:
            total.add(piece, axes)
    results = []
    for (row, flags), total in zip(rows, totals, strict=True):
        result, rest = total.finish()
        tier = 0
        while rest:
            tier += 1
            rest = _again(row, flags, pieces, axes, count, tier, result, rest)
        results.append(result.reshape(kept))
    return results


def _again(
    row: Reduction,
    flags: int,
    pieces: Pieces,
    axes: tuple[int, ...],
    count: int,
    tier: int,
    result: NDArray,
    rest: list[int],
) -> list[int]:
    """Writes the outputs `rest` of `result` by this tier; returns those that need the next one."""
    missing: list[int] = []
    for first in range(0, len(rest), _MOST_CHOSEN):
        chosen = np.array(rest[first : first + _MOST_CHOSEN])
        total: _core.Accumulation | None = None
        for piece in pieces():
            sets, along = (piece, axes) if len(chosen) == result.size else _chosen_sets(piece, axes, chosen)
            if total is None:
                total = _core.Accumulation(row.code, flags, piece.dtype, len(chosen), count, tier)
            total.add(sets, along)
        assert total is not None
        result[chosen], left = total.finish()
        missing += chosen[left].tolist()
    return missing


def _kept_shape(piece: NDArray, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for axis, size in enumerate(piece.shape) if axis not in axes)


def _chosen_sets(piece: NDArray, axes: tuple[int, ...], chosen: NDArray) -> tuple[NDArray, tuple[int, ...]]:
    """Some of the reduced sets of a piece, by their places among the outputs, and the axes that hold them."""
    kept = [axis for axis in range(piece.ndim) if axis not in axes]
    sets = np.transpose(piece, [*kept, *axes])[np.unravel_index(chosen, _kept_shape(piece, axes))]
    return sets, tuple(range(1, sets.ndim))
