"""Exact sums and products that are kept, merged, stored and rounded at any time."""

from __future__ import annotations

from collections.abc import Iterator

from samesum import _core

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
