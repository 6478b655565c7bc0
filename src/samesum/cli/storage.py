"""Files in and out: models, and arrays as .npy and .npz, without pickles.

NumPy writes a bfloat16 array as two raw bytes per element (dtype `V2`) and forgets which type they were. Here
such an array is written with the dtype `[("bfloat16", "<u2")]`, which names it, and both forms are read.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from samesum.cli.exits import InvalidFileError, UsageError
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.frontends.models.load import load

if TYPE_CHECKING:
    from samesum.frontends.models.model import Model

NAMED_BFLOAT16 = np.dtype([(BFLOAT16.name, "<u2")])
RAW_BFLOAT16 = np.dtype("V2")

FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same arrays give the same file."""


def open_model(path: Path, weights: Path | None) -> Model:
    """The model in `path`; a file that is not there is a mistake on the command line."""
    for file in (path, weights):
        if file is not None and not file.exists():
            raise UsageError(f"cannot read {file}: No such file or directory")
    return load(path, weights=weights)


def read_arrays(path: Path) -> dict[str | None, NDArray]:
    """The arrays of a .npz by name, or the one of a .npy under None; told apart by content, not by suffix."""
    try:
        with path.open("rb") as file:
            magic = file.read(6)
            file.seek(0)
            if magic.startswith(b"PK"):
                return dict(_members(path, file))
            if magic == np.lib.format.MAGIC_PREFIX:
                return {None: _read(str(path), file)}
    except (OSError, UsageError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    raise InvalidFileError(f"{path} is neither a .npy nor a .npz file: it starts with {magic!r}")


def _members(path: Path, file: IO[bytes]) -> Iterator[tuple[str, NDArray]]:
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                with archive.open(member) as stream:
                    yield member.removesuffix(".npy"), _read(f"{member} in {path}", stream)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InvalidFileError(f"{path} is not a valid .npz file: {error}") from error


def _read(source: str, stream: IO[bytes]) -> NDArray:
    """One array in NumPy's format; Python objects are refused, as reading them can run code."""
    try:
        array = np.lib.format.read_array(stream, allow_pickle=False)
    except (ValueError, EOFError, TypeError, SyntaxError) as error:
        if "allow_pickle" in str(error):
            raise InvalidFileError(
                f"{source} holds pickled Python objects, not numbers; they are never loaded"
            ) from error
        raise InvalidFileError(f"{source} is not a valid NumPy array: {error}") from error
    except MemoryError as error:
        raise InvalidFileError(f"{source} asks for more memory than there is: {error}") from error
    return array.view(BFLOAT16) if array.dtype in (NAMED_BFLOAT16, RAW_BFLOAT16) else array


def in_numpy_terms(array: NDArray) -> NDArray:
    """`array` with a dtype that NumPy's format can name."""
    if array.dtype != BFLOAT16:
        return array
    return np.ascontiguousarray(array).reshape(array.shape).view(NAMED_BFLOAT16)


def write_npz(path: Path, arrays: Mapping[str, NDArray]) -> None:
    """Writes `arrays` to `path` whole or not at all; what was there before is replaced."""
    with _replacing(path) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", FIRST_DATE)
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, in_numpy_terms(array), allow_pickle=False)


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place at the end, or leaves nothing behind after an error."""
    target = path.resolve()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
