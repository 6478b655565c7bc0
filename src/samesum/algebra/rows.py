"""The catalogue: one row for each reduction and each scan."""

from __future__ import annotations

from dataclasses import dataclass, field

from samesum.algebra.pieces import Combine, Finalize, Map, Promotion


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
        """True if reducing an empty set has a value that every door agrees on."""
        return self.combine is Combine.SUM


@dataclass(frozen=True, slots=True)
class Scan:
    """Every prefix of a combine along one axis."""

    name: str
    combine: Combine
    promotion: Promotion


SUM = Reduction("sum", Map.ITSELF, Combine.SUM, Finalize.ITSELF, Promotion.WIDEN)
MEAN = Reduction("mean", Map.ITSELF, Combine.SUM, Finalize.OVER_COUNT, Promotion.REAL)
MIN = Reduction("min", Map.ITSELF, Combine.MINIMUM, Finalize.ITSELF, Promotion.KEEP)
MAX = Reduction("max", Map.ITSELF, Combine.MAXIMUM, Finalize.ITSELF, Promotion.KEEP)
L1_NORM = Reduction("l1_norm", Map.MAGNITUDE, Combine.SUM, Finalize.ITSELF, Promotion.WIDEN)
L2_NORM = Reduction("l2_norm", Map.SQUARE, Combine.SUM, Finalize.ROOT, Promotion.WIDEN)
SUM_SQUARE = Reduction("sum_square", Map.SQUARE, Combine.SUM, Finalize.ITSELF, Promotion.WIDEN)

CUMULATIVE_SUM = Scan("cumulative_sum", Combine.SUM, Promotion.WIDEN)

REDUCTIONS = (SUM, MEAN, MIN, MAX, L1_NORM, L2_NORM, SUM_SQUARE)
SCANS = (CUMULATIVE_SUM,)
