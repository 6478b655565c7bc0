"""The pieces a row is made of. The compiled core knows these numbers and nothing above them."""

from __future__ import annotations

from enum import IntEnum


class Map(IntEnum):
    """What happens to each element before it is combined."""

    ITSELF = 0
    MAGNITUDE = 1
    SQUARE = 2
    EXPONENTIAL = 3


class Combine(IntEnum):
    """How two states become one; associative and commutative on exact states."""

    SUM = 0
    MINIMUM = 1
    MAXIMUM = 2
    PRODUCT = 3
    AND = 4
    OR = 5
    MINIMUM_POSITION = 6
    """Where the minimum is: the first such element in row-major order of the reduced axes, or the last one."""
    MAXIMUM_POSITION = 7
    SPREAD = 8
    """The sum and the sum of squares, of which the squares about the mean are made."""


class Finalize(IntEnum):
    """How the last state becomes the result."""

    ITSELF = 0
    OVER_COUNT = 1
    ROOT = 2
    LOGARITHM = 3


class Divisor(IntEnum):
    """What the elements of a line are divided by."""

    SQUARES = 0
    """The root of a sum or mean of squares."""
    MAGNITUDES = 1
    """The sum of the magnitudes."""
    ONE = 2
    """Nothing: they are only centred."""


class Promotion(IntEnum):
    """Result type of an integer or boolean input in the array API; floats keep theirs where nothing else is said."""

    KEEP = 0
    """The input's own type (min, max)."""
    WIDEN = 1
    """The default integer of the same signedness: int64 or uint64 (sums and products)."""
    REAL = 2
    """float64 (mean, roots and logarithms)."""
    BOOLEAN = 3
    """bool, whatever the input is; floats too (all, any)."""
    POSITION = 4
    """int64, whatever the input is; floats too (argmin, argmax)."""
