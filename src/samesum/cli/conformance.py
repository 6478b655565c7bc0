"""`samesum conformance`: the standards' own suites, on samesum or on any backend."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli.arguments import new_file
from samesum.cli.show import Exit, UsageError, print_json
from samesum.errors import MissingPackage

if TYPE_CHECKING:
    from samesum.cli.conformance_run import Report
    from samesum.conformance.case import Case
    from samesum.conformance.running import Contestant, Finding

EPILOG = """suites:
  onnx-node              237 node tests of the onnx package: as they are, spelt
                         out in other operators, exported
  onnx-node-others       1476 more of the other operators that samesum has
  onnx-exported          5 more exported models
  onnx-older             the node tests in the opsets that had axes as an
                         attribute
  openvino-op-reference  573 cases of OpenVINO's own reference tests
  onnxruntime            731 expectations of ONNX Runtime's own tests
  onnxruntime-own        12 that follow its own choices; expected is what
                         samesum decides
  edge                   NaN, infinities, overflow, empty sets, rank 0, axes,
                         types, long data: bit for bit

engines: samesum, onnxruntime, openvino, reference (that of the onnx package).
All but samesum run in a process of their own, so that a crash fails one case.
Forms in which samesum gets a case: call, model, constants, ir10, ir11 and, if
asked for, saved, which needs OpenVINO. A case that passes in all of its forms
has passed.

a backend of your own, in a file mine.py of the current folder, is tried by
`--backend mine:Backend`:
  class Backend:
      def run(self, model, inputs):  # an onnx.ModelProto; its inputs in order
          ...                        # NotImplementedError: not supported
          return [output]
A class in the style of onnx.backend.base.Backend (run_model or prepare) will do
as well, and so will run(model, feeds, wanted) -> {name: array}. With
`formats = ("onnx", "ir")` in the class, or ("ir",), it gets OpenVINO's cases
too: `model` is then a pair, the bytes of the .xml and of the .bin.

an execution provider of ONNX Runtime that comes as a plugin is tried by
`--ep-library libmine.so --ep-name mine`. The library is registered under that
name, in a process of its own; what the provider does not take counts as not
supported, since ONNX Runtime's own kernels are switched off.

what an answer counts as:
  passed         the answer is the expected one
  not supported  NotImplementedError, or an engine's own words for it
  refused        another error that the engine raises on purpose, where there is
                 an answer
  failed         another answer, one where an error is due, a mistake in the
                 backend's own code such as a ValueError or a KeyError, a crash,
                 no answer in time

exit status: 0 all answers are right, 1 some are not, or no case was put to one
of the engines, 5 one of them supports nothing of what it was asked. What an
engine says it does not support is counted apart, also where an error is due;
what those of --against give does not matter. `--engine all` means the engines
that read some of the cases."""


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "conformance",
        help="the standards' own suites, on samesum or on any backend",
        description="Runs the suites of both standards and prints how many cases each engine passes.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--engine", metavar="NAME", dest="engines", help="engines to test, or all", **many)
    parser.add_argument("--backend", metavar="MODULE:CLASS", dest="backends", help="backends of your own", **many)
    parser.add_argument(
        "--ep-library", metavar="FILE", type=Path, help="a plugin of ONNX Runtime: the library of an execution provider"
    )
    parser.add_argument("--ep-name", metavar="NAME", help="the execution provider of --ep-library")
    parser.add_argument("--against", metavar="NAME,...", default="", help="engines to show beside those tested")
    parser.add_argument("--suite", metavar="NAME", dest="suites", help="these suites only", **many)
    parser.add_argument("--op", metavar="NAME", dest="operators", help="these operators only", **many)
    parser.add_argument("--standard", choices=("onnx", "openvino"), help="the operators of one standard only")
    parser.add_argument("--form", metavar="NAME", dest="forms", help="put cases to samesum in these forms only", **many)
    parser.add_argument("--save", metavar="DIR", type=Path, help="write each failing case to DIR/SUITE/CASE")
    parser.add_argument(
        "--export", metavar="DIR", type=Path, help="write all chosen cases to DIR and DIR/cases.json, run none"
    )
    parser.add_argument(
        "--ulp",
        metavar="N",
        type=int,
        default=0,
        help="let an answer pass that is at most N steps of its type away: separates meaning from rounding",
    )
    matrix = (
        "instead of the suites: every operator on every installed engine in small difficult cases; .md, .png or .svg"
    )
    parser.add_argument("--matrix", metavar="FILE", type=new_file, help=matrix)
    parser.add_argument("--timeout", metavar="S", type=float, default=60.0, help="seconds for one case (default 60)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Runs what was chosen, saves the cases that failed, prints the tables."""
    from samesum.cli.conformance_run import document, markdown, print_report
    from samesum.runtimes.runtime import stdout_to_stderr

    _check(arguments)
    if arguments.matrix is not None:
        return _matrix(arguments.matrix)
    if arguments.export is not None:
        return _export(arguments)
    with stdout_to_stderr():
        report = _reported(arguments)
    if arguments.json:
        print_json(document(report))
    elif arguments.markdown:
        print(markdown(report))
    else:
        print_report(report)
    if report.idle:
        print(f"samesum: no case was put to {', '.join(report.idle)}: {_WHY_IDLE}", file=sys.stderr)
    return _status(report)


