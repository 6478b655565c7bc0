"""Figures are the exact values, rounded to float64 once; what is not defined is None."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from samesum.stats.exact import Exact
from samesum.stats.figures import NAMES, figures, rounded, rounded_root
from samesum.stats.tally import tally_of


def of(values: object, dtype: str = "float64") -> dict[str, object]:
    x = np.array(values, dtype).reshape(1, -1)
    tally = tally_of(x.dtype, 1)
    tally.add(x)
    return dict(figures(tally.exact()[0], x.dtype.kind in "iub"))


def test_roots_are_rounded_once() -> None:
    rng = np.random.default_rng(1)
    for _ in range(3000):
        numerator, shift = int(rng.integers(1, 2**62)), int(rng.integers(0, 2100))
        value = Fraction(numerator, 1 << shift) if rng.integers(2) else Fraction(numerator << (shift // 2), 3)
        root = Fraction(rounded_root(value))
        below, above = (Fraction(math.nextafter(float(root), to)) for to in (-math.inf, math.inf))
        assert ((below + root) / 2) ** 2 <= value <= ((above + root) / 2) ** 2
    assert rounded_root(Fraction(1, 1 << 2148)) == 2.0**-1074
    assert rounded_root(Fraction((2**53 + 1) ** 2)) == 2.0**53  # a tie, to even
    assert rounded_root(Fraction((2**53 + 1) ** 2) + Fraction(1, 2**90)) == 2.0**53 + 2
    assert rounded_root(Fraction(4, 9) * 9) == 2.0


def test_quotients_overflow_to_infinity() -> None:
    assert rounded(Fraction(-(2**1024))) == -math.inf
    assert rounded(Fraction(2**1024 - 2**970 - 1)) == 1.7976931348623157e308
    assert rounded(Fraction(3, 1 << 1075)) == 2.0**-1073


def test_figures_of_a_few_numbers() -> None:
    found = of([1e200, -1e200, 3.0, 0.0, 5e-324])
    assert found["sum"] == 3.0
    assert found["mean"] == 0.6
    assert (found["min"], found["max"], found["l1"]) == (-1e200, 1e200, 2e200)
    assert found["l2"] == 1.4142135623730951e200
    assert found["rms"] == 6.324555320336759e199
    assert found["std"] == 6.324555320336759e199
    assert (found["count"], found["zeros"], found["subnormals"]) == (5, 1, 1)


def test_the_deviation_keeps_what_a_large_mean_would_hide() -> None:
    x = np.array([1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3])
    assert of(x)["std"] == math.sqrt(1.25)
    assert of([7.25] * 1000, "float32")["std"] == 0.0


def test_integers_are_exact() -> None:
    big = 2**63 - 1
    found = of([big, big, big], "int64")
    assert (found["sum"], found["l1"], found["max"]) == (3 * big, 3 * big, big)
    assert found["mean"] == float(big)
    assert of([-(2**63)], "int64")["l1"] == 2**63
    assert of([2**64 - 1] * 2, "uint64")["sum"] == 2**65 - 2
    assert of([True, False, True], "bool")["sum"] == 2
    assert type(of([1, 2], "int16")["min"]) is int


def test_nan_and_infinities() -> None:
    found = of([1.0, math.nan, -math.inf])
    assert (found["nan"], found["inf"]) == (1, 1)
    assert all(math.isnan(found[name]) for name in NAMES[5:])  # type: ignore[arg-type]
    found = of([1.0, math.inf])
    assert (found["sum"], found["mean"], found["l1"], found["l2"], found["rms"]) == (math.inf,) * 5
    assert (found["min"], found["max"]) == (1.0, math.inf)
    assert math.isnan(found["std"])  # type: ignore[arg-type]
    found = of([-math.inf, math.inf])
    assert math.isnan(found["sum"])  # type: ignore[arg-type]
    assert (found["min"], found["max"], found["l1"]) == (-math.inf, math.inf, math.inf)
    assert of([-math.inf])["max"] == -math.inf


def test_of_no_element_only_sums_are_defined() -> None:
    found = figures(Exact(), False)
    assert [name for name in NAMES if found[name] is None] == ["min", "max", "mean", "rms", "std"]
    assert (found["sum"], found["l1"], found["l2"]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_figures_of_random_numbers(dtype: str) -> None:
    x = (np.random.default_rng(4).standard_normal(5000) + 9).astype(dtype)
    exact = [Fraction(float(v)) for v in x]
    mean = sum(exact, Fraction(0)) / len(exact)
    found = of(x, dtype)
    assert found["mean"] == float(mean)
    assert found["sum"] == float(sum(exact, Fraction(0)))
    assert found["std"] == rounded_root(sum(((v - mean) ** 2 for v in exact), Fraction(0)) / len(exact))
