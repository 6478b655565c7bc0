"""Conversion between number types, with the same result on every machine.

The standards leave a float beyond the range of an integer type undefined. Here it gives what the engines give on
x86, where they agree: the float is truncated toward zero into a carrier (int32 for int8, uint8, int16, uint16 and
int32; int64 for the others; the carrier's minimum for NaN and whatever does not fit), of which the low bits are kept.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from samesum.errors import DtypeError
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray, type_name
from samesum.formats.elements import ALL, SHORT, SHORT_INTEGERS, TARGETS, names

_INT32_CARRIED = frozenset(map(np.dtype, (np.int8, np.uint8, np.int16, np.uint16, np.int32)))


def convert(array: NDArray, target: Dtype, saturates: bool = True) -> NDArray:
    """`array` as `target`: floats round to nearest even once, integers keep their low bits, bool is `!= 0`.

    `saturates` says that what is beyond a float of 8 bits becomes its largest number, as ONNX has it by default.
    """
    if array.dtype == target:
        return array
    source, wanted = type_name(array.dtype), type_name(target)
    if source not in ALL:
        raise DtypeError(f"{array.dtype.name} cannot be converted; allowed: {names(ALL)}")
    if wanted not in TARGETS:
        raise DtypeError(f"conversion to {target.name} is not supported; allowed: {names(TARGETS)}")
    if source in SHORT_INTEGERS:
        return convert(array.astype(np.int8), target, saturates)
    if wanted in SHORT_INTEGERS:
        return _low_bits(convert(array, np.dtype(np.int8)), target)
    if target == np.bool_:
        return np.asarray(array != array.dtype.type(0))
    if target != BFLOAT16 and target.itemsize == 1 and target.kind not in "iu":
        return _to_byte(array, target, saturates or wanted in SHORT)
    if array.dtype.kind in "biu":
        return to_bfloat16(array) if target == BFLOAT16 else array.astype(target)
    if target.kind in "iu":
        return to_integer(array, target)
    return to_bfloat16(array) if target == BFLOAT16 else _to_float(array, target)


def _low_bits(array: NDArray, target: Dtype) -> NDArray:
    """int8 to an integer type of 2 or 4 bits."""
    limits = ml_dtypes.iinfo(target)  # type: ignore[no-untyped-call]
    size = int(limits.max) - int(limits.min) + 1
    kept = array & (size - 1)
    return np.where(kept > limits.max, kept - size, kept).astype(target)


def _to_byte(array: NDArray, target: Dtype, saturates: bool) -> NDArray:
    """Rounded once to a float of 8 or 4 bits."""
    single = _odd_float32(array)
    if saturates:
        largest = np.float32(ml_dtypes.finfo(target).max)  # type: ignore[no-untyped-call]
        single = np.clip(single, -largest, largest)
    return single.astype(target)


def _to_float(array: NDArray, target: Dtype) -> NDArray:
    """Every 8-bit and 16-bit float is a float32 exactly, so going through it rounds once."""
    if array.dtype.itemsize <= 2 and array.dtype != np.float16:
        array = array.astype(np.float32)
    return array.astype(target)


def to_integer(array: NDArray, target: Dtype) -> NDArray:
    """A float array truncated toward zero into an integer type."""
    if array.dtype.itemsize <= 2:
        array = array.astype(np.float32)
    if target == np.uint64:
        return _to_uint64(array)
    carrier = np.dtype(np.int32 if target in _INT32_CARRIED else np.int64)
    return _carried(array, carrier).astype(target)


def _carried(array: NDArray, carrier: Dtype) -> NDArray:
    limits = np.iinfo(carrier)
    whole = np.trunc(array)
    fits = (whole >= float(limits.min)) & (whole < -float(limits.min))
    zero = array.dtype.type(0)
    return np.where(fits, np.where(fits, whole, zero).astype(carrier), carrier.type(limits.min))


def _to_uint64(array: NDArray) -> NDArray:
    half = array.dtype.type(2.0**63)
    upper = (array >= half) & (array < 2 * half)
    low = _carried(np.where(upper, array - half, array), np.dtype(np.int64)).astype(np.uint64)
    return np.where(upper, low + np.uint64(2**63), low)


def to_bfloat16(array: NDArray) -> NDArray:
    """Rounded once: ml_dtypes goes through float32, so a float32 that was rounded to odd is what it gets."""
    return _odd_float32(array).astype(BFLOAT16)


def _odd_float32(array: NDArray) -> NDArray:
    if array.dtype.itemsize <= 2 or array.dtype == np.float32:
        return array.astype(np.float32)
    wide = array if array.dtype == np.float64 else _odd_float64(array)
    near = wide.astype(np.float32)
    back = near.astype(np.float64)
    beyond = np.abs(back) > np.abs(wide)
    bits = near.view(np.uint32) - beyond.astype(np.uint32)
    inexact = (back != wide) & np.isfinite(wide)
    return np.where(inexact, bits | np.uint32(1), bits).view(np.float32)


def _odd_float64(array: NDArray) -> NDArray:
    """Integers as float64, the bits that do not fit gathered into one that does."""
    if array.dtype.itemsize < 8:
        return array.astype(np.float64)
    big = (array >= 2**53) if array.dtype.kind == "u" else (array >= 2**53) | (array <= -(2**53))
    low = array & array.dtype.type(0xFFF)
    sticky = (array - low) | array.dtype.type(0x800)
    return np.where(big & (low != 0), sticky, array).astype(np.float64)
