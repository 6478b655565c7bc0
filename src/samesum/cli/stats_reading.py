"""A run of `samesum stats` over files: what cannot be read is told, and the rest goes on."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from samesum.cli.arguments import check_new
from samesum.cli.exits import UsageError, one_line
from samesum.cli.progress import transfer
from samesum.cli.stats_keeping import Keeper, keeper_of, origins_of
from samesum.cli.stats_notes import note, throughput
from samesum.errors import SamesumError
from samesum.files.contents import open_tensors
from samesum.files.tensor import Contents, Skipped, Tensor
from samesum.stats.manifest import Entry
from samesum.stats.measuring import Reading, check_axes, measured, undecoded
from samesum.stats.pattern import Pattern
from samesum.stats.record import Record, joined
from samesum.stats.store import Stored

Named = TypeVar("Named", Tensor, Skipped, Record, Tensor | Skipped, Entry)


@dataclass(slots=True)
class Run:
    """What a run found; `errors` are those of files and tensors that could not be read."""

    keeper: Keeper
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
        return Run(Keeper(arguments.state, Stored(pattern, (), ()), before), before)
    found = Run(Keeper(None, Stored(pattern, (), ()), before), before)
    contents = _opened(arguments.files, found)
    tensors = chosen((each for one in contents.values() for each in one.tensors), arguments.only)
    skipped = chosen((each for one in contents.values() for each in one.skipped), arguments.only)
    if not found.errors:
        names += [each.name for one in contents.values() for group in (one.tensors, one.skipped) for each in group]
        check_only(arguments.only, names)
    for one in contents.values():
        check_new(one.beside, state=arguments.state, plot=arguments.plot)
    keeper = found.keeper = keeper_of(arguments.state, pattern, origins_of(contents), before)
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
