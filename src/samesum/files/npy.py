"""NumPy's files: .npy, one array, and .npz, an archive of them."""

from __future__ import annotations

import ast
import errno
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from samesum.errors import ModelError, SamesumError, UnsafeModelError
from samesum.files.opening import opened, replacing, size_of, stretch
from samesum.files.source import NO_LIMITS, Limits, Source
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.formats.elements import FLOAT8

MAGIC = b"\x93NUMPY"
_MAX_HEADER = 1 << 16
# The bytes of the header's length, by version.
_LENGTHS = {1: 2, 2: 4, 3: 4}
# The types that NumPy's format has no name for.
_NAMED: dict[str, Dtype] = {name: np.dtype(name) for name in (BFLOAT16.name, *FLOAT8)}
# A text, which stays as it is, or a long integer as Python 2 wrote it on Windows: (2L, 3L).
_LONG = re.compile(r"""('[^'\\]*'|"[^"\\]*")|(\b[0-9]+)L\b""")
_RAW_BFLOAT16 = np.dtype("V2")


def npy_source(path: Path, limits: Limits = NO_LIMITS) -> Source:
    """The array of a .npy file.

    Raises ModelError for what is no such file, UnsafeModelError for Python objects and for an array beyond `limits`.
    """
    with opened(path) as file:
        size = size_of(file)
        stored, shape, is_fortran = read_header(file, str(path))
        begin = file.tell()

    source = Source(str(path), held(stored), shape, stored, is_fortran, partial(stretch, path, begin))
    check(source, size - begin, limits)
    return source


def check(source: Source, available: int, limits: Limits) -> None:
    """The array lies within `limits` and in the `available` bytes behind its header, or an error."""
    limits.check(source.label, source.dtype, source.shape)
    if source.nbytes > available:
        raise ModelError(
            f"{source.label} is truncated: {list(source.shape)} of {source.dtype.name} takes {source.nbytes} bytes; "
            f"the file has {available} after the header"
        )


def read_header(stream: IO[bytes], label: str) -> tuple[Dtype, tuple[int, ...], bool]:
    """The dtype as stored, the shape and whether the first axis is contiguous; the stream is then at the elements."""
    start = stream.read(8)
    if start[:6] != MAGIC:
        raise ModelError(f"{label} is not a NumPy array: it starts with {start[:6]!r}")
    version = start[6] if len(start) == 8 else 0
    width = _LENGTHS.get(version)
    if width is None:
        raise ModelError(f"{label} is not a NumPy array: its format version is {list(start[6:])}; allowed are 1 to 3")
    length = int.from_bytes(stream.read(width), "little")
    if length > _MAX_HEADER:
        raise UnsafeModelError(f"{label}: the header has {length} bytes; at most {_MAX_HEADER} are allowed")
    raw = stream.read(length)
    if len(raw) < length:
        raise ModelError(f"{label} is truncated: its header has {length} bytes, and {len(raw)} are there")
    return _fields(raw.decode("utf-8" if version == 3 else "latin-1", "replace"), label)


def _fields(text: str, label: str) -> tuple[Dtype, tuple[int, ...], bool]:
    given = _literal(text.strip())
    if given is None:
        given = _literal(_LONG.sub(lambda match: match[1] or match[2], text.strip()))
    if not isinstance(given, dict) or given.keys() != {"descr", "fortran_order", "shape"}:
        raise ModelError(f"{label} is not a NumPy array: its header is {text[:60]!r}")
    shape, order = given["shape"], given["fortran_order"]
    if not isinstance(shape, tuple) or not all(type(dim) is int and dim >= 0 for dim in shape):
        raise ModelError(f"{label} is not a NumPy array: its shape is {shape!r:.60}")
    if type(order) is not bool:
        raise ModelError(f"{label} is not a NumPy array: fortran_order is {order!r:.60}")
    return _dtype(given["descr"], label), shape, order


