"""What a rule has to reproduce, and what a rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from samesum.compare.families import Family
from samesum.formats.arrays import Dtype, NDArray


@dataclass(frozen=True, slots=True)
class Rule:
    """What it says, and its answer by lines.

    `near` is set where exponentials or logarithms are in it, which differ between libraries: it has to give the same
    NaNs and infinities, and numbers within a few ulps of that type.
    """

    name: str
    compute: Callable[[], NDArray]
    near: Dtype | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Lines of data, the engine's answers to them and the exact ones, by lines.

    `steps` are the sizes of the axes that were joined into a line.
    """

    family: Family
    rows: NDArray
    steps: tuple[int, ...]
    answer: NDArray
    exact: NDArray
