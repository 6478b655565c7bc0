"""Convolutions and their transposes as contractions of weights and of windows, which overlap in the padded data.

Along each spatial axis a convolution is a list of taps: for some of the outputs, which elements of the data meet which
of the kernel's. A transposed one has a list for each residue of its stride, so that it multiplies by no inserted zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd

import numpy as np

from samesum.engine.contractions import Added, contract
from samesum.formats.arrays import Dtype, NDArray, checked, native


@dataclass(frozen=True, slots=True)
class Taps:
    """Output i of `out` is the sum over j of the data at `start` + i `step` + j `reach` times `kernel` at j."""

    start: int
    step: int
    reach: int
    out: slice
    kernel: slice
    outputs: int
    taps: int

    @property
    def least(self) -> int:
        """The first place of the data that is met."""
        return self.start + min(0, (self.taps - 1) * self.reach)

    @property
    def most(self) -> int:
        """The last one."""
        return self.start + (self.outputs - 1) * self.step + max(0, (self.taps - 1) * self.reach)


def plain_taps(kernel: int, outputs: int, stride: int, dilation: int, begin: int) -> list[Taps]:
    """Those of a convolution along an axis with `begin` zeros before the data."""
    return [Taps(-begin, stride, dilation, slice(None), slice(None), outputs, kernel)]


def transposed_taps(kernel: int, outputs: int, stride: int, dilation: int, begin: int) -> list[Taps]:
    """Those of a transposed convolution of which `begin` outputs before the first one are left out.

    Output o meets the kernel's k and the data's i where o + begin = i stride + k dilation. Where some outputs meet
    none, a first list has all outputs and no taps; the others come after it.
    """
    common = gcd(stride, dilation)
    period, found = stride // common, []
    for k in range(min(period, kernel)):
        first = (k * dilation - begin) % stride
        if first < outputs:
            count, taps = (outputs - 1 - first) // stride + 1, len(range(k, kernel, period))
            start = (first + begin - k * dilation) // stride
            out, part = slice(first, None, stride), slice(k, None, period)
            found.append(Taps(start, 1, -dilation // common, out, part, count, taps))
    if len(found) < min(stride, outputs):
        found.insert(0, Taps(0, 1, 1, slice(None), slice(0), outputs, 0))
    return found


def outputs_along(phases: Sequence[Taps]) -> int:
    """How many outputs there are along an axis with these lists."""
    return sum(each.outputs for each in (phases[:1] if phases and not phases[0].taps else phases))


def convolve(
    x: NDArray, weight: NDArray, axes: Sequence[Sequence[Taps]], term: NDArray | None, dtype: Dtype
) -> NDArray:
    """Data (batch, groups, channels, spatial axes) and weights (groups, results, channels, kernel): the result has
    (batch, groups, results, spatial axes), in which `axes` say what meets along each of the spatial ones.

    `term`, which broadcasts to the result, is added before the sums are rounded: along a spatial axis with several
    lists of taps it has length 1. It has the type of the data (of integers: that of the result).
    """
    sizes = [outputs_along(phases) for phases in axes]
    result = np.empty(checked([*x.shape[:2], weight.shape[1], *sizes]), dtype)
    if not result.size:
        return result
    x = native(x)
    axes = list(axes)
    for i, phases in enumerate(axes):
        met = [each for each in phases if each.taps and each.outputs]
        if sum(_beyond(met, x.shape[3 + i])) > x.shape[3 + i] + sum(each.outputs * each.taps for each in met):
            x, axes[i] = _gathered(x, 3 + i, phases)
    padded, before = _padded(x, axes)
    added = Added(term)
    spatial, kernel = [f"o{i}" for i in range(len(axes))], [f"k{i}" for i in range(len(axes))]
    for phase in product(*axes):
        contract(
            weight[_behind([each.kernel for each in phase])],
            ["group", "result", "channel", *kernel],
            _windows(padded, phase, before),
            ["batch", "group", "channel", *spatial, *kernel],
            ["batch", "group", "result", *spatial],
            dtype,
            added,
            result[_behind([each.out for each in phase])],
        )
    return result


def _behind(slices: list[slice]) -> tuple[slice, ...]:
    """What picks along the spatial axes and leaves the three in front of them."""
    return (slice(None), slice(None), slice(None), *slices)


def _beyond(met: Sequence[Taps], size: int) -> tuple[int, int]:
    """How many places before and after the data along an axis these lists of taps meet."""
    return max([0, *(-each.least for each in met)]), max([0, *(each.most - size + 1 for each in met)])


def _gathered(x: NDArray, axis: int, phases: Sequence[Taps]) -> tuple[NDArray, list[Taps]]:
    """The elements that windows meet along an axis, one window after the other, where padding would be longer."""
    places = [_places(each) for each in phases]
    starts = np.cumsum([0, *map(len, places)]).tolist()
    where = np.concatenate(places)
    there = np.asarray((where >= 0) & (where < x.shape[axis]), bool)
    found = np.zeros(checked([*x.shape[:axis], len(where), *x.shape[axis + 1 :]]), x.dtype)
    found[(slice(None),) * axis + (there,)] = np.take(x, where[there].astype(np.intp), axis)
    moved = [replace(each, start=start, step=each.taps, reach=1) for start, each in zip(starts, phases, strict=False)]
    return found, moved


def _places(windows: Taps) -> NDArray:
    """Where in the data each output meets each tap; integers of Python where 64 bits do not hold them."""
    dtype = np.int64 if max(abs(windows.least), abs(windows.most)) < 2**62 else object
    outputs, taps = np.arange(windows.outputs).astype(dtype), np.arange(windows.taps).astype(dtype)
    return np.ravel(windows.start + outputs[:, None] * windows.step + taps * windows.reach)


def _padded(x: NDArray, axes: Sequence[Sequence[Taps]]) -> tuple[NDArray, list[int]]:
    """`x` with zeros where windows reach beyond it, and how many of them are before it along each spatial axis."""
    inner = x.shape[3:]
    met = [[each for each in phases if each.taps and each.outputs] for phases in axes]
    before, after = map(list, zip(*map(_beyond, met, inner), strict=True))
    if not any(before) and not any(after):
        return x, before
    shape = [a + n + b for a, n, b in zip(before, inner, after, strict=True)]
    padded = np.zeros(checked([*x.shape[:3], *shape]), x.dtype)
    padded[_behind([slice(a, a + n) for a, n in zip(before, inner, strict=True)])] = x
    return padded, before


def _windows(padded: NDArray, phase: Sequence[Taps], before: Sequence[int]) -> NDArray:
    """A view: the spatial axes twice, of the outputs and of what each of them meets."""
    outputs, taps = [each.outputs for each in phase], [each.taps for each in phase]
    lead, strides = padded.shape[:3], padded.strides[3:]
    if 0 in taps:
        return np.empty((*lead, *outputs, *taps), padded.dtype)
    start = padded[_behind([slice(a + each.start, None) for a, each in zip(before, phase, strict=True)])]
    # A step that is never taken may be any number, also one that no stride holds.
    steps = [each.step * s if each.outputs > 1 else 0 for each, s in zip(phase, strides, strict=True)]
    reaches = [each.reach * s if each.taps > 1 else 0 for each, s in zip(phase, strides, strict=True)]
    return np.lib.stride_tricks.as_strided(
        start, (*lead, *outputs, *taps), (*padded.strides[:3], *steps, *reaches), writeable=False
    )
