"""Reductions of windows of an array, and of the elements that several arrays have at one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samesum import _core
from samesum.algebra.rows import Reduction
from samesum.formats.arrays import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class AxisWindows:
    """The windows along one axis.

    `table` has three rows of int64: the first element of each window, how many elements it has, `dilation` apart, and
    its factor of what a mean divides by, which is not less.
    """

    axis: int
    dilation: int
    table: NDArray


def reduce_windows(
    row: Reduction, x: NDArray, axes: Sequence[AxisWindows], flags: int = 0, index_steps: Sequence[int] | None = None
) -> NDArray:
    """`row` over each window of `x`, rounded once, in the type of `x`.

    The result has one element for each window along `axes`, and the size of `x` along the others. A row of positions
    gives int64: the sum over all axes of the element's index times the step of that axis. ShapeError for a window that
    does not lie in `x`.
    """
    along = [(each.axis, each.dilation, each.table) for each in axes]
    return _core.reduce_windows(row.code, x, flags, along, index_steps)


def reduce_terms(row: Reduction, arrays: Sequence[NDArray], flags: int = 0) -> NDArray:
    """`row` over the elements at each place of `arrays`, which have one type and broadcast together, rounded once."""
    return _core.reduce_terms(row.code, list(arrays), flags)
