"""NumPy's .npy format: the header is read and checked, Python objects are refused.

NumPy writes an array of a type of ml_dtypes, such as bfloat16, as raw bytes (dtype `V2`) and forgets which type they
were. Here such an array is written with a dtype whose only field has the name of the type, `[("bfloat16", "<u2")]`.
That form is read for all of them, and `V2` as bfloat16. Source: the format's page,
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.opening import opened, size_of
from samesum.files.source import NO_LIMITS, Limits, Source
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.formats.elements import FLOAT8

MAGIC = b"\x93NUMPY"
_MAX_HEADER = 1 << 16
_LENGTHS = {1: 2, 2: 4, 3: 4}
"""The bytes of the header's length, by version."""
_NAMED: dict[str, Dtype] = {name: np.dtype(name) for name in (BFLOAT16.name, *FLOAT8)}
"""The types that NumPy's format has no name for."""
_LONG = re.compile(r"""('[^'\\]*'|"[^"\\]*")|(\b[0-9]+)L\b""")
"""A text, which stays as it is, or a long integer as Python 2 wrote it on Windows: (2L, 3L)."""
_RAW_BFLOAT16 = np.dtype("V2")


def npy_source(path: Path, limits: Limits = NO_LIMITS) -> Source:
    """The array of a .npy file.

    Raises ModelError for what is no such file, UnsafeModelError for Python objects and for an array beyond `limits`.
    """
    with opened(path) as file:
        size = size_of(file)
        stored, shape, is_fortran = read_header(file, str(path))
        begin = file.tell()

    @contextmanager
    def elements() -> Iterator[IO[bytes]]:
        with opened(path) as file:
            file.seek(begin)
            yield file

    source = Source(str(path), held(stored), shape, stored, is_fortran, elements)
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
