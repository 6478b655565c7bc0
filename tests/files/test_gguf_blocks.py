"""Blocks of quantized weights are the numbers that ggml's loops give, one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naming import case
from oracle import assert_bits
from samesum.errors import ModelError
from samesum.files.contents import open_tensors
from samesum.files.gguf import _BLOCKS
from samesum.files.gguf_blocks import DECODERS
from samesum.formats.arrays import NDArray
from tensor_files import gguf_of

KINDS = {name: (kind, elements, size) for kind, (name, elements, size) in _BLOCKS.items()}
F = np.float32


def half(b: bytes, at: int) -> Any:
    return F(np.frombuffer(b, "<f2", 1, at)[0])


def signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def six_bits(q: bytes, j: int) -> tuple[int, int]:
    if j < 4:
        return q[j] & 63, q[j + 4] & 63
    return (q[j + 4] & 15) | (q[j - 4] >> 6 << 4), (q[j + 4] >> 4) | (q[j] >> 6 << 4)


def of_32(kind: str, b: bytes) -> list[Any]:
    """Q4_0, Q4_1, Q5_0, Q5_1, Q8_0."""
    if kind == "Q8_0":
        return [half(b, 0) * F(signed(each)) for each in b[2:]]
    has_least, is_five = kind.endswith("1"), kind.startswith("Q5")
    high = int.from_bytes(b[4:8] if has_least else b[2:6], "little") if is_five else 0
    found = []
    for j in range(32):
        byte = b[-16:][j % 16]
        number = (byte & 15 if j < 16 else byte >> 4) | (high >> j & 1) << 4
        if has_least:
            found.append(half(b, 0) * F(number) + half(b, 2))
        else:
            found.append(half(b, 0) * F(number - (16 if is_five else 8)))
    return found


def of_256(kind: str, b: bytes) -> list[Any]:
    """The formats with scales of parts."""
    y = [F(0)] * 256
    for i in range(256):
        part, place = divmod(i, 16)
        n, j, at = i // 128, i % 128 // 32, i % 32
        if kind == "Q2_K":
            two = b[16 + 32 * n + at] >> 2 * j & 3
            y[i] = half(b, 80) * F(b[part] & 15) * F(two) - half(b, 82) * F(b[part] >> 4)
        elif kind == "Q3_K":
            packed = b[96:108]
            low = packed[part] & 15 if part < 8 else packed[part - 8] >> 4
            scale = (low | (packed[8 + part % 4] >> 2 * (part // 4) & 3) << 4) - 32
            two = b[32 + 32 * n + at] >> 2 * j & 3
            y[i] = half(b, 108) * F(scale) * F(two - (0 if b[at] >> (4 * n + j) & 1 else 4))
        elif kind in ("Q4_K", "Q5_K"):
            scale, least = six_bits(b[4:16], i // 32)
            byte = b[-128:][32 * (i // 64) + at]
            number = byte >> 4 if i // 32 % 2 else byte & 15
            if kind == "Q5_K":
                number |= (b[16 + at] >> i // 32 & 1) << 4
            y[i] = half(b, 0) * F(scale) * F(number) - half(b, 2) * F(least)
        elif kind == "Q6_K":
            byte = b[64 * n + 32 * (j % 2) + at]
            number = (byte >> 4 if j > 1 else byte & 15) | (b[128 + 32 * n + at] >> 2 * j & 3) << 4
            y[i] = half(b, 208) * F(signed(b[192 + part])) * F(number - 32)
        else:
            y[i] = np.frombuffer(b, "<f4", 1)[0] * F(signed(b[4 + 16 * part + place]))
    return y


def drawn(kind: str, count: int) -> bytes:
    return np.random.default_rng(len(kind)).integers(0, 256, KINDS[kind][2] * count, dtype=np.uint8).tobytes()


def test_blocks_are_what_the_loops_give(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    for kind in DECODERS:
        number, elements, size = KINDS[kind]
        raw = drawn(kind, 12)
        path.write_bytes(gguf_of({"q": (number, (3, 4 * elements), raw)}))
        with np.errstate(all="ignore"):
            loops = of_32 if elements == 32 else of_256
            expected = np.array([loops(kind, raw[at : at + size]) for at in range(0, len(raw), size)], F)
        (tensor,) = open_tensors(path).tensors
        with case(kind):
            assert_bits(read(tensor), expected.reshape(3, 4 * elements))


def read(tensor: Any) -> NDArray:
    return np.concatenate([box.array.copy() for box in tensor.boxes(True)]).reshape(tensor.shape)


def test_long_tensors_come_in_parts(tmp_path: Path) -> None:
    """More blocks than are decoded at a time, and windows that end within a block."""
    path, raw = tmp_path / "x.gguf", drawn("Q4_0", 5000)
    path.write_bytes(gguf_of({"q": (2, (5000, 32), raw)}))
    (tensor,) = open_tensors(path).tensors
    whole = read(tensor)
    with np.errstate(all="ignore"):
        assert_bits(whole[4999], np.array(of_32("Q4_0", raw[-18:]), F))
    parts = [box.array.copy() for box in tensor.boxes(True, window=1000)]
    assert len(parts) > 100
    assert_bits(np.concatenate(parts).reshape(whole.shape), whole)
    later = [box.array.copy() for box in tensor.boxes(True, window=1000, read=sum(each.size for each in parts[:77]))]
    assert_bits(np.concatenate(later), np.concatenate(parts[77:]))


@pytest.mark.parametrize("cut", [1, 17, 18, 40])
def test_blocks_that_end_early_are_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf_of({"q": (2, (4, 32), bytes(72))})[:-cut])
    with pytest.raises(ModelError, match="bytes at 0 of the data"):
        open_tensors(path)
