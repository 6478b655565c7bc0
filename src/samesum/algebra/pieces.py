"""The pieces a row is made of. The compiled core knows these numbers and nothing above them."""

from __future__ import annotations

from enum import IntEnum


class Map(IntEnum):
    """What happens to each element before it is combined."""

    ITSELF = 0
    MAGNITUDE = 1
    SQUARE = 2


class Combine(IntEnum):
    """How two states become one; associative and commutative on exact states."""

    SUM = 0
    MINIMUM = 1
    MAXIMUM = 2


class Finalize(IntEnum):
    """How the last state becomes the result."""

    ITSELF = 0
    OVER_COUNT = 1
    ROOT = 2


class Promotion(IntEnum):
    """Result type of an integer or boolean input in the array door; floats always keep theirs."""

    KEEP = 0
    """The input's own type (min, max)."""
    WIDEN = 1
    """The default integer of the same signedness: int64 or uint64 (sum and the norms)."""
    REAL = 2
    """float64 (mean)."""
