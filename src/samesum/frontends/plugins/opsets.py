"""The opsets that an ONNX file imports, read without the onnx package and without its graph."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from samesum.errors import ArgumentTypeError, ModelError

_FUNCTION_NAME, _MODEL_OPSETS, _FUNCTION_OPSETS, _FUNCTIONS = 1, 8, 9, 25
"""Fields of ModelProto and FunctionProto. Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto."""
_DOMAIN, _VERSION = 1, 2
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
"""Wire types. Source: https://protobuf.dev/programming-guides/encoding/."""
_ONNX_DOMAINS = (b"", b"ai.onnx")


@dataclass(frozen=True, slots=True)
class Opsets:
    """The version of ONNX's own domain that the model imports (None: none), and that of each of its functions."""

    model: int | None
    functions: dict[str, int]


def opsets_of(path_or_bytes: str | os.PathLike[str] | bytes) -> Opsets:
    """What the file or its bytes import.

    Raises OSError for a file that cannot be read, ModelError for one that is no ONNX model, ArgumentTypeError for what
    is neither a path nor bytes.
    """
    if isinstance(path_or_bytes, bytes):
        return _read(memoryview(path_or_bytes), "the bytes given")
    if not isinstance(path_or_bytes, str | os.PathLike):
        raise ArgumentTypeError(f"a model is a path or bytes; got {type(path_or_bytes).__name__}")
    path = Path(path_or_bytes)
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            raise ModelError(f"{path} is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as view:
            return _read(view, str(path))


def _read(view: memoryview, what: str) -> Opsets:
    if bytes(view[4:8]) == b"ORTM":
        raise ModelError(
            f"{what} is in ONNX Runtime's own format, which keeps the kernels it was converted for; "
            "allowed is the .onnx file that it was made of"
        )
    model: int | None = None
    functions: dict[str, int] = {}
    try:
        for field, value in _fields(view):
            if field == _MODEL_OPSETS:
                model = _version(value, model)
            elif field == _FUNCTIONS:
                name, version = _function(value)
                if version is not None:
                    functions[name] = version
    except (IndexError, TypeError):
        raise ModelError(f"{what} is no ONNX model: its fields cannot be read") from None
    return Opsets(model, functions)


def _function(message: object) -> tuple[str, int | None]:
    name, version = "", None
    for field, value in _fields(_bytes(message)):
        if field == _FUNCTION_NAME:
            name = bytes(_bytes(value)).decode(errors="replace")
        elif field == _FUNCTION_OPSETS:
            version = _version(value, version)
    return name, version


def _version(message: object, before: int | None) -> int | None:
    """The version of an OperatorSetIdProto for ONNX's domain; another domain's changes nothing."""
    domain, version = b"", 0
    for field, value in _fields(_bytes(message)):
        if field == _DOMAIN:
            domain = bytes(_bytes(value))
        elif field == _VERSION and isinstance(value, int):
            version = value
    return version if domain in _ONNX_DOMAINS else before


def _bytes(value: object) -> memoryview:
    if not isinstance(value, memoryview):
        raise TypeError(value)
    return value


def _fields(view: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of one message: integers, and what has a length as its bytes."""
    at = 0
    while at < len(view):
        key, at = _varint(view, at)
        kind = key & 7
        if kind == _VARINT:
            number, at = _varint(view, at)
            yield key >> 3, number
            continue
        if kind == _BYTES:
            size, at = _varint(view, at)
        elif kind in (_FIXED_64, _FIXED_32):
            size = 8 if kind == _FIXED_64 else 4
        else:
            raise TypeError(kind)
        if at + size > len(view):
            raise IndexError(at)
        yield key >> 3, view[at : at + size]
        at += size


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    number = 0
    for i in range(10):
        byte = view[at + i]
        number |= (byte & 127) << 7 * i
        if byte < 128:
            return number, at + i + 1
    raise TypeError(number)
