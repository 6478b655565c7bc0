"""The numbers of an .onnx file, found without the onnx package and without reading the elements of tensors.

Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, messages TensorProto and SparseTensorProto.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.onnx_places import Form, Place, places
from samesum.files.opening import entries, opened, opened_at, place, size_of, stretch
from samesum.files.protobuf import Field, Varints, dims_of, fields, text_of
from samesum.files.source import NO_LIMITS, Limits, Source
from samesum.files.tensor import Contents, Names, Opener, Skipped, StreamTensor, Tensor, bytes_at, bytes_of, contents
from samesum.formats.elements import ONNX_ELEMENTS, Element, decoded

_DIMS, _TYPE, _SEGMENT, _STRINGS, _NAME, _RAW, _EXTERNAL, _LOCATION = 1, 2, 3, 6, 8, 9, 13, 14
_FLOATS, _INT32S, _INT64S, _DOUBLES, _UINT64S = 4, 5, 7, 10, 11
# Where a type lies if not in raw_data; all others lie in int32_data.
_TYPED = {
    "FLOAT": _FLOATS, "DOUBLE": _DOUBLES, "INT64": _INT64S, "UINT32": _UINT64S, "UINT64": _UINT64S,
    "COMPLEX64": _FLOATS, "COMPLEX128": _DOUBLES,
}  # fmt: skip
_BYTE = np.dtype(np.uint8)
# Types whose elements are not decoded, but for the bits that they take.
_UNDECODED = {
    14: Element("COMPLEX64", _BYTE, 64), 15: Element("COMPLEX128", _BYTE, 128), 23: Element("FLOAT4E2M1", _BYTE, 4),
    25: Element("UINT2", _BYTE, 2), 26: Element("INT2", _BYTE, 2),
}  # fmt: skip
_FLOAT, _INT64, _STRING = 1, 7, 8
_SPARSE_VALUES, _SPARSE_INDICES, _SPARSE_DIMS = 1, 2, 3
_MOST_DIMS, _MOST_STRETCHES = 64, 1 << 20


@dataclass(slots=True)
class Found:
    """What the file says of a tensor; stretches are (begin, length)."""

    dims: list[int] = field(default_factory=list)
    type: int = 0
    name: str = ""
    raw: tuple[int, int] | None = None
    typed: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    external: list[tuple[str, str]] = field(default_factory=list)
    is_external: bool = False
    is_segment: bool = False

    def add(self, number: int, begin: int, length: int) -> None:
        """A stretch of a field that comes again and again; those that follow one another are one."""
        stretches = self.typed.setdefault(number, [])
        if len(stretches) > _MOST_STRETCHES:
            raise UnsafeModelError(f"a tensor is in more than {_MOST_STRETCHES} parts; allowed are packed numbers")
        if stretches and sum(stretches[-1]) == begin:
            begin, length = stretches[-1][0], stretches.pop()[1] + length
        stretches.append((begin, length))


def initializers(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The numbers of a model in the file's order: initializers, constants and tensors that are attributes.

    Those of bodies and functions are among them; sparse ones are skipped. Raises ModelError for what is no ONNX model,
    UnsafeModelError for a tensor beyond the limits or with data outside of the model's folder.
    """
    found: list[Tensor | Skipped] = []
    beside: list[Path] = []
    names = Names()
    with opened(path) as file:
        for each in places(file, size_of(file), str(path)):
            found.append(_found_at(each, file, path, limits, names, beside))
    return contents(found, beside)


