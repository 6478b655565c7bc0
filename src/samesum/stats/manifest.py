"""What must not change of tensors in files: a manifest with two digests of each, and what differs from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samesum.errors import ModelError
from samesum.files.opening import is_integers, json_object, read_bytes, write_text
from samesum.files.tensor import Skipped, StreamTensor, Tensor
from samesum.formats.arrays import NDArray
from samesum.stats.differences import whole
from samesum.stats.measuring import Seen, type_of

FORMAT, VERSION = "samesum manifest", 1
BLOCK = 1 << 15
"""Elements whose scrambled bits stay in a core's cache."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One tensor: `values` is a digest of its elements in any order, `order` one of their bits in logical order.

    Of a tensor whose elements are not decoded or come from blocks `order` is of its bytes and `values` None; both are
    None, and so is the count, where the file does not tell which bytes it has.
    """

    name: str
    dtype: str
    shape: tuple[int, ...] | None
    count: int | None
    values: str | None
    order: str | None

    @property
    def is_covered(self) -> bool:
        """True if a change would be noticed."""
        return self.order is not None


def entry_of(each: Tensor | Skipped, seen: Seen = lambda _: None) -> Entry:
    """The entry of a tensor, one pass over it.

    Raises ModelError for a file that is not what its header said, UnsafeModelError for a large tensor that is stored in
    another order than its own.
    """
    if isinstance(each, Skipped):
        return _of_bytes(each.name, each.kind, each.shape, each.stored, seen)
    if isinstance(each, StreamTensor) and each.stored is not None:
        return _of_bytes(each.name, type_of(each), each.shape, each.stored, seen)
    digest, total = hashlib.sha256(), 0
    count = 0
    with ThreadPoolExecutor(1) as beside:
        for part in _in_order(each):
            data = np.ascontiguousarray(part).reshape(-1)
            waiting = beside.submit(digest.update, memoryview(data.view(np.uint8)))  # type: ignore[arg-type]
            total += scrambled(data)
            count += data.size
            waiting.result()
            seen(each.nbytes * data.size // max(1, int(np.prod(each.shape, dtype=np.int64))))
    values = f"{total % 2**64:016x}"
    return Entry(each.name, type_of(each), each.shape, count, values, digest.hexdigest())


def _of_bytes(name: str, kind: str, shape: tuple[int, ...] | None, stored: StreamTensor | None, seen: Seen) -> Entry:
    if stored is None:
        return Entry(name, kind, shape, None, None, None)
    digest = hashlib.sha256()
    for box in stored.boxes(True):
        digest.update(memoryview(box.array))  # type: ignore[arg-type]
        seen(box.array.nbytes)
    return Entry(name, kind, shape, stored.nbytes, None, digest.hexdigest())


def _in_order(each: Tensor) -> Iterator[NDArray]:
    """The elements in logical order, the last axis fastest; little-endian as the machine has them."""
    if isinstance(each, StreamTensor) and not (each.is_fortran and len(each.shape) > 1):
        for box in each.boxes(True):
            yield box.array
    else:
        yield whole(each)


def scrambled(data: NDArray) -> int:
    """The sum of a scrambled number for each element modulo 2^64: the same for every order of the elements.

    Elements of one or two bytes go through a table, others through multiplications and shifts with which any bit of
    an element changes every bit of its number (MurmurHash3's last step, Appleby 2011).
    """
    bits = data.view(f"u{data.dtype.itemsize}").reshape(-1)
    if bits.dtype.itemsize <= 2:
        counts = np.bincount(bits, minlength=1 << 8 * bits.dtype.itemsize).astype(np.uint64)
        return int((counts * _scramble(np.arange(counts.size, dtype=np.uint64))).sum(dtype=np.uint64))
    total = 0
    for start in range(0, bits.size, BLOCK):
        total += int(_scramble(bits[start : start + BLOCK].astype(np.uint64)).sum(dtype=np.uint64))
    return total


def _scramble(bits: NDArray) -> NDArray:
    """Each number of 64 bits as another one, in place; 0 does not stay 0."""
    bits += np.uint64(0x9E3779B97F4A7C15)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits ^= bits >> np.uint64(33)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(33)
    return bits


def write_manifest(path: Path, entries: Sequence[Entry]) -> None:
    """Writes the manifest, whole or not at all. Raises OSError."""
    tensors = [asdict(each) for each in entries]
    document = {"format": FORMAT, "version": VERSION, "tensors": tensors, "sha256": _of_document(tensors)}
    write_text(path, json.dumps(document, indent=1) + "\n")


def read_manifest(path: Path) -> tuple[Entry, ...]:
    """The entries of a manifest. Raises OSError, and ModelError for a file that is none or was changed."""
    document = json_object(read_bytes(path, _MOST_BYTES), str(path), _MOST_BYTES, _MOST_VALUES)
    if document.keys() != {"format", "version", "tensors", "sha256"} or not isinstance(document["tensors"], list):
        raise ModelError(f"{path} is no manifest that `stats --manifest` wrote: it has {', '.join(document)[:60]}")
    tensors, version = document["tensors"], document["version"]
    if document["format"] != FORMAT or type(version) is not int or version != VERSION:
        said = f"{str(document['format'])[:40]!r} of version {str(version)[:40]}"
        raise ModelError(f"{path} is {said}; allowed is {FORMAT!r} of {VERSION}")
    if document["sha256"] != _of_document(tensors):
        raise ModelError(f"{path} is damaged: its tensors do not have the sha256 that it names")
    entries = tuple(_entry(each, str(path)) for each in tensors)
    if len({each.name for each in entries}) < len(entries):
        raise ModelError(f"{path} has a tensor twice; a manifest has each name once")
    return entries


_MOST_BYTES, _MOST_VALUES = 1 << 28, 1 << 24
_TEXT: tuple[type, ...] = (str,)
_KINDS = {
    "name": _TEXT,
    "dtype": _TEXT,
    "count": (int, type(None)),
    **dict.fromkeys(("values", "order"), (str, type(None))),
}


def _entry(each: Any, label: str) -> Entry:
    is_entry = isinstance(each, dict) and each.keys() == {*_KINDS, "shape"}
    if not is_entry or any(type(each[key]) not in _KINDS[key] for key in _KINDS):
        raise ModelError(f"{label}: an entry is {str(each)[:60]}")
    shape = each["shape"]
    if shape is not None and not is_integers(shape):
        raise ModelError(f"{label}: the shape of {each['name'][:60]!r} is {str(shape)[:60]}")
    return Entry(**each | {"shape": None if shape is None else tuple(shape)})


def _of_document(tensors: Any) -> str:
    return hashlib.sha256(json.dumps(tensors, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Verified:
    """What became of the tensors of a manifest: `changed` says what, by name."""

    changed: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    not_covered: tuple[str, ...]
    count: int

    @property
    def is_same(self) -> bool:
        """True if nothing changed, and there is no other tensor."""
        return not (self.changed or self.missing or self.new)


def verified(before: Iterable[Entry], now: Iterable[Entry]) -> Verified:
    """The tensors that are there beside those of a manifest, by name."""
    old, found = ({each.name: each for each in entries} for entries in (before, now))
    changed = {name: said for name in old if name in found and (said := tuple(_changes(old[name], found[name])))}
    open_ones = [name for name in old if name in found and not (old[name].is_covered and found[name].is_covered)]
    missing = tuple(name for name in old if name not in found)
    return Verified(changed, missing, tuple(name for name in found if name not in old), tuple(open_ones), len(found))


def _changes(old: Entry, now: Entry) -> Iterator[str]:
    if old.dtype != now.dtype:
        yield f"type {now.dtype}, was {old.dtype}"
    if old.shape != now.shape:
        yield f"shape {_shape(now.shape)}, was {_shape(old.shape)}"
    if old.dtype == now.dtype and old.order != now.order and now.is_covered and old.is_covered:
        is_order = old.values is not None and (old.values, old.count) == (now.values, now.count)
        yield "order of the values" if is_order else "values" if old.values is not None else "bytes"


def _shape(shape: tuple[int, ...] | None) -> str:
    return "not known" if shape is None else str(list(shape))
