"""Number types by their names and numbers in the two standards, as NumPy holds them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from samesum.formats.arrays import Dtype, NDArray

FLOATS = frozenset({"float16", "float32", "float64"})
BFLOAT16S = frozenset({"bfloat16"})
FLOATS_PLUS = FLOATS | BFLOAT16S
SIGNED = frozenset({"int8", "int16", "int32", "int64"})
UNSIGNED = frozenset({"uint8", "uint16", "uint32", "uint64"})
INTEGERS = SIGNED | UNSIGNED
INDEX = frozenset({"int32", "int64"})
WIDE = INDEX | {"uint32", "uint64"}
NUMBERS = FLOATS | INTEGERS
NUMBERS_PLUS = NUMBERS | BFLOAT16S
BOOL = frozenset({"bool"})
FLOAT8 = frozenset({"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"})
SHORT_INTEGERS = frozenset({"int2", "int4", "uint2", "uint4"})
SHORT = SHORT_INTEGERS | {"float4_e2m1fn"}
"""Types of fewer than 8 bits, which ml_dtypes holds in a byte each: in models of ONNX, not in files of numbers."""
CASTABLE = NUMBERS_PLUS | BOOL
TARGETS = CASTABLE | SHORT | (FLOAT8 - {"float8_e8m0fnu"})
"""What ONNX's Cast converts to."""
OF_FILES = CASTABLE | FLOAT8
"""Of arrays in files; what is stored in fewer than 8 bits counts there as what holds it."""
ALL = OF_FILES | SHORT
"""Sets of types by their NumPy names."""
FLOAT_DTYPES = frozenset(map(np.dtype, (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)))
"""Those of FLOATS_PLUS: NumPy takes a microsecond to make the name of a type."""

_ORDER = ("float", "bfloat", "int", "uint", "bool")
_PARTS = re.compile(r"(bfloat|float|uint|int|bool)([0-9]*)(.*)")


@dataclass(frozen=True, slots=True)
class Element:
    """A type as a file stores it: `bits` per element, held as `dtype` once unpacked."""

    name: str
    dtype: Dtype
    bits: int

    @property
    def own(self) -> Dtype:
        """The type itself, in a byte each, where `dtype` is another one that holds its values."""
        return _OWN.get(self.name, self.dtype)


_OWN: dict[str, Dtype] = {
    "UINT2": np.dtype(ml_dtypes.uint2),
    "INT2": np.dtype(ml_dtypes.int2),
    "UINT4": np.dtype(ml_dtypes.uint4),
    "INT4": np.dtype(ml_dtypes.int4),
    "FLOAT4E2M1": np.dtype(ml_dtypes.float4_e2m1fn),
}
"""Of ONNX, whose operators tell them apart; an IR file has them as weights that are converted at once."""


def _element(name: str, held: type, bits: int = 0) -> Element:
    dtype = np.dtype(held)
    return Element(name, dtype, bits or 8 * dtype.itemsize)


ONNX_ELEMENTS = {
    1: _element("FLOAT", np.float32),
    2: _element("UINT8", np.uint8),
    3: _element("INT8", np.int8),
    4: _element("UINT16", np.uint16),
    5: _element("INT16", np.int16),
    6: _element("INT32", np.int32),
    7: _element("INT64", np.int64),
    9: _element("BOOL", np.bool_),
    10: _element("FLOAT16", np.float16),
    11: _element("DOUBLE", np.float64),
    12: _element("UINT32", np.uint32),
    13: _element("UINT64", np.uint64),
    16: _element("BFLOAT16", ml_dtypes.bfloat16),
    17: _element("FLOAT8E4M3FN", ml_dtypes.float8_e4m3fn),
    18: _element("FLOAT8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz),
    19: _element("FLOAT8E5M2", ml_dtypes.float8_e5m2),
    20: _element("FLOAT8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz),
    21: _element("UINT4", np.uint8, 4),
    22: _element("INT4", np.int8, 4),
    24: _element("FLOAT8E8M0", ml_dtypes.float8_e8m0fnu),
    25: _element("UINT2", np.uint8, 2),
    26: _element("INT2", np.int8, 2),
}
"""By the numbers of TensorProto.DataType. Strings, complex numbers and the floats of 4 and 6 bits are left out."""

MODEL_ELEMENTS = ONNX_ELEMENTS | {23: _element("FLOAT4E2M1", np.uint8, 4)}
"""What a model computes with besides: floats of 4 bits, held as their codes."""

IR_ELEMENTS = {
    element.name: element
    for element in (
        _element("boolean", np.bool_),
        _element("f16", np.float16),
        _element("f32", np.float32),
        _element("f64", np.float64),
        _element("bf16", ml_dtypes.bfloat16),
        _element("f8e4m3", ml_dtypes.float8_e4m3fn),
        _element("f8e5m2", ml_dtypes.float8_e5m2),
        _element("f8e8m0", ml_dtypes.float8_e8m0fnu),
        _element("i4", np.int8, 4),
        _element("i8", np.int8),
        _element("i16", np.int16),
        _element("i32", np.int32),
        _element("i64", np.int64),
        _element("u1", np.uint8, 1),
        _element("u4", np.uint8, 4),
        _element("u8", np.uint8),
        _element("u16", np.uint16),
        _element("u32", np.uint32),
        _element("u64", np.uint64),
    )
}

IR_PRECISIONS = {
    "FP16": "f16", "FP32": "f32", "FP64": "f64", "BF16": "bf16", "BOOL": "boolean", "BIN": "u1",
    "I4": "i4", "I8": "i8", "I16": "i16", "I32": "i32", "I64": "i64",
    "U1": "u1", "U4": "u4", "U8": "u8", "U16": "u16", "U32": "u32", "U64": "u64",
    "F8E4M3": "f8e4m3", "F8E5M2": "f8e5m2", "F8E8M0": "f8e8m0",
}  # fmt: skip
"""What a port calls an element type."""


def names(types: Collection[str]) -> str:
    """The types by name, floats first, as a message lists them."""
    return ", ".join(sorted(types, key=_place))


def _place(name: str) -> tuple[int, int, str]:
    parts = _PARTS.fullmatch(name)
    if parts is None:
        return len(_ORDER), 0, name
    return _ORDER.index(parts[1]), int(parts[2] or 0), parts[3]


# Elements as files store them, little-endian and packed, as NumPy arrays.


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
