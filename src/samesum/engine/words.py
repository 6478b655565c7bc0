"""What products of float64 arrays round off."""

from __future__ import annotations

from samesum.formats.arrays import NDArray

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
