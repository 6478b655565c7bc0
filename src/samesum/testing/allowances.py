"""What a careful computation may lose: a bound for each family of operators, with where it comes from.

Errors are counted in ulps of a magnitude that is fair for the operator (`Scale`), u is half an ulp of 1, n the number
of terms. Any order of n additions loses at most (n - 1) u times the sum of magnitudes, additions in pairs at most
log2(n) u times that (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.4 and 4.6), and these are
bounds for the worst data. Roundings that do not conspire walk: their sum stays within lambda sqrt(n) u with a
probability of 1 - 2 exp(-lambda^2 / 2) (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019; Ipsen and Zhou, SIAM J.
Matrix Anal. Appl. 41(4), 2020). With partial sums that grow evenly and roundings that are spread evenly the deviation
of a sum one after the other is sqrt(n) u / 3, so that 2 sqrt(n) ulps are six of them at least.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.rounding import FORMATS
from samesum.testing.families import Family

CAREFUL = 8.0
"""Ulps that any careful way of computing keeps, beside those that grow with the length."""
CHAINS = 4
"""A product of matrices is added in at least as many chains: the lanes of a vector, unrolled loops, blocks of terms."""


class Order(Enum):
    """Which orders of additions are taken as careful."""

    BLOCKS = "in blocks or in pairs"
    ANY = "in any order"


_ROUNDINGS = {
    **dict.fromkeys((Family.SUM, Family.L1), 1.0),
    **dict.fromkeys((Family.MEAN, Family.AVERAGE, Family.WINDOW, Family.SEVERAL, Family.SCATTER, Family.PRODUCT), 2.0),
    **dict.fromkeys((Family.L2, Family.SUM_SQUARE), 2.0),
    **dict.fromkeys((Family.VARIANCE, Family.SOFTMAX, Family.LOG_SOFTMAX, Family.LOG_SUM, Family.LOGSUMEXP), 4.0),
    Family.ELEMENT: 4.0,
}
"""Ulps for the roundings of single steps in the type of the result: a division, a root, an exponential."""
_OWN_TYPE = frozenset({Family.PROD, Family.CUMULATIVE_PROD, Family.SCATTER})
"""What libraries compute in the type of the data, whatever it is."""
_OWN_HALF = frozenset({Family.CUMULATIVE_SUM, Family.VARIANCE, Family.NORM, Family.AVERAGE})
"""What NumPy computes in float16, of the two types of 16 bits the one that it has."""

_SINGLE_STEPS = frozenset({Family.ELEMENT, Family.QUANTIZED, Family.RESIZED})
_OF_PRODUCTS = frozenset({Family.PRODUCT, Family.ATTENTION, Family.RECURRENT})

SOURCES = {
    Order.BLOCKS: "additions in pairs or blocks lose less than log2(n) u: Higham, Accuracy and Stability, 4.2",
    Order.ANY: (
        "roundings in any order walk no further than 2 sqrt(n) u: Higham and Mary 2019; 16-bit floats are added in "
        "float32: NVIDIA's and PyTorch's documentation"
    ),
}
ONE_AFTER_ANOTHER = "one addition after the other loses less than n u: Higham, Accuracy and Stability, 4.2"
ON_THESE_DATA = "one addition after the other loses a fourth of it on these data; n u bounds it: Higham, 4.2"
PRODUCTS = "n factors have n - 1 roundings: Higham, Accuracy and Stability, 3.1"


def source(family: Family, order: Order) -> str:
    """Where the bound comes from."""
    return PRODUCTS if family in (Family.PROD, Family.CUMULATIVE_PROD) else SOURCES[order]


def allowance(
    family: Family, dtype: Dtype, length: float | NDArray, order: Order, factor: float | NDArray = 1.0
) -> float | NDArray:
    """Ulps of the fair magnitude that a careful computation of `length` terms in `dtype` may be off by.

    `factor` is how many times roundings of the data grow. No answer of less than three right bits is allowed.
    """
    grown = _grown(family, length, order)
    if order is Order.BLOCKS:
        return (CAREFUL + grown) * factor
    own = FORMATS[dtype.name].precision
    grown = grown * 2.0 ** (own - FORMATS[held_in(family, dtype).name].precision)
    return np.minimum((_ROUNDINGS.get(family, CAREFUL) + grown) * factor, capped(dtype))


def added(family: Family, dtype: Dtype, length: float) -> float:
    """The part of the sum of magnitudes that additions of `length` terms may lose, where libraries add."""
    return float(_grown(family, length, Order.ANY)) * 2.0 ** (1 - FORMATS[held_in(family, dtype).name].precision)


def held_in(family: Family, dtype: Dtype) -> Dtype:
    """The type in which terms are added: float32 for shorter ones, but where libraries keep their own.

    NVIDIA's documentation (mixed precision) and PyTorch's (numerical accuracy) name float32.
    """
    single = np.dtype(np.float32)
    is_own = family in _OWN_TYPE or (family in _OWN_HALF and dtype == np.float16)
    return dtype if dtype.itemsize >= single.itemsize or is_own else single


def capped(dtype: Dtype) -> float:
    """An eighth of the magnitude at least, in its ulps."""
    return max(1.0, 2.0 ** (FORMATS[dtype.name].precision - 3))


def _grown(family: Family, length: float | NDArray, order: Order) -> float | NDArray:
    """Ulps that grow with the length: a running sum and a product cannot but round at each term."""
    if family in (Family.PROD, Family.CUMULATIVE_PROD):
        return length
    if family in _SINGLE_STEPS:
        return 0.0
    if family in _OF_PRODUCTS:
        return 2.0 * np.sqrt(length / CHAINS)
    if order is Order.BLOCKS:
        return np.sqrt(length) if family is Family.CUMULATIVE_SUM else np.log2(length)
    return 2.0 * np.sqrt(length)


def in_a_row(dtype: Dtype, length: int) -> float:
    """What n operations one after the other in `dtype` lose at most; where n u reaches 1 there is no such bound."""
    bound = float(length) if length < 2 ** FORMATS[dtype.name].precision else 0.0
    return CAREFUL + max(bound, 2.0 * math.sqrt(length))
