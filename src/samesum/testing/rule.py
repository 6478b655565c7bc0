"""What a rule is, what it has to reproduce, and when it does: bit for bit, or nearly where exponentials are in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.rounding import steps, unit
from samesum.testing.families import Family


@dataclass(frozen=True, slots=True)
class Rule:
    """What it says, and its answer by lines.

    `near` is set where exponentials or logarithms are in it, which differ between libraries: it has to give the same
    NaNs and infinities, and numbers within a few ulps of that type. `is_order` is true of additions or products of the
    data in their own type or a wider one: nothing but the order is said; `is_fault` of a type
    that is shorter, and of an element left out of each of several lines.
    """

    name: str
    compute: Callable[[], NDArray]
    near: Dtype | None = None
    is_order: bool = False
    is_fault: bool = False


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


NEAR = 8.0
"""Ulps of a line's largest, in the rule's own type, within which a rule with exponentials in it counts as met."""


def agrees(a: NDArray, b: NDArray, near: Dtype | None) -> bool:
    """True if two answers by lines are the same, within NEAR ulps of the type `near` if that is given."""
    if near is None:
        return not bool(steps(a, b).any())
    x, y = a.astype(np.float64), b.astype(np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    finite = np.isfinite(x) & np.isfinite(y)
    size = np.abs(np.where(np.isfinite(y), y, 0))
    largest = size if size.ndim == 1 else size.max(axis=1, keepdims=True, initial=0.0)
    return bool((same | (finite & (np.abs(x - y) <= NEAR * unit(largest, near)))).all())
