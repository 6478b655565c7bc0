"""What a rule has to reproduce."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from samesum.compare.families import Family
from samesum.formats.arrays import NDArray

Rule = tuple[str, Callable[[], NDArray]]
"""What it says, and its answer by lines."""


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
