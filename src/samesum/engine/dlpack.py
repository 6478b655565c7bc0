"""Tensors of other libraries as NumPy arrays on the same memory, bfloat16 and float8 included.

NumPy's own reader does not know the types of ml_dtypes. The header of such a tensor is a copy made for its one
reader, so its type is changed there to unsigned integers, and the array that NumPy makes is viewed in the tensor's
type again.
Layout of the header: https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import DtypeError
from samesum.formats.arrays import BFLOAT16, NDArray

_HOST_DEVICES = {1: "CPU", 3: "CUDA host", 11: "ROCm host"}
_UNSIGNED = 1
_ML_TYPES = {
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


@dataclass(frozen=True, slots=True)
class _Export:
    """A capsule as an object that NumPy reads."""

    capsule: Any
    device: tuple[int, int]

    def __dlpack__(self, **_: object) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def from_dlpack(x: Any) -> NDArray:
    """The tensor `x` as an array on its memory, read-only if `x` says so.

    Raises DtypeError for memory that the CPU does not reach and for element types that NumPy does not
    know; BufferError, as the protocol has it, where `x` refuses to share its memory.
    """
    device = _host_device(x)
    capsule = _capsule(_settled(x))
    hidden = _hide_type(capsule)
    try:
        array = np.from_dlpack(_Export(capsule, device))
    except RuntimeError as error:
        raise DtypeError(f"{type(x).__name__} of {getattr(x, 'dtype', 'unknown dtype')}: {error}") from error
    return array if hidden is None else array.view(hidden)


def _host_device(x: Any) -> tuple[int, int]:
    try:
        kind, number = x.__dlpack_device__()
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{type(x).__name__} is on no DLPack device: {error}") from error
    if int(kind) not in _HOST_DEVICES:
        allowed = ", ".join(f"{code} ({name})" for code, name in _HOST_DEVICES.items())
        raise DtypeError(f"{type(x).__name__} is on DLPack device {int(kind)}; allowed are {allowed}")
    return int(kind), int(number)


def _settled(x: Any) -> Any:
    """PyTorch keeps two things beside the memory: a gradient, which no result here has, and a sign not yet
    applied, which its DLPack export drops without a word."""
    if getattr(x, "requires_grad", False):
        x = x.detach()
    return x.resolve_neg() if hasattr(x, "resolve_neg") else x


def _capsule(x: Any) -> Any:
    try:
        return x.__dlpack__(max_version=(1, 0))
    except TypeError:
        return x.__dlpack__()


def _hide_type(capsule: Any) -> np.dtype[Any] | None:
    """The type of ml_dtypes that `capsule` holds, if it does; its header says unsigned integers from now on."""
    if _IS_VALID(capsule, b"dltensor_versioned"):
        tensor = _Versioned.from_address(_POINTER(capsule, b"dltensor_versioned")).tensor
    else:
        tensor = _Tensor.from_address(_POINTER(capsule, b"dltensor"))
    hidden = _ML_TYPES.get((tensor.type_code, tensor.type_bits)) if tensor.type_lanes == 1 else None
    if hidden is not None:
        tensor.type_code = _UNSIGNED
    return hidden
