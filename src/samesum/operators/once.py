"""Formulas of a few exact numbers, rounded once.

Each function gives float64 numbers rounded to odd: the exact result, or the one of its two neighbours whose last bit is
set. Such a number stands on the same side of every number of up to 51 bits as the exact one, so that what rounds it to
a shorter format rounds the exact one, and so does its sum with, or quotient by, a number of a few bits. Operands are
float64 numbers of at most 51 bits unless it says otherwise; what is not finite comes out as in IEEE 754.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.engine.totals import halves, product_error
from samesum.formats.arrays import NDArray


def total(a: Any, b: Any) -> NDArray:
    """a + b; one of them may have been rounded to odd."""
    s = np.add(a, b)
    back = s - a
    return _odd(s, (a - (s - back)) + (b - back))


def product(a: Any, b: Any) -> NDArray:
    """a b, of which no part is beyond float64's range."""
    p = np.multiply(a, b)
    return _odd(p, product_error(a, b, p))


def quotient(a: Any, b: Any) -> NDArray:
    """a / b of a divisor of up to 26 bits; `a` may have been rounded to odd."""
    q = np.divide(a, b)
    high, low = halves(q)
    rest = (a - high * b) - low * b
    return _odd(q, np.where(np.signbit(b), -rest, rest))


def _odd(near: NDArray, rest: NDArray) -> NDArray:
    """The number `near` + `rest` rounded to odd, where `near` is the nearest one and `rest` what is missing."""
    bits = np.asarray(near, np.float64).view(np.int64)
    inexact = np.isfinite(rest) & (rest != 0) & np.isfinite(near) & (bits & 1 == 0)
    outwards = np.where((rest > 0) == (near > 0), 1, -1)
    return np.where(inexact, bits + outwards, bits).view(np.float64)
