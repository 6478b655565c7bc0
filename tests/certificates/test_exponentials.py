"""Sums of exponentials and the elementary functions: how near they are, beside what they promise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import cases
from quotients import Quotients, exponential, logarithm, widened, words
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FAMILIES = (
    "normal",
    "uniform",
    "integers",
    "anything_finite",
    "subnormals",
    "near_overflow",
    "zeros",
    "tenths",
    "wide",
)
LENGTHS = (1, 2, 3, 8, 17, 40, 100)
SEEDS = 4


@lru_cache(maxsize=1 << 15)
def power(x: Fraction) -> Fraction:
    """e**x, or something that is greater than zero and less than all that matters."""
    return exponential(x) if x > -2000 else Fraction(1, 2**2800)


def sets(dtype: np.dtype[Any], n: int) -> NDArray:
    lines = [cases.make(family, dtype, n, seed) for family in FAMILIES for seed in range(SEEDS)]
    spread = [np.linspace(-span, span, n) * (1 + 2.0**-9 * seed) for seed, span in enumerate((1, 30, 340, 346, 700))]
    return np.concatenate([np.stack(lines), np.array(spread).astype(dtype)])


def total(line: NDArray) -> tuple[Fraction, int, Fraction]:
    """The greatest element, how many there are, and the sum of the others' exponentials against it."""
    values = [Fraction(v) for v in line.astype(np.float64).tolist()]
    top = max(values)
    below = [v - top for v in values if v != top]
    return top, len(values) - len(below), sum(map(power, below), Fraction(0))


@pytest.mark.parametrize(
    ("method", "dtype"),
    [
        pytest.param(method, dtype, id=f"{method}-{dtype.name}")
        for method in ("exponentials", "exponential_words")
        for dtype in cases.FLOATS
        if method == "exponential_words" or dtype.name != "float64"
    ],
)
@pytest.mark.usefixtures("each_instruction_set")
def test_sums_of_exponentials(method: str, dtype: np.dtype[Any], measured: Measure) -> None:
    found = Quotients()
    for n in LENGTHS:
        x = sets(dtype, n)
        wanted = [total(line) for line in x]
        rows = _core.certified_states(method, 3, x, 1)
        columns = _core.certified_states(method, 3, np.ascontiguousarray(x.T), 0)
        for known in (rows, columns):
            for j, ((top, equal, sum_, rest, bound), (most, count, others)) in enumerate(
                zip(known.T.tolist(), wanted, strict=True)
            ):
                assert (Fraction(top), equal) == (most, count), (n, j)
                found.add(words(sum_, rest) - others, widened(bound), f"line {j} of sets({dtype}, {n})")
    measured(f"{method} {dtype.name}", found)


def arguments(low: float, high: float, n: int = 400) -> NDArray:
    """Two words: from all over a range, next to its ends, and to zero."""
    draw = np.random.default_rng(9)
    hi = np.concatenate([draw.uniform(low, high, n), [low, high], np.ldexp(draw.uniform(0.5, 1, 60), -np.arange(60))])
    hi = np.concatenate([hi, -hi[-60:]])
    hi = hi[(hi >= low) & (hi <= high)]
    lo = np.spacing(hi) * draw.uniform(-0.5, 0.5, len(hi))
    return np.ascontiguousarray([hi, lo])


EXPONENTIALS = {  # number: name, the least and the greatest argument, and bits
    0: ("exponential", -690, 0, 51),
    1: ("exponential in words", -690, 0, 68),
    2: ("exponential in more words", -675, 0, 90),
    3: ("exponential less one", -0.999, 0.999, 89),
    11: ("rough exponential", -150, 150, 36),
}
POWERS = {  # as well, the octaves by which roots are too great, and the bound
    8: ("power", -113, 23, 60, Fraction(1, 2**24)),
    9: ("precise power", -113, 23, 60, Fraction(127, 100 * 2**30)),
    10: ("double power", -789, 99, 600, Fraction(1, 2**58)),
}
LOGARITHMS = {
    4: ("logarithm", 50),
    5: ("logarithm by tables", 67),
    6: ("logarithm in words", 88),
    7: ("quick logarithm", 45),
    13: ("logarithm of a power", 63.5),
}
DOUBLE_EXPONENTIAL = 12


