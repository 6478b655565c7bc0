"""Zarr arrays and groups of format 2 and 3 in a folder, read chunk by chunk with the zarr package.

The metadata is checked here before the package sees it. Source: https://zarr-specs.readthedocs.io.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samesum.errors import ModelError, SamesumError, UnsafeModelError, imported
from samesum.files.opening import MAX_BYTES, is_integers, json_object, read_bytes
from samesum.files.source import NO_LIMITS, WINDOW, Limits
from samesum.files.tensor import Box, Contents, Skipped, boxes_behind, contents
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.elements import OF_FILES, Element

NODES = ("zarr.json", ".zarray", ".zgroup")
# Bytes of a chunk in memory.
MAX_CHUNK = 1 << 28
_MAX_NODES, _MAX_DEPTH = 1 << 16, 64
# A chunk takes a fraction of a millisecond, there or not: a few bytes of metadata must not cost hours.
_TINY_CHUNK, _MOST_TINY_CHUNKS = 64, 1 << 17


@dataclass(frozen=True, slots=True)
class ZarrTensor:
    """An array of a store: boxes are its chunks."""

    name: str
    file: str
    element: Element
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    folder: Path

    @property
    def nbytes(self) -> int:
        """The bytes of all elements in memory."""
        return math.prod(self.shape) * self.element.dtype.itemsize

    def boxes(self, is_flat: bool, window: int = WINDOW, read: int = 0) -> Iterator[Box]:  # noqa: ARG002
        """The chunks in C order. Raises ModelError for one that cannot be decoded."""
        array = _opened(self.folder)
        if tuple(array.shape) != self.shape:
            raise ModelError(f"{self.folder} has shape {list(array.shape)}; it was {list(self.shape)} before")
        grid = [range(0, size, chunk) for size, chunk in zip(self.shape, self.chunks, strict=True)]
        lengths = (
            [min(chunk, size - begin) for begin in begins]
            for begins, chunk, size in zip(grid, self.chunks, self.shape, strict=True)
        )
        first = boxes_behind(map(math.prod, itertools.product(*lengths)), read, self)
        for begins in itertools.islice(itertools.product(*grid), first, None):
            ends = (min(b + c, s) for b, c, s in zip(begins, self.chunks, self.shape, strict=True))
            ranges = tuple(zip(begins, ends, strict=True))
            chunk = self._chunk(array, ranges)
            yield Box(((0, chunk.size),), chunk.reshape(-1)) if is_flat else Box(ranges, chunk)

    def _chunk(self, array: Any, ranges: tuple[tuple[int, int], ...]) -> NDArray:
        try:
            chunk = np.asarray(array[tuple(slice(begin, end) for begin, end in ranges)])
            return chunk.astype(self.element.dtype, copy=False)
        except (SamesumError, MemoryError):
            raise
        except Exception as error:  # what codecs raise has no common base
            raise ModelError(f"{self.folder}: the chunk at {[b for b, _ in ranges]} is not readable: {error}") from None


def zarr_arrays(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The arrays below a folder by their paths in it; that of an array alone is the folder's name without its suffix.

    Raises ModelError for what is no store, UnsafeModelError for links in it and for an array or a chunk beyond the
    limits, MissingPackage without the zarr package.
    """
    folders = _array_folders(path)
    names = [folder.relative_to(path).as_posix() if folder != path else path.stem for folder in folders]
    found = contents(_tensor(name, path, folder, limits) for name, folder in zip(names, folders, strict=True))
    if found.tensors:
        imported("zarr", "a Zarr store")
    return found


def is_store(path: Path) -> bool:
    """Whether the folder has the metadata of an array or a group."""
    return any((path / node).is_file() for node in NODES)


