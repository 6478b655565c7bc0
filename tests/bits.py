"""Floats built from integer arithmetic alone: the same bits on every machine and NumPy version."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import Format

FLOATS = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32), np.dtype(np.float64))
INTEGERS = tuple(np.dtype(f"{kind}{width}") for kind in ("int", "uint") for width in (8, 16, 32, 64))

_DTYPES = {dtype.name: dtype for dtype in FLOATS}


def mix(n: int, seed: int) -> NDArray:
    """`n` uint64 that look random: the splitmix64 sequence."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, n + 1, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def below(limit: int, n: int, seed: int) -> NDArray:
    """`n` int64 in [0, limit)."""
    return (mix(n, seed) % np.uint64(limit)).astype(np.int64)


def shuffled(x: NDArray, seed: int) -> NDArray:
    return x[np.argsort(mix(len(x), seed), kind="stable")]


def encode(form: Format, negative: Any, field: Any, fraction: Any) -> NDArray:
    """Floats from their sign, exponent field and fraction bits."""
    negative, field, fraction = np.broadcast_arrays(negative, field, fraction)
    bits = negative.astype(np.uint64) << np.uint64(form.width - 1)
    bits |= field.astype(np.uint64) << np.uint64(form.precision - 1)
    bits |= fraction.astype(np.uint64) & np.uint64((1 << (form.precision - 1)) - 1)
    return bits.astype(f"u{form.width // 8}").view(_DTYPES[form.name])


def from_bits(form: Format, bits: int, n: int = 1) -> NDArray:
    return np.full(n, bits, f"u{form.width // 8}").view(_DTYPES[form.name])


def bias(form: Format) -> int:
    """The exponent field of 1.0."""
    return 2 - form.precision - form.unit


def last_field(form: Format) -> int:
    """The exponent field of the largest finite value."""
    return (form.infinity >> (form.precision - 1)) - 1


def real(form: Format, values: Any) -> NDArray:
    return np.asarray(values, np.float64).astype(_DTYPES[form.name])
