"""The numbers in GGUF's quantized blocks: a block of bytes is 32 or 256 float32.

Each number is what ggml's own dequantization gives: scales, which are float16, times integers, in float32 and in its
order of operations. Source: https://github.com/ggml-org/ggml, src/ggml-common.h and ggml-quants.c.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from samesum.files.opening import stretch
from samesum.formats.arrays import NDArray

Decode = Callable[[NDArray], NDArray]
"""From bytes, a block in each row, to float32, a block in each row."""
_AT_ONCE = 1 << 12
"""Blocks that are decoded at a time."""


def _halves(block: NDArray, at: int, count: int = 1) -> NDArray:
    """Scales: float16 from the byte `at` on, as float32."""
    return np.ascontiguousarray(block[:, at : at + 2 * count]).view("<f2").astype(np.float32)


def _bits(data: NDArray, width: int) -> NDArray:
    """The fields of `width` bits, the lowest of all bytes first."""
    shifts = np.arange(0, 8, width, dtype=np.uint8)[:, None]
    return ((data[:, None, :] >> shifts) & np.uint8((1 << width) - 1)).astype(np.int16)


def _joined(parts: NDArray) -> NDArray:
    return parts.reshape(len(parts), -1)


def _one_scale(has_least: bool, has_fifth: bool) -> Decode:
    """Q4_0, Q4_1, Q5_0, Q5_1: a scale, a least value or a middle one, integers of 4 or 5 bits."""

    def decode(block: NDArray) -> NDArray:
        at = 4 if has_least else 2
        numbers = _joined(_bits(block[:, -16:], 4))
        if has_fifth:
            high = np.unpackbits(block[:, at : at + 4], axis=1, bitorder="little")
            numbers = numbers | (high.astype(np.int16) << 4)
        if has_least:
            return _halves(block, 0) * numbers + _halves(block, 2)
        return np.asarray(_halves(block, 0) * (numbers - (16 if has_fifth else 8)))

    return decode


def _q8_0(block: NDArray) -> NDArray:
    return np.asarray(_halves(block, 0) * block[:, 2:].view(np.int8))


def _q8_k(block: NDArray) -> NDArray:
    scale: NDArray = np.ascontiguousarray(block[:, :4]).view("<f4")
    return scale * block[:, 4:260].view(np.int8)


def _twos(block: NDArray) -> NDArray:
    """256 integers of two bits in 64 bytes, of which each half of 32 has the numbers of one half."""
    return _bits(block.reshape(-1, 32), 2).reshape(-1, 16, 16)


def _q2_k(block: NDArray) -> NDArray:
    """16 scales and 16 least values of four bits each."""
    by, least = block[:, :16] & 15, block[:, :16] >> 4
    found = (_halves(block, 80) * by)[:, :, None] * _twos(block[:, 16:80]) - (_halves(block, 82) * least)[:, :, None]
    return _joined(found)


def _q3_k(block: NDArray) -> NDArray:
    """Integers from -4 to 3, whose highest bits lie apart, and 16 scales of six bits."""
    packed = block[:, 96:108]
    by = _joined(_bits(packed[:, :8], 4)) | (_joined(_bits(packed[:, 8:], 2)) << 4)
    high = _bits(block[:, :32], 1).reshape(-1, 16, 16)
    return _joined((_halves(block, 108) * (by - 32))[:, :, None] * (_twos(block[:, 32:96]) - 4 * (1 - high)))


def _eight_scales(packed: NDArray) -> tuple[NDArray, NDArray]:
    """8 scales and 8 least values of six bits in 12 bytes."""
    first, second, rest = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    by = np.concatenate([first & 63, (rest & 15) | (first >> 6 << 4)], axis=1)
    return by, np.concatenate([second & 63, (rest >> 4) | (second >> 6 << 4)], axis=1)


def _with_least(has_fifth: bool) -> Decode:
    """Q4_K and Q5_K."""

    def decode(block: NDArray) -> NDArray:
        by, least = _eight_scales(block[:, 4:16])
        numbers = _bits(block[:, -128:].reshape(-1, 32), 4).reshape(-1, 8, 32)
        if has_fifth:
            numbers = numbers | (_bits(block[:, 16:48], 1) << 4)
        found = (_halves(block, 0) * by)[:, :, None] * numbers
        return _joined(found - (_halves(block, 2) * least)[:, :, None])

    return decode


def _q6_k(block: NDArray) -> NDArray:
    """Integers from -32 to 31 in four and two bits, 16 scales of eight bits with a sign."""
    low = _bits(block[:, :128].reshape(-1, 64), 4).reshape(-1, 256)
    high = _bits(block[:, 128:192].reshape(-1, 32), 2).reshape(-1, 256)
    numbers = (low | (high << 4)) - 32
    by = _halves(block, 208) * block[:, 192:208].view(np.int8)
    return _joined(by[:, :, None] * numbers.reshape(-1, 16, 16))


DECODERS: dict[str, Decode] = {
    "Q4_0": _one_scale(False, False), "Q4_1": _one_scale(True, False), "Q5_0": _one_scale(False, True),
    "Q5_1": _one_scale(True, True), "Q8_0": _q8_0, "Q2_K": _q2_k, "Q3_K": _q3_k, "Q4_K": _with_least(False),
    "Q5_K": _with_least(True), "Q6_K": _q6_k, "Q8_K": _q8_k,
}  # fmt: skip
"""By the name of the type; of the others, which need tables, the bytes alone are compared."""


class _Numbers(io.RawIOBase):
    """A stream of float32 from one of blocks."""

    def __init__(self, stream: IO[bytes], decode: Decode, size: int) -> None:
        self._stream, self._decode, self._size, self._left = stream, decode, size, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._left:
            data = self._stream.read(self._size * _AT_ONCE)
            block = np.frombuffer(data, np.uint8, len(data) // self._size * self._size).reshape(-1, self._size)
            with np.errstate(all="ignore"):  # NumPy warns of NaNs, and of scales that overflow
                self._left = memoryview(np.ascontiguousarray(self._decode(block), "<f4").tobytes())
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count


@contextmanager
def numbers(path: Path, begin: int, kind: str, size: int) -> Iterator[IO[bytes]]:
    """The float32 of the blocks of a type of so many bytes each, from the byte `begin` of the file on."""
    with stretch(path, begin) as stream:
        yield _Numbers(stream, DECODERS[kind], size)  # type: ignore[misc]
