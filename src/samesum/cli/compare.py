"""`samesum compare`: who is right, node by node."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli.arguments import check_new, from_zero, goes_with, new_file
from samesum.cli.models import named_sources, split_option
from samesum.cli.show import Exit, UsageError, print_json
from samesum.compare.graph import Input
from samesum.files.opening import write_text
from samesum.files.source import Source
from samesum.formats.arrays import NDArray

if TYPE_CHECKING:
    from samesum.compare.results import Comparison
    from samesum.formats.arrays import NDArray

# Sets of inputs of a model from files and folders: .npy, .npz, .pb, and test data as ONNX lays it out.


def _input_sets(options: Sequence[str], inputs: Sequence[Input]) -> list[dict[str, NDArray]]:
    """The sets of arrays by input name that all --input options give together.

    A folder whose folders hold .pb files is a set each; all else goes into every set.
    """
    names = [each.name for each in inputs]
    common: dict[str, NDArray] = {}
    sets: list[dict[str, NDArray]] = []
    for option in options:
        name, path = split_option(option, names)
        if name is None and path.is_dir() and (folders := sorted(filter(_holds_inputs, path.iterdir()))):
            sets += [_read(named_sources(None, folder, inputs)) for folder in folders]
        else:
            common |= _read(named_sources(name, path, inputs))
    return [each | common for each in sets] or [common]


def _holds_inputs(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob("input_*.pb"))


def _read(sources: Mapping[str, Source]) -> dict[str, NDArray]:
    return {name: source.read() for name, source in sources.items()}


EPILOG = """examples:
  samesum compare model.onnx              ONNX Runtime, OpenVINO; inputs made up
  samesum compare model.onnx --input x.npy --save wrong
                                          your data; a model and a script for
                                          each wrong node
  samesum compare model.xml --against openvino,mine:Engine
  samesum compare model.onnx --input test_data_set_0
                                          a folder of input_0.pb, input_1.pb
  samesum compare model.onnx --record server.record
                                          keep the values; the same on another
                                          machine, and then:
  samesum compare server.record laptop.record
                                          where the first other bits come from

The model runs on each engine, and every node that computes numbers with an
operator that samesum has (in branches too) is put beside the exact answer:
inside the model, on the values that the engine itself had there, and sums and
what is made of them, or what is wrong there, alone, as a model of one node.
Where outputs differ, the first node is named at which the engines part.

verdicts:
  right       the exact result, rounded once
  inexact     as near as a careful computation in that type comes
  wrong       further away, or another kind of value
  refused     no answer
  no opinion  samesum does not have the operator
Values have to become outputs to be seen, which can change what an engine
computes. A figure that rests on that says so and accuses nobody.

an engine of your own, in a file mine.py of the current folder, is
`--against mine:Engine`:
  class Engine:
      def run(self, model, feeds, wanted):  # an onnx.ModelProto, arrays by
          ...                               # input name, names of outputs
          return {name: array for name in wanted}

exit status:
  0  no engine is wrong at a node
  1  one is, or has an error above --max-ulp, or outputs differ by more than
     --max-difference, or by more than roundings come to and nothing that was
     judged explains it
  5  an engine does not run the model, or nothing of it was checked: no node is
     judged, and it runs alone or --max-ulp is given; or --max-difference is
     given and no output has another engine's beside it
of two records: 0 the same bits everywhere, 1 a value differs or is in one of
them only, or the inputs were others, 2 they have no value in common"""


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "compare",
        help="who is right: a model on several engines, node by node beside the exact answers",
        description="Runs MODEL on several engines and says at which nodes they differ, who is\nright, and why.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODEL", type=Path, help="an .onnx file, or the .xml of an OpenVINO IR")
    parser.add_argument("other", metavar="RECORD", type=Path, nargs="?", help="with a record as MODEL: another one")
    parser.add_argument(
        "--input",
        metavar="[NAME=]FILE",
        action="append",
        default=[],
        help=".npy, .npz, .pb, or a folder of .pb files or of such folders; may be repeated; made up without it",
    )
    parser.add_argument("--weights", metavar="FILE", type=Path, help="the weights of an IR, if not the .bin beside it")
    parser.add_argument("--against", metavar="NAME,...", help="engines (default: onnxruntime,openvino)")
    parser.add_argument("--seed", metavar="N", type=from_zero(int), help="for inputs that are made up (default 0)")
    parser.add_argument(
        "--max-ulp", metavar="N", type=from_zero(float), help="status 1 if an error is above N ulps, too"
    )
    parser.add_argument(
        "--max-difference",
        metavar="R",
        type=from_zero(float),
        help="status 1 if an output is further from the first engine's than R of its largest magnitude",
    )
    parser.add_argument(
        "--effect", action="store_true", help="what exact reductions do to ONNX Runtime's outputs, beside float64"
    )
    parser.add_argument("--save", metavar="DIR", type=Path, help="write a model and a script for each wrong node")
    parser.add_argument("--html", metavar="FILE", type=new_file, help="write one self-contained page with pictures")
    parser.add_argument("--record", metavar="FILE", type=new_file, help="keep every engine's values in FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Compares, writes what is asked for, prints the report."""
    from samesum.cli.compare_report import report
    from samesum.compare.page import page
    from samesum.runtimes.runtime import stdout_to_stderr

    _check(arguments)
    if arguments.other is not None:
        return _records(arguments)
    with stdout_to_stderr():
        found = _compared(arguments)
    if arguments.html is not None:
        write_text(arguments.html, page(found))
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(report(found))
    limit = arguments.max_difference
    is_far = limit is not None and any(each.max_rel > limit for each in found.outputs)
    if found.wrong or found.unexplained or is_far or _above(found, arguments.max_ulp):
        return Exit.MISMATCH
    is_open = found.unchecked or (limit is not None and not found.outputs)
    is_open = is_open or (arguments.max_ulp is not None and not found.has_figures)
    return Exit.UNSUPPORTED if is_open else Exit.FINE


