"""`samesum conformance`: the standards' own suites, on samesum or on any backend."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli.exits import Exit
from samesum.cli.show import print_json

if TYPE_CHECKING:
    from samesum.cli.reporting import Report
    from samesum.conformance.case import Case
    from samesum.conformance.isolation import Contestant
    from samesum.conformance.running import Finding

EPILOG = """suites:
  onnx-node              237 node tests of the onnx package: as they are, spelt out in other operators, exported
  onnx-exported          5 more exported models
  onnx-older             the node tests in the opsets that had axes as an attribute
  openvino-op-reference  575 cases of OpenVINO's own reference tests
  onnxruntime            731 expectations of ONNX Runtime's own tests
  onnxruntime-own        12 that follow its own choices; expected is what samesum decides
  edge                   NaN, infinities, overflow, empty sets, rank 0, axes, types, long data: bit for bit

engines: samesum, onnxruntime, openvino, reference (that of the onnx package). All but samesum run in a process of
their own, so that a crash fails one case. Forms in which samesum gets a case: call, model, constants, ir10, ir11 and,
if asked for, saved, which needs OpenVINO. A case that passes in all of its forms has passed.

a backend of your own, in a file mine.py of the current folder, is tried by `--backend mine:Backend`:
  class Backend:
      def run(self, model, inputs):        # an onnx.ModelProto and a list of arrays in the order of its inputs
          ...                              # raise NotImplementedError for what you do not have
          return [output]
A class in the style of onnx.backend.base.Backend (run_model or prepare) will do as well.

exit status: 0 all answers are right, 1 some are not, 5 nothing is supported. What an engine says it does not support
is counted apart, and what those of --against give does not matter."""


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
    parser.add_argument("--against", metavar="NAME,...", default="", help="engines to show beside those tested")
    parser.add_argument("--suite", metavar="NAME", dest="suites", help="these suites only", **many)
    parser.add_argument("--op", metavar="NAME", dest="operators", help="these operators only", **many)
    parser.add_argument("--standard", choices=("onnx", "openvino"), help="the operators of one standard only")
    parser.add_argument("--form", metavar="NAME", dest="forms", help="put cases to samesum in these forms only", **many)
    parser.add_argument("--save", metavar="DIR", type=Path, help="write each failing case to DIR/SUITE/CASE")
    parser.add_argument("--timeout", metavar="S", type=float, default=60.0, help="seconds for one case (default 60)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Runs what was chosen, saves the cases that failed, prints the tables."""
    from samesum.cli.choosing import cases, contestants
    from samesum.cli.reporting import Report, document, markdown, print_report

    tested, beside = contestants(arguments)
    found = _run(cases(arguments), [*tested, *beside])
    report = Report([each.engine for each in tested], [each.engine for each in beside], found, {})
    if arguments.save is not None:
        report = replace(report, saved=_save(arguments.save, report.mismatches))
    if arguments.json:
        print_json(document(report))
    elif arguments.markdown:
        print(markdown(report))
    else:
        print_report(report)
    return _status(report)


def _run(cases: Sequence[Case], contestants: Sequence[Contestant]) -> list[Finding]:
    """All findings, with a bar on standard error while it takes."""
    from rich.console import Console
    from rich.progress import Progress

    from samesum.conformance.running import findings

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("conformance", total=len(cases) * len(contestants))
        try:
            return list(findings(cases, contestants, lambda: progress.advance(task)))
        finally:
            for contestant in contestants:
                contestant.close()


def _save(folder: Path, wrong: Sequence[Finding]) -> dict[str, str]:
    """Writes every case of `wrong` once, with all that was found of it; where they are, by title."""
    from samesum.conformance.saving import save_case

    by_case: dict[str, list[Finding]] = {}
    for finding in wrong:
        by_case.setdefault(finding.case.title, []).append(finding)
    return {title: str(save_case(folder, found[0].case, found)) for title, found in by_case.items()}


def _status(report: Report) -> Exit:
    from samesum.conformance.verdict import Outcome

    if report.mismatches:
        return Exit.MISMATCH
    names = {engine.name for engine in report.tested}
    outcomes = {finding.verdict.outcome for finding in report.found if finding.engine in names}
    return Exit.UNSUPPORTED if outcomes == {Outcome.NOT_SUPPORTED} else Exit.FINE
