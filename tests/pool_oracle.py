"""Windowed pools in exact arithmetic: every window is looked at by itself, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor
from random import Random

import numpy as np

from oracle import exact
from samesum.algebra.rows import ARGMAX, MAX, MEAN, Reduction
from samesum.formats.arrays import NDArray


@dataclass(frozen=True)
class Windows:
    """What a pool says of each spatial axis; `ceil_mode` drops a last window that begins behind the data."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    ceil_mode: bool = False
    counts: bool = False

    def sizes(self, spatial: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self._size(i, n) for i, n in enumerate(spatial))

    def _size(self, i: int, n: int) -> int:
        whole = n + self.begins[i] + self.ends[i] - self.dilations[i] * (self.kernel[i] - 1) - 1
        size = Fraction(whole, self.strides[i]) + 1
        if not self.ceil_mode:
            return floor(size)
        return ceil(size) - ((ceil(size) - 1) * self.strides[i] >= n + self.begins[i])

    def places(self, output: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The places of the elements of one window, in order, in the padding and beyond it too."""
        axes = zip(output, self.kernel, self.strides, self.dilations, self.begins, strict=True)
        return product(*([o * s - b + k * d for k in range(n)] for o, n, s, d, b in axes))


def drawn(seed: int) -> tuple[tuple[int, ...], Windows]:
    """The shape of some data and windows of it, each of which has at least one element."""
    draw = Random(seed)
    rank = 1 + seed % 3
    longest = (16, 8, 4)[rank - 1]
    while True:
        spatial = tuple(draw.randint(2, longest) for _ in range(rank))
        kernel = tuple(draw.randint(1, min(n, 4)) for n in spatial)
        dilations = tuple(draw.choice((1, 1, 2)) for _ in spatial)
        strides = tuple(draw.randint(1, 3) for _ in spatial)
        begins, ends = (
            tuple(draw.randint(0, (k - 1) * d) for k, d in zip(kernel, dilations, strict=True)) for _ in "01"
        )
        windows = Windows(kernel, strides, dilations, begins, ends, draw.random() < 0.5, draw.random() < 0.5)
        sizes = windows.sizes(spatial)
        if min(sizes) < 1:
            continue
        if all(any(inside(place, spatial) for place in windows.places(o)) for o in product(*map(range, sizes))):
            return (1, draw.randint(1, 2), *spatial), windows


def inside(place: tuple[int, ...], spatial: tuple[int, ...]) -> bool:
    return all(0 <= p < n for p, n in zip(place, spatial, strict=True))


def pooled(row: Reduction, x: NDArray, windows: Windows) -> tuple[NDArray, NDArray]:
    """`row` over each window, and the index of its greatest element in `x` flattened."""
    spatial = x.shape[2:]
    sizes = windows.sizes(spatial)
    values = np.empty((*x.shape[:2], *sizes), x.dtype)
    indices = np.empty(values.shape, np.int64)
    order = np.arange(x.size).reshape(x.shape)
    for plane in product(*map(range, x.shape[:2])):
        for output in product(*map(range, sizes)):
            places = [place for place in windows.places(output) if inside(place, spatial)]
            elements = np.array([x[plane + place] for place in places], x.dtype)
            if row is MEAN and windows.counts:
                ends = tuple(n + end for n, end in zip(spatial, windows.ends, strict=True))
                padded = sum(all(p < end for p, end in zip(at, ends, strict=True)) for at in windows.places(output))
                elements = np.append(elements, np.zeros(padded - len(elements), x.dtype))
            values[plane + output] = exact.reduce(row, elements, (0,))
            if row is MAX:
                chosen = int(exact.reduce(ARGMAX, elements, (0,)))
                indices[plane + output] = order[plane + places[chosen]]
    return values, indices
