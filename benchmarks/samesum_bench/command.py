"""The command line: speed beside the others and beside this machine's memory, with the error of each answer."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from samesum.cli.arguments import above_zero, counts, from_zero, joined, new_file, steps, whole_numbers, words
from samesum.cli.main import Parser, run
from samesum.cli.show import Exit, InvalidFileError, UsageError, print_json, terminal_width
from samesum.engine.environment import get_num_threads
from samesum.files.opening import write_text
from samesum.runtimes.runtime import require
from samesum_bench.choice import ChoiceError, Wish, chosen_questions, known
from samesum_bench.competitors.catalogue import COMPETITORS, installed, versions
from samesum_bench.contest import Settings
from samesum_bench.machine import current_load, this_machine
from samesum_bench.plots import plot
from samesum_bench.report_tables import markdown, report_lines
from samesum_bench.reports import Report, document
from samesum_bench.results import OtherConditions, Results, ResultsError
from samesum_bench.running import Bench, lacking, measured

ROUNDS, PATIENCE = 7, 1.0
QUICK_ROUNDS, QUICK_PATIENCE = 5, 0.15
PICTURES = (".png", ".svg")

EPILOG = """grids:
  quick     reductions, scans and normalizations; float32 and float16; 64 MB
            flat, along both axes of a matrix, in rows of 8; two small arrays
  full      shapes, odd, views, sizes and layers: takes many hours
  shapes    2^26 elements flat, square, thin, as images; transposed; strided;
            eight types, and bool for all and any
  odd       prime lengths; rows and columns of 1 to 17, 31, 33 and 127 elements;
            small groups
  views     2^20 elements with permuted axes, in short runs, with gaps
  sizes     flat float32 arrays of 1 KB to 1 GB, with a warm and a cold cache
  layers    normalizations with weights, pools, scatters and segments, in shapes
            of networks and tables; the four types of floats
  rows      2^24 float32 numbers in rows of 1 to 2^24

--op, --dtype and --array choose from the grid. With --shape one array is
measured instead. Names and numbers in a list are separated by commas or spaces.

Competitors: numpy, torch, onnxruntime, openvino, numkong. By default all that
are installed take part; `--against none` measures samesum alone. All run in one
process of their own, in turns, on the same data. If one crashes or does not
answer, its figure is missing and the others go on.

Below the tables stands what their columns mean. How everything is measured:
https://github.com/samesum/samesum/tree/main/benchmarks.

exit status:
  0 fine   1 samesum failed in a row, or nothing was measured   2 wrong usage
  4 the file of --results is not one   6 memory or a package is missing
  130 interrupted; what was measured is printed"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv` (the process's own by default) and returns the exit status."""
    return run(build_parser, argv)


