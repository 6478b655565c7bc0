"""Reductions, scans and normalizations of arrays in memory: one call into the compiled core each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from samesum import _core
from samesum.algebra.rows import Norm, Normalization, Promotion, Reduction, Scan
from samesum.engine.arrays import as_array, as_dtype
from samesum.formats.arrays import Dtype, NDArray, Out, native
from samesum.formats.axes import Axes
from samesum.formats.elements import FLOAT_DTYPES

# Reductions of windows of an array, and of the elements that several arrays have at one place.


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


KEEPDIMS = _core.KEEPDIMS
WIDEN = _core.WIDEN
REAL = _core.REAL
REFUSE_EMPTY = _core.REFUSE_EMPTY
EXCLUSIVE = _core.EXCLUSIVE
REVERSE = _core.REVERSE
INCLUDE_INITIAL = _core.INCLUDE_INITIAL
SELECT_LAST = _core.SELECT_LAST
SCALAR = _core.SCALAR
SKIP_NAN = _core.SKIP_NAN

_PROMOTIONS = {Promotion.WIDEN: WIDEN, Promotion.REAL: REAL}


def flags_of(row: Reduction | Scan) -> int:
    """What the functions on arrays ask of the core for `row`, by the row alone: the type of the result of integers
    and booleans, an error where an empty set has no value, and scalars where the rank is 0."""
    if isinstance(row, Scan):
        return _PROMOTIONS.get(row.promotion, 0)
    return SCALAR | _PROMOTIONS.get(row.promotion, 0) | (0 if row.has_identity else REFUSE_EMPTY)


# The core takes arrays as they are and has everything else converted.
_core.convert_with(as_array)
# As `reduce`, `scan` and `normalize` below, of the numbers of their rows and with dtypes of NumPy's own: for small
# arrays every call of a function counts.
reduce_by_code = _core.reduce
reduce_corrected_by_code = _core.reduce_corrected
count_of_nonzero = _core.count_nonzero
scan_by_code = _core.scan
scan_exponentials = _core.scan_exponentials
normalize_by_code = _core.normalize


def reduce(
    row: Reduction,
    x: Any,
    axes: Axes = None,
    flags: int = 0,
    dtype: Any = None,
    out: Out | None = None,
    where: Any = None,
) -> NDArray:
    """`row` over `axes` of `x` (None: all axes, an empty sequence: none), correctly rounded.

    The result has the type of `x`, unless `flags` say WIDEN or REAL (which concern integers and
    booleans only) or `dtype` is given; `out` receives the result when given. `where` is a mask of the elements.
    """
    return _core.reduce(row.code, x, axes, flags, as_dtype(dtype), out, where)


def reduce_several(
    rows: Sequence[tuple[Reduction, int]],
    x: Any,
    axes: Axes = None,
    keepdims: bool = False,
    scalars: bool = False,
    dtype: Any = None,
    where: Any = None,
) -> list[NDArray]:
    """The results of `reduce` for each row with its flags, the same bits, from one pass over `x`.

    Positions take a pass of their own where their elements do not lie in memory in the order in which they are
    counted: several axes that are no run of memory, or one that lies beside few kept elements. With `scalars` results
    of rank 0 are scalars. `dtype` concerns sums, products and what is made of them.
    """
    codes, flags = [row.code for row, _ in rows], [flags for _, flags in rows]
    return _core.reduce_several(codes, x, axes, flags, keepdims, scalars, as_dtype(dtype), where)


def scan(row: Scan, x: Any, axis: int, flags: int = 0, dtype: Any = None, out: Out | None = None) -> NDArray:
    """Every prefix of `row` along `axis` of `x`, each correctly rounded on its own."""
    return _core.scan(row.combine, x, axis, flags, as_dtype(dtype), out)


def normalize(row: Normalization, x: Any, axis: int, out: Out | None = None) -> NDArray:
    """Softmax or its logarithm along `axis` of `x`, in the type of `x`, within 0.6 ulp."""
    return _core.normalize(row.code, x, axis, out)


# Normalizations about a mean or by a norm, over any axes.


class Epsilon(NamedTuple):
    """What is added under the root, or is the least that the squares are, and what is added to the root."""

    inside: float = 0.0
    outside: float = 0.0
    at_least: bool = False


NO_EPSILON = Epsilon()


class Channels(NamedTuple):
    """The axes from `first` to before `last`, whose elements are channels, and contiguous float64 numbers of each."""

    first: int
    last: int
    scale: NDArray
    bias: NDArray
    mean: NDArray
    variance: NDArray
    epsilon: float


def normalize_lines(
    row: Norm,
    x: NDArray,
    axes: Sequence[int],
    epsilon: Epsilon = NO_EPSILON,
    scale: NDArray | None = None,
    bias: NDArray | None = None,
    dtype: Dtype | None = None,
    out: Out | None = None,
) -> NDArray:
    """`row` for each line of `x` over `axes`: the whole formula, rounded once, in the type of `x` or in `dtype`.

    `scale` and `bias` broadcast to the shape of `x`. Any element that is not finite makes its whole line NaN; a line of
    which nothing is left to divide by gives the bias.
    """
    result: NDArray = _core.normalize_lines(x, axes, *_asked(row, epsilon), _floats(scale), _floats(bias), dtype, out)
    return result


def normalize_batch(x: NDArray, channels: Channels, out: Out | None = None) -> NDArray:
    """scale (x - mean) / sqrt(variance + epsilon) + bias of each channel, rounded once, in the type of `x`.

    Where a number is not finite, or the root is that of nothing positive, it is the formula in float64, rounded.
    """
    return _core.normalize_batch(x, *channels, out)


def normalize_lines_with_inverse(
    row: Norm,
    x: NDArray,
    axes: Sequence[int],
    epsilon: Epsilon,
    scale: NDArray | None,
    bias: NDArray | None,
    inverse_dtype: Dtype,
) -> tuple[NDArray, NDArray]:
    """What `normalize_lines` gives, and one over what each line is divided by, rounded once to `inverse_dtype`.

    The axes of the latter have length 1.
    """
    result: tuple[NDArray, NDArray] = _core.normalize_lines(
        x, axes, *_asked(row, epsilon), _floats(scale), _floats(bias), None, None, inverse_dtype
    )
    return result


def _asked(row: Norm, epsilon: Epsilon) -> tuple[int, bool, bool, bool, float, float]:
    return row.divisor, row.centred, row.over_count, epsilon.at_least, epsilon.inside, epsilon.outside


def _floats(array: NDArray | None) -> NDArray | None:
    """The array in a format that the core reads, which holds every element of the allowed types."""
    if array is None or array.dtype in FLOAT_DTYPES:
        return array
    array = native(array)
    return array if array.dtype in FLOAT_DTYPES else array.astype(np.float64)
