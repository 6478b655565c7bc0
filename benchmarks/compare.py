"""samesum beside NumPy, PyTorch, ONNX Runtime, OpenVINO and this machine's memory: speed and accuracy in one run.

python benchmarks/compare.py --quick --markdown quick.md
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import report
from accuracy import Distance, distance, reference, verify
from cells import DISTRIBUTIONS, DTYPES, GRID, OPERATORS, QUICK_DTYPES, QUICK_OPERATORS, SCANS, Cell, draw
from machine import this_machine
from measure import Limits, Memory, Readings, fastest, take_turns
from peers.catalogue import PEERS, SAMESUM, missing, start
from peers.task import Competitor, NDArray, Task, Way
from rows import Row, Traffic, make_row
from samesum import _core

BUFFER = 1 << 28
"""Bytes of a memory pass: eight times the last-level cache of the machines at hand."""


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, on what memory and with what patience."""

    competitors: dict[str, Competitor]
    memory: Memory
    limits: Limits
    distribution: str
    seed: int


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every answer looked at was the exact one, 1 if one was not."""
    options = _parse(arguments)
    cells = list(_selection(options))
    names = [SAMESUM, *(name for name in options.against if _is_installed(name))]
    competitors = {name: start(name, options.threads) for name in names}
    memory = Memory(max(BUFFER // options.scale, 1), any(operator in SCANS for operator, _, _ in cells))
    field = Field(competitors, memory, Limits(options.repeats, options.budget), options.distribution, options.seed)
    machine = this_machine({name: each.version for name, each in competitors.items()})
    for text in report.describe(machine):
        _say(text)
    rows = []
    for number, (operator, dtype, cell) in enumerate(cells, 1):
        rows.append(run_cell(field, operator, dtype, cell))
        _say(f"[{number}/{len(cells)}] {report.line(rows[-1])}")
    report.show(rows, names, machine)
    if options.markdown:
        options.markdown.write_text(report.markdown(rows, names, machine), encoding="utf-8")
    if options.json:
        settings = {key: str(value) if isinstance(value, Path) else value for key, value in vars(options).items()}
        options.json.write_text(json.dumps(report.document(rows, machine, settings), indent=1), encoding="utf-8")
    wrong = sum(row.verdict.wrong for row in rows if row.verdict)
    if wrong:
        _say(f"{wrong} answers of samesum are not the exact sum rounded once")
    return 1 if wrong else 0


def run_cell(field: Field, operator: str, dtype: str, cell: Cell) -> Row:
    """One operator on fresh data of one cell: answers compared first, then the times in turns."""
    seed = zlib.crc32(f"{field.seed} {operator} {dtype} {cell.name}".encode())
    x = draw(cell, DTYPES[dtype], field.distribution, seed)
    task = Task(operator, x, cell.axes, operator in SCANS, cell.is_small)
    ways, distances, own = _accept(field, task)
    readings, memory_bytes = _read(field, task, ways)
    verdict = verify(task, own, seed)
    _core.reset_counters()
    ways[SAMESUM].call()
    data = x.nbytes + (own.nbytes if task.is_scan else 0)
    touched = data + x.nbytes * (min(cell.step, max(1, 64 // x.itemsize)) - 1)
    traffic = Traffic(data, touched, memory_bytes)
    return make_row(operator, dtype, cell, traffic, readings, distances, verdict, _core.counters())


def _accept(field: Field, task: Task) -> tuple[dict[str, Way], dict[str, Distance | None], NDArray]:
    """The fastest way of each competitor that can do the task, the distance of its answer, and samesum's answer."""
    way, own = fastest(field.competitors[SAMESUM].ways(task))
    ways = {SAMESUM: way}
    distances: dict[str, Distance | None] = {SAMESUM: Distance(own.size, 0, 0.0)}
    for name, competitor in field.competitors.items():
        if name == SAMESUM:
            continue
        try:
            offered = competitor.ways(task)
            if not offered:
                continue
            ways[name], answer = fastest(offered)
        except Exception as error:
            _say_once(f"{name} has no {task.operator} of {task.x.dtype}: {str(error).splitlines()[0][:120]}")
            continue
        exact = reference(task, own, answer.dtype)
        distances[name] = None if exact is None else distance(answer, exact)
    return ways, distances, own


def _read(field: Field, task: Task, ways: dict[str, Way]) -> tuple[Readings, int]:
    memory_pass, memory_bytes = field.memory.pass_for(task.operator)
    is_cached = not task.is_small and task.x.nbytes < field.memory.size
    return take_turns(ways, None if task.is_small else memory_pass, is_cached, field.limits), memory_bytes


def _selection(options: argparse.Namespace) -> Iterator[tuple[str, str, Cell]]:
    """The cells asked for, arrays of one kind together."""
    grid = [cell for cell in GRID if (cell.name in options.shape if options.shape else cell.is_quick >= options.quick)]
    for cell in grid:
        for dtype in options.dtype or (QUICK_DTYPES if options.quick else DTYPES):
            for operator in options.op or (QUICK_OPERATORS if options.quick else OPERATORS):
                if cell.has(operator):
                    yield operator, dtype, cell.scaled(options.scale)


def _is_installed(name: str) -> bool:
    lacking = missing(name)
    if lacking:
        _say(f"{name} takes no part: {', '.join(lacking)} not installed")
    return not lacking


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="the operators, types and arrays that say most")
    for option, allowed in (("op", OPERATORS), ("dtype", tuple(DTYPES)), ("shape", tuple(cell.name for cell in GRID))):
        parser.add_argument(f"--{option}", type=_names(allowed), default=(), help=f"some of {','.join(allowed)}")
    parser.add_argument("--against", type=_names(tuple(PEERS)), default=tuple(PEERS), help="the peers, all by default")
    parser.add_argument("--distribution", choices=DISTRIBUTIONS, default="normal")
    parser.add_argument("--threads", type=_positive, default=_core.get_num_threads(), help="of every competitor")
    parser.add_argument("--repeats", type=_positive, default=7)
    parser.add_argument("--budget", type=float, default=4.0, help="seconds for each competitor in one cell")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=_positive, default=1, help="divides the sizes, for a try")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    return parser.parse_args(arguments)


def _names(allowed: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Reads names separated by commas, each one of those allowed."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(name for name in text.split(",") if name)
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name!r} is not known; allowed are {', '.join(allowed)}")
        return names

    return read


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@cache
def _say_once(text: str) -> None:
    _say(text)


if __name__ == "__main__":
    raise SystemExit(main())