def build_parser() -> Parser:
    """All options."""
    parser = Parser(
        prog="samesum_bench",
        description="Measures samesum beside other libraries and beside the bandwidth of memory.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_choice(parser.add_argument_group("what is measured"))
    _add_conditions(parser.add_argument_group("how it is measured"))
    _add_output(parser.add_argument_group("what is written"))
    parser.set_defaults(call=call)
    return parser


MANY: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
WORDS, COUNTS = MANY | {"metavar": "NAME", "type": words}, MANY | {"metavar": "N", "type": counts}


def _add_choice(group: Any) -> None:
    add = group.add_argument
    add("--grid", metavar="NAME", help="the grid of arrays to measure (default quick)")
    add("--op", dest="operators", help="measure these operators only", **WORDS)
    add("--dtype", dest="dtypes", help="measure these element types", **WORDS)
    add("--array", dest="arrays", help="measure these arrays of the grid only", **WORDS)
    add("--shape", help="measure one array of this shape, such as 8192x8192", **COUNTS)
    axes = "reduce that array over these axes (default: all, or the last one if the operator works along one)"
    add("--axis", dest="axes", help=axes, **MANY | {"metavar": "N", "type": whole_numbers})
    add("--layout", metavar="NAME", help="lay that array out contiguous, transposed or strided")
    window = "let pools have windows of this length, stride and padding along both axes of images (default 2,2,0)"
    add("--window", help=window, **MANY | {"metavar": "N", "type": whole_numbers})
    parts = "let there be N groups of channels, or N labels of scatters and segments (default 32, 1000)"
    add("--parts", metavar="N", type=above_zero(int), help=parts)
    data = (
        "fill arrays with data of this kind: normal (the default), uniform, cancelling, wide, ties, spread, masked, "
        "special, zeros, large, subnormal or exponents"
    )
    add("--data", metavar="NAME", default="normal", help=data)
    add("--seed", metavar="N", type=int, default=0, help="draw other data of that kind (default 0)")
    shrink = "shrink every array N-fold, for a quick check"
    add("--scale", metavar="N", type=above_zero(int), default=1, help=shrink)


def _add_conditions(group: Any) -> None:
    add = group.add_argument
    add("--against", help="measure these competitors", **WORDS)
    add("--threads", help="let everybody use N threads; of several numbers one after the other", **COUNTS)
    rounds = "read every competitor N times (default 7; in the quick grid 5)"
    add("--rounds", metavar="N", type=above_zero(int), help=rounds)
    patience = "stop reading a competitor in a row after S seconds (default 1; in the quick grid 0.15)"
    add("--patience", metavar="S", type=above_zero(float), help=patience)
    add("--budget", metavar="S", type=from_zero(float), help="start no row after S seconds")
    silent = "end a competitor that is silent for S seconds (default 60)"
    add("--timeout", metavar="S", type=above_zero(float), default=60.0, help=silent)


def _add_output(group: Any) -> None:
    file: dict[str, Any] = {"metavar": "FILE", "type": new_file}
    group.add_argument("--results", help="keep every row in FILE, and measure only what FILE lacks", **file)
    group.add_argument("--markdown", help="write the tables to FILE as Markdown", **file)
    group.add_argument("--plot", help="draw the figures to FILE, a .png or .svg", **file | {"type": _picture})
    group.add_argument("--routes", action="store_true", help="say which ways of the core each row takes")
    group.add_argument("--json", action="store_true", help="print one JSON document")


def call(arguments: argparse.Namespace) -> Exit:
    """Measures what was chosen, prints and writes what came out."""

    report = _measured(arguments)
    written = []
    if arguments.markdown is not None:
        write_text(arguments.markdown, markdown(report))
        written.append(arguments.markdown)
    if arguments.plot is not None:
        written += plot(report, arguments.plot)
    if arguments.json:
        print_json(document(report))
    else:
        print(*report_lines(report, terminal_width(), has_routes=arguments.routes), sep="\n")
    if written:
        print(f"written: {', '.join(map(str, written))}", file=sys.stderr if arguments.json else sys.stdout)
    return _status(report)


def _status(report: Report) -> Exit:
    if report.was_interrupted:
        return Exit.INTERRUPTED
    if any(row.own is None for row in report.rows):
        return Exit.MISMATCH
    if report.lacked_memory:
        return Exit.LACKING
    return Exit.FINE if report.rows else Exit.MISMATCH


def _measured(arguments: argparse.Namespace) -> Report:
    """Checks everything before anything is measured, so that no run is lost."""

    if arguments.plot is not None:
        require("matplotlib", "--plot")
    wish = _wish(arguments)
    try:
        questions = chosen_questions(wish)
        conditions, settings = _conditions(arguments, wish, _competitors(arguments))
    except ChoiceError as error:
        raise UsageError(str(error)) from error
    results = _results(conditions, arguments.results)
    load, started = current_load(), time.monotonic()
    with steps(len(lacking(questions, results))) as step:
        left_out = measured(
            questions,
            Bench(settings, arguments.timeout),
            results,
            arguments.budget,
            lambda question: step(f"{question.operator} {question.dtype} {question.cell.text}"),
        )
    rows = [results[question] for question in questions if question in results]
    return Report(conditions, load, rows, left_out, time.monotonic() - started, time.strftime("%Y-%m-%d"))


def _conditions(arguments: argparse.Namespace, wish: Wish, names: list[str]) -> tuple[dict[str, Any], Settings]:
    """What results are kept with, and the same for the competitors' process."""

    rounds = arguments.rounds or (QUICK_ROUNDS if wish.is_quick else ROUNDS)
    patience = arguments.patience or (QUICK_PATIENCE if wish.is_quick else PATIENCE)
    taken = {"rounds": rounds, "patience": patience, "seed": arguments.seed}
    conditions = {"machine": asdict(this_machine()), "versions": versions(names), **taken}
    # Where arrays are made small for a try, so is what is read to empty the cache.
    buffer = None if arguments.scale == 1 else (1 << 28) // arguments.scale
    makers = {name: COMPETITORS[name].make for name in names}
    return conditions, Settings(makers, rounds, patience, arguments.seed, buffer)


def _wish(arguments: argparse.Namespace) -> Wish:

    return Wish(
        joined(arguments.threads) or [get_num_threads()],
        arguments.data,
        list(dict.fromkeys(joined(arguments.operators))),
        list(dict.fromkeys(joined(arguments.dtypes))),
        arguments.grid,
        joined(arguments.arrays),
        arguments.scale,
        tuple(joined(arguments.shape)),
        tuple(joined(arguments.axes)),
        arguments.layout,
        tuple(joined(arguments.window)),
        arguments.parts,
    )


def _competitors(arguments: argparse.Namespace) -> list[str]:

    names = list(dict.fromkeys(joined(arguments.against)))
    if names == ["none"]:
        return []
    known("competitor", names, COMPETITORS)
    for name in names:
        for package in COMPETITORS[name].needs:
            require(package, f"the competitor {name}")
    return names or installed()


def _results(conditions: dict[str, Any], path: Path | None) -> Results:

    try:
        return Results(conditions, path)
    except ResultsError as error:
        raise InvalidFileError(str(error)) from error
    except OtherConditions as error:
        raise UsageError(f"{error}; name another file") from error


def _picture(text: str) -> Path:
    """A file whose suffix says how to draw it."""
    path = new_file(text)
    if path.suffix not in PICTURES:
        raise argparse.ArgumentTypeError(f"{path}: allowed are names that end with {' or '.join(PICTURES)}")
    return path
