"""Convolutions and their transposes as contractions of weights and of windows, which overlap in the padded data.

Along each spatial axis a convolution is a list of taps: for some of the outputs, which elements of the data meet which
of the kernel's. A transposed one has a list for each residue of its stride, so that it multiplies by no inserted zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd

import numpy as np

from samesum import _core
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


@dataclass(frozen=True, slots=True)
class _Phase:
    """A list of taps along each axis: what of the results and of the kernel it has, and how many places it meets."""

    out: tuple[slice, ...]
    kernel: tuple[slice, ...]
    axes: tuple[Taps, ...]
    met: tuple[int, ...]
    taps: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """What meets along all spatial axes."""

    outputs: tuple[int, ...]
    phases: tuple[_Phase, ...]


def windows(axes: Sequence[Sequence[Taps]]) -> Windows:
    """The windows with these lists of taps along each spatial axis."""
    return Windows(tuple(outputs_along(phases) for phases in axes), tuple(_phase(each) for each in product(*axes)))


def _phase(axes: Sequence[Taps]) -> _Phase:
    # A step that is never taken may be any number, also one that no stride holds.
    taps = [
        (each.start, each.step if each.outputs > 1 else 1, each.reach if each.taps > 1 else 1)
        if each.taps
        else (0, 1, 1)
        for each in axes
    ]
    met = [each.most - each.least + 1 if each.taps and each.outputs else 0 for each in axes]
    out, kernel = _behind([a.out for a in axes]), _behind([a.kernel for a in axes])
    return _Phase(out, kernel, tuple(axes), tuple(met), tuple(taps))


def convolve(x: NDArray, weight: NDArray, of: Windows, term: NDArray | None, dtype: Dtype) -> NDArray:
    """Data (batch, groups, channels, spatial axes) and weights (groups, results, channels, kernel): the result has
    (batch, groups, results, spatial axes).

    `term`, which broadcasts to the result, is added before the sums are rounded: along a spatial axis with several
    lists of taps it has length 1. It has the type of the data (of integers: that of the result).
    """
    result = np.empty(checked((*x.shape[:2], weight.shape[1], *of.outputs)), dtype)
    if result.size:
        data, kernel, added = native(x), native(weight), None if term is None else native(term)
        for phase in of.phases:
            out = result[phase.out]
            if out.size:
                near, taps = _near(data, phase)
                _core.convolve(near, kernel[phase.kernel], added, out, taps)
    return result


def _near(x: NDArray, phase: _Phase) -> tuple[NDArray, list[tuple[int, int, int]]]:
    """Data and taps: along an axis where padding would be longer than windows, these one after the other."""
    taps, lengths = list(phase.taps), list(phase.met)
    for i, each in enumerate(phase.axes):
        if each.taps and lengths[i] > 2 * x.shape[3 + i] + each.outputs * each.taps:
            lengths[i], taps[i] = each.outputs * each.taps, (0, each.taps, 1)
            x = _gathered(x, 3 + i, _places(each))
    checked((*x.shape[:3], *lengths))
    return x, taps


def _gathered(x: NDArray, axis: int, places: NDArray) -> NDArray:
    """The elements at these places along an axis, zeros where the data have none."""
    there = np.asarray((places >= 0) & (places < x.shape[axis]), bool)
    found = np.zeros(checked((*x.shape[:axis], len(places), *x.shape[axis + 1 :])), x.dtype)
    found[(slice(None),) * axis + (there,)] = np.take(x, places[there].astype(np.intp), axis)
    return found


def _places(windows: Taps) -> NDArray:
    """Where in the data each output meets each tap; integers of Python where 64 bits do not hold them."""
    dtype = np.int64 if max(abs(windows.least), abs(windows.most)) < 2**62 else object
    outputs, taps = np.arange(windows.outputs).astype(dtype), np.arange(windows.taps).astype(dtype)
    return np.ravel(windows.start + outputs[:, None] * windows.step + taps * windows.reach)


def _behind(slices: list[slice]) -> tuple[slice, ...]:
    """What picks along the spatial axes and leaves the three in front of them."""
    return (slice(None), slice(None), slice(None), *slices)