def _records(arguments: argparse.Namespace) -> Exit:
    """Two records, which `--record` wrote, one beside the other; any other bit is a mismatch."""
    from samesum.cli.compare_report import document, text
    from samesum.compare.records import compare_records, read_record

    a, b = read_record(arguments.model), read_record(arguments.other)
    pairs = compare_records(a, b)
    if arguments.json:
        print_json(document(a, b, pairs))
    else:
        print(text(a, b, pairs))
    return Exit.FINE if all(pair.is_same for pair in pairs) else Exit.MISMATCH


def _check(arguments: argparse.Namespace) -> None:
    """What can be refused is refused before anything runs."""
    from samesum.cli.models import files_of
    from samesum.compare.records import is_record

    for path in (arguments.model, arguments.weights, arguments.other):
        if path is not None and not path.exists():
            raise UsageError(f"cannot read {path}: No such file or directory")
    if arguments.other is None and is_record(arguments.model):
        raise UsageError(f"{arguments.model} is a record; name a second record to put beside it")
    if arguments.other is not None:
        goes_with(arguments, "two records", "model", "other", "json")
    weights = arguments.weights or arguments.model.parent / f"{arguments.model.stem}.bin"
    read = [arguments.model, weights, arguments.other, *files_of(arguments.input)]
    check_new(read, html=arguments.html, record=arguments.record)
    if arguments.save is not None and arguments.save.exists() and not arguments.save.is_dir():
        raise UsageError(f"--save {arguments.save} is a file; a folder is needed, which need not exist yet")


def _compared(arguments: argparse.Namespace) -> Comparison:
    from samesum.cli.arguments import progress
    from samesum.compare.comparing import compare
    from samesum.compare.saving import Case, save

    kept: dict[tuple[str, str], float] = {}

    def keep(case: Case) -> None:
        """Of several sets of inputs the one of the report, on which the node is worst."""
        key = case.engine, case.node.name
        if arguments.save is not None and case.finding.worst > kept.get(key, -1.0):
            kept[key] = case.finding.worst
            save(arguments.save, case)

    with progress() as bar:
        task = bar.add_task("compare", total=None)
        return compare(
            arguments.model,
            _inputs(arguments),
            _engines(arguments.against),
            weights=arguments.weights,
            seed=arguments.seed or 0,
            isolated=True,
            effect=arguments.effect,
            record=arguments.record,
            advance=lambda said, done, count: bar.update(task, description=said, completed=done, total=count),
            save=keep,
        )


def _engines(against: str | None) -> Sequence[str]:
    from samesum.compare.comparing import ENGINES
    from samesum.errors import MissingPackage
    from samesum.runtimes.runtime import is_installed

    named = [name for name in (against or "").split(",") if name]
    found = named or [name for name in ENGINES if is_installed(name)]
    if not found:
        raise MissingPackage('onnxruntime and openvino are not installed; pip install "samesum[compare]"')
    return found


def _inputs(arguments: argparse.Namespace) -> Sequence[Mapping[str, NDArray]] | None:
    from samesum.compare.reading import read

    if not arguments.input:
        return None
    return _input_sets(arguments.input, read(arguments.model, arguments.weights).inputs)


def _above(found: Comparison, limit: float | None) -> bool:
    """The figure of the node counts: inside, or alone where it was not seen inside."""
    if limit is None:
        return False
    figures = [
        each.alone if each.inside is None else each.inside for node in found.nodes for each in node.engines.values()
    ]
    return any(figure is not None and figure.scaled > limit for figure in figures)
