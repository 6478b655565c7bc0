"""Anything array-like becomes a NumPy array, without a copy where the memory can be shared."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from samesum import _core
from samesum.errors import SITE, ArgumentTypeError, AxisError, DtypeError, SamesumError, ShapeError
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray, integer_of
from samesum.formats.elements import ONNX_ELEMENTS

# Tensors of other libraries as NumPy arrays on the same memory, bfloat16 and float8 included.
#
# NumPy's own reader does not know the types of ml_dtypes. What a tensor says of itself (where its memory lies, its
# shape,
# strides and type) is therefore read here, and never written; the tensor's capsule lives as long as the array.
# Layout of the header: https://dmlc.github.io/dlpack/latest/c_api.html.

_HOST_DEVICES = {1: "CPU", 3: "CUDA host", 11: "ROCm host"}
_READ_ONLY = 1
_INT, _UINT, _FLOAT, _COMPLEX, _BOOL = 0, 1, 2, 5, 6
_TYPES: dict[tuple[int, int], Dtype] = {
    **{(_INT, bits): np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{(_UINT, bits): np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{(_FLOAT, bits): np.dtype(f"f{bits // 8}") for bits in (16, 32, 64)},
    **{(_COMPLEX, bits): np.dtype(f"c{bits // 8}") for bits in (64, 128)},
    (_BOOL, 8): np.dtype(np.bool_),
    (4, 16): BFLOAT16,
    (7, 8): np.dtype(ml_dtypes.float8_e3m4),
    (8, 8): np.dtype(ml_dtypes.float8_e4m3),
    (9, 8): np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (11, 8): np.dtype(ml_dtypes.float8_e4m3fnuz),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
    (13, 8): np.dtype(ml_dtypes.float8_e5m2fnuz),
}
"""By type code and bits."""


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("type_code", ctypes.c_uint8),
        ("type_bits", ctypes.c_uint8),
        ("type_lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_IS_VALID = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Memory:
    """The memory of a capsule for `numpy.asarray`, which keeps this object, and so the capsule, alive."""

    def __init__(self, capsule: Any, tensor: _Tensor, shape: tuple[int, ...], itemsize: int, read_only: bool) -> None:
        self._capsule = capsule
        strides = tensor.strides[: tensor.ndim] if tensor.strides else None
        self.__array_interface__ = {
            "version": 3,
            "data": (tensor.data + tensor.byte_offset, read_only),
            "typestr": f"|V{itemsize}",
            "shape": shape,
            "strides": None if strides is None else tuple(stride * itemsize for stride in strides),
        }


def _from_dlpack(x: Any) -> NDArray:
    """The tensor `x` as an array on its memory, read-only if `x` says so or cannot say it.

    Raises ArgumentTypeError for memory that the CPU does not reach and for a tensor that requires a gradient,
    DtypeError for element types that NumPy does not know; BufferError, as the protocol has it, where `x` refuses to
    share its memory.
    """
    _check_device(x)
    capsule = _capsule(_settled(x))
    read_only = True
    if _IS_VALID(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_POINTER(capsule, b"dltensor_versioned"))
        if versioned.version[0] != 1:
            raise ArgumentTypeError(f"{type(x).__name__} speaks version {versioned.version[0]} of DLPack; allowed is 1")
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    else:
        tensor = _Tensor.from_address(_POINTER(capsule, b"dltensor"))
    dtype = _TYPES.get((tensor.type_code, tensor.type_bits)) if tensor.type_lanes == 1 else None
    if dtype is None:
        said = f"type code {tensor.type_code} of {tensor.type_bits} bits and {tensor.type_lanes} lanes"
        raise DtypeError(f"{type(x).__name__} of {getattr(x, 'dtype', 'unknown dtype')}: no array has its {said}")
    shape = tuple(tensor.shape[: tensor.ndim])
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(capsule, tensor, shape, dtype.itemsize, read_only)).view(dtype)


def _check_device(x: Any) -> None:
    try:
        kind, _ = x.__dlpack_device__()
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{type(x).__name__} is on no DLPack device: {error}") from error
    if int(kind) not in _HOST_DEVICES:
        allowed = ", ".join(f"{code} ({name})" for code, name in _HOST_DEVICES.items())
        raise ArgumentTypeError(f"{type(x).__name__} is on DLPack device {int(kind)}; allowed are {allowed}")


def _settled(x: Any) -> Any:
    """PyTorch keeps two things beside the memory: a gradient, which no result here has, and a sign not yet
    applied, which its DLPack export drops without a word."""
    if getattr(x, "requires_grad", False):
        raise ArgumentTypeError(f"{type(x).__name__} requires a gradient, which no result here has; pass x.detach()")
    return x.resolve_neg() if hasattr(x, "resolve_neg") else x


def _capsule(x: Any) -> Any:
    try:
        return x.__dlpack__(max_version=(1, 0))
    except TypeError as error:
        if type(error) is not TypeError:  # Arrow's own, of what it does not share
            raise
        return x.__dlpack__()


# Calls on lazy collections: they become graphs elsewhere, by a function that this room is told once.

_makers: list[Callable[..., Any]] = []


def defer_with(make: Callable[..., Any]) -> None:
    """Calls of the core and of `deferred` on what may be lazy ask `make(function, *arguments)` first."""
    _core.defer_with(lambda function, x, *arguments: make(function, (x,), *arguments))
    _makers[:] = [make]


def deferred(function: str, operands: tuple[object, ...], *arguments: Any) -> NDArray | None:
    """What a call gives of which an operand is lazy; None if the call is to be done now."""
    for each in operands:
        if type(each) is not np.ndarray and hasattr(each, "__dask_graph__") and _makers:
            later: NDArray | None = _makers[0](function, operands, *arguments)
            return later
    return None


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

    try:
        return _from_dlpack(x)
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
