"""The initializers of an .onnx file, found without the onnx package and without reading their elements.

Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, messages ModelProto, GraphProto and TensorProto.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.external import entries, opened_at, place
from samesum.files.opening import opened, size_of
from samesum.files.protobuf import Field, fields, integer
from samesum.files.source import NO_LIMITS, Limits
from samesum.files.tensor import Contents, Opener, Skipped, StreamTensor, Tensor, bytes_of, stretch
from samesum.files.varints import Varints
from samesum.formats.elements import ONNX_ELEMENTS, Element

_GRAPH, _INITIALIZER, _SPARSE = 7, 5, 15
_DIMS, _TYPE, _SEGMENT, _NAME, _RAW, _EXTERNAL, _LOCATION = 1, 2, 3, 8, 9, 13, 14
_FLOATS, _INT32S, _INT64S, _DOUBLES, _UINT64S = 4, 5, 7, 10, 11
_TYPED = {"FLOAT": _FLOATS, "DOUBLE": _DOUBLES, "INT64": _INT64S, "UINT32": _UINT64S, "UINT64": _UINT64S}
"""Where a type lies if not in raw_data; all others lie in int32_data."""
_LONGEST_TEXT, _MOST_FIELDS, _MOST_DIMS = 4096, 1 << 19, 64


@dataclass(slots=True)
class _Found:
    """What the file says of a tensor; stretches are (begin, length)."""

    dims: list[int] = field(default_factory=list)
    type: int = 0
    name: str = ""
    raw: tuple[int, int] | None = None
    typed: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    external: list[tuple[str, str]] = field(default_factory=list)
    is_external: bool = False
    is_segment: bool = False


def initializers(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The initializers of the main graph in the file's order; sparse ones are skipped.

    Raises ModelError for what is no ONNX model, UnsafeModelError for a tensor beyond the limits or with data outside
    of the model's folder.
    """
    tensors: list[Tensor] = []
    skipped: list[Skipped] = []
    names: set[str] = set()
    with opened(path) as file:
        for kind, each in _entries(file, str(path)):
            found = _scanned(file, each, str(path)) if kind == _INITIALIZER else _Found(name="a sparse initializer")
            if found.name in names and kind == _INITIALIZER:
                raise ModelError(f"{path}: initializer {found.name!r} is repeated")
            names.add(found.name)
            tensor = _tensor(found, path, limits) if kind == _INITIALIZER else _skipped(found, path, "it is sparse")
            (skipped if isinstance(tensor, Skipped) else tensors).append(tensor)  # type: ignore[arg-type]
    return Contents(tuple(tensors), tuple(skipped))


def _entries(file: IO[bytes], label: str) -> Iterator[tuple[int, Field]]:
    """The fields of the graph that hold tensors."""
    has_graph = False
    for each in fields(file, size_of(file), label):
        if each.number == _GRAPH and each.begin is not None:
            has_graph = True
            for number, inner in enumerate(fields(file, each.begin + each.value, label, each.begin)):
                if number == _MOST_FIELDS:
                    raise UnsafeModelError(f"{label}: its graph has more than {_MOST_FIELDS} fields")
                if inner.number in (_INITIALIZER, _SPARSE) and inner.begin is not None:
                    yield inner.number, inner
    if not has_graph:
        raise ModelError(f"{label} is not an ONNX model: it has no graph")


def _scanned(file: IO[bytes], entry: Field, label: str) -> _Found:
    assert entry.begin is not None
    found = _Found()
    for each in fields(file, entry.begin + entry.value, label, entry.begin):
        if each.begin is None:
            if each.number == _DIMS:
                found.dims.append(_signed(each.value))
            elif each.number == _TYPE:
                found.type = each.value
            elif each.number == _LOCATION:
                found.is_external = each.value != 0
            elif each.number in (_INT32S, _INT64S, _UINT64S):
                raise ModelError(f"{label}: an initializer's integers are not packed")
        elif each.number == _DIMS:
            found.dims += _packed_dims(file, each, label)
        elif each.number == _NAME:
            found.name = _text(file, each, label)
        elif each.number == _RAW:
            found.raw = (each.begin, each.value)
        elif each.number == _EXTERNAL:
            found.external.append(_pair(file, each, label))
        elif each.number == _SEGMENT:
            found.is_segment = True
        elif each.number in (_FLOATS, _INT32S, _INT64S, _DOUBLES, _UINT64S):
            found.typed.setdefault(each.number, []).append((each.begin, each.value))
        if len(found.dims) > _MOST_DIMS:
            raise ModelError(f"{label}: an initializer has more than {_MOST_DIMS} dims")
    return found


