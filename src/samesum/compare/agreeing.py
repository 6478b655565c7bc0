"""Whether a rule's answer is that of an engine: bit for bit, or nearly where exponentials or roots are in it."""

from __future__ import annotations

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.ulps import steps, unit

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
