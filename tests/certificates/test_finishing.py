"""Means, roots and logarithms of totals within a bound: what the certificate says holds for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from quotients import Quotients, are_finite, logarithm, root, widened, words
from samesum import _core
from samesum.formats.rounding import FORMATS

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

ITSELF, MEAN, ROOT, LOGARITHM = range(4)
NAMES = ("itself", "mean", "root", "logarithm")
COUNTS = (1, 2, 3, 7, 1000, 2**31 - 1, 2**53 - 1, 2**53, 2**53 + 1, 2**62 + 1)
TARGETS = tuple(np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
EDGE = [  # hi, lo, bound
    (3 + 3 * 2.0**-24, 2.0**-1074, 0.0),
    (3 + 3 * 2.0**-24, -(2.0**-1074), 0.0),
    (3 + 3 * 2.0**-24, 0.0, 2.0**-1074),
    ((1 + 2.0**-24) ** 2, 2.0**-1074, 0.0),
    ((1 + 2.0**-24) ** 2, 0.0, 2.0**-1074),
    (1.0, 2.0**-1074, 0.0),
    (1.0, 2.0**-1000, 0.0),
    (1.0, -(2.0**-1030), 2.0**-1060),
    (1.0, 0.0, 2.0**-1074),
    (1.0, 2.0**-54, 2.0**-108),
    (2.0**-1074, 0.0, 0.0),
    (2.0**-1022, 0.0, 2.0**-1074),
    (2.0**-899, 2.0**-953, 2.0**-1000),
    (2.0**999, 2.0**-1000, 0.0),
    (2.0**998, 2.0**-1074, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 2.0**-1074),
    (0.0, 0.0, 1.0),
    (1.0, 0.0, 0.25),
    (1.0, 0.0, 1.0),
    (1.0, 0.0, 2.0),
    (1.0, 0.0, 2.0**-20),
    (float(np.finfo(np.float64).max), 2.0**970, 0.0),
    (float(np.finfo(np.float64).max), 2.0**969, 2.0**900),
    (-float(np.finfo(np.float64).max), -(2.0**970), 0.0),
]


def totals() -> NDArray:
    """Three rows: words that are normalised and not, beside bounds of all sizes, at all magnitudes."""
    draw = np.random.default_rng(5)
    n = 400
    power = draw.choice([-1060, -1000, -899, -500, -140, -30, 0, 0, 0, 1, 30, 120, 500, 990], n)
    hi = np.ldexp(draw.uniform(1, 2, n), power)
    hi[::3] = np.ldexp(np.float32(draw.uniform(1, 2, n)).astype(np.float64), power)[::3]  # ties of narrower formats
    hi[1::7] = np.ldexp(1 + 2.0**-24 * draw.integers(0, 4, n), power)[1::7]
    below = draw.choice([-53, -54, -60, -80, -200, -1100], n)
    lo = np.where(draw.random(n) < 0.3, 0, hi * np.ldexp(draw.uniform(-1, 1, n), below))
    little = draw.choice([-1074, -130, -108, -90, -70, -53, -30, -19, -9, -3], n)
    bound = np.where(draw.random(n) < 0.4, 0, hi * np.ldexp(draw.uniform(0.5, 1, n), little))
    return np.ascontiguousarray(np.concatenate([np.stack([hi, lo, bound]), np.array(EDGE).T], 1))


def within(hi: float, lo: float, bound: float, finalize: int) -> Iterator[Fraction]:
    """Totals that the bound allows; of squares none is negative."""
    middle, away = words(hi, lo), Fraction(bound)
    for total in {middle, middle - away, middle + away, middle + away / 4}:
        if finalize != ROOT or total >= 0:
            yield total


def result(total: Fraction, finalize: int, count: int) -> Fraction | None:
    """None where there is no finite one."""
    if finalize == MEAN:
        return total / count
    if finalize == ROOT:
        return root(total)
    if finalize == LOGARITHM:
        return None if total <= 0 else logarithm(total)
    return total


@pytest.mark.parametrize("interval", [False, True], ids=["words", "interval"])
@pytest.mark.parametrize("finalize", range(4), ids=NAMES)
@pytest.mark.usefixtures("each_instruction_set")
def test_bounds_of_results(finalize: int, interval: bool, measured: Measure) -> None:
    given = totals()
    if interval:  # its totals are single words
        given[1] = 0
    found = Quotients()
    for count in COUNTS if finalize == MEAN else (1,):
        known = _core.certified_results(given, finalize, count, interval)
        for (hi, lo, bound), (q, rest, error) in zip(given.T.tolist(), known.T.tolist(), strict=True):
            where = f"{hi.hex()}, {lo.hex()}, {bound.hex()} over {count}: {q.hex()}, {rest.hex()}, {error.hex()}"
            if interval and hi < 2.0**-900:
                continue  # the interval test is for formats in which that is zero
            for total in within(hi, lo, bound, finalize):
                if not are_finite(error):
                    continue
                wanted = result(total, finalize, count)
                if are_finite(q, rest):
                    assert wanted is not None, where
                    found.add(words(q, rest) - wanted, widened(error), where)
                elif interval:
                    assert finalize == LOGARITHM, where
                    assert q == -np.inf if total == 0 else np.isnan(q), where
    measured(f"{NAMES[finalize]} by {'interval' if interval else 'words'}", found)


def rounded(total: Fraction, finalize: int, count: int, dtype: np.dtype[Any]) -> int:
    """The bits of the result."""
    form = FORMATS[dtype.name]
    if finalize == LOGARITHM and total <= 0:
        return form.sign | form.infinity if total == 0 else form.nan
    wanted = result(total, finalize, count)
    assert wanted is not None
    if wanted == 0:
        return 0
    shift = 1300 - wanted.numerator.bit_length() + wanted.denominator.bit_length()
    size = abs(wanted)
    number, rest = divmod(size.numerator << max(shift, 0), size.denominator << max(-shift, 0))
    sticky = bool(rest) or (finalize == ROOT and root(total) ** 2 != total) or finalize == LOGARITHM
    number = 2 * number + sticky
    return form.nearest(number if wanted > 0 else -number, -shift - 1)


@pytest.mark.parametrize("dtype", TARGETS, ids=str)
@pytest.mark.parametrize("finalize", range(4), ids=NAMES)
@pytest.mark.usefixtures("each_instruction_set")
def test_what_is_certain_is_right(finalize: int, dtype: np.dtype[Any]) -> None:
    """Every total within the bound rounds to a result that was not marked; of exact ones few are."""
    given = totals()
    for interval in (False, True) if dtype.name != "float64" else (False,):
        few = given.copy()
        if interval:
            few = np.ascontiguousarray(few[:, np.abs(few[0]) < 2.0**900])
        certain = 0
        for count in COUNTS if finalize == MEAN else (1,):
            results, failed = _core.tested_results(few, finalize, count, dtype, interval)
            bits = results.view(f"u{dtype.itemsize}").tolist()
            for (hi, lo, bound), got, wrong in zip(few.T.tolist(), bits, failed.tolist(), strict=True):
                if wrong:
                    continue
                certain += 1
                for total in within(hi, lo, bound, finalize):
                    wanted = rounded(total, finalize, count, dtype)
                    assert got == wanted, (
                        f"{hi.hex()}, {lo.hex()}, {bound.hex()} over {count}: {got:#x}, not {wanted:#x}"
                    )
        assert certain > 100


def test_a_mean_that_its_least_word_decides() -> None:
    """3 + 3 * 2^-24 and the least double: their third is above the tie of float32."""
    given = np.array([[3 + 3 * 2.0**-24], [2.0**-1074], [0.0]])
    results, failed = _core.tested_results(given, MEAN, 3, np.dtype(np.float32), False)
    assert failed[0] or results[0] == np.float32(1 + 2.0**-23)
    for n in (3, 70, 700):
        x = np.zeros(n)
        x[:2] = n * (1 + 2.0**-24), 2.0**-1074
        mean = _core.reduce(1 << 8, x, None, 0, np.dtype(np.float32), None)
        assert mean == np.float32(1 + 2.0**-23), n
