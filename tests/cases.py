"""The data families of the accuracy tests and benchmarks: `make(family, dtype, n, seed)` gives a 1-D array."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bits import FLOATS, INTEGERS, below, bias, encode, from_bits, last_field, mix, real, shuffled
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, Format

__all__ = ["BLOCKS", "FAMILIES", "FLOATS", "INTEGERS", "LENGTHS", "integer_data", "make"]

Family = Callable[[Format, int, int], NDArray]

BLOCKS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
LENGTHS = (*range(1, 41), *(length + step for length in BLOCKS for step in (-1, 0, 1)))


def uniform(form: Format, n: int, seed: int) -> NDArray:
    grid = 1 << form.precision
    return real(form, (below(2 * grid + 1, n, seed) - grid) / grid)


def normal(form: Format, n: int, seed: int) -> NDArray:
    return real(form, sum(below(1 << 40, n, seed + 100 * k) for k in range(12)) / 2.0**40 - 6.0)


def integers(form: Format, n: int, seed: int) -> NDArray:
    grid = 1 << form.precision
    return real(form, below(2 * grid + 1, n, seed) - grid)


def small_integers(form: Format, n: int, seed: int) -> NDArray:
    x = real(form, below(9, n, seed) - 4)
    x[::7] = real(form, float(1 << form.precision))
    return x


def tenths(form: Format, n: int, seed: int) -> NDArray:
    return np.full(n, real(form, 0.1 * (1 + seed)))


def drip(form: Format, n: int, seed: int) -> NDArray:
    """A value whose last place is 2, then ones."""
    x = real(form, np.ones(n))
    x[seed % n] = real(form, float(1 << form.precision))
    return x


def _with_pairs(form: Format, head: NDArray, n: int, seed: int, spread: int) -> NDArray:
    """`head`, then pairs that cancel exactly, shuffled; for sets too short for the head, its beginning."""
    pairs = max(0, n - len(head)) // 2
    low = max(1, bias(form) - spread)
    field = low + below(min(2 * spread, last_field(form) - low), pairs, seed)
    y = encode(form, below(2, pairs, seed + 1), field, mix(pairs, seed + 2))
    rest = from_bits(form, 0, max(0, n - len(head) - 2 * pairs))
    return shuffled(np.concatenate([head[:n], y, -y, rest]), seed + 3)


def ill_conditioned(form: Format, n: int, seed: int) -> NDArray:
    return _with_pairs(form, uniform(form, 3, seed), n, seed, last_field(form) // 2)


def cancelling(form: Format, n: int, seed: int) -> NDArray:
    return _with_pairs(form, from_bits(form, 0, 0), n, seed, 12)


def hidden_rests(form: Format, n: int, seed: int) -> NDArray:
    """Pairs of one magnitude that cancel exactly, and rests beside them that sums on the way lose, zeros among them.

    The sum that is left looks like nothing, and is not: 2^-57 of the pairs and less is lost in one word, 2^-115 and
    less in two.
    """
    depth = (57, 60, 115, 30, 55, 126)[seed % 6]
    tiny = encode(form, seed // 6 & 1, max(1, bias(form) - depth) + below(2, 2, seed), mix(2, seed + 4))
    return _with_pairs(form, np.concatenate([tiny[:1], from_bits(form, 0, 1 + n // 8), tiny[1:]]), n, seed, 1)


def _tie(form: Format, seed: int) -> list[float]:
    even = (1 << form.precision) + 2 * int(below(1 << (form.precision - 2), 1, seed)[0])
    return [float(even), 1.0]


def ties(form: Format, n: int, seed: int) -> NDArray:
    """A value halfway between two floats, on either side of zero."""
    return _with_pairs(form, real(form, _tie(form, seed)) * real(form, (-1) ** seed), n, seed, 8)


def ties_off(form: Format, n: int, seed: int) -> NDArray:
    """A tie that the smallest subnormal decides, upwards or downwards."""
    far = from_bits(form, 1) * real(form, 1 - 2 * (seed & 1))
    return _with_pairs(form, np.concatenate([real(form, _tie(form, seed)), far]), n, seed, 8)


def deep_ties(form: Format, n: int, seed: int) -> NDArray:
    """A tie, or a tie that the smallest subnormal decides, under pairs of all magnitudes that cancel."""
    far = from_bits(form, 1) * real(form, seed % 3 - 1)
    return _with_pairs(form, np.concatenate([real(form, _tie(form, seed)), far]), n, seed, last_field(form) // 2)


def mean_ties(form: Format, n: int, seed: int) -> NDArray:
    """A mean halfway between two floats, or decided by the smallest subnormal."""
    count = min(n, (1 << form.precision) - 1)
    tie = np.ldexp(np.array([count, count], np.float64), [0, -form.precision])
    far = from_bits(form, 1) * real(form, seed % 3 - 1)
    return _with_pairs(form, np.concatenate([real(form, tie), far]), n, seed, 6)


def ramp(form: Format, n: int, seed: int) -> NDArray:
    field = np.arange(n) * last_field(form) // max(n - 1, 1)
    return encode(form, below(2, n, seed), field, mix(n, seed + 1))


def anything_finite(form: Format, n: int, seed: int) -> NDArray:
    return encode(form, below(2, n, seed), below(last_field(form) + 1, n, seed + 1), mix(n, seed + 2))


def subnormals(form: Format, n: int, seed: int) -> NDArray:
    return encode(form, below(2, n, seed), 0, mix(n, seed + 1))


def smallest(form: Format, n: int, seed: int) -> NDArray:
    """A few multiples of the smallest subnormal: the means are ties, or underflow."""
    return encode(form, below(2, n, seed), 0, below(3, n, seed + 1))


def subnormal_results(form: Format, n: int, seed: int) -> NDArray:
    """Small normal numbers and their negated neighbours: what is left is subnormal."""
    fraction = mix((n + 1) // 2, seed) | np.uint64(2)
    field = 1 + below(4, (n + 1) // 2, seed + 1)
    return shuffled(np.concatenate([encode(form, 0, field, fraction), encode(form, 1, field, fraction - 1)])[:n], seed)


def near_overflow(form: Format, n: int, seed: int) -> NDArray:
    """The largest values with partners that cancel them, in blocks of one sign."""
    half = encode(form, 0, last_field(form), mix((n + 1) // 2, seed))
    return np.concatenate([half, -half[::-1]])[:n]


def overflowing(form: Format, n: int, seed: int) -> NDArray:
    return encode(form, seed & 1, last_field(form) - below(3, n, seed), mix(n, seed))


def overflow_edge(form: Format, n: int, seed: int) -> NDArray:
    """The largest value plus half its last place, exactly (infinity) or less the smallest subnormal (finite)."""
    head = np.concatenate(
        [
            from_bits(form, form.infinity - 1),
            encode(form, 0, last_field(form) - form.precision, [0]),
            -from_bits(form, seed & 1),
        ]
    )
    return _with_pairs(form, head, n, seed, 4)


def all_ones(form: Format, n: int, seed: int) -> NDArray:
    return encode(form, 1, bias(form) + below(1 + seed % 3, n, seed), -1)


def wide(form: Format, n: int, seed: int) -> NDArray:
    """Values whose squares overflow or underflow the format."""
    quarter = last_field(form) // 4
    high, low = last_field(form) - below(quarter, n, seed + 1), below(quarter, n, seed + 2)
    field = np.where(below(2, n, seed) == 1, high, low)
    return encode(form, below(2, n, seed + 3), field, mix(n, seed + 4))


def tiny(form: Format, n: int, seed: int) -> NDArray:
    """Values whose squares all underflow the format."""
    return encode(form, below(2, n, seed), below(last_field(form) // 4, n, seed + 1), mix(n, seed + 2))


def huge(form: Format, n: int, seed: int) -> NDArray:
    """Values whose squares all overflow the format, and whose root does not (for short sets)."""
    field = last_field(form) - 6 - below(last_field(form) // 4, n, seed)
    return encode(form, below(2, n, seed + 1), field, mix(n, seed + 2))


def _root_tie(form: Format, step: int) -> list[float]:
    """Values with the exact L2 norm 2**p + step, step 1 or 3: halfway between two floats."""
    p = form.precision
    top, extra = 1 << p, 2 * step * (1 << p)
    side = 1 << ((p + 1) // 2)
    even = [side] * 2 if step == 1 else [2 * side, side, side]
    squares = [side] * (extra // side**2) if p % 2 else even
    return [float(value) for value in (top, *squares, step)]


def root_ties(form: Format, n: int, seed: int) -> NDArray:
    """L2 norms exactly halfway between two floats, or a little off it, at any magnitude."""
    room = max(0, last_field(form) // 2 - 3 * form.precision)
    head = real(form, _root_tie(form, 1 + 2 * (seed & 1)))
    if seed & 2:
        head[-1] = np.nextafter(head[-1], real(form, 0.0))
    head *= real(form, 2.0 ** (room * (seed // 4 % 3 - 1)))
    tail = from_bits(form, (seed >> 2) & 1, max(0, n - len(head)))
    return shuffled(np.concatenate([head[:n], tail]), seed)


def square_ties(form: Format, n: int, seed: int) -> NDArray:
    """Square sums of 2**p + 1, halfway between two floats, or a little above it."""
    p = form.precision
    side = float(1 << (p // 2))
    head = real(form, [side, side, 1.0] if p % 2 else [side, 1.0])
    tail = from_bits(form, seed & 1, max(0, n - len(head)))
    return shuffled(np.concatenate([head[:n], tail]), seed)


def zeros(form: Format, n: int, seed: int) -> NDArray:
    return encode(form, below(2, n, seed) if seed & 1 else 1, 0, np.zeros(n, np.int64))


def specials(form: Format, n: int, seed: int) -> NDArray:
    """Rare NaNs (any payload and sign), infinities and -0 among ordinary values; some sets hold one kind only."""
    x = uniform(form, n, seed)
    kinds = [form.infinity, form.sign | form.infinity, form.sign, form.infinity | 1, form.sign | form.nan | 1]
    chosen = below(40, n, seed + 1)
    for kind, bits in enumerate(kinds):
        x[chosen == kind] = from_bits(form, bits)
    return x


def infinities(form: Format, n: int, seed: int) -> NDArray:
    """One kind of infinity only, in one place of sixteen."""
    x = normal(form, n, seed)
    x[below(16, n, seed + 1) == 0] = from_bits(form, form.infinity | (form.sign if seed & 1 else 0))
    return x


FAMILIES: dict[str, Family] = {
    family.__name__: family
    for family in (
        *(uniform, normal, integers, small_integers, tenths, drip, ill_conditioned, cancelling, ties, ties_off),
        *(hidden_rests, deep_ties, mean_ties),
        *(ramp, anything_finite, subnormals, smallest, subnormal_results, near_overflow, overflowing, overflow_edge),
        *(all_ones, wide, tiny, huge, root_ties, square_ties, zeros, specials, infinities),
    )
}


def make(family: str, dtype: Any, n: int, seed: int = 0) -> NDArray:
    """`n` values of a family as a new 1-D array; every seed gives other values."""
    name = np.dtype(dtype).name
    return _few(family, name, n, seed).copy() if n <= 128 else FAMILIES[family](FORMATS[name], n, seed)


@lru_cache(maxsize=1 << 16)
def _few(family: str, name: str, n: int, seed: int) -> NDArray:
    return FAMILIES[family](FORMATS[name], n, seed)


def integer_data(dtype: Any, n: int, seed: int = 0) -> NDArray:
    """Integers over the whole range of the type, the two ends included."""
    dtype = np.dtype(dtype)
    x = mix(n, seed).astype(f"u{dtype.itemsize}").view(dtype)
    x[:2] = [np.iinfo(dtype).min, np.iinfo(dtype).max][:n]
    return x
