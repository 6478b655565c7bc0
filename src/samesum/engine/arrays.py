"""Anything array-like becomes a NumPy array, without a copy where the memory can be shared."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.errors import AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import axis_number


def as_array(x: Any) -> NDArray:
    """`x` as a plain NumPy array that shares its memory where possible.

    Raises DtypeError for a masked array, a Dask collection, a tensor that requires a gradient, memory that the CPU
    does not reach and what does not hold numbers of one type, ShapeError for nested sequences of unequal lengths.
    """
    if type(x) is np.ndarray:
        return x
    array = _shared(x)
    if array is None:
        array = _converted(x)
    if type(array) is not np.ndarray:
        if isinstance(array, np.ma.MaskedArray):
            raise DtypeError(
                "got a numpy.ma.MaskedArray, whose mask would be ignored; "
                "pass x.compressed() for the unmasked values or x.filled(value) for all of them"
            )
        array = array.view(np.ndarray)
    return array


def as_integers(axes: Any) -> NDArray:
    """`axes` as an array: Python integers become int64 of rank 0 or 1, an array keeps its type and rank.

    Raises AxisError for a sequence with anything else in it and for integers that int64 does not hold.
    """
    try:
        if isinstance(axes, int):
            return np.array(axis_number(axes), dtype=np.int64)
        if isinstance(axes, list | tuple | range):
            return np.array([axis_number(axis) for axis in axes], dtype=np.int64)
    except OverflowError:
        raise AxisError(f"axes are {axes!r}; an axis has to be an integer of 64 bits") from None
    return as_array(axes)


def as_dtype(dtype: Any) -> np.dtype[Any] | None:
    """`dtype` as NumPy's own in native byte order; None stays None. Raises DtypeError for what names no dtype."""
    try:
        found = None if dtype is None else np.dtype(dtype)
        return found if found is None or found.isnative else found.newbyteorder("=")
    except TypeError as error:
        raise DtypeError(f"{dtype!r} names no dtype: {error}") from error


def _shared(x: Any) -> NDArray | None:
    """`x` itself or the tensor `x` through DLPack; None if `x` is neither or does not share its memory."""
    if isinstance(x, np.ndarray):
        return x
    if not hasattr(x, "__dlpack__") or isinstance(x, np.generic):
        return None
    from samesum.engine.dlpack import from_dlpack  # only tensors need it, and `import samesum` stays cheap

    try:
        return from_dlpack(x)
    except BufferError as error:
        if hasattr(x, "__array__"):
            return None
        raise DtypeError(f"{type(x).__name__} does not share its memory: {error}") from error


def _converted(x: Any) -> NDArray:
    graph = getattr(x, "__dask_graph__", None)
    if graph is not None and graph() is not None:
        package = type(x).__module__.partition(".")[0]
        raise DtypeError(
            f"got a lazy {package} {type(x).__name__}, which would be computed whole, in memory; of lazy ones "
            "most functions on arrays take Dask arrays (x.data of xarray; docs/dask.md); pass x.compute() if it fits "
            "in memory"
        )
    try:
        array: NDArray = np.asanyarray(x)
    except (TypeError, RuntimeError) as error:
        raise DtypeError(f"{type(x).__name__} does not make an array: {error}") from error
    except ValueError as error:
        raise ShapeError(f"{type(x).__name__} does not make an array: {error}") from error
    if array.dtype == object:
        raise DtypeError(f"{type(x).__name__} does not hold numbers of one dtype; pass an array")
    return array
