"""What engines gave, on disk: written by one process or machine, compared with what another one wrote."""

from __future__ import annotations

import hashlib
import json
import platform
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path

from samesum import __version__
from samesum.compare.results import EngineFacts
from samesum.errors import AttributeValueError, ModelError
from samesum.files.npy import Archive, write_npy
from samesum.files.opening import json_object, opened, replacing
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import Feeds
from samesum.testing.families import Node
from samesum.testing.figures import Figure, figure

CONTENTS = "record.json"
_MOST_BYTES, _MOST_VALUES = 1 << 28, 1 << 24
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a record: an engine's output, or what it gave at a node; `inputs` says which bits went in."""

    engine: str
    kind: str
    name: str
    operator: str
    inputs: str
    member: str


@dataclass(slots=True, eq=False)
class Recorder:
    """Writes values one after the other, so that they need not be held."""

    archive: zipfile.ZipFile
    entries: list[Entry] = field(default_factory=list)

    def output(self, engine: str, name: str, array: NDArray, feeds: Feeds) -> None:
        """An output of the whole model."""
        self._add(engine, "output", name, "", digest([*feeds.values()]), array)

    def node(self, engine: str, node: Node, arrays: Sequence[NDArray | None], answer: NDArray) -> None:
        """What an engine gave at a node for the inputs that it had there."""
        self._add(engine, "node", node.name, node.operator, digest(arrays), answer)

    def in_order(self, names: Sequence[str]) -> None:
        """What was given at nodes comes in this order of their names, behind the outputs."""
        places = {name: place for place, name in enumerate(names)}
        self.entries.sort(key=lambda each: places.get(each.name, -1) if each.kind == "node" else -1)

    def _add(self, engine: str, kind: str, name: str, operator: str, inputs: str, array: NDArray) -> None:
        entry = Entry(engine, kind, name, operator, inputs, f"{len(self.entries)}")
        with self.archive.open(zipfile.ZipInfo(f"{entry.member}.npy", _DATE), "w", force_zip64=True) as stream:
            write_npy(stream, array)
        self.entries.append(entry)


@contextmanager
def recording(path: Path, model: str, engines: Mapping[str, EngineFacts]) -> Iterator[Recorder]:
    """A recorder whose file is there at the end, whole or not at all; `engines` may be filled meanwhile."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        recorder = Recorder(archive)
        yield recorder
        contents = {
            "samesum": __version__,
            "model": model,
            "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            "engines": {name: [each.version, each.precision] for name, each in engines.items()},
            "entries": [
                [each.engine, each.kind, each.name, each.operator, each.inputs, each.member]
                for each in recorder.entries
            ],
        }
        archive.writestr(zipfile.ZipInfo(CONTENTS, _DATE), json.dumps(contents))


def digest(arrays: Sequence[NDArray | None]) -> str:
    """What the bits, types and shapes of arrays come to."""
    total = hashlib.sha256()
    for array in arrays:
        if array is not None:
            total.update(f"{array.dtype.name}{array.shape}".encode())
            total.update(array.tobytes())
    return total.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A record that was read; its arrays are read when they are asked for."""

    path: Path
    model: str
    machine: str
    engines: Mapping[str, EngineFacts]
    entries: Sequence[Entry]
    archive: Archive

    @property
    def ran(self) -> list[str]:
        """The engines of which it has values."""
        return list(dict.fromkeys(entry.engine for entry in self.entries))

    def array(self, entry: Entry) -> NDArray:
        """The values of an entry."""
        return self.archive[entry.member].read()


def is_record(path: Path) -> bool:
    """True for a file that `--record` may have written."""
    with opened(path) as file:
        return zipfile.is_zipfile(file) and CONTENTS in zipfile.ZipFile(file).namelist()


