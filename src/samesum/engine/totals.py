"""Exact sums and products that are kept, merged, stored and rounded at any time."""

from __future__ import annotations

from collections.abc import Iterator

from samesum import _core
from samesum.formats.arrays import NDArray

# Exact figures of floats that come in rows, and counts of bytes by value.

Statistics = _core.Statistics
"""Of each row of C-contiguous arrays of rank 2: classes of elements, extremes, and exact sums of the finite elements,
of their magnitudes and of their squares. `counted()` has the columns NaNs, +inf, -inf, zeros and subnormals, then the
order keys of the least and the greatest finite element and the bits of the least magnitude that is not zero."""

count_bytes = _core.count_bytes
"""Adds to `counts`, int64 [rows, 256], how many of the bytes of each row of `x`, uint8 [rows, n], have each value."""

count_words = _core.count_words
"""Adds to `counts`, int64 [65536], how many elements of `x`, uint16, have each value."""

count_bins = _core.count_bins
"""Adds to `counts`, int64 [bins], how many elements of `x`, float32 or float64, lie in each bin: the first
one begins at `first` times 2^`exponent`, each is 2^`exponent` wide. Returns how many finite elements lie in none."""


# What products of float64 arrays round off.

_SPLITTER = 2.0**27 + 1


def product_error(a: NDArray, b: NDArray, product: NDArray) -> NDArray:
    """What the product leaves out, exactly, for operands between 2^-450 and 2^450 (Dekker)."""
    a_high, a_low = halves(a)
    b_high, b_low = (a_high, a_low) if b is a else halves(b)
    error: NDArray = a_high * b_high
    error -= product
    for each, other in ((a_high, b_low), (a_low, b_high), (a_low, b_low)):
        error += each * other
    return error


def halves(a: NDArray) -> tuple[NDArray, NDArray]:
    """A number as two of at most 26 bits, of magnitudes below 2^996 (Veltkamp)."""
    high = a * _SPLITTER
    high -= high - a
    return high, a - high


Totals = _core.ExactTotals
"""Exact sums of `map(x)` over many sets: `add` takes some elements of every set, in any order."""

Products = _core.ProductTotals
"""Products of many sets, exact until they are longer than 1024 bits; `scan` gives every prefix on the way."""


Exponentials = _core.ExponentialTotals
"""Sums of exponentials of many sets in bounded memory, the same in every order, for their logarithms."""


def decoded(encoded: bytes) -> Iterator[tuple[int, int]]:
    """Each total of `Totals.encoded`, (states.html of the site): an integer, and the bits that it is shifted left.

    Those of floats count 2^-2176; what is not finite is left out.
    """
    return ((number, shift) for number, shift, _ in decoded_with_flags(encoded))


def decoded_with_flags(encoded: bytes) -> Iterator[tuple[int, int, int]]:
    """What `decoded` gives, and the flags of what is not finite: 2 for NaN, 4 for +inf, 8 for -inf."""
    at = 0
    while at < len(encoded):
        flags, first, count = encoded[at], *(int.from_bytes(encoded[at + k : at + k + 2], "little") for k in (1, 3))
        size = int.from_bytes(encoded[at + 5 : at + 5 + count], "little")
        yield -size if flags & 1 else size, 8 * first, flags & ~1
        at += 5 + count


def moved(encoded: bytes, by: int) -> bytes:
    """Totals of `Totals.encoded` times 256^by, which stay in the range of their format."""
    result = bytearray(encoded)
    at = 0
    while at < len(encoded):
        first, count = (int.from_bytes(encoded[at + k : at + k + 2], "little") for k in (1, 3))
        if count:
            result[at + 1 : at + 3] = (first + by).to_bytes(2, "little")
        at += 5 + count
    return bytes(result)
