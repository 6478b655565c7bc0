"""Functions on arrays, reductions that leave NaNs out: the names of NumPy, each in one pass over the array."""

from __future__ import annotations

from samesum.algebra import rows
from samesum.engine.memory import SKIP_NAN
from samesum.frontends.arrays.reducing import converting, correcting, starting, summing


@summing(rows.SUM, SKIP_NAN)
def nansum() -> None:
    """The sum of the elements that are no NaN over `axis`, rounded once: `sum(x, where=~isnan(x))` without that array.

    Of NaNs alone it is +0. Everything else is as in `sum`; of elements that `where` does not choose nothing matters.
    Source: NumPy, `nansum`.

    >>> nansum(np.array([[1.5, np.nan], [np.nan, np.nan]]), axis=1)
    array([1.5, 0. ])
    """


@summing(rows.PROD, SKIP_NAN)
def nanprod() -> None:
    """The product of the elements that are no NaN over `axis`, rounded once.

    Of NaNs alone it is 1. Everything else is as in `prod`; of elements that `where` does not choose nothing matters.
    Source: NumPy, `nanprod`.

    >>> nanprod(np.array([[1e200, 1e200, 1e-300, np.nan], [np.nan, np.nan, np.nan, np.nan]]), axis=1)
    array([1.e+100, 1.e+000])
    """


@converting(rows.MEAN, SKIP_NAN)
def nanmean() -> None:
    """The mean of the elements that are no NaN over `axis`: their exact sum over their number, rounded once.

    Of NaNs alone it is NaN, without a warning. Everything else is as in `mean`. Source: NumPy, `nanmean`.

    >>> nanmean(np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, np.nan]]), axis=1)
    array([1.5, nan])
    """


@starting(rows.MIN, SKIP_NAN)
def nanmin() -> None:
    """The smallest element that is no NaN over `axis`, in the dtype of `x`; -0 is below +0.

    Of NaNs alone it is NaN, without a warning; of an empty set a ShapeError, as in `min`. Everything else is as
    there. Source: NumPy, `nanmin`.

    >>> nanmin(np.array([[3.0, np.nan], [np.nan, np.nan]]), axis=1)
    array([ 3., nan])
    """


@starting(rows.MAX, SKIP_NAN)
def nanmax() -> None:
    """The largest element that is no NaN over `axis`, in the dtype of `x`; +0 is above -0.

    Everything else is as in `nanmin`. Source: NumPy, `nanmax`.

    >>> float(nanmax(np.array([3.0, np.nan, 5.0])))
    5.0
    """


@correcting(rows.VAR, SKIP_NAN)
def nanvar() -> None:
    """The variance of the elements that are no NaN over `axis`, exact until it is rounded once.

    N is their number, and where N - `correction` is zero or less, it is NaN, without a warning. Everything else is as
    in `var`. Source: NumPy, `nanvar`.

    >>> float(nanvar(np.array([1.0, np.nan, 3.0]), correction=1))
    2.0
    """


@correcting(rows.STD, SKIP_NAN)
def nanstd() -> None:
    """The standard deviation of the elements that are no NaN over `axis`, rounded once.

    Everything else is as in `nanvar`. Source: NumPy, `nanstd`.

    >>> float(nanstd(np.array([1.0, np.nan, 3.0])))
    1.0
    """
