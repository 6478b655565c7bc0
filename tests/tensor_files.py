"""Small files of every format that `samesum stats` reads, written byte by byte."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray

SAFETENSORS = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32",
    "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    "float8_e5m2": "F8_E5M2", "float8_e4m3fn": "F8_E4M3", "float8_e8m0fnu": "F8_E8M0",
}  # fmt: skip
IR = {
    "bool": "boolean", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32",
    "uint64": "u64", "int64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e5m2": "f8e5m2", "float8_e4m3fn": "f8e4m3", "float8_e8m0fnu": "f8e8m0",
}  # fmt: skip
GGUF = {"float32": 0, "float16": 1, "int8": 24, "int16": 25, "int32": 26, "int64": 27, "float64": 28, "bfloat16": 30}


def drawn(name: str, shape: Sequence[int], seed: int = 3) -> NDArray:
    """Any bits of that type."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    count = int(np.prod(shape)) * dtype.itemsize
    return rng.integers(0, 256, count, dtype=np.uint8).view(dtype).reshape(shape)


def safetensors_bytes(tensors: Mapping[str, NDArray]) -> bytes:
    """The tensors in their order."""
    header, data = {}, b""
    for name, array in tensors.items():
        raw = array.tobytes()
        entry = {"dtype": SAFETENSORS[array.dtype.name], "shape": list(array.shape)}
        header[name] = {**entry, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return with_header(header, data)


def with_header(header: object, data: bytes = b"") -> bytes:
    """A safetensors file with that header."""
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write_ir(path: Path, tensors: Mapping[str, NDArray]) -> Path:
    """An IR of nothing but Const layers; the .bin is beside it."""
    layers, data = [], b""
    for number, (name, array) in enumerate(tensors.items()):
        raw = array.tobytes()
        shape = ",".join(map(str, array.shape))
        layers.append(
            f'<layer id="{number}" name="{name}" type="Const" version="opset1"><data element_type='
            f'"{IR[array.dtype.name]}" shape="{shape}" offset="{len(data)}" size="{len(raw)}"/></layer>'
        )
        data += raw
    path.write_text(f'<?xml version="1.0"?><net name="n" version="11"><layers>{"".join(layers)}</layers></net>')
    path.with_suffix(".bin").write_bytes(data)
    return path


def gguf_bytes(tensors: Mapping[str, NDArray], alignment: int = 32) -> bytes:
    """A GGUF file of version 3 with some metadata."""
    plain = {name: (GGUF[array.dtype.name], array.shape, array.tobytes()) for name, array in tensors.items()}
    return gguf_of(plain, alignment)


def gguf_text(value: str) -> bytes:
    """A text as GGUF has it."""
    return struct.pack("<Q", len(value)) + value.encode()


def gguf_of(
    tensors: Mapping[str, tuple[int, tuple[int, ...], bytes]], alignment: int = 32, more: Sequence[bytes] = ()
) -> bytes:
    """A GGUF file of tensors as the number of the type, the shape and the bytes; `more` are entries of metadata."""
    text = gguf_text
    entries = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc"),
        text("scores") + struct.pack("<IIQ", 9, 6, 3) + bytes(12),
        *(more or [text("general.alignment") + struct.pack("<II", 4, alignment)]),
    ]
    infos, data = b"", b""
    for name, (kind, shape, raw) in tensors.items():
        data += bytes(-len(data) % alignment)
        infos += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        infos += struct.pack("<IQ", kind, len(data))
        data += raw
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)) + b"".join(entries) + infos
    return head + bytes(-len(head) % alignment) + data
