"""What a state keeps of sums of exponentials: the greatest elements, and many bits of what the others add up to."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from samesum.engine import totals
from samesum.formats.arrays import Dtype, NDArray, Result
from samesum.frontends.arrays.measure import Axes, Measure, stacked_bytes


class Exponentials(Measure):
    """The 32 greatest different elements with their numbers, and 240 leading bits of the exponentials of all others."""

    def __init__(self, dtype: Dtype, kept: Axes) -> None:
        self.like = np.empty(kept, np.bool_)
        self.sums = totals.Exponentials(dtype, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if x.size > 0:
            self.sums.add(x, axes, where)

    def merge(self, other: Exponentials) -> None:
        self.sums.merge(other.sums)

    def stack(self, parts: Sequence[Exponentials]) -> None:
        self.sums.decode(stacked_bytes(parts))

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.sums.encoded()

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        return self.sums.decode(encoded)

    def result(self, dtype: Dtype) -> Result:
        return self.sums.rounded(dtype, self.like)  # type: ignore[no-any-return]
