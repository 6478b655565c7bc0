"""`samesum stats`: exact figures of the tensors in files."""

from __future__ import annotations

import argparse
import time
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from samesum.cli.arguments import above_zero, new_file, whole_numbers, words
from samesum.cli.arguments import joined as in_one_list
from samesum.cli.exits import Exit, UsageError
from samesum.cli.progress import transfer
from samesum.cli.show import print_json
from samesum.cli.stats_notes import note, throughput
from samesum.cli.stats_plot import check_plot, plot
from samesum.cli.stats_text import diff_document, document, print_differences, print_records
from samesum.errors import AttributeValueError
from samesum.files.contents import FORMATS
from samesum.files.tensor import Contents, Tensor
from samesum.stats.autocast import DATA_MAX
from samesum.stats.conditions import KINDS, Condition, condition, failures
from samesum.stats.differences import Difference, difference
from samesum.stats.measuring import check_axes, contents_of, measured
from samesum.stats.pattern import Pattern
from samesum.stats.record import Record, digest, joined
from samesum.stats.store import Origin, Stored, read_states, write_states

_SAVED_EVERY = 30.0
"""Seconds between two writings of the state file of a run that goes on."""

RANGES_FOR = ("onnxruntime", "autocast")

DESCRIPTION = f"""Prints for each tensor of FILE how many elements, NaN, infinities, zeros and subnormals it has, and
min, max, mean, L1, L2, RMS, sum and standard deviation: the exact values over all elements, rounded to float64 once;
sums of integers are exact. Files are read once, in constant memory. FILE is {FORMATS}."""


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "stats",
        help="exact figures of the tensors in files of any size",
        description=DESCRIPTION,
        allow_abbrev=False,
    )
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="a file or a Zarr folder")
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
    parser.add_argument("--diff", type=Path, nargs=2, metavar=("A", "B"), help="which tensors of two files differ")
    parser.add_argument("--model", type=Path, metavar="MODEL", help="an .onnx model, run in ONNX Runtime on --data")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with a .npz file for each sample")
    parser.add_argument("--ranges", type=new_file, metavar="FILE", help="write ranges of activations for quantization")
    parser.add_argument(
        "--ranges-for",
        choices=RANGES_FOR,
        help="who takes the file: onnxruntime (the default), or autocast of ModelOpt",
    )
    parser.add_argument(
        "--data-max",
        type=above_zero(float),
        metavar="X",
        help=f"of autocast: nodes with magnitudes above X stay in float32 ({DATA_MAX:g})",
    )
    parser.add_argument(
        "--percentile", type=float, metavar="P", help="ranges hold P percent of the elements instead of all"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def conditions(text: str) -> list[Condition]:
    """Conditions between commas."""
    try:
        return [condition(each) for each in words(text)]
    except AttributeValueError as error:
        raise ArgumentTypeError(str(error)) from None


def call(arguments: argparse.Namespace) -> Exit:
    """Prints what was asked for."""
    if arguments.model:
        from samesum.cli.stats_model import measure_model

        return measure_model(arguments)
    of_model = (arguments.data, arguments.ranges, arguments.ranges_for, arguments.data_max)
    if any(of_model) or arguments.percentile is not None:
        raise UsageError("--data, --ranges, --ranges-for, --data-max and --percentile go with --model")
    if arguments.diff:
        return _compare(arguments)
    merged = in_one_list(arguments.merge or [])
    if not arguments.files and not merged:
        raise UsageError("there is no FILE; needed are files, --merge STATES or --diff A B")
    if not arguments.files and (arguments.axis or arguments.per_channel is not None):
        raise UsageError("--axis and --per-channel go with a FILE; there is --merge alone")
    if arguments.plot:
        check_plot(arguments.plot)
    axis = None if arguments.axis is None else tuple(arguments.axis)
    if axis is not None and len(set(axis)) < len(axis):
        raise UsageError(f"--axis names an axis twice: {', '.join(map(str, axis))}; each may be named once")
    pattern = Pattern(axis, arguments.per_channel)
    records = [record for path in merged for record in _read(path)]
    if merged:
        records = joined(records)
    if arguments.files:
        keeper = _measure(arguments, pattern, records)
        records += keeper.records
    else:
        keeper = _Keeper(arguments.state, Stored(pattern, (), ()), records)
    try:
        keeper.save(is_complete=True)
    finally:  # what was found is shown even if the disk is full
        _show(arguments, records)
    found = list(failures(records, arguments.fail_on))
    for record, each, what in found:
        note(f"{record.name}: {each}: {what}")
    return Exit.THRESHOLD if found else Exit.FINE


def _read(path: Path) -> tuple[Record, ...]:
    stored = read_states(path)
    if not stored.is_complete:
        raise UsageError(f"{path} is of a run that was interrupted; run it again with --state {path} to its end")
    return stored.records


def _show(arguments: argparse.Namespace, records: Sequence[Record]) -> None:
    if arguments.plot:
        plot(arguments.plot, records)
    if arguments.json:
        print_json(document(records))
    elif arguments.digest:
        print(digest(records))
    else:
        print_records(records, draws=arguments.histogram)


def _measure(arguments: argparse.Namespace, pattern: Pattern, before: Sequence[Record]) -> _Keeper:
    """The records of the files; they and those of `before` are to go into the state file."""
    contents = contents_of(arguments.files)
    tensors = [tensor for each in contents.values() for tensor in each.tensors]
    _note_left_out(contents, pattern, tensors)
    has_histogram = arguments.histogram or bool(arguments.plot)
    with _kept(arguments.state, pattern, arguments.files, before) as keeper:
        count = 0
        waiting = [tensor for tensor in tensors if not keeper.has(tensor, has_histogram)]
        with transfer(sum(tensor.nbytes for tensor in waiting), "reading") as seen:
            started = time.perf_counter()
            for tensor in waiting:
                keeper.take(measured(tensor, pattern, has_histogram=has_histogram, seen=seen))
                count += tensor.nbytes
        note(throughput(len(tensors), count, time.perf_counter() - started))
    return keeper


def _note_left_out(contents: dict[Path, Contents], pattern: Pattern, tensors: Sequence[Tensor]) -> None:
    for each in contents.values():
        for skipped in each.skipped:
            note(f"{skipped.name} in {skipped.file} is left out: {skipped.reason}")
    _, lacking = check_axes(pattern, iter(tensors))
    if lacking:
        note(f"{lacking} of {len(tensors)} tensors lack an axis that was named; they are reduced whole")


class _Keeper:
    """The records so far, in a file now and then."""

    def __init__(self, path: Path | None, stored: Stored, before: Sequence[Record]) -> None:
        self.path, self.stored, self.before = path, stored, list(before)
        self.records = list(stored.records)
        self._names = {(each.file, each.name): each for each in self.records}
        self._saved = time.monotonic()

    def has(self, tensor: Tensor, has_histogram: bool) -> bool:
        found = self._names.get((tensor.file, tensor.name))
        return found is not None and (found.histogram is not None or not has_histogram)

    def take(self, record: Record) -> None:
        self.records = [each for each in self.records if (each.file, each.name) != (record.file, record.name)]
        self.records.append(record)
        if self.path is not None and time.monotonic() - self._saved > _SAVED_EVERY:
            self.save(is_complete=False)
            self._saved = time.monotonic()

    def save(self, is_complete: bool) -> None:
        if self.path is not None:
            records = joined([*self.before, *self.records]) if is_complete else self.records
            write_states(self.path, Stored(self.stored.pattern, self.stored.origins, tuple(records), is_complete))


@contextmanager
def _kept(path: Path | None, pattern: Pattern, files: Sequence[Path], before: Sequence[Record]) -> Iterator[_Keeper]:
    """After an interruption or an error, writes the states of the tensors that were done."""
    stored = Stored(pattern, tuple(map(_origin, files)), ())
    if path is not None and path.exists():
        found = read_states(path)
        if not found.is_complete and (found.pattern, found.origins) == (stored.pattern, stored.origins):
            note(f"{path} has {len(found.records)} tensors of an interrupted run; it goes on from there")
            stored = found
    keeper = _Keeper(path, stored, before)
    try:
        yield keeper
    except BaseException:
        if path is not None and keeper.records:
            keeper.save(is_complete=False)
            note(f"{path} has {len(keeper.records)} tensors; the same command again goes on from there")
        raise


def _origin(path: Path) -> Origin:
    found = path.stat()
    return Origin(str(path), found.st_size, found.st_mtime_ns)


def _compare(arguments: argparse.Namespace) -> Exit:
    """--diff: one line for each tensor that differs."""
    others = (arguments.files, arguments.merge, arguments.state, arguments.axis, arguments.plot, arguments.fail_on)
    if any(others) or arguments.per_channel is not None or arguments.histogram or arguments.digest:
        raise UsageError("--diff takes two files and no others, and goes with --json alone")
    a, b = ({each.name: each for each in contents_of([path])[path].tensors} for path in arguments.diff)
    common = [name for name in a if name in b]
    found: list[Difference] = []
    with transfer(sum(a[name].nbytes + b[name].nbytes for name in common), "comparing") as seen:
        for name in common:
            if each := difference(a[name], b[name], seen):
                found.append(each)
    only_a, only_b = sorted(a.keys() - b.keys()), sorted(b.keys() - a.keys())
    if arguments.json:
        print_json(diff_document(found, only_a, only_b))
    else:
        print_differences(found, only_a, only_b, len(common))
    return Exit.MISMATCH if found or only_a or only_b else Exit.FINE
