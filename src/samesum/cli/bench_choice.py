"""What a command line asks `samesum bench` to measure, and under which conditions."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from samesum.bench.cells import DTYPES, Question
from samesum.bench.contest import Settings
from samesum.bench.data import DATA
from samesum.bench.grid import CONTIGUOUS, GRIDS, LAYOUTS, array, questions
from samesum.bench.machine import this_machine
from samesum.bench.operators import OPERATORS
from samesum.bench.peers.catalogue import PEERS, installed, versions
from samesum.bench.results import OtherConditions, Results, ResultsError
from samesum.bench.running import Bench
from samesum.cli.exits import InvalidFileError, UsageError
from samesum.engine.threads import get_num_threads
from samesum.errors import MissingPackage
from samesum.runtimes.packages import require

ROUNDS, PATIENCE = 7, 1.0
QUICK, QUICK_ROUNDS, QUICK_PATIENCE = "quick", 5, 0.15
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
    _check_places(arguments)
    asked = _questions(arguments)
    if not asked:
        raise UsageError("no cell is left by --grid, --op, --dtype and --cell together")
    peers = _peers(arguments)
    is_quick = not arguments.shape and arguments.grid in (None, QUICK)
    rounds = arguments.rounds or (QUICK_ROUNDS if is_quick else ROUNDS)
    patience = arguments.patience or (QUICK_PATIENCE if is_quick else PATIENCE)
    conditions = {
        "machine": asdict(this_machine()),
        "versions": versions(peers),
        "rounds": rounds,
        "patience": patience,
        "seed": arguments.seed,
    }
    makers = {name: PEERS[name].make for name in peers}
    settings = Settings(makers, rounds, patience, arguments.seed, _buffer(arguments))
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
    data = _one("data", arguments.data, DATA)
    if arguments.shape:
        if arguments.grid or arguments.cells:
            raise UsageError("--shape is one array instead of a grid; --grid and --cell do not go with it")
        return _of_one_array(arguments, operators or ["sum"], dtypes or ["float32"], threads, data)
    if arguments.axes or arguments.layout:
        raise UsageError("--axis and --layout say how the array of --shape is reduced; there is no --shape")
    grid = _one("grid", arguments.grid or QUICK, GRIDS)
    found = questions(grid, operators or list(OPERATORS), dtypes, threads, data, arguments.scale)
    names = _known("cell", arguments.cells, {question.cell.name for question in found})
    return [question for question in found if not names or question.cell.name in names]


def _of_one_array(
    arguments: argparse.Namespace, operators: Sequence[str], dtypes: Sequence[str], threads: Sequence[int], data: str
) -> list[Question]:
    shape = tuple(_numbers("--shape", arguments.shape, 1))
    layout = _one("layout", arguments.layout or CONTIGUOUS, LAYOUTS)
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
    for name in ("rounds", "patience", "scale", "timeout"):
        number = vars(arguments)[name]
        if number is not None and not number > 0:
            raise UsageError(f"--{name} is {number:g}; allowed is what is above 0")
    if arguments.budget is not None and not arguments.budget >= 0:
        raise UsageError(f"--budget is {arguments.budget:g}; allowed are seconds from 0 on")


def _check_places(arguments: argparse.Namespace) -> None:
    """What is written at the end can be written, so that no run is lost."""
    for path in (arguments.results, arguments.markdown, arguments.plot):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"{path} is a folder, or in one that does not exist")
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


def _known(what: str, given: Iterable[str], known: Collection[str]) -> list[str]:
    """The names in `given`, all of which have to be known."""
    return [_one(what, name, known) for name in _parts(given)]


def _one(what: str, name: str, known: Collection[str]) -> str:
    if name not in known:
        raise UsageError(f"there is no {what} {name!r}; allowed are {', '.join(known)}")
    return name


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
