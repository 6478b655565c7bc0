"""Tensors of other libraries as NumPy arrays on the same memory, bfloat16 and float8 included.

NumPy's own reader does not know the types of ml_dtypes. What a tensor says of itself (where its memory lies, its shape,
strides and type) is therefore read here, and never written; the tensor's capsule lives as long as the array.
Layout of the header: https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import ArgumentTypeError, DtypeError
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray

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


def from_dlpack(x: Any) -> NDArray:
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
