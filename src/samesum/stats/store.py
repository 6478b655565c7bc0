"""States in a file: lines of JSON, the last one with a checksum of all before. The site has the format (stats.html)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.opening import is_integers, json_object, opened, replacing
from samesum.stats.histogram import BINS, Histogram
from samesum.stats.pattern import MAX_OUTPUTS, Pattern
from samesum.stats.record import UNKNOWN, Record, state_of, state_text

FORMAT, VERSION = "samesum stats", 1
_LONGEST_LINE, _MOST_TENSORS = 1 << 26, 1 << 20
_HASH = re.compile(rf"[0-9a-f]{{64}}|{UNKNOWN}", re.ASCII)
_HEAD = {"format", "version", "complete", "axis", "channel", "sources"}
_FIELDS = {"name", "file", "dtype", "shape", "kept", "states", "histogram"}


@dataclass(frozen=True, slots=True)
class Origin:
    """A file that was read, so that an interrupted run can tell whether it is the same."""

    path: str
    bytes: int
    modified: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What a state file holds. If the run was interrupted it is not complete: tensors are missing, or parts of one."""

    pattern: Pattern
    origins: tuple[Origin, ...]
    records: tuple[Record, ...]
    is_complete: bool = True


def write_states(path: Path, stored: Stored) -> None:
    """Writes the file whole or not at all. Raises OSError."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "complete": stored.is_complete,
        "axis": stored.pattern.axis,
        "channel": stored.pattern.channel,
        "sources": [asdict(each) for each in stored.origins],
    }
    with replacing(path) as file:
        checksum = hashlib.sha256()
        for document in (head, *map(_document, stored.records)):
            line = json.dumps(document, separators=(",", ":")).encode() + b"\n"
            checksum.update(line)
            file.write(line)
        file.write(json.dumps({"sha256": checksum.hexdigest()}).encode() + b"\n")


def _document(record: Record) -> dict[str, Any]:
    histogram = record.histogram
    hashes = {"hashes": record.hashes} if record.hashes else {}
    return hashes | {
        "name": record.name,
        "file": record.file,
        "dtype": record.dtype,
        "shape": record.shape,
        "kept": record.kept,
        "states": [state_text(state) for state in record.states],
        "histogram": None
        if histogram is None
        else {"exponent": histogram.exponent, "first": histogram.first, "counts": histogram.counts.tolist()},
    }


def read_states(path: Path) -> Stored:
    """What `write_states` wrote. Raises ModelError for what is no such file, damaged or of a later version."""
    with opened(path) as file:
        lines = _lines(file, str(path))
        head = next(lines)
        if head.keys() != _HEAD or head["format"] != FORMAT:
            raise ModelError(f"{path} holds no states: it starts with {str(head)[:60]}")
        if type(head["version"]) is not int or head["version"] != VERSION:
            raise ModelError(f"{path} has format version {head['version']}; this samesum reads version {VERSION}")
        records = tuple(_record(each, str(path)) for each in lines)
    if head["complete"] is True and (partial := [each.name for each in records if each.is_partial]):
        raise ModelError(f"{path} says that it is complete; {partial[0][:60]!r} has fewer elements than its shape")
    return Stored(_pattern(head, str(path)), _origins(head["sources"], str(path)), records, head["complete"] is True)


def _lines(file: IO[bytes], label: str) -> Iterator[dict[str, Any]]:
    """The documents before the last line, which has to be their checksum; the first one comes in any case."""
    checksum = hashlib.sha256()
    waiting = b""
    for number in range(_MOST_TENSORS):
        line = file.readline(_LONGEST_LINE + 1)
        if len(line) > _LONGEST_LINE:
            raise UnsafeModelError(f"{label}: line {number + 1} has more than {_LONGEST_LINE} bytes")
        if not line:
            break
        if waiting:
            checksum.update(waiting)
            if number == 1 and not waiting.startswith(b"{"):
                raise ModelError(f"{label} holds no states: it starts with {waiting[:12]!r}")
            yield json_object(waiting, f"line {number} of {label}", _LONGEST_LINE, 2 * MAX_OUTPUTS)
        waiting = line
    last = json_object(waiting or b"{}", f"the last line of {label}")
    if last != {"sha256": checksum.hexdigest()}:
        raise ModelError(f"{label} holds no states, or is damaged or cut short: its checksum is another one")


def _pattern(head: dict[str, Any], label: str) -> Pattern:
    axis, channel = head["axis"], head["channel"]
    is_axis = axis is None or (isinstance(axis, list) and all(type(each) is int for each in axis))
    if not is_axis or not (channel is None or type(channel) is int):
        raise ModelError(f"{label}: its axis is {str(axis)[:40]} and its channel {str(channel)[:40]}")
    return Pattern(None if axis is None else tuple(axis), channel)


def _origins(found: Any, label: str) -> tuple[Origin, ...]:
    keys = {"path", "bytes", "modified"}
    if not isinstance(found, list) or not all(isinstance(each, dict) and each.keys() == keys for each in found):
        raise ModelError(f"{label}: its sources are {str(found)[:60]}")
    return tuple(Origin(each["path"], each["bytes"], each["modified"]) for each in found)


def _record(found: dict[str, Any], label: str) -> Record:
    if (
        found.keys() - {"hashes"} != _FIELDS
        or not isinstance(found["name"], str)
        or not isinstance(found["dtype"], str)
    ):
        raise ModelError(f"{label}: an entry is {str(found)[:60]}")
    said = f"{found['name'][:60]!r} in {label}"
    for key in ("shape", "kept"):
        if found[key] is not None and not is_integers(found[key]):
            raise ModelError(f"{said}: its {key} is {str(found[key])[:60]}")
    states, file = found["states"], found["file"]
    if not isinstance(states, list) or not all(isinstance(each, str) for each in states):
        raise ModelError(f"{said}: its states are {str(states)[:60]}")
    hashes = found.get("hashes", [])
    if not isinstance(hashes, list) or not all(isinstance(each, str) and _HASH.fullmatch(each) for each in hashes):
        raise ModelError(f"{said}: its hashes are {str(hashes)[:60]}")
    outputs = 0 if hashes else int(np.prod(found["kept"] or [1], dtype=object))
    if len(states) != outputs or not (file is None or isinstance(file, str)):
        raise ModelError(f"{said} has {len(states)} states for {outputs} sets")
    shape, kept = (None if found[key] is None else tuple(found[key]) for key in ("shape", "kept"))
    record = tuple(state_of(each) for each in states)
    histogram = _histogram(found["histogram"], said)
    return Record(found["name"], file, found["dtype"], shape, kept, record, histogram, tuple(hashes))


def _histogram(found: Any, said: str) -> Histogram | None:
    if found is None:
        return None
    keys = {"exponent", "first", "counts"}
    if not isinstance(found, dict) or found.keys() != keys or not is_integers(found["counts"]):
        raise ModelError(f"{said}: its histogram is {str(found)[:60]}")
    exponent, first, counts = found["exponent"], found["first"], found["counts"]
    if type(exponent) is not int or type(first) is not int or abs(exponent) > 1074 or abs(first) >= 2**80:
        raise ModelError(f"{said}: its histogram begins at {str(first)[:40]} times 2^{str(exponent)[:40]}")
    if len(counts) > BINS or any(count >= 2**62 for count in counts):
        raise ModelError(f"{said}: its histogram has {len(counts)} bins; at most {BINS} are allowed")
    return Histogram(BINS, exponent, first, np.array(counts, np.int64))
