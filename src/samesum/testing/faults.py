"""What is wrong whatever an operator may lose: answers of zeros, answers and inputs with bits of a shorter type."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS
from samesum.formats.ulps import unit
from samesum.testing.products import shortened
from samesum.testing.rules_of_sums import FEW
from samesum.testing.truths import Arrays, Truth

SURE = 32.0
"""Bits that all are zero by no accident."""
TINY = 2.0**12
"""Times the least normal number: results from there on do not vanish by an underflow on the way."""
NEARER = 4.0
"""How many times nearer answers have to be to those of shortened inputs."""


def zeros(answer: NDArray, part: Truth, added: NDArray | float) -> str:
    """Zeros where exact results are none that a sum comes to, or zeros alone.

    A rounding of the result never makes it zero: its terms have to, and their sum loses `added` times the magnitude at
    most. Several results that all are large beside their own ulps say it too.
    """
    exact = part.exact
    if exact.dtype.kind in "biu" or part.magnitude is None:
        return ""
    size, scale = np.abs(exact.astype(np.float64)), np.abs(part.magnitude.astype(np.float64))
    lost = (answer == 0) & np.isfinite(size) & (size >= TINY * float(ml_dtypes.finfo(exact.dtype).tiny))  # type: ignore[no-untyped-call]
    least = 1 if not answer.any() else FEW
    several = np.count_nonzero(lost & (size >= least * unit(scale, exact.dtype))) >= FEW
    found = np.count_nonzero(lost) if several else np.count_nonzero(lost & (size > added * scale))
    return f"{found} {'result is' if found == 1 else 'results are'} zero" if found else ""


def short_results(answer: NDArray, part: Truth) -> str:
    """Results of float32 or float64 that all are numbers of a shorter type, though the exact ones are not.

    Each result that an honest computation gives has as many random bits below those of the shorter type as its
    neighbours there are ulps of the magnitude apart; where terms cancel those are few.
    """
    exact = part.exact
    if exact.dtype.itemsize < 4 or exact.dtype.name not in FORMATS or part.magnitude is None:
        return ""
    counted = np.isfinite(answer) & np.isfinite(exact) & (answer != 0) & (exact != 0) & (answer != exact)
    left, first = np.unique(answer[counted], return_index=True)
    fine = unit(part.magnitude[counted][first], exact.dtype)
    for held in map(np.dtype, (ml_dtypes.bfloat16, np.float16, np.float32)):
        if held.itemsize < exact.dtype.itemsize and (left.astype(held).astype(left.dtype) == left).all():
            bits = np.log2(unit(left, held) / fine)
            if np.clip(bits, 0, exact.dtype.itemsize * 3).sum() >= SURE:
                return f"every result is a {held.name}"
    return ""


def short_inputs(answer: NDArray, exact: NDArray, arrays: Arrays, compute: Callable[[Arrays], NDArray]) -> str:
    """Products of float32 whose results are those of inputs rounded to a shorter type."""
    off = _distance(answer, exact)
    if off == 0 or exact.size < FEW or exact.dtype != np.float32:
        return ""
    made = [[(None, each)] if each is None else list(shortened(each)) for each in arrays[:2]]
    for first, second in zip(*made, strict=False):
        near = _distance(answer, compute([first[1], second[1], *arrays[2:]]))
        if near * NEARER <= off:
            return f"inputs in {first[0]}"
    return ""


def _distance(a: NDArray, b: NDArray) -> float:
    """The root of the mean square; infinite where one is no number and the other is."""
    with np.errstate(all="ignore"):
        off = a.astype(np.float64) - b.astype(np.float64)
        off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, off)
        return float(np.sqrt(np.mean(np.square(np.where(np.isnan(off), np.inf, off)))))