_WHY_IDLE = "it does not read the standard, or samesum has none of the forms, of the cases that were chosen"


def _check(arguments: argparse.Namespace) -> None:
    """What can be refused is refused before anything runs."""
    if arguments.ulp < 0:
        raise UsageError(f"--ulp is {arguments.ulp}; allowed are integers from 0 on")
    for option, folder in (("--save", arguments.save), ("--export", arguments.export)):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise UsageError(f"{option} {folder} is a file; a folder is needed, which need not exist yet")


def _reported(arguments: argparse.Namespace) -> Report:
    from samesum.cli.conformance_run import Report, cases, contestants

    chosen = cases(arguments)
    tested, beside = contestants(arguments)
    everyone = [*tested, *beside]
    try:
        if "all" in arguments.engines:
            tested = [each for each in tested if any(map(each.forms, chosen))]
        report = Report(tested, beside, _run(chosen, everyone, arguments.ulp), {})
    finally:
        for contestant in everyone:
            contestant.close()
    return report if arguments.save is None else replace(report, saved=_save(arguments.save, report.mismatches))


def _export(arguments: argparse.Namespace) -> Exit:
    from samesum.cli.conformance_run import cases
    from samesum.conformance.running import export_cases

    count = export_cases(arguments.export, cases(arguments))
    print(f"exported: {count} cases to {arguments.export}; cases.json lists them")
    return Exit.FINE


def _matrix(path: Path) -> Exit:
    """Writes the file and prints one line on what it holds."""
    from samesum.conformance import matrix
    from samesum.conformance.explaining import contestants
    from samesum.conformance.explaining import matrix as explained

    matrix.checked(path)
    engines = contestants()
    try:
        if len(engines) == 1:
            raise MissingPackage('there is no engine to put beside samesum; pip install "samesum[compare]"')
        found = list(explained(engines))
        versions = {each.name: each.version for each in engines}
    finally:
        for engine in engines:
            engine.close()
    matrix.write(found, versions, path)
    agreed = ", ".join(f"{name} {'{} of {}'.format(*matrix.counts(found, name))}" for name in versions)
    print(f"wrote {path}: {len(found)} cases; the same answer as samesum: {agreed}")
    return Exit.FINE


def _run(cases: Sequence[Case], contestants: Sequence[Contestant], ulps: int) -> list[Finding]:
    """All findings, with a bar on standard error while it takes."""
    from samesum.cli.arguments import progress
    from samesum.conformance.running import findings

    with progress() as bar:
        task = bar.add_task("conformance", total=len(cases) * len(contestants))
        return list(findings(cases, contestants, lambda: bar.advance(task), ulps))


def _save(folder: Path, wrong: Sequence[Finding]) -> dict[str, str]:
    """Writes every case of `wrong` once, with all that was found of it; where they are, by title."""
    from samesum.conformance.running import save_case

    by_case: dict[str, list[Finding]] = {}
    for finding in wrong:
        by_case.setdefault(finding.case.title, []).append(finding)
    return {title: str(save_case(folder, found[0].case, found)) for title, found in by_case.items()}


def _status(report: Report) -> Exit:
    from samesum.conformance.case import Outcome

    if report.mismatches or report.idle:
        return Exit.MISMATCH
    able = {finding.engine for finding in report.found if finding.verdict.outcome is not Outcome.NOT_SUPPORTED}
    return Exit.FINE if able >= {engine.name for engine in report.tested} else Exit.UNSUPPORTED
