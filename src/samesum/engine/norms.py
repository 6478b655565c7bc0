"""Normalizations about a mean or by a norm, over any axes: one call into the compiled core each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from samesum import _core
from samesum.algebra.rows import Norm
from samesum.formats.arrays import Dtype, NDArray, Out, native
from samesum.formats.elements import FLOAT_DTYPES


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
