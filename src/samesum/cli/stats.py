"""`samesum stats`: exact figures of the tensors in files."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from samesum.cli.arguments import check_new, new_file, some_words, whole_numbers
from samesum.cli.arguments import joined as in_one_list
from samesum.cli.show import Exit, UsageError, print_json, status_of
from samesum.cli.stats_against import compare, keep_or_verify
from samesum.cli.stats_reading import Run, run
from samesum.cli.stats_text import COLUMNS, check_plot, document, note, plot, print_records, print_undecoded
from samesum.errors import AttributeValueError
from samesum.files.contents import FORMATS
from samesum.stats.conditions import KINDS, Condition, condition, failures
from samesum.stats.pattern import Pattern
from samesum.stats.record import Record, digest
from samesum.stats.store import read_states

DESCRIPTION = f"""Prints for each tensor of FILE how many elements, NaN, infinities, zeros and subnormals it has, and
min, max, mean, L1, L2, RMS, sum and standard deviation: the exact values over all elements, rounded to float64 once;
sums of integers are exact. Files are read once, in constant memory. FILE is {FORMATS}."""


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "stats", help="exact figures of the tensors in files of any size", description=DESCRIPTION, allow_abbrev=False
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", type=Path, help="a file, or the folder of a checkpoint or a store"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--axis", type=whole_numbers, metavar="AXES", help="reduce these axes only, such as 0 or 1,2")
    which.add_argument("--per-channel", type=int, metavar="N", help="keep axis N, reduce all others")
    parser.add_argument("--histogram", action="store_true", help="count and draw a histogram of each tensor")
    parser.add_argument("--plot", type=new_file, metavar="IMAGE", help="draw the histograms to an image (matplotlib)")
    parser.add_argument("--state", type=new_file, metavar="STATES", help="keep the exact states in a file")
    parser.add_argument(
        "--merge", type=Path, nargs="+", action="append", metavar="STATES", help="take states of other runs too"
    )
    parser.add_argument("--digest", action="store_true", help="print the hash of names and exact states alone")
    parser.add_argument(
        "--fail-on", type=conditions, metavar="CONDITIONS", default=[], help=f"exit with 3 if a tensor has {KINDS}"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="PATTERN",
        help="take tensors whose name is like the pattern, such as 'model.layers.*.weight', and no others",
    )
    parser.add_argument(
        "--columns", type=columns, metavar="NAMES", help=f"columns of the table: some of {', '.join(COLUMNS)}"
    )
    parser.add_argument(
        "--sort", choices=COLUMNS, metavar="COLUMN", help="rows from the greatest on, texts from A to Z"
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--manifest",
        type=new_file,
        metavar="OUT",
        help="write names, types, shapes and digests of the tensors, which --verify takes",
    )
    kept.add_argument(
        "--verify", type=Path, metavar="MANIFEST", help="say what is not as it was; status 0 where everything is"
    )
    parser.add_argument("--diff", type=Path, nargs=2, metavar=("A", "B"), help="which tensors of two files differ")
    parser.add_argument("--model", type=Path, metavar="MODEL", help="an .onnx model, run in ONNX Runtime on --data")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with a .npz file for each sample")
    parser.add_argument("--ranges", type=new_file, metavar="FILE", help="write ranges of activations for quantization")
    parser.add_argument(
        "--percentile", type=float, metavar="P", help="ranges hold P percent of the elements instead of all"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def conditions(text: str) -> list[Condition]:
    """Conditions between commas."""
    try:
        return [condition(each) for each in some_words(text)]
    except AttributeValueError as error:
        raise ArgumentTypeError(str(error)) from None


def columns(text: str) -> list[str]:
    """Names of columns between commas."""
    found = some_words(text)
    for each in found:
        if each not in COLUMNS:
            raise ArgumentTypeError(f"{each!r} is no column; allowed are {', '.join(COLUMNS)}")
    return found


def call(arguments: argparse.Namespace) -> Exit:
    """Prints what was asked for."""
    merged = in_one_list(arguments.merge or [])
    read = [*arguments.files, arguments.verify, *(arguments.diff or []), arguments.model, *merged]
    check_new(read, manifest=arguments.manifest, plot=arguments.plot, ranges=arguments.ranges)
    check_new(arguments.files and read, state=arguments.state)
    if arguments.model:
        from samesum.cli.stats_model import measure_model

        return measure_model(arguments)
    if arguments.data or arguments.ranges or arguments.percentile is not None:
        raise UsageError("--data, --ranges and --percentile go with --model")
    if arguments.diff:
        return compare(arguments)
    if arguments.manifest or arguments.verify:
        return keep_or_verify(arguments)
    pattern = _checked(arguments, bool(merged))
    found = run(arguments, pattern, [record for path in merged for record in _read(path)])
    try:
        found.keeper.save(is_complete=not found.errors)
    finally:  # what was found is shown even if the disk is full
        _show(arguments, found)
    if found.errors and arguments.state:
        note(f"{arguments.state} is not complete; the same command again reads what is missing")
    return _status(arguments, found)


def _checked(arguments: argparse.Namespace, has_merged: bool) -> Pattern:
    """Which axes are reduced; UsageError for what does not go together."""
    if not arguments.files and not has_merged:
        raise UsageError("there is no FILE; needed are files, --merge STATES or --diff A B")
    if not arguments.files and (arguments.axis or arguments.per_channel is not None):
        raise UsageError("--axis and --per-channel go with a FILE; there is --merge alone")
    if (arguments.columns or arguments.sort) and (arguments.json or arguments.digest):
        raise UsageError("--columns and --sort are about the table; they do not go with --json and --digest")
    if arguments.plot:
        check_plot(arguments.plot)
    axis = None if arguments.axis is None else tuple(arguments.axis)
    if axis is not None and len(set(axis)) < len(axis):
        raise UsageError(f"--axis names an axis twice: {', '.join(map(str, axis))}; each may be named once")
    return Pattern(axis, arguments.per_channel)


def _read(path: Path) -> tuple[Record, ...]:
    stored = read_states(path)
    if not stored.is_complete:
        raise UsageError(f"{path} is of a run that was interrupted; run it again with --state {path} to its end")
    return stored.records


def _show(arguments: argparse.Namespace, found: Run) -> None:
    decoded = [record for record in found.records if record.states]
    others = [record for record in found.records if not record.states]
    if arguments.plot:
        plot(arguments.plot, decoded)
    if arguments.json:
        print_json(document(decoded, others, found.errors))
    elif arguments.digest:
        if not found.errors:
            print(digest(found.records))
        print_undecoded([each for each in others if arguments.fail_on or not each.is_covered])
    else:
        print_records(decoded, arguments.columns, arguments.sort, draws=arguments.histogram)
        print_undecoded(others)


def _status(arguments: argparse.Namespace, found: Run) -> Exit:
    """No check passes where nothing was checked."""
    failed = list(failures(found.records, arguments.fail_on))
    for record, each, what in failed:
        note(f"{record.name}: {each}: {what}")
    if found.errors:
        return status_of(found.errors[0])
    if failed:
        return Exit.THRESHOLD
    if arguments.digest and not all(each.is_covered for each in found.records):
        return Exit.UNSUPPORTED
    is_looked_at = [bool(each.states) or (arguments.digest and not arguments.fail_on) for each in found.records]
    if found.records and not any(is_looked_at):
        return Exit.UNSUPPORTED
    is_empty = not sum(each.count for each in found.records) if arguments.fail_on else not found.records
    if is_empty and (arguments.fail_on or arguments.digest):
        where = ", ".join(map(str, arguments.files)) or "the states"
        raise UsageError(f"there is no element in {where}: nothing was checked")
    return Exit.FINE