def _array_folders(path: Path) -> list[Path]:
    """The folders of arrays, sorted; what lies within an array are its chunks."""
    found, waiting, count = [], [(path, 0)], 0
    while waiting:
        folder, depth = waiting.pop()
        count += 1
        if depth > _MAX_DEPTH or count > _MAX_NODES:
            raise UnsafeModelError(f"{path} has {count} folders, {depth} deep; at most {_MAX_NODES} and {_MAX_DEPTH}")
        if (folder / ".zarray").exists() or _is_array_of_3(folder):
            found.append(folder)
            continue
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    raise UnsafeModelError(f"{entry.path} is a link; a store has none")
                if entry.is_dir():
                    waiting.append((Path(entry.path), depth + 1))
    return sorted(found)


def _is_array_of_3(folder: Path) -> bool:
    node = folder / "zarr.json"
    return node.exists() and json_object(read_bytes(node, MAX_BYTES), str(node)).get("node_type") == "array"


def _tensor(name: str, store: Path, folder: Path, limits: Limits) -> ZarrTensor | Skipped:
    is_old = (folder / ".zarray").exists()
    node = folder / (".zarray" if is_old else "zarr.json")
    found = json_object(read_bytes(node, MAX_BYTES), str(node))
    kind, chunks = (found.get("dtype"), found.get("chunks")) if is_old else (found.get("data_type"), _chunks(found))
    shape = found.get("shape")
    if not is_integers(shape) or not is_integers(chunks) or len(shape) != len(chunks) or 0 in chunks:  # type: ignore[arg-type, operator]
        raise ModelError(f"{node}: its shape is {str(shape)[:60]} and its chunks are {str(chunks)[:60]}")
    element = _element(kind)
    if element is None:
        return Skipped(name, str(store), f"its data type is {str(kind)[:60]}", str(kind)[:60], tuple(shape))  # type: ignore[arg-type]
    limits.check(str(folder), element.dtype, tuple(shape))  # type: ignore[arg-type]
    size = math.prod(chunks) * element.dtype.itemsize  # type: ignore[arg-type]
    if size > MAX_CHUNK:
        raise UnsafeModelError(f"{node}: a chunk {chunks} takes {size} bytes; at most {MAX_CHUNK} are allowed")
    count = math.prod(-(-length // chunk) for length, chunk in zip(shape, chunks, strict=True))  # type: ignore[arg-type]
    if size < _TINY_CHUNK and count > _MOST_TINY_CHUNKS:
        raise UnsafeModelError(
            f"{node}: {count} chunks of {size} bytes each; at most {_MOST_TINY_CHUNKS} of less than {_TINY_CHUNK} bytes"
        )
    return ZarrTensor(name, str(store), element, tuple(shape), tuple(chunks), folder)  # type: ignore[arg-type]


def _chunks(found: dict[str, Any]) -> Any:
    """The shape of the smallest parts that can be read: those within shards, where there are some."""
    grid = found.get("chunk_grid")
    chunks = _configured(grid, "chunk_shape") if _configured(grid) and grid.get("name") == "regular" else None  # type: ignore[union-attr]
    codecs = found.get("codecs")
    for codec in codecs if isinstance(codecs, list) else []:
        if isinstance(codec, dict) and codec.get("name") == "sharding_indexed":
            return _configured(codec, "chunk_shape")
    return chunks


def _configured(entry: Any, key: str | None = None) -> Any:
    configuration = entry.get("configuration") if isinstance(entry, dict) else None
    if not isinstance(configuration, dict):
        return None
    return configuration if key is None else configuration.get(key)


def _element(kind: Any) -> Element | None:
    """The type of a name of format 3 or a dtype of format 2; None for what holds no numbers that samesum knows."""
    try:
        dtype = BFLOAT16 if kind == "bfloat16" else np.dtype(kind) if isinstance(kind, str) else None
    except TypeError:
        return None
    if dtype is None or dtype.newbyteorder("=").name not in OF_FILES:
        return None
    dtype = dtype.newbyteorder("=")
    return Element(dtype.name, dtype, 8 * dtype.itemsize)


def _opened(folder: Path) -> Any:
    try:
        return imported("zarr", "a Zarr store").open_array(str(folder), mode="r")
    except (SamesumError, MemoryError):
        raise
    except Exception as error:  # the package's errors have no common base
        raise ModelError(f"{folder} is not a Zarr array: {error}") from None
