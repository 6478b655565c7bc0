"""What a table comes to: how many rows are not behind, by how much, and how near the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median

from samesum.bench.cells import DTYPES
from samesum.bench.operators import OPERATORS
from samesum.bench.rows import Row

LEVEL = 1 / 1.1
"""A row within 10 % of the best competitor counts as level: machines are noisy."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Of some rows: how many have a competitor, how many of these are not behind the best one, the geometric mean of
    the ratios to it (above 1 samesum is faster), and the median and the least share of the limit.
    """

    name: str
    rows: int
    compared: int
    not_behind: int
    mean: float | None
    limited: int
    share: float | None
    least_share: float | None


def tally(name: str, rows: Sequence[Row]) -> Tally:
    """The tally of all the rows together."""
    ratios = [row.to_best for row in rows if row.to_best is not None]
    shares = [row.of_limit for row in rows if row.of_limit is not None]
    return Tally(
        name,
        len(rows),
        len(ratios),
        sum(ratio >= LEVEL for ratio in ratios),
        geometric_mean(ratios) if ratios else None,
        len(shares),
        median(shares) if shares else None,
        min(shares, default=None),
    )


def by_operator(rows: Sequence[Row]) -> list[Tally]:
    """A tally for each operator that there is, in the order of the operators."""
    return _by(list(OPERATORS), [row.question.operator for row in rows], rows)


def by_dtype(rows: Sequence[Row]) -> list[Tally]:
    """A tally for each type that there is, in the order of the types."""
    return _by(list(DTYPES), [row.question.dtype for row in rows], rows)


def _by(names: Sequence[str], keys: Sequence[str], rows: Sequence[Row]) -> list[Tally]:
    groups = {name: [row for key, row in zip(keys, rows, strict=True) if key == name] for name in names}
    return [tally(name, group) for name, group in groups.items() if group]


def behind(rows: Sequence[Row]) -> list[Row]:
    """The rows in which samesum is behind the best competitor, the worst first."""
    late = [(row.to_best, row) for row in rows if row.to_best is not None and row.to_best < LEVEL]
    return [row for _, row in sorted(late, key=lambda pair: pair[0])]