def _literal(text: str) -> Any:
    """What the text says in Python, of which nothing but literals is allowed; None for what is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _dtype(description: Any, label: str) -> Dtype:
    try:
        dtype: Dtype = np.lib.format.descr_to_dtype(description)
    except (ValueError, TypeError, SyntaxError, IndexError, KeyError, RecursionError) as error:
        raise ModelError(f"{label} is not a NumPy array: its dtype is {description!r:.60}: {error}") from None
    if dtype.hasobject:
        raise UnsafeModelError(f"{label} holds pickled Python objects, not numbers; they are never loaded")
    if dtype.itemsize == 0:
        raise ModelError(f"{label} is not a NumPy array of numbers: its dtype is {description!r:.60}")
    return dtype


def held(stored: Dtype) -> Dtype:
    """The dtype that an array has in memory; that of the file but for the types that NumPy has no name for."""
    if stored == _RAW_BFLOAT16:
        return BFLOAT16
    if stored.names is not None and len(stored.names) == 1:
        named = _NAMED.get(stored.names[0])
        if named is not None and bool(stored == _name_of(named)):
            return named
    return stored


def _name_of(dtype: Dtype) -> Dtype:
    named: Dtype = np.dtype([(dtype.name, f"<u{dtype.itemsize}")])
    return named


def write_npy(stream: IO[bytes], array: NDArray) -> None:
    """Writes one array in NumPy's format; ValueError for Python objects."""
    if array.dtype in _NAMED.values():
        array = np.ascontiguousarray(array).reshape(array.shape).view(_name_of(array.dtype))
    np.lib.format.write_array(stream, array, allow_pickle=False)


ARCHIVE = b"PK"
# The date of every member that is written, so that the same arrays give the same file.
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
# The methods of compression that NumPy uses, and how many bytes one byte can stand for at most.
#
# Source: zlib's technical details, https://zlib.net/zlib_tech.html.
_METHODS = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, RuntimeError, ValueError)


class Archive(Mapping[str | None, Source]):
    """The arrays of a .npz file by name; the header of a member is read when the member is asked for."""

    def __init__(self, path: Path, limits: Limits = NO_LIMITS) -> None:
        self._path, self._limits = path, limits
        with opened(path) as file, _checked(path), zipfile.ZipFile(file) as archive:
            members, size = archive.infolist(), size_of(file)
        self._members: dict[str | None, zipfile.ZipInfo] = {
            member.filename.removesuffix(".npy"): member for member in members
        }
        if len(self._members) < len(members):
            raise ModelError(f"{path} is not a valid .npz file: a member's name is there twice")
        if (claimed := sum(member.compress_size for member in members)) > size:
            raise UnsafeModelError(f"{path} has {size} bytes; its members claim {claimed}: they overlap")

    def __getitem__(self, name: str | None) -> Source:
        member = self._members[name]
        label = f"{member.filename} in {self._path}"
        most = _METHODS.get(member.compress_type)
        if most is None or member.flag_bits & 1:
            raise ModelError(f"{label} is encrypted or compressed by a method that NumPy does not use")
        if member.file_size > most * member.compress_size:
            raise UnsafeModelError(
                f"{label} claims {member.file_size} bytes; its {member.compress_size} compressed bytes cannot hold them"
            )
        with self._stream(member) as stream:
            stored, shape, is_fortran = read_header(stream, label)
            begin = stream.tell()
        source = Source(label, held(stored), shape, stored, is_fortran, lambda: self._stream(member, begin))
        check(source, member.file_size - begin, self._limits)
        return source

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    @contextmanager
    def _stream(self, member: zipfile.ZipInfo, begin: int = 0) -> Iterator[IO[bytes]]:
        with (
            opened(self._path) as file,
            _checked(self._path),
            zipfile.ZipFile(file) as archive,
            archive.open(member) as stream,
        ):
            stream.read(begin)
            yield stream


@contextmanager
def _checked(path: Path) -> Iterator[None]:
    try:
        yield
    except SamesumError:
        raise
    except _BROKEN as error:
        raise ModelError(f"{path} is not a valid .npz file: {error}") from None
    except OSError as error:
        if error.errno != errno.EINVAL:  # what a damaged directory makes of a place in the file
            raise
        raise ModelError(f"{path} is not a valid .npz file: {error.strerror}") from None


def write_npz(path: Path, arrays: Mapping[str, NDArray]) -> None:
    """Writes `arrays` to `path` whole or not at all; what was there before is replaced."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", _FIRST_DATE)
            with archive.open(member, "w", force_zip64=True) as stream:
                write_npy(stream, array)
