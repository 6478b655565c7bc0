"""Products in exact integers, rounded once: what `_core.contract` must give, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cases
from oracle import assert_bits
from samesum import _core
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

_UNITS = {"float16": 24, "bfloat16": 133, "float32": 149, "float64": 1074}
"""Every finite number of a type is a whole number of two to minus this."""


def contracted(
    a: NDArray, b: NDArray, c: NDArray | None = None, dtype: Any = None, alpha: float = 1.0, beta: float = 1.0
) -> NDArray:
    """alpha a b^T + beta c of a (m, k), b (n, k) and c (m, n); in `dtype`, that of `a` by default."""
    target = np.dtype(dtype or a.dtype)
    if target.kind in "iu":
        exact = a.astype(object) @ b.astype(object).T + (0 if c is None else c.astype(object))
        return (exact % (1 << 8 * target.itemsize)).astype(f"u{target.itemsize}").view(target)
    form, unit = FORMATS[target.name], _UNITS[a.dtype.name]
    of_factors = 0 if alpha in (1, -1) and beta in (0, 1, -1) else _UNITS["float64"]
    sums = _scaled(a, unit) @ _scaled(b, unit).T * _whole(alpha, of_factors)
    if c is not None:
        sums += (_scaled(c, unit) << unit) * _whole(beta, of_factors)
    rounded = [[form.nearest(value, -2 * unit - of_factors) for value in row] for row in sums]
    bits = np.array(rounded, f"u{target.itemsize}").reshape(sums.shape)
    for m, n in zip(*np.nonzero(~_finite(a).all(1)[:, None] | ~_finite(b).all(1) | _special(c)), strict=True):
        bits[m, n] = _special_bits(a[m], b[n], None if c is None else c[m, n], target, alpha, beta)
    return bits.reshape(len(a), len(b)).view(target)


def _finite(x: NDArray) -> NDArray:
    return np.isfinite(_doubles(x))


def _doubles(x: NDArray) -> NDArray:
    with np.errstate(invalid="ignore"):  # NaNs of ml_dtypes
        return x.astype(np.float64)


def _special(c: NDArray | None) -> Any:
    return False if c is None else ~_finite(c)


def _special_bits(x: NDArray, y: NDArray, c: Any, target: np.dtype[Any], alpha: float, beta: float) -> int:
    form = FORMATS[target.name]
    pairs = zip(_doubles(x).tolist(), _doubles(y).tolist(), strict=True)
    terms = [p * q for p, q in pairs if not math.isfinite(p) or not math.isfinite(q)]
    total = sum(terms) * (alpha and math.copysign(1, alpha)) if terms else 0.0
    if c is not None and not math.isfinite(float(c)):
        total += math.copysign(1, beta) * float(c)
    if math.isnan(total):
        return form.nan
    return form.infinity | (form.sign if total < 0 else 0)


def _whole(x: float, unit: int) -> int:
    number, divisor = float(x).as_integer_ratio()
    return (number << unit) // divisor


def _scaled(x: NDArray, unit: int) -> NDArray:
    """Whole numbers; zeros in the place of what is not finite."""
    flat = [_whole(v, unit) if math.isfinite(v) else 0 for v in _doubles(x).ravel().tolist()]
    return np.array([*flat, None], object)[:-1].reshape(x.shape)


def product(
    a: NDArray, b: NDArray, c: NDArray | None = None, dtype: Any = None, alpha: float = 1.0, beta: float = 1.0
) -> NDArray:
    out = np.empty((len(a), len(b)), dtype or a.dtype)
    _core.contract(a, b, c, out, 0, 1, 1, 1, alpha, 0.0 if c is None else beta)
    return out


def check(
    a: NDArray,
    b: NDArray,
    text: str,
    c: NDArray | None = None,
    dtype: Any = None,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> None:
    """With the terms of each column side by side, and the columns of each term."""
    expected = contracted(a, b, c, dtype, alpha, beta)
    assert_bits(product(a, b, c, dtype, alpha, beta), expected, f"{text}, terms")
    columns = np.asfortranarray(a), np.asfortranarray(b)
    assert_bits(product(*columns, c, dtype, alpha, beta), expected, f"{text}, columns")


def rows(family: str, dtype: Any, count: int, n: int, seed: int = 0) -> NDArray:
    return np.stack([cases.make(family, dtype, n, seed + i) for i in range(count)])
