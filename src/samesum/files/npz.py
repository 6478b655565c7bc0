"""NumPy's .npz archives: the members by name, each read when it is asked for."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from samesum.errors import ModelError, SamesumError, UnsafeModelError
from samesum.files.npy import check, held, read_header, write_npy
from samesum.files.opening import opened, size_of
from samesum.files.source import NO_LIMITS, Limits, Source
from samesum.files.writing import replacing
from samesum.formats.arrays import NDArray

MAGIC = b"PK"
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every member that is written, so that the same arrays give the same file."""
_METHODS = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
"""The methods of compression that NumPy uses, and how many bytes one byte can stand for at most.

Source: zlib's technical details, https://zlib.net/zlib_tech.html."""
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
