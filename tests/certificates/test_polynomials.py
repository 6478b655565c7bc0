"""How far the core's polynomials and tables are from what they stand for: bounds of the exact differences, from the
constants as the sources have them, for every argument and not for some that were tried."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

from quotients import Quotients

KERNELS = Path(__file__).resolve().parents[2] / "core" / "kernels"
NUMBER = re.compile(r"(-\s?)?(0x[0-9a-f.]+p[+-]?\d+|\b0\.\d+|\b0x0p\+0|\b0\b(?=,))f?", re.IGNORECASE)
Measure = Callable[[str, Quotients], None]
Series = Callable[[int], Fraction]
"""The coefficient of each power of the argument."""

PAIRS, ERROR = "elementwise/double_pairs.hpp", "elementwise/error_functions.hpp"
EXPONENTIAL, LOGARITHM = "exponentials/exponential.hpp", "exponentials/logarithm.hpp"
POWERS = "exponentials/powers.hpp"
FUNCTIONS, CIRCULAR = "elementwise/elementwise_functions.hpp", "elementwise/circular_functions.hpp"


def constants(path: str, first: str, count: int) -> list[Fraction]:
    """As many numbers of a source, in its order, from the one that is written like `first` on."""
    text = (KERNELS / path).read_text(encoding="utf-8")
    found = NUMBER.findall(text[text.index(first) :])[:count]
    assert len(found) == count, (path, first)
    return [
        Fraction(float.fromhex(digits) if "x" in digits else float(digits)) * (-1 if sign else 1)
        for sign, digits in found
    ]


def exponential(k: int) -> Fraction:
    return Fraction(1, math.factorial(k))


def logarithm(k: int) -> Fraction:
    """Of 1 + r."""
    return Fraction((-1) ** (k + 1), k)


def area(k: int) -> Fraction:
    """The inverse hyperbolic tangent of s over s, in the square of s."""
    return Fraction(1, 2 * k + 1)


def sine(k: int) -> Fraction:
    return Fraction((-1) ** k, math.factorial(2 * k + 1))


def cosine(k: int) -> Fraction:
    return Fraction((-1) ** k, math.factorial(2 * k))


def scaled(series: Series, factor: int) -> Series:
    return lambda k: series(k) * factor


@dataclass(frozen=True)
class Polynomial:
    """Terms of a polynomial, which stand for a series from a power on, for arguments in a range. The difference times
    the `power` of the argument is below two to the power of `bits`."""

    name: str
    path: str
    first: str
    count: int
    falls: bool  # whether the source begins with the highest power
    series: Series
    shift: int
    range: tuple[Fraction, Fraction]
    power: int
    bits: float
    rests: str = ""
    """The first of what the first two terms leave out, where they have second words."""

    def terms(self) -> list[Fraction]:
        found = constants(self.path, self.first, self.count)
        for k, rest in enumerate(constants(self.path, self.rests, 2) if self.rests else []):
            found[k] += rest
        return found[::-1] if self.falls else found


def about(limit: float) -> tuple[Fraction, Fraction]:
    return -Fraction(limit), Fraction(limit)


SIXTEENTHS, HALVES, TABLE, FINE = about(0.02167), about(0.01086), about(0.0387), about(0.0027)
PAIRED = about(0.0225)
ARC, TURN = (Fraction(0), Fraction(1, 25)), (Fraction(0), Fraction(617, 1000))
HALVED = scaled(logarithm, -2)
# fmt: off
POLYNOMIALS = (
    Polynomial("exponential", EXPONENTIAL, "0x1.6c185e4ba9534p-10", 5, True, exponential, 2, SIXTEENTHS, 2, -55.9),
    Polynomial("growth of 68 bits", EXPONENTIAL, "0x1.a01b5a26c74dfp-16", 6, True, exponential, 3, SIXTEENTHS, 3, -74),
    Polynomial("growth of 90 bits", EXPONENTIAL, "0x1.ae653271e0d8fp-26", 6, True, exponential, 6, SIXTEENTHS, 6, -97),
    Polynomial("quick exponential", FUNCTIONS, "0.5, 0x1.5556deec7c714p-3", 3, False, exponential,
               2, SIXTEENTHS, 2, -36.4),
    Polynomial("exponential in pairs", PAIRS, "0x1.0000000000001p-1", 6, False, exponential, 2, SIXTEENTHS, 2, -64),
    Polynomial("powers of floats", POWERS, "0x1.555556p-3f", 2, True, exponential, 2, HALVES, 2, -33),
    Polynomial("logarithm", LOGARITHM, "0x1.02cbb4f6abcb3p-4", 9, True, area, 1, ARC, 1, -59.9),
    Polynomial("logarithm by tables", LOGARITHM, "- 0x1.0000895ac9bafp-3", 6, True, logarithm, 3, FINE, 0, -55),
    Polynomial("quick logarithm", LOGARITHM, "-0.5,", 7, False, logarithm, 2, TABLE, 1, -46.5),
    Polynomial("logarithm of a power", PAIRS, "-0x1.5555555555555p-1, 0x1.ffffffffffff8", 9, False,
               HALVED, 3, PAIRED, 0, -54),
    Polynomial("logarithm of float64", FUNCTIONS, "-0x1.5555555555555p-1, 0x1.ffffffffffdf3", 9,
               False, HALVED, 3, TABLE, 0, -52.2),
    Polynomial("sine", CIRCULAR, "-0x1.5555555555555p-3,", 10, False, sine, 1, TURN, 1, -72, "-0x1.5555555555555p-57,"),
    Polynomial("cosine", CIRCULAR, "0x1.5555555555555p-5,", 10, False, cosine, 2, TURN, 2, -72,
               "0x1.5555555555555p-59,"),
)
# fmt: on


def by_its_series(terms: Sequence[Fraction], low: Fraction, high: Fraction) -> Fraction:
    """A bound of |polynomial| between two numbers: of its Chebyshev series there, whose terms are not above their
    coefficients."""
    middle, half = (high + low) / 2, (high - low) / 2
    moved = [Fraction(0)] * len(terms)
    for k, c in enumerate(terms):
        for j in range(k + 1):
            moved[j] += c * math.comb(k, j) * middle ** (k - j) * half**j
    series = [Fraction(0)] * len(terms)
    for k, c in enumerate(moved):
        for j in range(k // 2 + 1):
            of_lowest = Fraction(1, 2) if k == 2 * j else Fraction(1)
            series[k - 2 * j] += c * of_lowest * math.comb(k, j) * Fraction(2) ** (1 - k)
    return sum(map(abs, series), Fraction(0))


def by_a_grid(terms: Sequence[Fraction], low: Fraction, high: Fraction, pieces: int = 3000) -> Fraction:
    """The same: its values on a grid, and how fast it can change between them."""
    most, step = max(abs(low), abs(high)), (high - low) / pieces
    slope = sum((k * abs(c) * most ** (k - 1) for k, c in enumerate(terms) if k), Fraction(0))
    digits, found = [round(c * 2**400) for c in terms], 0
    for i in range(pieces + 1):
        r, value = round((low + i * step) * 2**60), 0
        for c in reversed(digits):
            value = (value * r >> 60) + c
        found = max(found, abs(value))
    # What is rounded: the coefficients, each step and the places of the grid.
    return Fraction(found + 4 * len(terms), 2**400) + slope * (step / 2 + Fraction(1, 2**60))


@pytest.mark.parametrize("polynomial", POLYNOMIALS, ids=lambda p: p.name)
def test_a_polynomial_is_as_near_to_its_series_as_the_proofs_say(polynomial: Polynomial, measured: Measure) -> None:
    terms, many = polynomial.terms(), 40
    series, shift = polynomial.series, polynomial.shift
    left = [c - series(k + shift) for k, c in enumerate(terms)] + [-series(k + shift) for k in range(len(terms), many)]
    left = [Fraction(0)] * polynomial.power + left
    most = max(map(abs, polynomial.range))
    # The coefficients of all series here do not grow.
    beyond = abs(series(many + shift)) * most ** (many + polynomial.power) / (1 - most)
    error = min(by_its_series(left, *polynomial.range), by_a_grid(left, *polynomial.range)) + beyond
    found = Quotients()
    found.add(error, 2.0**polynomial.bits, polynomial.name)
    measured(f"polynomial: {polynomial.name}", found)


def precisely(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def test_tables_are_what_they_stand_for(measured: Measure) -> None:
    """Roots of two, logarithms of factors, multiples of ln 2 and of pi / 2, to the bits that the lemmas count on."""
    with mpmath.workprec(300):
        tables: dict[str, Quotients] = {}

        def add(name: str, value: Fraction, exact: mpmath.mpf, bound: float) -> None:
            error = abs(precisely(value) - exact)
            tables.setdefault(name, Quotients()).add(Fraction(int(error * 2**280), 2**280), bound, name)

        text = (KERNELS / EXPONENTIAL).read_text(encoding="utf-8")
        bits = [int(each, 16) for each in re.findall(r"0x3f[0-9a-f]{14}", text)]
        rests = constants(EXPONENTIAL, "0x0.0000000000000p+0", 16)
        for j, (each, rest) in enumerate(zip(bits, rests, strict=True)):
            word = (each + (j << 48)).to_bytes(8, "little")
            root = Fraction(*memoryview(word).cast("d")[0].as_integer_ratio())
            add("sixteenth powers of two", root * (1 + rest), mpmath.mpf(2) ** (mpmath.mpf(j) / 16), 2**-105.0)
        first, rest = constants(EXPONENTIAL, "0x1.62e42fefap-5", 2)
        middle, last = constants(EXPONENTIAL, "0x1.cf79abc9ep-44", 2)
        add("ln 2 / 16", first + rest, mpmath.log(2) / 16, 2**-97.0)
        add("ln 2 / 16", first + middle + last, mpmath.log(2) / 16, 2**-137.0)
        first, rest, middle, last = constants(LOGARITHM, "0x1.62e42fefa4p-1", 4)
        add("ln 2", first + rest, mpmath.log(2), 2**-96.0)
        add("ln 2", first + middle + last, mpmath.log(2), 2**-138.0)
        for name, begin in (("sixteenths", "{0x1p+0, 0x1.e1ep-1"), ("fine steps", "{0x1p+0, 0x1.fd58ded6e17ep-1")):
            numbers = constants(LOGARITHM, begin, 48)
            for factor, high, low in zip(numbers[:16], numbers[16:32], numbers[32:], strict=True):
                if factor:
                    add(f"logarithms of {name}", high + low, -mpmath.log(precisely(factor)), 2**-95.0)
                    assert (high * 2**41).denominator == 1, "the first word is a multiple of 2^-41"
        numbers = constants(PAIRS, "0x1p+0,    0x1.fp-1", 96)
        for factor, high, low in zip(numbers[:32], numbers[32:64], numbers[64:], strict=True):
            add("logarithms of powers", high + low, -mpmath.log(precisely(factor)), 2**-95.0)
        turn = sum(constants(CIRCULAR, "0x1.921fb544p+0", 4), Fraction(0))
        add("pi / 2", turn, mpmath.pi / 2, 2**-175.0)
        words = [
            int(each, 16) for each in re.findall(r"0x[0-9a-f]{16}(?=[,}])", (KERNELS / CIRCULAR).read_text("utf-8"))
        ]
        assert len(words) == 21
    with mpmath.workprec(1600):
        exact = int(mpmath.floor(2 / mpmath.pi * 2**1280))
        assert sum(word << 64 * (20 - i) for i, word in enumerate(words)) == exact, "the bits of 2 / pi"
    for name, found in tables.items():
        measured(f"table: {name}", found)


SERIES = (
    ("erfc", "0x1.2f9d3459459c5p+0", 33, (9, -28, 7, 28), 28, 2**-82.0),
    ("rough erfc", "0x1.31ddf1ec74453p+0", 19, (5, -12, 3, 12), 12, 2**-51.0),
)


@pytest.mark.parametrize(("name", "first", "count", "top", "limit", "bound"), SERIES)
def test_chebyshev_series(
    name: str, first: str, count: int, top: tuple[int, ...], limit: int, bound: float, measured: Measure
) -> None:
    """(1 + 2 z) e^(z^2) erfc(z) at 3000 arguments, next to the ends, too: no proof, but what is left out is smooth."""
    terms = constants(ERROR, first, count)
    rests = constants(ERROR, "0x1.521958838da51p-56", count) if name == "erfc" else [Fraction(0)] * count
    found = Quotients()
    with mpmath.workprec(200):
        series = [precisely(a + b) for a, b in zip(terms, rests, strict=True)]
        for i in range(3001):
            u = -mpmath.cos(mpmath.pi * i / 3000)
            z = (top[3] * u - top[1]) / (top[0] - top[2] * u)
            b = before = mpmath.mpf(0)
            for c in reversed(series[1:]):
                b, before = 2 * u * b + c - before, b
            value = u * b + series[0] - before
            exact = (1 + 2 * z) * mpmath.exp(z * z) * mpmath.erfc(z)
            assert z <= limit + 1e-9
            found.add(Fraction(int(abs(value - exact) * 2**180), 2**180), bound, str(z))
    measured(f"series: {name}", found)
