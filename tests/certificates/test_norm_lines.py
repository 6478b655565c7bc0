"""Lines of a normalization: their mean and the inverse of their deviation are within the bounds that are told."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cases
from quotients import UNIT, Quotients, integers, root
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FAMILIES = ("normal", "uniform", "ramp", "cancelling", "hidden_rests", "tenths", "wide", "subnormals", "all_ones")
FAMILIES += ("integers",)
LENGTHS = (2, 3, 8, 17, 33, 130, 1000, 2100)
SHIFTS = (0.0, 100.0, -3e4)
LINES = 9


def lines(dtype: np.dtype[Any]) -> list[tuple[str, NDArray]]:
    found = []
    for n in LENGTHS:
        for family in FAMILIES:
            found.append((f"{family} of {n}", np.stack([cases.make(family, dtype, n, k) for k in range(LINES)])))
        normal = np.stack([cases.make("normal", np.float64, n, k) for k in range(LINES)])
        found += [(f"{n} about {shift}", (normal + shift).clip(-6e4, 6e4).astype(dtype)) for shift in SHIFTS]
    return found


@pytest.mark.parametrize(
    ("dtype", "is_wide"),
    [(dtype, is_wide) for dtype in cases.FLOATS for is_wide in (False, True) if dtype.name != "float64" or not is_wide],
    ids=str,
)
@pytest.mark.parametrize("centred", [True, False], ids=["centred", "rms"])
@pytest.mark.usefixtures("restored_instruction_set")
def test_offsets_and_inverses(dtype: np.dtype[Any], is_wide: bool, centred: bool, measured: Measure) -> None:
    offsets, inverses = Quotients(), Quotients()
    for where, x in lines(dtype):
        exact = [means_and_spreads(line, centred) for line in x]
        for inside in (0.0, 1e-5):
            divisors = [root((spread + Fraction(inside)) * 4**600) / 2**600 for _, spread in exact]
            for name in _core.instruction_sets():
                _core.set_instruction_set(name)
                known = _core.certified_lines(x, centred, is_wide, inside)
                for numbers, (mean, _), divisor in zip(known.T.tolist(), exact, divisors, strict=True):
                    centre, offset, rest, error, inverse, inverse_rest, part, is_known = numbers
                    if not is_known:
                        continue
                    offsets.add(
                        Fraction(offset) + Fraction(rest) - (mean - Fraction(centre)), error, f"{where}, {name}"
                    )
                    if inverse == 0:
                        assert divisor == 0
                        continue
                    # Of itself: what is off by that part.
                    off = (Fraction(inverse) + Fraction(inverse_rest)) * divisor - 1
                    inverses.add(off, part, f"{where}, {inside}, {name}")
    name = f"{dtype.name}{' in words' if is_wide else ''} {'centred' if centred else 'rms'}"
    measured(f"norm inverse {name}", inverses)
    if centred:
        measured(f"norm offset {name}", offsets)


def means_and_spreads(line: NDArray, centred: bool) -> tuple[Fraction, Fraction]:
    """The mean of a line, or nothing, and the mean of the squares about it."""
    units, n = integers(line), len(line)
    total, squares = sum(units) if centred else 0, sum(v * v for v in units)
    return Fraction(total, n << UNIT), Fraction(n * squares - total * total, n * n << 2 * UNIT)
