"""The opsets that an ONNX file imports, read without the onnx package and without its graph."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from samesum.errors import ArgumentTypeError, ModelError
from samesum.files.protobuf import Field, fields, text_of

_FUNCTION_NAME, _MODEL_OPSETS, _FUNCTION_OPSETS, _FUNCTIONS = 1, 8, 9, 25
"""Fields of ModelProto and FunctionProto. Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto."""
_DOMAIN, _VERSION = 1, 2
_ONNX_DOMAINS = ("", "ai.onnx")


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
        return _read(io.BytesIO(path_or_bytes), "the bytes given")
    if not isinstance(path_or_bytes, str | os.PathLike):
        raise ArgumentTypeError(f"a model is a path or bytes; got {type(path_or_bytes).__name__}")
    path = Path(path_or_bytes)
    with path.open("rb") as file:
        return _read(file, str(path))


def _read(file: IO[bytes], what: str) -> Opsets:
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        raise ModelError(f"{what} is empty")
    file.seek(4)
    if file.read(4) == b"ORTM":
        raise ModelError(
            f"{what} is in ONNX Runtime's own format, which keeps the kernels it was converted for; "
            "allowed is the .onnx file that it was made of"
        )
    model: int | None = None
    functions: dict[str, int] = {}
    try:
        for each in fields(file, size, what):
            if each.number == _MODEL_OPSETS:
                model = _version(file, each, model, what)
            elif each.number == _FUNCTIONS:
                name, version = _function(file, each, what)
                if version is not None:
                    functions[name] = version
    except ModelError as error:
        raise ModelError(f"{what} is no ONNX model: its fields cannot be read: {error}") from None
    return Opsets(model, functions)


def _function(file: IO[bytes], message: Field, what: str) -> tuple[str, int | None]:
    name, version = "", None
    for each in _within(file, message, what):
        if each.number == _FUNCTION_NAME:
            name = text_of(file, each, what)
        elif each.number == _FUNCTION_OPSETS:
            version = _version(file, each, version, what)
    return name, version


def _version(file: IO[bytes], message: Field, before: int | None, what: str) -> int | None:
    """The version of an OperatorSetIdProto for ONNX's domain; another domain's changes nothing."""
    domain, version = "", 0
    for each in _within(file, message, what):
        if each.number == _DOMAIN:
            domain = text_of(file, each, what)
        elif each.number == _VERSION and each.begin is None:
            version = each.value
    return version if domain in _ONNX_DOMAINS else before


def _within(file: IO[bytes], message: Field, what: str) -> Iterator[Field]:
    if message.begin is None:
        raise ModelError(f"{what}: field {message.number} is an integer and no message")
    return fields(file, message.begin + message.value, what, message.begin)
