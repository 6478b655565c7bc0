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


def in_own_type(array: NDArray, element: Element) -> NDArray:
    """What `decoded` gives of an element of fewer than 8 bits in the type of its own, read-only."""
    if element.own == array.dtype:
        return array
    own = array.astype(element.own) if element.name != "FLOAT4E2M1" else array.view(element.own)
    own.flags.writeable = False
    return own


def _unpacked(raw: NDArray, element: Element) -> NDArray:
    """u1 begins with the highest bit of a byte, the types of 2 and 4 bits with the lowest ones."""
    if element.bits == 1:
        return np.unpackbits(raw)
    mask, top = (1 << element.bits) - 1, 1 << (element.bits - 1)
    parts = np.stack([(raw >> shift) & mask for shift in range(0, 8, element.bits)], axis=-1).ravel()
    return ((parts ^ top).astype(np.int8) - np.int8(top)) if element.dtype == np.int8 else parts
