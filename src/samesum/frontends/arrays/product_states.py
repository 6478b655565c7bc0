"""States of dot products: the exact sums of exact products of floats, of operands that come in chunks.

A product of two floats of 32 bits or fewer is a double. One of two doubles is the sum of two, its rounded value and
what that leaves out, if its exponent is moderate; the others are scaled, added apart, and their exact sums moved back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from samesum.algebra.pieces import Finalize, Map
from samesum.engine.totals import Totals, moved
from samesum.engine.words import product_error
from samesum.errors import ShapeError
from samesum.formats.arrays import Dtype, NDArray
from samesum.frontends.arrays.state import State

_PIECE = 1 << 20
"""Products that are made at a time."""
_MODERATE, _SHIFT = 900, 1200
"""Products of mantissas between 1/4 and 1 times 2^k are two doubles for |k| up to _MODERATE. Exponents lie between
-2146 and 2048, and between -_MODERATE and _MODERATE once the others are nearer to 0 by _SHIFT, whole bytes of a total.
"""

Terms = Iterator[tuple[int, NDArray]]


def state_of_products(a: NDArray, b: NDArray, axis: int) -> State:
    """The state of the sum of `a * b`, of floats that broadcast, along an axis that counts from the back.

    Its results come from `rounded_products`, since the products are taken in doubles.
    """
    if a.shape[axis] != b.shape[axis]:
        raise ShapeError(f"vectors of different lengths along axis {axis}: {a.shape} and {b.shape}")
    rank = max(a.ndim, b.ndim)
    state = State(["sum"], rank + axis)
    first, second = np.broadcast_arrays(a, b)
    length = first.shape[axis]
    state.update(np.zeros([*first.shape[:axis], 0, *first.shape[rank + axis + 1 :]]))
    step = max(1, _PIECE // max(1, first.size // max(1, length)))
    with np.errstate(all="ignore"):
        for begin in range(0, length, step):
            piece: Any = (..., slice(begin, begin + step), *(slice(None),) * (-axis - 1))
            for shift, terms in _terms(first[piece], second[piece]):
                if shift == 0:
                    state.update(terms)
                else:
                    _add_shifted(state, terms, rank + axis, shift)
    return state


def rounded_products(state: State, dtype: Dtype) -> NDArray:
    """The sums of a state of products, rounded once to any float type."""
    measure: Any = state._measures["sum"]
    counts: Any = state._measures["count"]
    return np.asarray(measure.totals.rounded(int(Finalize.ITSELF), dtype, counts.values))


def _terms(a: NDArray, b: NDArray) -> Terms:
    """Arrays of doubles whose sum, each times a power of two, is that of the products."""
    if a.dtype != np.float64:
        yield 0, a.astype(np.float64) * b.astype(np.float64)
        return
    (mantissa, exponent), (other, more) = np.frexp(a), np.frexp(b)
    product, power = mantissa * other, exponent + more
    rest = product_error(mantissa, other, product)
    rest[~np.isfinite(product)] = 0.0
    is_low, is_high = power < -_MODERATE, power > _MODERATE
    for shift, chosen in ((0, ~(is_low | is_high)), (-_SHIFT, is_low), (_SHIFT, is_high)):
        if chosen.any():
            for term in (product, rest):
                yield shift, np.ldexp(np.where(chosen, term, 0.0), power - shift)


def _add_shifted(state: State, terms: NDArray, axis: int, shift: int) -> None:
    """Adds the terms times 2^shift."""
    kept = terms.shape[:axis] + terms.shape[axis + 1 :]
    scaled, back = (Totals(int(Map.ITSELF), np.dtype(np.float64), math.prod(kept)) for _ in range(2))
    scaled.add(terms, (axis,))
    back.decode(moved(scaled.encoded(), shift // 8))
    measure: Any = state._measures["sum"]
    measure.totals.merge(back)