def _packed_dims(file: IO[bytes], each: Field, label: str) -> list[int]:
    assert each.begin is not None
    file.seek(each.begin)
    dims: list[int] = []
    while file.tell() < each.begin + each.value and len(dims) <= _MOST_DIMS:
        dims.append(_signed(integer(file, label)))
    return dims


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def _text(file: IO[bytes], each: Field, label: str) -> str:
    if each.begin is None or each.value > _LONGEST_TEXT:
        raise ModelError(f"{label}: a name has {each.value} bytes; at most {_LONGEST_TEXT} are allowed")
    file.seek(each.begin)
    return file.read(each.value).decode("utf-8", "replace")


def _pair(file: IO[bytes], each: Field, label: str) -> tuple[str, str]:
    assert each.begin is not None
    texts = {1: "", 2: ""}
    for inner in fields(file, each.begin + each.value, label, each.begin):
        if inner.number in texts:
            texts[inner.number] = _text(file, inner, label)
    return texts[1], texts[2]


def _skipped(found: _Found, path: Path, reason: str) -> Skipped:
    return Skipped(found.name, str(path), reason)


def _tensor(found: _Found, path: Path, limits: Limits) -> StreamTensor | Skipped:
    said = f"initializer {found.name!r} in {path}"
    element, shape = ONNX_ELEMENTS.get(found.type), tuple(found.dims)
    if element is None:
        return _skipped(found, path, f"its data type is number {found.type}")
    limits.check(said, element.dtype, shape)
    if found.is_segment:
        raise ModelError(f"{said} is a segment of a tensor")
    return StreamTensor(found.name, str(path), element, shape, _opener(found, element, shape, path, said))


def _opener(found: _Found, element: Element, shape: tuple[int, ...], path: Path, said: str) -> Opener:
    """How the elements are read, once their number has been checked where the file tells it."""
    needed = bytes_of(element, math.prod(shape))
    if found.is_external:
        where, offset = place(path.parent, entries(found.external, said), needed, said)
        with opened_at(where, offset, needed, said):
            return partial(opened_at, where, offset, needed, said)
    number = _TYPED.get(element.name, _INT32S)
    typed = found.typed.get(number, [])
    if found.raw is None and (typed or needed):
        if number in (_FLOATS, _DOUBLES):
            held = sum(length for _, length in typed)
            if held != needed:
                raise ModelError(f"{said}: {list(shape)} of {element.name} takes {needed} bytes; {held} are there")
            return partial(_joined, path, typed)
        return partial(_integers, path, typed, element, said)
    begin, held = found.raw or (0, 0)
    if held != needed:
        raise ModelError(f"{said}: {list(shape)} of {element.name} takes {needed} bytes; raw_data has {held}")
    return partial(stretch, path, begin)


@contextmanager
def _joined(path: Path, stretches: list[tuple[int, int]]) -> Iterator[IO[bytes]]:
    with opened(path) as file:
        yield io.BufferedReader(Stretches(file, stretches))


@contextmanager
def _integers(path: Path, stretches: list[tuple[int, int]], element: Element, said: str) -> Iterator[IO[bytes]]:
    with opened(path) as file:
        yield io.BufferedReader(Varints(Stretches(file, stretches), element, said))


class Stretches(io.RawIOBase):
    """Parts of a file, (begin, length), read as one stream."""

    def __init__(self, file: IO[bytes], stretches: list[tuple[int, int]]) -> None:
        self._file, self._left = file, list(stretches)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while self._left and self._left[0][1] == 0:
            self._left.pop(0)
        if not self._left:
            return 0
        begin, length = self._left[0]
        self._file.seek(begin)
        count: int = self._file.readinto(memoryview(buffer)[:length])  # type: ignore[attr-defined]
        self._left[0] = (begin + count, length - count)
        return count
