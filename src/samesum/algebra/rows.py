"""The catalogue: one row for each reduction and each scan."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

# The pieces a row is made of. The compiled core knows these numbers and nothing above them.


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


@dataclass(frozen=True, slots=True)
class Reduction:
    """`finalize(combine(map(x) for x in the reduced set), count)`."""

    name: str
    map: Map
    combine: Combine
    finalize: Finalize
    promotion: Promotion
    code: int = field(init=False, repr=False)
    """The pieces in one integer, as the core takes them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", self.map | self.combine << 4 | self.finalize << 8)

    @property
    def has_identity(self) -> bool:
        """True if reducing an empty set has a value that every API agrees on."""
        return self.combine in (Combine.SUM, Combine.PRODUCT, Combine.AND, Combine.OR, Combine.SPREAD)


@dataclass(frozen=True, slots=True)
class Scan:
    """Every prefix of a combine along one axis."""

    name: str
    combine: Combine
    promotion: Promotion


@dataclass(frozen=True, slots=True)
class Normalization:
    """Every element along one axis against a reduction of that axis; the result has the shape and type of the input."""

    name: str
    code: int


@dataclass(frozen=True, slots=True)
class Norm:
    """`(x - mean) / divisor * scale + bias` for every element of a line; `mean` is zero if it is not centred."""

    name: str
    divisor: Divisor
    centred: bool = False
    over_count: bool = False
    """True for the mean of the squares, false for their sum."""


SUM = Reduction("sum", Map.ITSELF, Combine.SUM, Finalize.ITSELF, Promotion.WIDEN)
MEAN = Reduction("mean", Map.ITSELF, Combine.SUM, Finalize.OVER_COUNT, Promotion.REAL)
VAR = Reduction("var", Map.ITSELF, Combine.SPREAD, Finalize.OVER_COUNT, Promotion.REAL)
STD = Reduction("std", Map.ITSELF, Combine.SPREAD, Finalize.ROOT, Promotion.REAL)
MIN = Reduction("min", Map.ITSELF, Combine.MINIMUM, Finalize.ITSELF, Promotion.KEEP)
MAX = Reduction("max", Map.ITSELF, Combine.MAXIMUM, Finalize.ITSELF, Promotion.KEEP)
L1_NORM = Reduction("l1_norm", Map.MAGNITUDE, Combine.SUM, Finalize.ITSELF, Promotion.WIDEN)
L2_NORM = Reduction("l2_norm", Map.SQUARE, Combine.SUM, Finalize.ROOT, Promotion.REAL)
SUM_SQUARE = Reduction("sum_square", Map.SQUARE, Combine.SUM, Finalize.ITSELF, Promotion.WIDEN)
PROD = Reduction("prod", Map.ITSELF, Combine.PRODUCT, Finalize.ITSELF, Promotion.WIDEN)
LOG_SUM = Reduction("log_sum", Map.ITSELF, Combine.SUM, Finalize.LOGARITHM, Promotion.REAL)
LOGSUMEXP = Reduction("logsumexp", Map.EXPONENTIAL, Combine.SUM, Finalize.LOGARITHM, Promotion.REAL)
ALL = Reduction("all", Map.ITSELF, Combine.AND, Finalize.ITSELF, Promotion.BOOLEAN)
ANY = Reduction("any", Map.ITSELF, Combine.OR, Finalize.ITSELF, Promotion.BOOLEAN)
ARGMIN = Reduction("argmin", Map.ITSELF, Combine.MINIMUM_POSITION, Finalize.ITSELF, Promotion.POSITION)
ARGMAX = Reduction("argmax", Map.ITSELF, Combine.MAXIMUM_POSITION, Finalize.ITSELF, Promotion.POSITION)

CUMULATIVE_SUM = Scan("cumulative_sum", Combine.SUM, Promotion.WIDEN)
CUMULATIVE_PROD = Scan("cumulative_prod", Combine.PRODUCT, Promotion.WIDEN)
CUMULATIVE_MIN = Scan("cumulative_min", Combine.MINIMUM, Promotion.KEEP)
CUMULATIVE_MAX = Scan("cumulative_max", Combine.MAXIMUM, Promotion.KEEP)

SOFTMAX = Normalization("softmax", 0)
LOG_SOFTMAX = Normalization("log_softmax", 1)
HARDMAX = Normalization("hardmax", 2)

LAYER_NORM = Norm("layer_norm", Divisor.SQUARES, centred=True, over_count=True)
RMS_NORM = Norm("rms_norm", Divisor.SQUARES, over_count=True)
L1_QUOTIENT = Norm("l1_quotient", Divisor.MAGNITUDES)
L2_QUOTIENT = Norm("l2_quotient", Divisor.SQUARES)
CENTRED = Norm("centred", Divisor.ONE, centred=True)

REDUCTIONS = (
    SUM,
    MEAN,
    VAR,
    STD,
    MIN,
    MAX,
    L1_NORM,
    L2_NORM,
    SUM_SQUARE,
    PROD,
    LOG_SUM,
    LOGSUMEXP,
    ALL,
    ANY,
    ARGMIN,
    ARGMAX,
)
SCANS = (CUMULATIVE_SUM, CUMULATIVE_PROD)
"""Those of the standards, each prefix rounded once."""
EXTREME_SCANS = (CUMULATIVE_MIN, CUMULATIVE_MAX)
"""Those that keep the dtype and have no prefix of nothing."""
NORMALIZATIONS = (SOFTMAX, LOG_SOFTMAX)
"""Those that the core computes; Hardmax is made of positions."""
