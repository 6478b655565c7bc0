"""Tensors of a .safetensors file, and of a checkpoint in several of them with an index file.

A file begins with the length of its header (8 bytes), then the header as JSON: for each tensor its dtype, shape and
place in the data that follow. Source: https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.opening import MAX_BYTES, inside, is_integers, json_object, opened, read_bytes, size_of, stretch
from samesum.files.source import NO_LIMITS, Limits
from samesum.files.tensor import Contents, Skipped, StreamTensor, Tensor, bytes_at, contents
from samesum.formats.elements import Element

_LONGEST_NAME = 255
SUFFIX, INDEX = ".safetensors", ".safetensors.index.json"
_HELD: dict[str, type] = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32,
    "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16, "BF16": ml_dtypes.bfloat16,
    "F32": np.float32, "F64": np.float64, "F8_E5M2": ml_dtypes.float8_e5m2, "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "F8_E8M0": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip
ELEMENTS = {name: Element(name, np.dtype(held), 8 * np.dtype(held).itemsize) for name, held in _HELD.items()}
# Types that hold no numbers that samesum knows, and how many bits an element has.
_OTHER_BITS = {"C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}


def safetensors(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The tensors in the order of their data.

    Raises ModelError for what is no such file, UnsafeModelError for a header or a tensor beyond the limits, and for
    tensors that overlap or leave bytes between them, as the safetensors package does.
    """
    with opened(path) as file:
        size = size_of(file)
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > size - 8:
            raise ModelError(
                f"{path} is not a safetensors file: its header claims {length} bytes; it has {size} in all"
            )
        if length > MAX_BYTES:
            raise UnsafeModelError(f"{path}: the header has {length} bytes; at most {MAX_BYTES} are allowed")
        header = json_object(file.read(length), f"the header of {path}")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ModelError(f"{path}: __metadata__ is not a map of texts")
    begins = {name: _place(entry, f"{name!r} in {path}") for name, entry in header.items()}
    found: list[Tensor | Skipped] = []
    at = 0
    for name in sorted(header, key=lambda name: begins[name]):
        begin, end = begins[name]
        if begin != at:
            raise UnsafeModelError(f"{name!r} in {path} begins at byte {begin} of the data; {at} was expected")
        at = end
        found.append(_tensor(name, header[name], path, 8 + length + begin, end - begin, limits))
    if 8 + length + at != size:
        raise ModelError(f"{path}: its tensors take {at} bytes; {size - 8 - length} follow the header")
    return contents(found)


def _place(entry: Any, label: str) -> tuple[int, int]:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ModelError(f"{label}: its entry is {str(entry)[:60]!r}; dtype, shape and data_offsets are needed")
    offsets = entry["data_offsets"]
    if not is_integers(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise ModelError(f"{label}: data_offsets is {str(offsets)[:60]}; two integers are needed, in their order")
    return offsets[0], offsets[1]


def _tensor(
    name: str, entry: dict[str, Any], path: Path, begin: int, size: int, limits: Limits
) -> StreamTensor | Skipped:
    label, kind, dims = f"{name!r} in {path}", entry["dtype"], entry["shape"]
    element = ELEMENTS.get(kind) if isinstance(kind, str) else None
    bits = element.bits if element else _OTHER_BITS.get(kind) if isinstance(kind, str) else None
    if bits is None:
        known = ", ".join((*ELEMENTS, *_OTHER_BITS))
        raise ModelError(f"{label}: its dtype is {str(kind)[:40]!r}; allowed are {known}")
    if not is_integers(dims):
        raise ModelError(f"{label}: its shape is {str(dims)[:60]}; a list of integers from 0 on is needed")
    shape = tuple(dims)
    limits.check(label, element.dtype if element else np.dtype(np.uint8), shape)
    needed = (math.prod(shape) * bits + 7) // 8
    if needed != size:
        raise ModelError(f"{label}: {list(shape)} of {kind} takes {needed} bytes; its data_offsets hold {size}")
    place = partial(stretch, path, begin)
    if element is None:
        return Skipped(name, str(path), f"its dtype is {kind}", kind, shape, bytes_at(name, path, place, size))
    return StreamTensor(name, str(path), element, shape, place)


def sharded(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The tensors of all files that an index names, in the order of the files' names.

    Files lie beside the index: a name with a folder in it is refused. Raises ModelError for a tensor that is not where
    the index says.
    """
    index = json_object(read_bytes(path, MAX_BYTES), str(path)).get("weight_map")
    if not isinstance(index, dict) or not all(isinstance(value, str) for value in index.values()):
        raise ModelError(f"{path} has no weight_map from names of tensors to names of files")
    wanted: dict[str, set[str]] = {}
    for name, shard in index.items():
        wanted.setdefault(shard, set()).add(name)
    found: list[Tensor | Skipped] = []
    for shard in sorted(wanted):
        if Path(shard).name != shard or "\\" in shard or shard in ("", ".", "..") or len(shard) > _LONGEST_NAME:
            raise UnsafeModelError(f"{path} names the file {shard[:60]!r}; a file beside the index is needed")
        there = _beside(path.parent, shard, str(path), limits)
        if missing := wanted[shard] - {each.name for each in there}:
            raise ModelError(f"{path} says that {min(missing)[:60]!r} is in {shard}, which has {len(there)} others")
        found += [each for each in there if each.name in wanted[shard]]
    return contents(found, map(path.with_name, sorted(wanted)))


def folder(path: Path, limits: Limits = NO_LIMITS) -> Contents | None:
    """The tensors of a checkpoint: those of the index in the folder, or of all its files; None without any of them."""
    names = sorted(each.name for each in path.iterdir())
    indexes = [name for name in names if name.endswith(INDEX)]
    if len(indexes) > 1:
        raise ModelError(f"{path} has {len(indexes)} indexes: {', '.join(indexes)[:200]}; name one of them")
    if indexes:
        index = sharded(path / indexes[0], limits)
        return replace(index, beside=(path / indexes[0], *index.beside))
    shards = [name for name in names if name.endswith(SUFFIX)]
    found = [each for shard in shards for each in _beside(path, shard, str(path), limits)]
    names_seen: set[str] = set()
    for each in found:
        if each.name in names_seen:
            raise ModelError(f"{path} has {each.name[:60]!r} in two files, {each.file} is the second; name the files")
        names_seen.add(each.name)
    return contents(found, [path / shard for shard in shards]) if shards else None


def _beside(home: Path, shard: str, said: str, limits: Limits) -> list[Tensor | Skipped]:
    """The tensors of a file that really lies in that folder."""
    inside(home, shard, said, "the file")
    there = safetensors(home / shard, limits)
    return [*there.tensors, *there.skipped]
