"""Sigmoid, tanh, erf, both gelus, softplus, sine and cosine before they are rounded: in doubles and in two words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from elementary import FUNCTIONS
from quotients import Quotients
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

# name: the bits of what is tested first, and the arguments between which it is asked for
QUICK = {
    "sigmoid": (46, -87, 40),
    "tanh": (44, -20, 20),
    "erf": (42, -6, 6),
    "gelu": (42, -12.5, 12),
    "gelu_tanh": (42, -9.5, 12),
    "softplus": (46, -87, 40),
    "sin": (42, -(2.0**18), 2.0**18),
    "cos": (42, -(2.0**18), 2.0**18),
}
PRECISE_BITS = 65
CLOSE = 2  # the step before the two words in float64
WITHOUT_TABLE = ("x86-64-v2",)  # where multiply-adds are emulated


def arguments(low: float, high: float, single: bool) -> NDArray:
    """From all over a range, next to zero, and near multiples of pi / 2."""
    draw = np.random.default_rng(12)
    near = np.ldexp(draw.uniform(0.5, 1, 200), -draw.integers(0, 40, 200))
    turns = np.arange(1, 200) * (np.pi / 2)
    x = np.concatenate([draw.uniform(low, high, 800), draw.uniform(-4, 4, 400), near, -near, turns, [low, high]])
    x = x[(x >= low) & (x <= high) & (x != 0)]
    return (x.astype(np.float32).astype(np.float64) if single else x)[None]


def fraction(x: Any) -> Fraction:
    sign, significand, exponent, _ = x._mpf_
    return Fraction((-1) ** sign * int(significand)) * Fraction(2) ** exponent


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("precise", [False, True], ids=["quick", "words"])
@pytest.mark.usefixtures("each_instruction_set")
def test_functions_of_one_element(name: str, precise: bool, measured: Measure) -> None:
    bits, low, high = QUICK[name]
    # What is tested in doubles are elements of narrow formats: others come nearer to multiples of pi / 2.
    x, found = arguments(low, high, not precise), Quotients()
    known = _core.smooth_function(list(QUICK).index(name), int(precise), np.ascontiguousarray(x))
    with mpmath.workprec(300):
        for element, (hi, lo, _) in zip(x[0].tolist(), known.T.tolist(), strict=True):
            wanted = fraction(FUNCTIONS[name][1](mpmath.mpf(element)))
            bound = abs(wanted) / 2 ** (PRECISE_BITS if precise else bits)
            found.add(Fraction(hi) + Fraction(lo) - wanted, bound, element.hex())
    measured(f"{'words' if precise else 'quick'} {name}", found)


@pytest.mark.parametrize("name", ["erf", "gelu"])
@pytest.mark.usefixtures("each_instruction_set")
def test_functions_near_a_table(name: str, measured: Measure) -> None:
    """All places of the table from their first to their last argument, and beyond the table."""
    place = np.arange(-6 * 64, 6 * 64 + 1) / 64
    edges = np.concatenate([place - 1 / 128, place + 1 / 128, np.nextafter(place + 1 / 128, 7), place + 1 / 256])
    x = np.concatenate([arguments(-6, 6, False)[0], edges[np.abs(edges) <= 6], [6.0, -6.0]])
    found = Quotients()
    known = _core.smooth_function(list(QUICK).index(name), CLOSE, np.ascontiguousarray(x[None]))
    if not known[2].any():
        assert _core.instruction_set() in WITHOUT_TABLE
        known[2] = np.abs(known[0]) * 2.0**-64  # of the two words
    with mpmath.workprec(300):
        for element, (hi, lo, bound) in zip(x.tolist(), known.T.tolist(), strict=True):
            wanted = fraction(FUNCTIONS[name][1](mpmath.mpf(element)))
            assert bound <= abs(wanted) * Fraction(1, 2**56), element
            # The bound covers an error of the two words that decide what is left, too.
            own = Fraction(bound) - abs(wanted) / 2**PRECISE_BITS
            found.add(Fraction(hi) + Fraction(lo) - wanted, own, element.hex())
    measured(f"close {name}", found)