@pytest.mark.parametrize("number", EXPONENTIALS, ids=lambda number: EXPONENTIALS[number][0])
@pytest.mark.usefixtures("each_instruction_set")
def test_exponentials(number: int, measured: Measure) -> None:
    name, low, high, bits = EXPONENTIALS[number]
    x, found = arguments(low, high), Quotients()
    if number in (0, 3, 11):
        x[1] = 0
    for (hi, lo), got in zip(x.T.tolist(), _core.elementary(number, x).T.tolist(), strict=True):
        wanted = exponential(words(hi, lo))
        if number == 3:
            v = words(hi, lo)
            small = v + v**2 / 2 + v**3 / 6 + v**4 / 24 + v**5 / 120 + v**6 / 720
            wanted = small if abs(v) < Fraction(1, 2**30) else wanted - 1
        found.add(words(*got) - wanted, abs(wanted) / 2**bits, f"{hi.hex()}, {lo.hex()}")
    measured(name, found)


@pytest.mark.parametrize("number", POWERS, ids=lambda number: POWERS[number][0])
@pytest.mark.usefixtures("each_instruction_set")
def test_powers_of_normalizations(number: int, measured: Measure) -> None:
    name, low, high, octaves, bound = POWERS[number]
    x, found = arguments(low, high, 3000), Quotients()
    x[0] = x[0] if number == 10 else x[0].astype(np.float32)
    for hi, (root, growth) in zip(x[0].tolist(), _core.elementary(number, x).T.tolist(), strict=True):
        wanted = exponential(Fraction(hi))
        found.add(Fraction(root) * (1 + Fraction(growth)) / 2**octaves - wanted, wanted * bound, hi.hex())
    measured(name, found)


@pytest.mark.parametrize("number", LOGARITHMS, ids=lambda number: LOGARITHMS[number][0])
@pytest.mark.usefixtures("each_instruction_set")
def test_logarithms(number: int, measured: Measure) -> None:
    """Of numbers all over the range, next to 1, and next to the steps of the tables."""
    name, bits = LOGARITHMS[number]
    draw = np.random.default_rng(4)
    near = 1 + np.ldexp(draw.uniform(-1, 1, 300), -draw.integers(1, 53, 300))
    steps = (np.arange(24, 49) + 0.5) / 32
    far = np.ldexp(draw.uniform(0.5, 1, 300), draw.integers(-890, 990, 300))
    hi = np.concatenate([near, steps, np.nextafter(steps, 2), np.nextafter(steps, 0), [0.75, 1.5, 1.0], far])
    lo = np.spacing(hi) * draw.uniform(-0.5, 0.5, len(hi))
    if number in (4, 7, 13):
        lo[:] = 0
    lo[::5] = 0
    x, found = np.ascontiguousarray([hi, lo]), Quotients()
    for (a, b), got in zip(x.T.tolist(), _core.elementary(number, x).T.tolist(), strict=True):
        wanted = logarithm(words(a, b))
        found.add(words(*got) - wanted, abs(wanted) * Fraction(2.0**-bits), f"{a.hex()}, {b.hex()}")
    measured(name, found)


@pytest.mark.usefixtures("each_instruction_set")
def test_exponentials_of_float64_in_two_words(measured: Measure) -> None:
    x, found = arguments(-690, 690, 1000), Quotients()
    for (hi, lo), got in zip(x.T.tolist(), _core.elementary(DOUBLE_EXPONENTIAL, x).T.tolist(), strict=True):
        wanted = exponential(words(hi, lo))
        found.add(words(*got) - wanted, wanted * Fraction(2.0**-62.5), f"{hi.hex()}, {lo.hex()}")
    measured("exponential of float64", found)