def _found_at(
    each: Place, file: IO[bytes], path: Path, limits: Limits, names: Names, beside: list[Path]
) -> Tensor | Skipped:
    if each.form is Form.TENSOR:
        found = scanned(file, each.field, str(path))
        if each.name is None and not each.prefix and found.name in names:
            raise ModelError(f"{path}: initializer {found.name!r} is repeated")
        found.name = names.unique(each.prefix + (found.name if each.name is None else each.name))
        return _tensor(found, path, limits, beside)
    if each.form is Form.SPARSE:
        return _sparse(each, file, path, names)
    name = names.unique(each.prefix + (each.name or ""))
    if each.form is Form.TEXTS:
        return Skipped(name, str(path), "it is text", "STRING", None, _message(name, path, each.field))
    element = ONNX_ELEMENTS[_FLOAT if each.form is Form.FLOATS else _INT64]
    count, rest = divmod(len(each.values), element.dtype.itemsize)
    if rest:
        raise ModelError(f"{path}: the list {name!r} has {len(each.values)} bytes, which is no number of floats")
    shape = () if each.is_scalar and count == 1 else (count,)
    limits.check(f"{name!r} in {path}", element.dtype, shape)
    return StreamTensor(name, str(path), element, shape, partial(io.BytesIO, each.values))


def _sparse(each: Place, file: IO[bytes], path: Path, names: Names) -> Skipped:
    """A sparse tensor, named by its values; where they lie in another file its message does not tell all."""
    assert each.field.begin is not None
    values, dims, is_external = Found(), list[int](), False
    for inner in fields(file, each.field.begin + each.field.value, str(path), each.field.begin):
        if inner.number in (_SPARSE_VALUES, _SPARSE_INDICES) and inner.begin is not None:
            part = scanned(file, inner, str(path))
            is_external = is_external or part.is_external
            values = part if inner.number == _SPARSE_VALUES else values
        elif inner.number == _SPARSE_DIMS:
            dims += dims_of(file, inner, str(path))
        if len(dims) > _MOST_DIMS:
            raise ModelError(f"{path}: a sparse tensor has more than {_MOST_DIMS} dims")
    name = names.unique(each.prefix + (each.name or values.name or "a sparse tensor"))
    kind = f"sparse {_type_name(values.type)}"
    stored = None if is_external else _message(name, path, each.field)
    return Skipped(name, str(path), "it is sparse", kind, tuple(dims), stored)


def _message(name: str, path: Path, message: Field) -> StreamTensor:
    assert message.begin is not None
    return bytes_at(name, path, partial(stretch, path, message.begin), message.value)


def _type_name(number: int) -> str:
    element = ONNX_ELEMENTS.get(number) or _UNDECODED.get(number)
    return element.name if element else "STRING" if number == _STRING else f"number {number}"


def scanned(file: IO[bytes], entry: Field, label: str) -> Found:
    """What the message of a TensorProto says."""
    assert entry.begin is not None
    found = Found()
    for each in fields(file, entry.begin + entry.value, label, entry.begin):
        if each.number == _DIMS:
            found.dims += dims_of(file, each, label)
        elif each.begin is None:
            if each.number == _TYPE:
                found.type = each.value
            elif each.number == _LOCATION:
                found.is_external = each.value != 0
            elif each.number in (_INT32S, _INT64S, _UINT64S):
                raise ModelError(f"{label}: an initializer's integers are not packed")
        elif each.number == _NAME:
            found.name = text_of(file, each, label)
        elif each.number == _RAW:
            found.raw = (each.begin, each.value)
        elif each.number == _EXTERNAL:
            found.external.append(_pair(file, each, label))
        elif each.number == _SEGMENT:
            found.is_segment = True
        elif each.number == _STRINGS:
            found.add(each.number, each.start, each.begin + each.value - each.start)
        elif each.number in (_FLOATS, _INT32S, _INT64S, _DOUBLES, _UINT64S):
            found.add(each.number, each.begin, each.value)
        if len(found.dims) > _MOST_DIMS:
            raise ModelError(f"{label}: an initializer has more than {_MOST_DIMS} dims")
    return found


def _pair(file: IO[bytes], each: Field, label: str) -> tuple[str, str]:
    assert each.begin is not None
    texts = {1: "", 2: ""}
    for inner in fields(file, each.begin + each.value, label, each.begin):
        if inner.number in texts:
            texts[inner.number] = text_of(file, inner, label)
    return texts[1], texts[2]


