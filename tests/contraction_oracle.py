"""Products in exact integers, rounded once: what `_core.contract` must give, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

_SHIFT = 1100
"""Every finite float64 is a whole number of 2^-1100."""


def contracted(
    a: NDArray, b: NDArray, c: NDArray | None = None, dtype: Any = None, alpha: float = 1.0, beta: float = 1.0
) -> NDArray:
    """alpha a b^T + beta c of a (m, k), b (n, k) and c (m, n); in `dtype`, that of `a` by default."""
    target = np.dtype(dtype or a.dtype)
    if target.kind in "iu":
        exact = a.astype(object) @ b.astype(object).T + (0 if c is None else c.astype(object))
        return (exact % (1 << 8 * target.itemsize)).astype(f"u{target.itemsize}").view(target)
    form = FORMATS[target.name]
    sums = _scaled(a) @ _scaled(b).T * _whole(alpha)
    if c is not None:
        sums += (_scaled(c) << _SHIFT) * _whole(beta)
    bits = np.array([[form.nearest(value, -3 * _SHIFT) for value in row] for row in sums], f"u{target.itemsize}")
    for m, n in zip(*np.nonzero(~_finite(a).all(1)[:, None] | ~_finite(b).all(1) | _special(c)), strict=True):
        bits[m, n] = _special_bits(a[m], b[n], None if c is None else c[m, n], target, alpha, beta)
    return bits.reshape(len(a), len(b)).view(target)


def _finite(x: NDArray) -> NDArray:
    return np.isfinite(x.astype(np.float64))


def _special(c: NDArray | None) -> Any:
    return False if c is None else ~_finite(c)


def _special_bits(x: NDArray, y: NDArray, c: Any, target: np.dtype[Any], alpha: float, beta: float) -> int:
    form = FORMATS[target.name]
    pairs = zip(x.astype(float).tolist(), y.astype(float).tolist(), strict=True)
    terms = [p * q for p, q in pairs if not math.isfinite(p) or not math.isfinite(q)]
    total = sum(terms) * math.copysign(1, alpha) if terms else 0.0
    if c is not None and not math.isfinite(float(c)):
        total += math.copysign(1, beta) * float(c)
    if math.isnan(total):
        return form.nan
    return form.infinity | (form.sign if total < 0 else 0)


def _whole(x: float) -> int:
    number, divisor = float(x).as_integer_ratio()
    return (number << _SHIFT) // divisor


def _scaled(x: NDArray) -> NDArray:
    """Whole numbers of 2^-1100; zeros in the place of what is not finite."""
    flat = [_whole(v) if math.isfinite(v) else 0 for v in x.astype(np.float64).ravel().tolist()]
    return np.array([*flat, None], object)[:-1].reshape(x.shape)
