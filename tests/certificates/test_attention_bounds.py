"""Weighted means of attention before they are rounded: in doubles and in words, beside numbers of 400 bits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import cases
from quotients import Quotients, widened
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FLOAT32 = np.dtype(np.float32)
FAMILIES = ("normal", "wide", "cancelling", "uniform", "hidden_rests", "small_integers", "huge", "subnormals")


def drawn(family: str, *shape: int, seed: int) -> NDArray:
    return cases.make(family, FLOAT32, int(np.prod(shape)), seed).reshape(shape)


def fraction(x: Any) -> Fraction:
    sign, significand, exponent, _ = x._mpf_
    return Fraction((-1) ** sign * int(significand)) * Fraction(2) ** int(exponent)


def exact(query: NDArray, keys: NDArray, values: NDArray, mask: NDArray, cap: float) -> list[Any]:
    scores = []
    for key, added in zip(keys, mask.tolist(), strict=True):
        score = mpmath.fsum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(query, key, strict=True))
        score /= mpmath.sqrt(len(query))
        scores.append((cap * mpmath.tanh(score / cap) if cap else score) + mpmath.mpf(added))
    top = max(scores)
    weights = [mpmath.exp(score - top) for score in scores]
    total = mpmath.fsum(weights)
    return [
        mpmath.fsum(w * mpmath.mpf(float(v)) for w, v in zip(weights, column, strict=True)) / total
        for column in values.T
    ]


@pytest.mark.parametrize("cap", [0.0, 2.5], ids=["plain", "cap"])
@pytest.mark.usefixtures("each_instruction_set")
def test_means_by_exponentials(cap: float, measured: Measure) -> None:
    doubles, words = Quotients(), Quotients()
    with mpmath.workprec(400):
        for number, family in enumerate(FAMILIES):
            for size, count, factor in ((1, 1, 1), (3, 9, 8), (40, 60, 1), (100, 33, 8), (16, 130, 0.1)):
                query = drawn("normal", size, seed=number) * np.float32(factor)
                keys, values = drawn("normal", count, size, seed=number + 50), drawn(family, count, 5, seed=number)
                mask = np.where(np.arange(count) % 3, 0.0, drawn("normal", count, seed=9).astype(np.float64))
                scale = float(1 / mpmath.sqrt(size))
                rest = float(1 / mpmath.sqrt(size) - mpmath.mpf(scale))
                operands = (query.astype(np.float64)[None], keys, values, mask[None])
                found = _core.certified_attention(*map(np.ascontiguousarray, operands), scale, rest, cap)
                for right, (mean, bound, high, low, of_words) in zip(
                    map(fraction, exact(query, keys, values, mask, cap)), found.T.tolist(), strict=True
                ):
                    where = f"{family}, {size}, {count}"
                    doubles.add(abs(Fraction(mean) - right), widened(bound), where)
                    words.add(abs(Fraction(high) + Fraction(low) - right), widened(of_words), where)
    name = "attention with a cap" if cap else "attention"
    measured(name, doubles)
    measured(f"{name}, words", words)