def _tensor(found: Found, path: Path, limits: Limits, beside: list[Path]) -> StreamTensor | Skipped:
    said = f"initializer {found.name!r} in {path}"
    element, shape, kind = ONNX_ELEMENTS.get(found.type), tuple(found.dims), _type_name(found.type)
    limits.check(said, element.dtype if element else _BYTE, shape)
    if found.is_segment:
        raise ModelError(f"{said} is a segment of a tensor")
    if element:
        return StreamTensor(found.name, str(path), element, shape, opener_of(found, element, shape, path, said, beside))
    stored = None
    if undecoded := _UNDECODED.get(found.type):
        there = opener_of(found, undecoded, shape, path, said, beside)
        stored = bytes_at(found.name, path, there, bytes_of(undecoded, math.prod(shape)))
    elif not found.is_external:
        typed = (each for _, stretches in sorted(found.typed.items()) for each in stretches)
        stretches = [found.raw] if found.raw else list(typed)
        stored = bytes_at(found.name, path, partial(_joined, path, stretches), sum(size for _, size in stretches))
    return Skipped(found.name, str(path), f"its data type is {kind}", kind, shape, stored)


def opener_of(
    found: Found, element: Element, shape: tuple[int, ...], path: Path, said: str, beside: list[Path]
) -> Opener:
    """How the elements are read, once their number has been checked where the file tells it."""
    needed = bytes_of(element, math.prod(shape))
    if found.is_external:
        where, offset = place(path.parent, entries(found.external, said), needed, said)
        beside.append(where)
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


# ONNX's TensorProto in a .pb file, as its test data hold inputs and outputs; read without the onnx package.
#
# Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, message TensorProto.


def pb_source(path: Path, limits: Limits = NO_LIMITS) -> tuple[str, Source]:
    """The name and the array of a .pb file; the name may be empty.

    Raises ModelError for what is no tensor, UnsafeModelError for data in other files and beyond `limits`.
    """
    said = str(path)
    with opened(path) as file:
        found = scanned(file, Field(0, size_of(file), 0, 0), said)
    element, shape = ONNX_ELEMENTS.get(found.type), tuple(found.dims)
    if found.is_external or found.external:
        raise UnsafeModelError(f"{said}: its data lie in another file; a .pb input holds its own")
    if found.is_segment:
        raise ModelError(f"{said} is not a whole tensor: it holds a segment, a sequence or something else")
    if element is None:
        allowed = ", ".join(each.name for each in ONNX_ELEMENTS.values())
        raise ModelError(f"{said} holds no tensor of numbers: its data type is {found.type}; allowed: {allowed}")
    limits.check(said, element.dtype, shape)
    there = opener_of(found, element, shape, path, said, [])
    if element.bits < 8 or element.dtype == np.bool_:
        there = partial(_unpacked, there, element, shape, said)
    return found.name, Source(said, element.dtype, shape, element.dtype, False, there)


@contextmanager
def _unpacked(there: Opener, element: Element, shape: tuple[int, ...], said: str) -> Iterator[IO[bytes]]:
    needed = bytes_of(element, math.prod(shape))
    with there() as stream:
        data = stream.read(needed)
    if len(data) < needed:
        raise ModelError(f"{said} ends after {len(data)} of {needed} bytes: the file is truncated")
    yield io.BytesIO(decoded(np.frombuffer(data, np.uint8), element, shape).tobytes())


def numbered(folder: Path, prefix: str = "input") -> Sequence[Path]:
    """The files `input_0.pb`, `input_1.pb` and so on of a folder, in that order; ModelError if one is missing."""
    pattern = re.compile(rf"{prefix}_([0-9]{{1,6}})\.pb")
    found = {int(match[1]): path for path in folder.iterdir() if (match := pattern.fullmatch(path.name))}
    if not found or sorted(found) != list(range(len(found))):
        there = ", ".join(found[number].name for number in sorted(found)) or f"none of {prefix}_*.pb"
        raise ModelError(f"{folder} holds {there}; needed are {prefix}_0.pb, {prefix}_1.pb and so on")
    return [found[number] for number in range(len(found))]
