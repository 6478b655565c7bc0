"""What is kept of an activation over all samples: its exact state, a histogram that grows, and ranges by channel."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from samesum.errors import AttributeValueError, AxisError
from samesum.formats.arrays import NDArray
from samesum.stats.exact import Exact
from samesum.stats.histogram import Histogram
from samesum.stats.tally import FloatTally

BINS = 2048
PERCENTILES = (0.01, 0.1, 1.0, 50.0, 99.0, 99.9, 99.99)


@dataclass(slots=True)
class Activation:
    """Takes the arrays of one name; constant in their number. `channel` is an axis whose ranges are kept apart."""

    name: str
    channel: int | None = None
    dtype: str = ""
    tally: FloatTally | None = None
    histogram: Histogram = field(default_factory=lambda: Histogram(BINS))
    rank: int = 0
    low: NDArray | None = None
    high: NDArray | None = None

    def add(self, x: NDArray) -> None:
        """Takes an array of float16, float32 or float64."""
        if self.tally is None:
            self.tally, self.dtype, self.rank = FloatTally(x.dtype, 1), x.dtype.name, x.ndim
        self.tally.add(np.ascontiguousarray(x).reshape(1, -1))
        self.histogram.add(x)
        if self.channel is not None and -x.ndim <= self.channel < x.ndim and x.size:
            self._add_channels(x, self.channel % x.ndim)

    def _add_channels(self, x: NDArray, channel: int) -> None:
        others = tuple(axis for axis in range(x.ndim) if axis != channel)
        low, high = x.min(axis=others), x.max(axis=others)
        if self.low is None or self.high is None:
            self.low, self.high = low, high
        elif self.low.shape != low.shape:
            raise AttributeValueError(
                f"{self.name!r} has {low.size} channels and had {self.low.size} before; "
                "a channel has to be an axis of one length"
            )
        else:
            self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)

    def exact(self) -> Exact:
        """The state of all elements."""
        return Exact() if self.tally is None else self.tally.exact()[0]

    def percentile(self, percent: float) -> float | None:
        """The value that so many percent of the finite elements do not exceed, by the histogram.

        It is interpolated within one bin, so it is off by less than its width: 1/1024 of the range at most.
        """
        state = self.exact()
        counts = self.histogram.counts
        if not counts.size or state.least is None or state.greatest is None:
            return None
        wanted, edges = percent / 100 * int(counts.sum()), self.histogram.edges()
        before: int = 0
        for k, count in enumerate(counts.tolist()):
            if count and before + count >= wanted:
                value: float = edges[k] + (edges[k + 1] - edges[k]) * max(0.0, wanted - before) / count
                return min(max(value, float(state.least)), float(state.greatest))
            before += count
        return float(state.greatest)

    def entropy(self) -> float | None:
        """Shannon's entropy of the histogram in bits."""
        counts = self.histogram.counts[self.histogram.counts > 0]
        if not counts.size:
            return None
        shares = counts / counts.sum()
        return abs(math.fsum((-shares * np.log2(shares)).tolist()))


def check_channel(channel: int | None, activations: Collection[Activation]) -> None:
    """Raises AxisError where not one of them has the axis; those that lack it have no ranges by channel."""
    if channel is None or not activations or any(-each.rank <= channel < each.rank for each in activations):
        return
    highest = max(activations, key=lambda each: each.rank)
    raise AxisError(
        f"--per-channel is {channel}, an axis that no activation has: {highest.name!r} has the highest rank, "
        f"{highest.rank}"
    )
