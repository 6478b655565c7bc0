"""The tensors of a GGUF file: plain numbers, blocks of quantized weights as float32, of unknown ones the bytes alone.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Versions 2 and 3, little-endian.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import ml_dtypes
import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.gguf_blocks import DECODERS, numbers
from samesum.files.opening import opened, size_of, stretch
from samesum.files.source import NO_LIMITS, Limits
from samesum.files.tensor import Contents, Skipped, StreamTensor, bytes_at, bytes_of, contents
from samesum.formats.elements import Element

MAGIC = b"GGUF"
_HELD: dict[int, type] = {
    0: np.float32, 1: np.float16, 24: np.int8, 25: np.int16, 26: np.int32, 27: np.int64, 28: np.float64,
    30: ml_dtypes.bfloat16,
}  # fmt: skip
_ELEMENTS = {
    number: Element(held.__name__, np.dtype(held), 8 * np.dtype(held).itemsize) for number, held in _HELD.items()
}
# Quantized types by number: the name, and the elements and bytes of a block.
_BLOCKS = {
    2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292), 16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50), 20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136), 29: ("IQ1_M", 256, 56), 34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17),
}  # fmt: skip
# Bytes of the values of metadata by type; 8 is a text, 9 an array.
_FIXED = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_UINT32, _TEXT, _ARRAY = 4, 8, 9
_ALIGNMENT_KEY, _DEFAULT_ALIGNMENT, _MOST_DIMS = "general.alignment", 32, 4
_MOST_ENTRIES, _MOST_ITEMS, _LONGEST_NAME = 1 << 16, 1 << 22, 1 << 16


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the header says of a tensor; `offset` counts from the first byte of the data."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


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
    if len({each.name for each in found}) < len(found):
        raise ModelError(f"{path} has two tensors of the same name")
    for each in found:
        if each.offset % alignment:
            raise ModelError(f"{each.name!r} in {path} begins at {each.offset}, no multiple of {alignment}")
    available = max(0, reader.size - begin)
    ends = sorted({*(each.offset for each in found), available})
    return contents(_tensor(path, available, ends, begin, limits, each) for each in found)


def _alignment(reader: _Reader, entries: int) -> int:
    alignment, keys = _DEFAULT_ALIGNMENT, set()
    for _ in range(entries):
        key, kind = reader.text(), reader.integer(4)
        if key in keys:
            raise ModelError(f"{reader.label} has the key {key[:60]!r} twice in its metadata")
        keys.add(key)
        if key != _ALIGNMENT_KEY:
            reader.skip_value(kind)
        elif kind == _UINT32:
            alignment = reader.integer(4)
        else:
            raise ModelError(f"{reader.label}: {key} has metadata of type {kind}; uint32, number {_UINT32}, is needed")
    if alignment == 0 or alignment % 8 or alignment > 1 << 20:
        raise ModelError(f"{reader.label}: {_ALIGNMENT_KEY} is {alignment}; a multiple of 8 is needed")
    return alignment


def _entry(reader: _Reader) -> _Entry:
    name = reader.text()
    dims = tuple(reader.integer(8) for _ in range(reader.count(4, _MOST_DIMS, "dims")))
    return _Entry(name, dims[::-1], reader.integer(4), reader.integer(8))


def _tensor(
    path: Path, available: int, ends: Sequence[int], begin: int, limits: Limits, entry: _Entry
) -> StreamTensor | Skipped:
    """`ends` are the places, from byte `begin` of the file on, where some tensor begins or all have ended."""
    name, shape, kind, offset = entry.name, entry.shape, entry.kind, entry.offset
    said, element = f"{name!r} in {path}", _ELEMENTS.get(kind)
    block = _BLOCKS.get(kind)
    if block and block[0] in DECODERS:
        element = Element(block[0], np.dtype(np.float32), 32)
    limits.check(said, element.dtype if element else np.dtype(np.uint8), shape)
    if block:
        needed = _blocks(block, shape, said)
    elif element:
        needed = bytes_of(element, math.prod(shape))
    else:
        needed = next((end - offset for end in ends[bisect_right(ends, offset) :]), 0)
    if offset + needed > available:
        raise UnsafeModelError(f"{said}: {needed} bytes at {offset} of the data, which has {available} bytes")
    place = partial(stretch, path, begin + offset)
    stored = bytes_at(name, path, place, needed)
    if element and block:
        made = partial(numbers, path, begin + offset, *block[::2])
        return StreamTensor(name, str(path), element, shape, made, stored=stored)
    if element:
        return StreamTensor(name, str(path), element, shape, place)
    kind_name = block[0] if block else f"number {kind}"
    reason = f"its type is {kind_name}, which is quantized in blocks" if block else f"its type, {kind_name}, is unknown"
    return Skipped(name, str(path), reason, kind_name, shape, stored)


def _blocks(block: tuple[str, int, int], shape: tuple[int, ...], said: str) -> int:
    """The bytes of a tensor whose rows are cut into blocks."""
    name, elements, size = block
    if (row := (shape or (1,))[-1]) % elements:
        raise ModelError(f"{said}: rows of {row} elements; {name} has blocks of {elements}")
    return math.prod(shape) // elements * size
