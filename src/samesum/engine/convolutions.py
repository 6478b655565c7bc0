"""Convolutions and their transposes as contractions of weights and of windows, which overlap in the padded data.

Along each spatial axis a convolution is a list of taps: for some of the outputs, which elements of the data meet which
of the kernel's. A transposed one has a list for each residue of its stride, so that it multiplies by no inserted zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd
from typing import Any

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


def _as_one(phases: Sequence[Taps]) -> int:
    """How many lists meet the same elements of the data, those of each with every so many-th of the kernel's, from its
    own number on, for outputs that lie likewise; 1 where they differ.
    """
    count, first = len(phases), phases[0]
    alike = all(
        replace(each, out=first.out, kernel=first.kernel) == first and each.out == each.kernel == slice(k, None, count)
        for k, each in enumerate(phases)
    )
    return count if count > 1 and alike else 1


def outputs_along(phases: Sequence[Taps]) -> int:
    """How many outputs there are along an axis with these lists."""
    return sum(each.outputs for each in (phases[:1] if phases and not phases[0].taps else phases))


@dataclass(frozen=True, slots=True)
class _Phase:
    """A list of taps along each axis: what of the results and of the kernel it has, and how the core meets the data."""

    out: tuple[Any, ...]
    kernel: tuple[Any, ...]
    taps: tuple[tuple[int, int, int], ...]
    gathered: tuple[tuple[int, Taps], ...]
    """The axes along which padding would be longer than windows, which are gathered one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """What meets along all spatial axes, and the shape of the result.

    An axis with lists that are one has so many results of each at each place.
    """

    shape: tuple[int, ...]
    phases: tuple[_Phase, ...]
    together: tuple[int, ...]
    """How many lists are one, for each spatial axis."""


def windows(axes: Sequence[Sequence[Taps]], data: Sequence[int], results: int) -> Windows:
    """The windows with these lists of taps along each spatial axis of data (batch, groups, channels, spatial axes)."""
    shape = checked((*data[:2], results, *map(outputs_along, axes)))
    together = tuple(map(_as_one, axes))
    lists = [
        axis if count == 1 else [replace(axis[0], out=slice(None), kernel=slice(None))]
        for axis, count in zip(axes, together, strict=True)
    ]
    return Windows(shape, tuple(_phase(each, data) for each in product(*lists)), together)


def _phase(axes: Sequence[Taps], data: Sequence[int]) -> _Phase:
    taps, lengths, gathered = [], list(data[:3]), []
    for axis, each in enumerate(axes, 3):
        met = each.most - each.least + 1 if each.taps and each.outputs else 0
        if each.taps and met > 2 * data[axis] + each.outputs * each.taps:
            gathered.append((axis, each))
            met = each.outputs * each.taps
            taps.append((0, each.taps, 1))
        elif each.taps:
            # A step that is never taken may be any number, also one that no stride holds.
            taps.append((each.start, each.step if each.outputs > 1 else 1, each.reach if each.taps > 1 else 1))
        else:
            taps.append((0, 1, 1))
        lengths.append(met)
    checked(lengths)
    out, kernel = (_behind(slices) for slices in ([a.out for a in axes], [a.kernel for a in axes]))
    return _Phase(out, kernel, tuple(taps), tuple(gathered))


def convolve(x: NDArray, weight: NDArray, of: Windows, term: NDArray | None, dtype: Dtype) -> NDArray:
    """Data (batch, groups, channels, spatial axes) and weights (groups, results, channels, kernel): the result has
    (batch, groups, results, spatial axes).

    `term`, which broadcasts to the result, is added before the sums are rounded: along a spatial axis with several
    lists of taps it has length 1. It has the type of the data (of integers: that of the result).
    """
    result = np.empty(of.shape, dtype)
    if not result.size:
        return result
    data, kernel, added = native(x), native(weight), None if term is None else native(term)
    every = result
    if max(of.together) > 1:
        every, kernel = _apart(result, of.together, 2), _apart(kernel, of.together, 1)
        if added is not None:
            more = (1,) * sum(count > 1 for count in of.together)
            added = added.reshape(*added.shape[: -len(of.together) - 1], *more, *added.shape[-len(of.together) - 1 :])
    for phase in of.phases:
        out, near = every[phase.out], data
        if not out.size:
            continue
        for axis, each in phase.gathered:
            near = _gathered(near, axis, _places(each))
        _core.convolve(near, kernel[phase.kernel], added, out, phase.taps)
    return result


def _apart(x: NDArray, together: Sequence[int], place: int) -> NDArray:
    """Of each of the last axes every so many-th element, from the numbers on that become axes at `place`."""
    lead, shape, fast = x.ndim - len(together), list(x.shape[: -len(together)]), []
    for count, size in zip(together, x.shape[lead:], strict=True):
        shape += [size] if count == 1 else [size // count, count]
        if count > 1:
            fast.append(len(shape) - 1)
    return np.moveaxis(x.reshape(shape), fast, range(place, place + len(fast)))


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


def _behind(slices: list[slice]) -> tuple[Any, ...]:
    """What picks along the spatial axes and leaves those in front of them."""
    return (..., *slices) if any(each != slice(None) for each in slices) else ()
