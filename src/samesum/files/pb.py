"""ONNX's TensorProto in a .pb file, as its test data hold inputs and outputs.

The fields are found without the onnx package. Numbers outside `raw_data` need the package to be read.
Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, message TensorProto.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from samesum.errors import MissingPackage, ModelError, UnsafeModelError
from samesum.files.opening import opened, read_bytes, size_of
from samesum.files.protobuf import dims_of, fields, text_of
from samesum.files.source import NO_LIMITS, Limits, Source
from samesum.files.tensors import array_of
from samesum.formats.elements import ONNX_ELEMENTS, Element
from samesum.formats.packing import decoded

_DIMS, _TYPE, _SEGMENT, _NAME, _RAW, _EXTERNAL, _LOCATION = 1, 2, 3, 8, 9, 13, 14
_TYPED = (4, 5, 7, 10, 11)
"""float_data, int32_data, int64_data, double_data, uint64_data."""


@dataclass(slots=True)
class _Tensor:
    """What a file says of its tensor."""

    dims: list[int] = field(default_factory=list)
    type: int = 0
    name: str = ""
    raw: tuple[int, int] | None = None
    """Where the bytes begin, and how many there are."""
    typed: bool = False


def pb_source(path: Path, limits: Limits = NO_LIMITS) -> tuple[str, Source]:
    """The name and the array of a .pb file; the name may be empty.

    Raises ModelError for what is no tensor, UnsafeModelError for data in other files and beyond `limits`.
    """
    with opened(path) as file:
        tensor = _scanned(file, str(path))
    element, shape = ONNX_ELEMENTS.get(tensor.type), tuple(tensor.dims)
    if element is None:
        allowed = ", ".join(each.name for each in ONNX_ELEMENTS.values())
        raise ModelError(f"{path} holds no tensor of numbers: its data type is {tensor.type}; allowed: {allowed}")
    limits.check(str(path), element.dtype, shape)
    elements = _elements(path, tensor, element, shape)
    return tensor.name, Source(str(path), element.dtype, shape, element.dtype, False, elements)


def _elements(
    path: Path, tensor: _Tensor, element: Element, shape: tuple[int, ...]
) -> Callable[[], AbstractContextManager[IO[bytes]]]:
    """How a stream of the elements is opened."""
    if tensor.typed:
        return partial(_from_package, path)
    begin, size = tensor.raw or (0, 0)
    needed = (math.prod(shape) * element.bits + 7) // 8
    if size != needed:
        raise ModelError(f"{path}: {list(shape)} of {element.name} takes {needed} bytes; raw_data has {size}")
    if element.bits < 8 or element.dtype == np.bool_:
        return partial(_unpacked, path, begin, size, element, shape)
    return partial(_as_it_lies, path, begin)


def _scanned(file: IO[bytes], label: str) -> _Tensor:
    tensor = _Tensor()
    for each in fields(file, size_of(file), label):
        if each.number == _DIMS:
            tensor.dims += dims_of(file, each, label)
        elif each.number == _TYPE:
            tensor.type = each.value
        elif each.number == _NAME:
            tensor.name = text_of(file, each, label)
        elif each.number == _RAW and each.begin is not None:
            tensor.raw = (each.begin, each.value)
        elif each.number in _TYPED:
            tensor.typed = True
        elif each.number == _EXTERNAL or (each.number == _LOCATION and each.value):
            raise UnsafeModelError(f"{label}: its data lie in another file; a .pb input holds its own")
        elif each.number == _SEGMENT:
            raise ModelError(f"{label} is not a whole tensor: it holds a segment, a sequence or something else")
    return tensor


@contextmanager
def _as_it_lies(path: Path, begin: int) -> Iterator[IO[bytes]]:
    with opened(path) as file:
        file.seek(begin)
        yield file


@contextmanager
def _unpacked(path: Path, begin: int, size: int, element: Element, shape: tuple[int, ...]) -> Iterator[IO[bytes]]:
    with opened(path) as file:
        file.seek(begin)
        data = np.frombuffer(file.read(size), np.uint8)
    yield io.BytesIO(decoded(data, element, shape).tobytes())


@contextmanager
def _from_package(path: Path) -> Iterator[IO[bytes]]:
    try:
        from onnx import TensorProto
    except ImportError:
        raise MissingPackage(
            f"{path} has its numbers outside raw_data, which only the onnx package reads; "
            'it is not installed; pip install "samesum[onnx]"'
        ) from None
    tensor = TensorProto()
    try:
        tensor.ParseFromString(read_bytes(path))
    except Exception as error:  # protobuf's own tree of errors, which is not typed
        raise ModelError(f"{path} is not a tensor: {error}") from None
    yield io.BytesIO(array_of(tensor, str(path), _refuse_external).tobytes())


def _refuse_external(_: Any, said: str, __: int) -> bytes:
    raise UnsafeModelError(f"{said}: its data lie in another file; a .pb input holds its own")


def numbered(folder: Path, prefix: str = "input") -> Sequence[Path]:
    """The files `input_0.pb`, `input_1.pb` and so on of a folder, in that order; ModelError if one is missing."""
    pattern = re.compile(rf"{prefix}_([0-9]{{1,6}})\.pb")
    found = {int(match[1]): path for path in folder.iterdir() if (match := pattern.fullmatch(path.name))}
    if not found or sorted(found) != list(range(len(found))):
        there = ", ".join(found[number].name for number in sorted(found)) or f"none of {prefix}_*.pb"
        raise ModelError(f"{folder} holds {there}; needed are {prefix}_0.pb, {prefix}_1.pb and so on")
    return [found[number] for number in range(len(found))]
