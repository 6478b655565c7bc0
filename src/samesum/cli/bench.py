"""`samesum bench`: speed beside the others and beside this machine's memory, with the error of each answer."""

from __future__ import annotations

import argparse
import math
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli.exits import Exit
from samesum.cli.show import print_json

if TYPE_CHECKING:
    from samesum.bench.cells import Question
    from samesum.cli.bench_choice import Choice

EPILOG = """grids:
  quick     every operator; float32, float16; 64 MB flat, along both axes of a matrix, rows of 8; two small arrays
  full      shapes, odd, views and sizes: many hours
  shapes    2^26 elements flat, square, thin, as images; transposed; strided; eight types, bool for all and any
  odd       primes; rows and columns of 1 to 17, 31, 33 and 127 elements; small groups
  views     2^20 elements in other orders of their axes, in short runs, with gaps
  sizes     flat float32 arrays of 1 KB to 1 GB, warm and cold
  rows      2^24 float32 numbers in rows of 1 to 2^24
--op and --dtype choose from the grid; with --shape the one array takes its place.

Names and numbers in a list are separated by commas or spaces. Peers: numpy, torch, onnxruntime, openvino, numkong; all
that are installed by default, `--against none` for none at all. All competitors run in one process of their own, in
turns, on the same fresh data; if one crashes or hangs, its place stays empty and the others go on.

a figure: GB/s of the data (and of results of the same shape), microseconds a call up to 1 MB; behind it the largest
error in steps of the output's format against the exact result, of log_sum, logsumexp, softmax and log_softmax against
samesum's, within 0.51 or 0.6. limit: bandwidth of reading, for results of the same shape of copying, in the same
rounds. to best: above 1 samesum is faster than the fastest of the others.

exit status: 0 fine, 1 samesum failed in a cell, 2 wrong usage, 4 the file of --results is not one, 130 interrupted
(what was measured is printed)."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that was not measured, and why."""

    question: Question
    reason: str


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "bench",
        help="speed against the others and against this machine's memory",
        description="Measures samesum beside other libraries and beside the bandwidth of memory.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--grid", metavar="NAME", help="which cells; quick by default")
    parser.add_argument("--op", metavar="NAME", dest="operators", help="these operators only", **many)
    parser.add_argument("--dtype", metavar="NAME", dest="dtypes", help="with these types", **many)
    parser.add_argument("--shape", metavar="N", help="one array of this shape, such as 8192x8192", **many)
    parser.add_argument(
        "--axis", metavar="N", dest="axes", help="its axes; all, or the last if only one can be", **many
    )
    parser.add_argument("--layout", metavar="NAME", help="its layout: contiguous, transposed or strided")
    parser.add_argument("--cell", metavar="NAME", dest="cells", help="these cells of the grid only", **many)
    parser.add_argument("--against", metavar="NAME", help="the peers", **many)
    parser.add_argument("--threads", metavar="N", help="threads of everybody; several: one after the other", **many)
    parser.add_argument(
        "--data",
        metavar="NAME",
        default="normal",
        help="normal, uniform, cancelling, wide, ties, spread, masked, special, zeros, large, subnormal or exponents",
    )
    parser.add_argument("--rounds", metavar="N", type=int, help="readings of each competitor (default 7, quick: 5)")
    parser.add_argument("--patience", metavar="S", type=float, help="seconds of readings, then none (1, quick: 0.15)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="for other data (default 0)")
    parser.add_argument("--scale", metavar="N", type=int, default=1, help="arrays N times smaller, for a try")
    parser.add_argument("--budget", metavar="S", type=float, help="begin no cell after so many seconds")
    parser.add_argument("--timeout", metavar="S", type=float, default=60.0, help="silence allowed a peer (default 60)")
    parser.add_argument("--results", metavar="FILE", type=Path, help="keep each row there; measure what it lacks only")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the tables there as Markdown")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw a picture for each operator, .png or .svg")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Measures what was chosen, prints and writes what came out."""
    from samesum.bench.plot import plot
    from samesum.cli.bench_choice import choose
    from samesum.cli.bench_report import Report, document, markdown, print_report

    choice = choose(arguments)
    started = time.monotonic()
    left_out, is_whole = _run(choice, arguments.budget)
    rows = [choice.results[question] for question in choice.questions if question in choice.results]
    report = Report(choice.conditions, rows, left_out, time.monotonic() - started)
    if arguments.markdown is not None:
        arguments.markdown.write_text(markdown(report), encoding="utf-8")
    if arguments.plot is not None:
        plot(rows, arguments.plot)
    if arguments.json:
        print_json(document(report))
    else:
        print_report(report)
    if not is_whole:
        return Exit.INTERRUPTED
    return Exit.MISMATCH if any(row.own is None for row in rows) else Exit.FINE


def _run(choice: Choice, budget: float | None) -> tuple[list[LeftOut], bool]:
    """Fills the results; what is missing there, and whether nobody interrupted it.

    With a budget the cells come in an order that spreads over the grid.
    """
    end = math.inf if budget is None else time.monotonic() + budget
    lacking = [question for question in choice.questions if question not in choice.results]
    if budget is not None:
        lacking.sort(key=lambda question: zlib.crc32(question.title.encode()))
    reasons = dict.fromkeys(lacking, "interrupted")
    is_whole = True
    try:
        with _bar(len(lacking)) as advance:
            for question in lacking:
                advance(question)
                reasons[question] = _reason(question, choice, end)
                if not reasons[question]:
                    choice.results.add(choice.bench.row(question))
    except KeyboardInterrupt:
        is_whole = False
    finally:
        choice.bench.close()
    missed = [question for question in choice.questions if question not in choice.results]
    return [LeftOut(question, reasons[question] or "interrupted") for question in missed], is_whole


def _reason(question: Question, choice: Choice, end: float) -> str:
    """Why the question is left out; empty if it is not."""
    from samesum.bench.room import available, needed

    if time.monotonic() >= end:
        return "the --budget is spent"
    room, need = available(), needed(question, 1 + len(choice.bench.settings.peers))
    if room is not None and need > room:
        return f"memory: {need / 1e9:.1f} GB are needed and {room / 1e9:.1f} free"
    return ""


@contextmanager
def _bar(total: int) -> Iterator[Callable[[Question], None]]:
    """A bar on standard error, if that is a terminal; gives what is told of each question before it is put."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=total, completed=-1)

        def advance(question: Question) -> None:
            progress.update(bar, description=f"{question.operator} {question.dtype} {question.cell.name}", advance=1)

        yield advance
