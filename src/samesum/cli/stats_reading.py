"""A run of `samesum stats` over files: what cannot be read is told, and the rest goes on."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from samesum.cli.arguments import check_new, transfer
from samesum.cli.show import UsageError, one_line
from samesum.cli.stats_text import note, size_text, throughput
from samesum.errors import SamesumError
from samesum.files.contents import open_tensors
from samesum.files.tensor import Contents, Skipped, Tensor, bytes_of
from samesum.stats.manifest import Entry
from samesum.stats.measuring import Reading, check_axes, measured, undecoded
from samesum.stats.pattern import Pattern
from samesum.stats.record import Record, joined
from samesum.stats.store import Origin, Stored, read_states, write_states

# The state file of `samesum stats`: written now and then and when the run is interrupted, so that it can go on.

_SAVED_EVERY = 30.0
"""Seconds between two writings of the state file of a run that goes on."""


class _Keeper:
    """The records so far, those of tensors that are whole and the one that is being read, in a file now and then."""

    def __init__(self, path: Path | None, stored: Stored, before: Sequence[Record]) -> None:
        self.path, self.stored, self.before = path, stored, list(before)
        self._records = {(each.file, each.name): each for each in stored.records if not each.is_partial}
        self._begun = {(each.file, each.name): each for each in stored.records if each.is_partial}
        self._reading: Reading | None = None
        self._saved = time.monotonic()
        self.check: Callable[[], None] = lambda: None
        """Raises KeyboardInterrupt if that was asked for since `kept` began."""

    @property
    def records(self) -> list[Record]:
        """Those of tensors that are whole."""
        return list(self._records.values())

    def has(self, tensor: Tensor | Skipped, has_histogram: bool) -> bool:
        """Whether all is known that is asked for."""
        found = self._records.get((tensor.file, tensor.name))
        return found is not None and (found.histogram is not None or not has_histogram or not found.states)

    def forget_others(self, tensors: Sequence[Tensor | Skipped]) -> None:
        """Leaves out what another run read and this one does not."""
        wanted = {(each.file, each.name) for each in tensors}
        self._records = {key: each for key, each in self._records.items() if key in wanted}
        self._begun = {key: each for key, each in self._begun.items() if key in wanted}

    def begun(self, tensor: Tensor) -> Record | None:
        """What an interrupted run read of the tensor."""
        return self._begun.get((tensor.file, tensor.name))

    def rest(self, reading: Reading) -> None:
        """Between two parts of a tensor: keeps what is there if it is time to, or if the run is interrupted."""
        self._reading = reading
        self.check()
        if self.path is not None and time.monotonic() - self._saved > _SAVED_EVERY:
            try:
                self.save(is_complete=False)
            except OSError as error:  # it may pass until the end, where it is an error
                note(f"{one_line(error)}; the run goes on")
                self._saved = time.monotonic()

    def take(self, record: Record) -> None:
        """A tensor that is whole, or has no states."""
        self._reading = None
        self._records.pop((record.file, record.name), None)
        self._records[record.file, record.name] = record

    def save(self, is_complete: bool) -> None:
        """Writes the file, if there is one."""
        if self.path is None:
            return
        records = joined([*self.before, *self.records]) if is_complete else [*self.records, *self._partial()]
        write_states(self.path, Stored(self.stored.pattern, self.stored.origins, tuple(records), is_complete))
        self._saved = time.monotonic()

    def _partial(self) -> list[Record]:
        """What was begun: now, or before and not yet continued."""
        found = dict(self._begun)
        if self._reading is not None and self._reading.is_whole and self._reading.read:
            record = self._reading.record()
            found[record.file, record.name] = record
        return [each for key, each in found.items() if key not in self._records]

    @contextmanager
    def kept(self) -> Iterator[None]:
        """After an interruption or an error, writes the states of what was read."""
        try:
            with _deferred(self.path is not None) as self.check:
                yield
        except BaseException:
            if self.path is not None and (self.records or self._partial()):
                self.save(is_complete=False)
                there = f"{len(self.records)} tensors{self._read()}"
                note(f"{self.path} has {there}; the same command again goes on from there")
            raise

    def _read(self) -> str:
        if self._reading is None or not self._reading.is_whole:
            return ""
        tensor = self._reading.tensor
        return f" and {size_text(bytes_of(tensor.element, self._reading.read))} of {tensor.name!r}"


def _keeper_of(path: Path | None, pattern: Pattern, origins: tuple[Origin, ...], before: Sequence[Record]) -> _Keeper:
    """The keeper of a run, which goes on from an interrupted one of the same files and axes."""
    stored = Stored(pattern, origins, ())
    if path is not None and path.exists():
        found = read_states(path)
        if not found.is_complete and (found.pattern, found.origins) == (pattern, origins):
            partial = [f" and a part of {each.name!r}" for each in found.records if each.is_partial]
            there = f"{len(found.records) - len(partial)} tensors{''.join(partial[:1])}"
            note(f"{path} has {there} of an interrupted run; it goes on from there")
            stored = found
    return _Keeper(path, stored, before)


def _origins_of(contents: Mapping[Path, Contents]) -> tuple[Origin, ...]:
    """The files that are read, as they are now."""
    paths = dict.fromkeys((*contents, *(path for each in contents.values() for path in each.beside)))
    return tuple(Origin(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths)


@contextmanager
def _deferred(is_wanted: bool) -> Iterator[Callable[[], None]]:
    """Ctrl-C waits until what is given is called, where nothing is half done; a second one does not wait."""
    before = signal.getsignal(signal.SIGINT)
    was_asked = False

    def ask(*_: object) -> None:
        nonlocal was_asked
        was_asked = True
        signal.signal(signal.SIGINT, before)

    def check() -> None:
        if was_asked:
            raise KeyboardInterrupt

    is_here = threading.current_thread() is threading.main_thread()
    if not is_wanted or not is_here or not callable(before):  # SIGINT is left to others, or ignored
        yield check
        return
    signal.signal(signal.SIGINT, ask)
    try:
        yield check
        check()
    finally:
        signal.signal(signal.SIGINT, before)


Named = TypeVar("Named", Tensor, Skipped, Record, Tensor | Skipped, Entry)


@dataclass(slots=True)
class Run:
    """What a run found; `errors` are those of files and tensors that could not be read."""

    keeper: _Keeper
    before: Sequence[Record]
    errors: list[Exception] = field(default_factory=list)

    @property
    def records(self) -> list[Record]:
        """Those of other runs and those of this one."""
        return [*self.before, *self.keeper.records]

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """An error in the block is told and kept, and does not end the run."""
        try:
            yield
        except (SamesumError, OSError) as error:
            print("samesum: error:", one_line(error), file=sys.stderr)
            self.errors.append(error)


def run(arguments: argparse.Namespace, pattern: Pattern, merged: Sequence[Record]) -> Run:
    """The records of the files beside those of other runs; they are to go into the state file together."""
    before, names = joined(chosen(merged, arguments.only)), [each.name for each in merged]
    if not arguments.files:
        check_only(arguments.only, names)
        return Run(_Keeper(arguments.state, Stored(pattern, (), ()), before), before)
    found = Run(_Keeper(None, Stored(pattern, (), ()), before), before)
    contents = _opened(arguments.files, found)
    tensors = chosen((each for one in contents.values() for each in one.tensors), arguments.only)
    skipped = chosen((each for one in contents.values() for each in one.skipped), arguments.only)
    if not found.errors:
        names += [each.name for one in contents.values() for group in (one.tensors, one.skipped) for each in group]
        check_only(arguments.only, names)
    for one in contents.values():
        check_new(one.beside, state=arguments.state, plot=arguments.plot)
    keeper = found.keeper = _keeper_of(arguments.state, pattern, _origins_of(contents), before)
    _, lacking = check_axes(pattern, iter(tensors))
    if lacking:
        note(f"{lacking} of {len(tensors)} tensors lack an axis that was named; they are reduced whole")
    keeper.forget_others([*tensors, *skipped])
    with keeper.kept():
        _read(arguments, pattern, found, tensors, skipped)
    return found


def chosen(found: Iterable[Named], patterns: Sequence[str] | None) -> list[Named]:
    """Those whose name is like one of the patterns; all without any."""
    if patterns is None:
        return list(found)
    return [each for each in found if any(fnmatchcase(each.name, pattern) for pattern in patterns)]


def check_only(patterns: Sequence[str] | None, names: Sequence[str]) -> None:
    """UsageError for a pattern that no name is like: nothing would be looked at for it."""
    for pattern in patterns or ():
        if not any(fnmatchcase(name, pattern) for name in names):
            there = f"the first of {len(names)} is {names[0]!r}" if names else "there is no tensor"
            raise UsageError(f"--only {pattern}: no tensor has such a name; {there}")


def _opened(paths: Sequence[Path], found: Run) -> dict[Path, Contents]:
    """The contents of the files that can be opened. The error of the only file is raised."""
    if len(paths) == 1:
        return {paths[0]: open_tensors(paths[0])}
    contents = {}
    for path in paths:
        with found.going_on():
            contents[path] = open_tensors(path)
    return contents


def _read(
    arguments: argparse.Namespace, pattern: Pattern, found: Run, tensors: Sequence[Tensor], skipped: Sequence[Skipped]
) -> None:
    has_histogram, keeper = arguments.histogram or bool(arguments.plot), found.keeper
    is_hashed = bool(arguments.digest or arguments.json or arguments.state)
    waiting = [each for each in tensors if not keeper.has(each, has_histogram)]
    others = [each for each in skipped if not keeper.has(each, False)]
    stored = [each.stored for each in others if each.stored and is_hashed]
    total, count = sum(each.nbytes for each in (*waiting, *stored)), 0
    started = time.perf_counter()
    with transfer(total, "reading") as seen:

        def counted(size: int) -> None:
            nonlocal count
            seen(size)
            count += size

        def rest(reading: Reading, size: int) -> None:
            counted(size)
            keeper.rest(reading)

        def hashed(size: int) -> None:
            counted(size)
            keeper.check()

        for tensor in waiting:
            with found.going_on():
                begun = keeper.begun(tensor)
                keeper.take(measured(tensor, pattern, has_histogram=has_histogram, begun=begun, rest=rest))
        for each in others:
            with found.going_on():
                keeper.take(undecoded(each, is_hashed=is_hashed, seen=hashed))
    note(throughput(len(tensors), count, time.perf_counter() - started))
