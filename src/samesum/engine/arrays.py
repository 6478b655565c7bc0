"""Anything array-like becomes a NumPy array, without a copy where the memory can be shared."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.errors import SITE, ArgumentTypeError, AxisError, DtypeError, SamesumError, ShapeError
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.formats.integers import integer_of

_NAMED: dict[str, Dtype] = {
    each.dtype.name: each.dtype for each in ONNX_ELEMENTS.values() if each.bits == 8 * each.dtype.itemsize
}
_PLAIN = (int, float, complex, list, tuple, np.generic)
"""What has neither names nor missing elements and is not lazy: small calls are quick."""
_VALID = ("notna", "is_valid", "is_not_null")
"""What pandas, Arrow and Polars call the mask of the elements that are there."""


def as_array(x: Any) -> NDArray:
    """`x` as a plain NumPy array that shares its memory where possible.

    Raises ArgumentTypeError for a masked array, missing elements, names of axes, a Dask collection, a tensor that
    requires a gradient and memory that the CPU does not reach, DtypeError for what does not hold numbers of one type,
    ShapeError for nested sequences of unequal lengths.
    """
    if type(x) is np.ndarray:
        return x
    array = _shared(x)
    if array is None:
        array = _converted(x)
    if type(array) is not np.ndarray:
        if isinstance(array, np.ma.MaskedArray):
            raise ArgumentTypeError(
                "got a numpy.ma.MaskedArray, whose mask would be ignored; "
                "pass x.compressed() for the unmasked values or x.filled(value) for all of them"
            )
        array = array.view(np.ndarray)
    return array


def as_integers(numbers: Any, what: str = "an axis", error: type[SamesumError] = AxisError) -> NDArray:
    """`numbers` as an array: Python integers become int64 of rank 0 or 1, an array keeps its type and rank.

    Raises the error for a sequence with anything else than `what` in it and for integers that int64 does not hold.
    """
    try:
        if isinstance(numbers, int):
            return np.array(integer_of(what, numbers, error), dtype=np.int64)
        if isinstance(numbers, list | tuple | range):
            return np.array([integer_of(what, each, error) for each in numbers], dtype=np.int64)
    except OverflowError:
        raise error(f"{what} has to be an integer of 64 bits; got {numbers!r}") from None
    return as_array(numbers)


def as_sizes(numbers: Any) -> NDArray:
    """The sizes of a result as an array, as `as_integers` has them; raises DtypeError for what is none."""
    return as_integers(numbers, "a size of output_shape", DtypeError)


def as_dtype(dtype: Any) -> np.dtype[Any] | None:
    """`dtype` as NumPy's own in native byte order; None stays None. Raises DtypeError for what names no dtype."""
    try:
        found = None if dtype is None else np.dtype(dtype)
        return found if found is None or found.isnative else found.newbyteorder("=")
    except (TypeError, ValueError) as error:
        named = None if isinstance(dtype, str) else _NAMED.get(str(dtype).rpartition(".")[2])  # torch.float32
        if named is not None:
            return named
        raise DtypeError(f"{dtype!r} names no dtype: {error}") from error


def as_out(out: Any) -> NDArray:
    """An array on the memory of a tensor that receives a result, read-only if the tensor is.

    Raises ArgumentTypeError for what is neither an array nor a tensor that shares its memory.
    """
    if isinstance(out, np.ndarray):
        return out
    if hasattr(out, "is_neg") and out.is_neg():
        raise ArgumentTypeError(f"out is a {type(out).__name__} with a sign to be applied; pass out.resolve_neg()")
    array = None if isinstance(out, np.generic) or not hasattr(out, "__dlpack__") else _shared(out)
    if array is None:
        raise ArgumentTypeError(f"out has to be a numpy.ndarray, or a tensor that shares its memory; got {type(out)}")
    return array


def _shared(x: Any) -> NDArray | None:
    """`x` itself or the tensor `x` through DLPack; None if `x` is neither or does not share its memory."""
    if isinstance(x, np.ndarray):
        return x
    if not hasattr(x, "__dlpack__") or isinstance(x, np.generic):
        return None
    from samesum.engine.dlpack import from_dlpack  # only tensors need it, and `import samesum` stays cheap

    try:
        return from_dlpack(x)
    except SamesumError:
        raise
    except (BufferError, TypeError) as error:
        if hasattr(x, "__array__"):
            return None
        raise ArgumentTypeError(f"{type(x).__name__} does not share its memory: {error}") from error


def _converted(x: Any) -> NDArray:
    kind = type(x).__name__
    if not isinstance(x, _PLAIN):
        _refuse_what_would_be_lost(x, kind, type(x).__module__.partition(".")[0])
    try:
        array: NDArray = np.asanyarray(x)
    except (TypeError, RuntimeError) as error:
        raise ArgumentTypeError(f"{kind} does not make an array: {error}") from error
    except ValueError as error:
        raise ShapeError(f"{kind} does not make an array: {error}") from error
    if array.dtype == object:
        raise DtypeError(f"{kind} does not hold numbers of one dtype; pass an array")
    return array


def _refuse_what_would_be_lost(x: Any, kind: str, package: str) -> None:
    """Raises ArgumentTypeError for names of axes, laziness and missing elements, which no array has."""
    graph = getattr(x, "__dask_graph__", None)
    if isinstance(getattr(x, "dims", None), tuple):
        raise ArgumentTypeError(
            f"got an {package} {kind}, whose names {x.dims} no result here has; pass x.data, or keep them with "
            f"x.reduce(function, dim=...) or xarray.apply_ufunc: {SITE}howto/libraries.html"
        )
    if graph is not None and graph() is not None:
        raise ArgumentTypeError(
            f"got a lazy {package} {kind}, which would be computed whole, in memory; of lazy ones most functions on "
            f"arrays take Dask arrays ({SITE}dask.html); pass x.compute() if it fits in memory"
        )
    if nulls := _null_count(x):
        fill = "fillna" if hasattr(x, "fillna") else "fill_null"
        valid = next((name for name in _VALID if hasattr(x, name)), None)
        if valid is None and hasattr(x, "isna"):
            how = f"pass x.{fill}(0), with where=~x.isna() to leave them out"
        else:
            how = "pass its columns" if valid is None else f"pass x.{fill}(0), with where=x.{valid}() to leave them out"
        raise ArgumentTypeError(
            f"got a {package} {kind} with missing elements ({nulls}), which have no value; {how}: "
            f"{SITE}howto/libraries.html"
        )


def _null_count(x: Any) -> int:
    """How many elements are missing: nulls of Arrow and Polars, NA of the dtypes of pandas that are not NumPy's."""
    if (count := getattr(x, "null_count", None)) is not None:
        try:
            return int(np.sum(np.asarray(count() if callable(count) else count)))
        except (TypeError, ValueError):  # lazy ones of Polars, which make no array
            return 0
    if hasattr(x, "itercolumns"):
        return sum(map(_null_count, x.itercolumns()))
    if not hasattr(x, "isna"):
        return 0
    columns = [column for _, column in x.items()] if x.ndim == 2 else [x]
    return sum(int(each.isna().sum()) for each in columns if not isinstance(each.dtype, np.dtype))
