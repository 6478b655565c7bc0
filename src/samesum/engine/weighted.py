"""Sums of products by label: every product is kept exactly until the sum is rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from samesum.algebra.rows import SUM
from samesum.engine.segments import reduce_labelled
from samesum.engine.words import product_error
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, quotient

_LEAST, _MOST = -960, 1024
"""Exponents between which the product of two fractions and its rounding error are multiples of 2^-1074 that float64
holds: the error is a multiple of 2^-106."""


def sum_weighted(rows: NDArray, weights: NDArray, labels: NDArray, out: NDArray, what: str = "labels") -> None:
    """Writes the sums of `weights[i] * rows[i]` of each label to that row of `out`, rounded once; integers wrap.

    `rows` has rank 2, all have one dtype. Rows of labels without products stay as they are. The errors are those of
    `reduce_labelled`.
    """
    by_row = weights[:, None]
    if rows.dtype.kind in "iu":
        reduce_labelled(SUM, rows * by_row, 0, labels, out, what=what)
    elif rows.dtype != np.float64:
        with np.errstate(invalid="ignore"):
            products = rows.astype(np.float64) * by_row.astype(np.float64)
        reduce_labelled(SUM, products, 0, labels, out, what=what)
    else:
        _sum_doubles(rows, np.broadcast_to(by_row, rows.shape), labels, out, what)


def _sum_doubles(rows: NDArray, weights: NDArray, labels: NDArray, out: NDArray, what: str) -> None:
    """The sum of all products and of their rounding errors; in fractions where float64 does not hold these."""
    (a, b), exponents = _fractions(rows, weights)
    product = a * b
    error = product_error(a, b, product)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        plain = rows * weights
    is_finite = np.isfinite(rows) & np.isfinite(weights)
    is_held = (exponents >= _LEAST) & (exponents <= _MOST) | (product == 0)
    high = np.where(is_held, np.ldexp(product, np.where(is_held, exponents, 0)), 0.0)
    low = np.where(is_held & is_finite, np.ldexp(error, np.where(is_held, exponents, 0)), 0.0)
    both = np.concatenate([np.where(is_finite, high, plain), low])
    reduce_labelled(SUM, both, 0, np.concatenate([labels, labels]), out, what=what)
    beyond = is_finite & ~is_held
    for label, column in sorted({(int(labels[i]), int(j)) for i, j in np.argwhere(beyond)}):
        here = labels == label
        if is_finite[here, column].all():
            out[label, column] = _exact_sum(rows[here, column], weights[here, column])


def _fractions(rows: NDArray, weights: NDArray) -> tuple[tuple[NDArray, NDArray], NDArray]:
    """Both as fractions below one, and the sums of their exponents; what is not finite becomes zero."""
    (a, first), (b, second) = (np.frexp(np.where(np.isfinite(each), each, 0.0)) for each in (rows, weights))
    return (a, b), first + second


def _exact_sum(a: NDArray, b: NDArray) -> float:
    total = sum((Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)), Fraction(0))
    bits = FORMATS["float64"].nearest(*quotient(total.numerator, 0, total.denominator))
    return float(np.array(bits, np.uint64).view(np.float64))
