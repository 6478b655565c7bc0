"""Elements as files store them, little-endian and packed, as NumPy arrays."""

from __future__ import annotations

import math

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.elements import Element


def decoded(raw: NDArray, element: Element, shape: tuple[int, ...]) -> NDArray:
    """The `uint8` bytes as a read-only array; their memory itself where it is aligned and holds whole bytes."""
    count = math.prod(shape)
    if element.bits < 8:
        array = _unpacked(raw, element)[:count]
    elif element.dtype == np.bool_:
        array = raw != 0
    else:
        aligned = raw if raw.ctypes.data % element.dtype.alignment == 0 else raw.copy()
        array = aligned.view(element.dtype.newbyteorder("<")).astype(element.dtype, copy=False)
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


def _unpacked(raw: NDArray, element: Element) -> NDArray:
    """u1 begins with the highest bit of a byte, the 4-bit types with the lower half."""
    if element.bits == 1:
        return np.unpackbits(raw)
    halves = np.stack([raw & 15, raw >> 4], axis=-1).ravel()
    return ((halves ^ 8).astype(np.int8) - np.int8(8)) if element.dtype == np.int8 else halves
