"""Dot products in exact integers, rounded once: what `vecdot` must give, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import BYTES, FORMATS

_FORMATS = FORMATS | BYTES
_UNIT = -2200
"""The exponent of what all products of finite float64 are multiples of."""


def dot(a: NDArray, b: NDArray, dtype: Any = None) -> NDArray:
    """Of two arrays of one shape along the last axis; in `dtype`, that of `a` by default."""
    target = np.dtype(dtype or a.dtype).newbyteorder("=")
    one = _integer_bits if target.kind in "iu" else _float_bits
    pairs = zip(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]), strict=True)
    bits = np.array([one(x, y, target) for x, y in pairs], f"u{target.itemsize}")
    return bits.view(target).reshape(a.shape[:-1])


def _integer_bits(x: NDArray, y: NDArray, target: np.dtype[Any]) -> int:
    exact = sum(int(p) * int(q) for p, q in zip(x, y, strict=True))
    return exact % (1 << (8 * target.itemsize))


def _float_bits(x: NDArray, y: NDArray, target: np.dtype[Any]) -> int:
    form = _FORMATS[target.name]
    pairs = [(float(p), float(q)) for p, q in zip(x, y, strict=True)]
    special = [p * q for p, q in pairs if not (math.isfinite(p) and math.isfinite(q))]
    if special:
        total = sum(special)
        if math.isnan(total) or not form.has_infinity:
            return form.nan
        return form.infinity | (form.sign if total < 0 else 0)
    return form.nearest(sum(_scaled(p) * _scaled(q) for p, q in pairs), _UNIT)


def _scaled(value: float) -> int:
    """As a whole number of 2^-1100."""
    number, divisor = value.as_integer_ratio()
    return (number << (-_UNIT // 2)) // divisor
