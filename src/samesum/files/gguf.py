"""The tensors of a GGUF file that are stored as plain numbers; those in blocks of quantized weights are skipped.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Versions 2 and 3, little-endian.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import IO

import ml_dtypes
import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.opening import opened, size_of
from samesum.files.source import NO_LIMITS, Limits
from samesum.files.tensor import Contents, Skipped, StreamTensor, Tensor, bytes_of, stretch
from samesum.formats.elements import Element

MAGIC = b"GGUF"
_HELD: dict[int, type] = {
    0: np.float32, 1: np.float16, 24: np.int8, 25: np.int16, 26: np.int32, 27: np.int64, 28: np.float64,
    30: ml_dtypes.bfloat16,
}  # fmt: skip
_ELEMENTS = {
    number: Element(held.__name__, np.dtype(held), 8 * np.dtype(held).itemsize) for number, held in _HELD.items()
}
_FIXED = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of the values of metadata by type; 8 is a text, 9 an array."""
_UINT32, _TEXT, _ARRAY = 4, 8, 9
_ALIGNMENT_KEY, _DEFAULT_ALIGNMENT, _MOST_DIMS = "general.alignment", 32, 4
_MOST_ENTRIES, _MOST_ITEMS, _LONGEST_NAME = 1 << 16, 1 << 22, 1 << 16


class _Reader:
    """Integers and texts, each checked against the end of the file before it is read."""

    def __init__(self, file: IO[bytes], label: str) -> None:
        self.file, self.label, self.size = file, label, size_of(file)

    def integer(self, width: int) -> int:
        data = self.file.read(width)
        if len(data) < width:
            raise ModelError(f"{self.label} is truncated: it ends at byte {self.size}, within its header")
        return int.from_bytes(data, "little")

    def count(self, width: int, most: int, what: str) -> int:
        found = self.integer(width)
        if found > most:
            raise UnsafeModelError(f"{self.label} claims {found} {what}; at most {most} are allowed")
        return found

    def text(self) -> str:
        return self.file.read(self.count(8, _LONGEST_NAME, "bytes of a name")).decode("utf-8", "replace")

    def skip(self, size: int) -> None:
        if size > self.size - self.file.tell():
            raise ModelError(f"{self.label} is truncated: {size} bytes of metadata from byte {self.file.tell()} on")
        self.file.seek(size, 1)

    def skip_value(self, kind: int) -> None:
        if kind == _TEXT:
            self.skip(self.integer(8))
        elif kind != _ARRAY:
            self.skip(self.width(kind))
        else:
            inner, count = self.integer(4), self.count(8, _MOST_ITEMS, "items of an array")
            if inner == _ARRAY:
                raise ModelError(f"{self.label} has an array of arrays in its metadata; none are allowed")
            if inner != _TEXT:
                return self.skip(count * self.width(inner))
            for _ in range(count):
                self.skip(self.integer(8))
        return None

    def width(self, kind: int) -> int:
        if kind not in _FIXED:
            raise ModelError(f"{self.label} has metadata of type {kind}; allowed are 0 to 12")
        return _FIXED[kind]


def gguf(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The tensors in the file's order; their shapes as NumPy has them, the last axis contiguous.

    Raises ModelError for what is no such file, UnsafeModelError for a tensor beyond the limits or the file.
    """
    with opened(path) as file:
        reader = _Reader(file, str(path))
        if file.read(4) != MAGIC:
            raise ModelError(f"{path} is not a GGUF file")
        version = reader.integer(4)
        if version not in (2, 3):
            raise ModelError(f"{path} is a GGUF file of version {version}; allowed are 2 and 3, little-endian")
        tensors, entries = (reader.count(8, _MOST_ENTRIES, what) for what in ("tensors", "entries of metadata"))
        alignment = _alignment(reader, entries)
        found = [_entry(reader) for _ in range(tensors)]
        begin = -(-file.tell() // alignment) * alignment
    names = [name for name, *_ in found]
    if len(set(names)) < len(names):
        raise ModelError(f"{path} has two tensors of the same name")
    each = [_tensor(path, reader.size - begin, begin, limits, *entry) for entry in found]
    plain: list[Tensor] = [one for one in each if isinstance(one, StreamTensor)]
    return Contents(tuple(plain), tuple(one for one in each if isinstance(one, Skipped)))


def _alignment(reader: _Reader, entries: int) -> int:
    alignment = _DEFAULT_ALIGNMENT
    for _ in range(entries):
        key, kind = reader.text(), reader.integer(4)
        if key == _ALIGNMENT_KEY and kind == _UINT32:
            alignment = reader.integer(4)
        else:
            reader.skip_value(kind)
    if alignment == 0 or alignment % 8 or alignment > 1 << 20:
        raise ModelError(f"{reader.label}: {_ALIGNMENT_KEY} is {alignment}; a multiple of 8 is needed")
    return alignment


def _entry(reader: _Reader) -> tuple[str, tuple[int, ...], int, int]:
    name = reader.text()
    dims = tuple(reader.integer(8) for _ in range(reader.count(4, _MOST_DIMS, "dims")))
    return name, dims[::-1], reader.integer(4), reader.integer(8)


def _tensor(
    path: Path, available: int, begin: int, limits: Limits, name: str, shape: tuple[int, ...], kind: int, offset: int
) -> StreamTensor | Skipped:
    said, element = f"{name!r} in {path}", _ELEMENTS.get(kind)
    limits.check(said, element.dtype if element else np.dtype(np.uint8), shape)
    needed = bytes_of(element, math.prod(shape)) if element else 0
    if offset + needed > available:
        raise UnsafeModelError(f"{said}: {needed} bytes at {offset} of the data, which has {available} bytes")
    if element is None:
        return Skipped(name, str(path), f"its type, number {kind}, is quantized in blocks")
    return StreamTensor(name, str(path), element, shape, partial(stretch, path, begin + offset))