def read_record(path: Path) -> Record:
    """What `compare(..., record=path)` or `samesum compare --record` wrote; arrays are read when they are asked for.

    Raises ModelError for a file that is no record, OSError for one that cannot be read.

    >>> read_record("server.record").engines  # doctest: +SKIP
    {'onnxruntime': EngineFacts(version='1.32.0', precision='as stored')}
    """
    try:
        with opened(path) as whole, zipfile.ZipFile(whole) as packed, packed.open(CONTENTS) as file:
            said = json_object(file.read(_MOST_BYTES + 1), f"{CONTENTS} of {path}", _MOST_BYTES, _MOST_VALUES)
        engines = {name: EngineFacts(*each) for name, each in said["engines"].items()}
        entries = [Entry(*each) for each in said["entries"]]
        texts = [text for group in (engines.values(), entries) for each in group for text in astuple(each)]
        if not isinstance(said["entries"], list) or not all(
            isinstance(each, str) for each in (said["model"], said["machine"], *texts)
        ):
            raise TypeError("what it names are no texts")
        archive = Archive(path)
        if not all(each.member in archive and each.engine in engines for each in entries):
            raise ValueError("an entry has no values or no engine")
        return Record(path, said["model"], said["machine"], engines, entries, archive)
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path} is no record that `compare --record` wrote: {error}") from None


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs between two records; `same_inputs` says that the same bits went in."""

    kind: str
    name: str
    operator: str
    same_inputs: bool
    differ: int
    figure: Figure


@dataclass(frozen=True, slots=True)
class RecordPair:
    """An engine of one record beside one of another: how many values both have, which of them differ, what one lacks.

    `same_inputs` is False where the models were given other inputs, so that differences say nothing.
    """

    engines: tuple[str, str]
    values: int
    changes: tuple[Change, ...]
    missing: tuple[str, ...]
    same_inputs: bool

    @property
    def is_same(self) -> bool:
        """True if the same inputs gave the same values, all of them."""
        return self.same_inputs and self.values > 0 and not self.changes and not self.missing

    @property
    def first(self) -> Change | None:
        """The first node, in the order of the model, that gave other bits for the same ones."""
        return next((each for each in self.changes if each.kind == "node" and each.same_inputs), None)


def compare_records(a: Record, b: Record) -> tuple[RecordPair, ...]:
    """Each engine of `a` beside the engine of that name in `b`, or the first ones of both beside each other.

    Two records of one model and the same inputs, from two releases of an engine or from two machines, show at which
    node the first other bits come from. Raises AttributeValueError for records that have no value in common.

    >>> (pair,) = compare_records(read_record("server.record"), read_record("laptop.record"))  # doctest: +SKIP
    >>> pair.first.name  # doctest: +SKIP
    '/encoder/ReduceMean'
    """
    common = [name for name in a.ran if name in b.ran]
    pairs = [(name, name) for name in common] or list(zip(a.ran, b.ran, strict=False))[:1]
    found = tuple(_pair(a, b, *names) for names in pairs)
    if not any(pair.values for pair in found):
        held = "; ".join(f"{each.path} has {len(each.entries)} of {each.model}" for each in (a, b))
        raise AttributeValueError(f"the records have no value in common: {held}")
    return found


def _pair(a: Record, b: Record, first: str, second: str) -> RecordPair:
    mine = {(each.kind, each.name): each for each in a.entries if each.engine == first}
    theirs = {(each.kind, each.name): each for each in b.entries if each.engine == second}
    both = [(mine[key], theirs[key]) for key in mine if key in theirs]
    changes = [_change(x, y, a.array(x), b.array(y)) for x, y in both]
    missing = [name for _, name in (*(mine.keys() - theirs.keys()), *(theirs.keys() - mine.keys()))]
    same_inputs = all(x.inputs == y.inputs for x, y in both if x.kind == "output")
    return RecordPair((first, second), len(both), tuple(filter(None, changes)), tuple(sorted(missing)), same_inputs)


def _change(mine: Entry, other: Entry, x: NDArray, y: NDArray) -> Change | None:
    same_inputs = mine.inputs == other.inputs
    if x.dtype != y.dtype or x.shape != y.shape:
        odd = Figure(float("inf"), float("inf"), x.size, None)
        return Change(mine.kind, mine.name, mine.operator, same_inputs, x.size, odd)
    found = figure(x, y, None, 0.0)
    return None if found.is_exact else Change(mine.kind, mine.name, mine.operator, same_inputs, found.wrong, found)
