"""What a command line asks `samesum bench` to measure, and under which conditions."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from samesum.cli.exits import InvalidFileError, UsageError
from samesum.compare.bench.cells import DTYPES, Question
from samesum.compare.bench.data import DATA
from samesum.compare.bench.grid import CONTIGUOUS, GRIDS, LAYOUTS, array, questions
from samesum.compare.bench.machine import this_machine
from samesum.compare.bench.operators import OPERATORS
from samesum.compare.bench.peers.catalogue import PEERS, installed, versions
from samesum.compare.bench.results import OtherConditions, Results, ResultsError
from samesum.compare.bench.running import Bench
from samesum.compare.bench.worker import Settings
from samesum.compare.packages import MissingPackage, require
from samesum.engine.threads import get_num_threads

PICTURES = (".png", ".svg")


@dataclass(frozen=True, slots=True)
class Choice:
    """The questions, what answers them, the conditions, and the results that are there already."""

    questions: Sequence[Question]
    bench: Bench
    conditions: dict[str, Any]
    results: Results


def choose(arguments: argparse.Namespace) -> Choice:
    """Raises UsageError for what cannot be meant, InvalidFileError for a file that holds no results."""
    _check_numbers(arguments)
    _check_plot(arguments)
    asked = _questions(arguments)
    if not asked:
        raise UsageError("no cell is left by --grid, --op, --dtype and --cell together")
    if arguments.budget is not None:
        asked = sorted(asked, key=lambda question: zlib.crc32(question.title.encode()))
    peers = _peers(arguments)
    conditions = {
        "machine": asdict(this_machine()),
        "versions": versions(peers),
        "rounds": arguments.rounds,
        "seed": arguments.seed,
    }
    settings = Settings(
        {name: PEERS[name].make for name in peers}, arguments.rounds, arguments.seed, _buffer(arguments)
    )
    try:
        results = Results(conditions, arguments.results)
    except ResultsError as error:
        raise InvalidFileError(str(error)) from error
    except OtherConditions as error:
        raise UsageError(f"{error}; name another file") from error
    return Choice(asked, Bench(settings, arguments.timeout), conditions, results)


def _questions(arguments: argparse.Namespace) -> list[Question]:
    operators = _known("operator", arguments.operators, OPERATORS)
    dtypes = _known("dtype", arguments.dtypes, DTYPES)
    threads = _numbers("--threads", arguments.threads, 1) or [get_num_threads()]
    (data,) = _known("data", [arguments.data], DATA) or [""]
    if arguments.shape:
        if arguments.grid or arguments.cells:
            raise UsageError("--shape is one array instead of a grid; --grid and --cell do not go with it")
        return _of_one_array(arguments, operators or ["sum"], dtypes or ["float32"], threads, data)
    if arguments.axes or arguments.layout:
        raise UsageError("--axis and --layout say how the array of --shape is reduced; there is no --shape")
    (grid,) = _known("grid", [arguments.grid or "quick"], GRIDS)
    found = questions(grid, operators or list(OPERATORS), dtypes, threads, data, arguments.scale)
    names = _known("cell", arguments.cells, {question.cell.name for question in found})
    return [question for question in found if not names or question.cell.name in names]


def _of_one_array(
    arguments: argparse.Namespace, operators: Sequence[str], dtypes: Sequence[str], threads: Sequence[int], data: str
) -> list[Question]:
    shape = tuple(_numbers("--shape", arguments.shape, 1))
    (layout,) = _known("layout", [arguments.layout or CONTIGUOUS], LAYOUTS)
    axes = _axes(arguments, len(shape))
    cell = array(shape, axes or tuple(range(len(shape))), layout)
    found = []
    for name in operators:
        operator = OPERATORS[name]
        if axes and not cell.suits(operator):
            raise UsageError(f"{name} works along one axis; --axis names {len(axes)}")
        suiting = cell if cell.suits(operator) else replace(cell, axes=(len(shape) - 1,))
        for dtype in dtypes:
            if not operator.takes(dtype):
                raise UsageError(f"{name} is not measured on {dtype}")
            found += [Question(name, dtype, suiting, count, data) for count in threads]
    return found


def _axes(arguments: argparse.Namespace, rank: int) -> tuple[int, ...]:
    axes = _numbers("--axis", arguments.axes, -rank)
    for axis in axes:
        if axis >= rank:
            raise UsageError(f"--axis {axis} is out of range for an array of {rank} dimensions")
    if len({axis % rank for axis in axes}) != len(axes):
        raise UsageError(f"--axis names an axis twice: {', '.join(map(str, axes))}")
    return tuple(sorted(axis % rank for axis in axes))


def _peers(arguments: argparse.Namespace) -> list[str]:
    names = _parts(arguments.against)
    if names == ["none"]:
        return []
    chosen = _known("peer", names, PEERS)
    try:
        for name in chosen:
            for package in PEERS[name].needs:
                require(package, f"the peer {name}")
    except MissingPackage as error:
        raise UsageError(str(error)) from error
    return chosen or installed()


def _check_numbers(arguments: argparse.Namespace) -> None:
    for name in ("rounds", "scale", "timeout"):
        if not getattr(arguments, name) > 0:
            raise UsageError(f"--{name} is {getattr(arguments, name):g}; allowed is what is above 0")
    if arguments.budget is not None and not arguments.budget >= 0:
        raise UsageError(f"--budget is {arguments.budget:g}; allowed are seconds from 0 on")


def _check_plot(arguments: argparse.Namespace) -> None:
    if arguments.plot is None:
        return
    if arguments.plot.suffix not in PICTURES:
        raise UsageError(f"--plot {arguments.plot}: allowed are names that end with {' or '.join(PICTURES)}")
    try:
        require("matplotlib", "--plot")
    except MissingPackage as error:
        raise UsageError(str(error)) from error


def _buffer(arguments: argparse.Namespace) -> int | None:
    """A try on small arrays needs no large pass through memory."""
    return None if arguments.scale == 1 else (1 << 28) // arguments.scale


def _parts(given: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(part for text in given for part in text.split(",") if part))


def _known(what: str, given: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names in `given`, all of which have to be known."""
    names = _parts(given)
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {what} {name!r}; allowed are {', '.join(known)}")
    return names


def _numbers(option: str, given: Iterable[str], least: int) -> list[int]:
    """The whole numbers in `given`, separated by commas or by an x."""
    numbers = []
    for part in [part for text in given for part in text.replace("x", ",").split(",")]:
        try:
            number = int(part)
        except ValueError:
            raise UsageError(f"{option}: {part!r} is no whole number") from None
        if number < least:
            raise UsageError(f"{option}: {number} is less than {least}")
        numbers.append(number)
    return numbers
