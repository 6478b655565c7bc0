"""Files of cases that come with the package, and arrays as they write them down."""

from __future__ import annotations

import base64
import json
import lzma
import math
import zlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray

_MOST = 1 << 24
"""Bytes that a document may have, and that reading it may take besides."""


def read_data(name: str) -> Any:
    """The JSON document `name` of the folder data, unpacked if it is an .xz file."""
    stored = (files("samesum.conformance.suites") / "data" / name).read_bytes()
    return json.loads(unpacked(stored, name) if name.endswith(".xz") else stored)


def unpacked(stored: bytes, name: str) -> bytes:
    """What the .xz file `name` holds, if that is one whole document of 16 MiB or less."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST)
    try:
        document = reader.decompress(stored, _MOST)
    except lzma.LZMAError as error:
        raise ValueError(f"{name} is damaged: {error}") from error
    if not reader.eof or reader.unused_data:
        raise ValueError(f"{name} is not one whole .xz stream of {_MOST:,} bytes or less once it is unpacked")
    return document


def dtype_named(name: str) -> np.dtype[Any]:
    """NumPy's dtype, with bfloat16 among the names."""
    return BFLOAT16 if name == BFLOAT16.name else np.dtype(name)


def minstd(count: int) -> NDArray:
    """The first `count` numbers of C++'s std::minstd_rand0, as int64: from 1 to 2^31 - 2."""
    return np.array([pow(16807, i, (1 << 31) - 1) for i in range(1, count + 1)], np.int64)


def array_of(values: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray:
    """`values` flat in row-major order, in one of the five forms that the ONNX Runtime vectors use."""
    if not isinstance(values, dict):
        whole = dtype.kind in "iub"
        flat = np.array(values if whole else [float(value) for value in values], None if values else dtype)
    elif "fill" in values:
        flat = np.full(math.prod(shape), values["fill"])
    elif "arange" in values:
        flat = np.arange(*values["arange"])
    elif "minstd" in values:
        numbers = (minstd(math.prod(shape)) - 1).astype(np.float32) / np.float32((1 << 31) - 2)
        flat = numbers / np.float32(values["minstd"])
    else:
        # One byte more than there may be is not a whole number of elements, or one element too many.
        packed = base64.b64decode(values["zlib"])
        raw = zlib.decompressobj().decompress(packed, math.prod(shape) * dtype.itemsize + 1)
        flat = np.frombuffer(raw, dtype.newbyteorder("<"))
    return flat.astype(dtype).reshape(shape)
