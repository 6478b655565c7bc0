"""Who answers cases, any engine by models, samesum by call too; cases put to them, counted, and kept on disk."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from samesum import __version__, onnx, openvino
from samesum.conformance.case import Case, Outcome, Verdict, judged
from samesum.conformance.forms import Form, ir_model, model_forms, onnx_model, own_forms, question, tensor
from samesum.conformance.suites.catalogue import SUITES, Suite
from samesum.files.opening import replacing_folder, write_text
from samesum.formats.arrays import NDArray
from samesum.runtimes.catalogue import Samesum
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import Runtime, Settings, require
from samesum.specs.lookup import FAMILY

_MODULES = {"onnx": vars(onnx), "openvino": vars(openvino)}

# The operators of both standards as functions.
FUNCTIONS: dict[tuple[str, str], Callable[..., NDArray]] = {
    key: _MODULES[key[0]][key[1]] for key in {(spec.standard.name, spec.operator.name) for spec in FAMILY}
}

# The forms that need no other engine.
ALONE = frozenset(Form) - {Form.SAVED}


# No engine may compute a type in a shorter one.
AS_STORED = Settings(precision="accuracy")


class Contestant(Protocol):
    """Something that answers cases."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def version(self) -> str:
        """The release, empty if it has none."""

    def forms(self, case: Case) -> tuple[Form, ...]:
        """The forms in which the case can be put to it; none if it does not read the standard of the case."""

    def answer(self, case: Case, form: Form) -> NDArray:
        """What it gives; raises EngineError or SamesumError."""

    def close(self) -> None:
        """Ends what was started for it."""


@dataclass(frozen=True, slots=True)
class ByModels:
    """An engine, to which every case is put as one model."""

    runtime: Runtime

    @property
    def name(self) -> str:
        """The engine's."""
        return self.runtime.name

    @property
    def version(self) -> str:
        """The engine's."""
        return self.runtime.version

    def forms(self, case: Case) -> tuple[Form, ...]:
        """ONNX models, or IR that holds the axes."""
        return model_forms(case, self.runtime.formats)

    def answer(self, case: Case, form: Form) -> NDArray:
        """The output of the model, computed in the types that it names."""
        return question(case, form).put_to(self.runtime, AS_STORED)

    def close(self) -> None:
        """Ends the process of an engine that has one."""
        if isinstance(self.runtime, Remote):
            self.runtime.close()


@dataclass(frozen=True, slots=True)
class Own:
    """samesum, by call and as a model in each of the forms `wanted` that the standard of a case has."""

    wanted: Collection[Form] = ALONE
    name = Samesum.name
    version = __version__

    def __post_init__(self) -> None:
        if Form.SAVED in self.wanted:
            require("openvino", "the form saved")

    def forms(self, case: Case) -> tuple[Form, ...]:
        """A function where there is one, and the models."""
        called = (Form.CALL,) if case.is_one_call and (case.standard, case.operator) in FUNCTIONS else ()
        return tuple(form for form in (*called, *own_forms(case)) if form in self.wanted)

    def answer(self, case: Case, form: Form) -> NDArray:
        """What samesum gives in that form."""
        if form is not Form.CALL:
            return question(case, form).put_to(Samesum(), AS_STORED)
        inputs = [None if array is None else np.array(array) for array in case.inputs]
        return FUNCTIONS[case.standard, case.operator](*inputs, opset=case.opset, **case.attributes)

    def close(self) -> None:
        """There is nothing to end."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one engine made of one case in one form."""

    case: Case
    engine: str
    form: Form
    verdict: Verdict

    @property
    def is_mismatch(self) -> bool:
        """True for another answer or another error; what an engine says it does not have is none."""
        return self.verdict.outcome in (Outcome.REFUSED, Outcome.FAILED)


def chosen_cases(suites: Iterable[Suite] = tuple(SUITES.values()), standard: str | None = None) -> tuple[Case, ...]:
    """The cases of the suites, of one standard if it is given."""
    return tuple(
        case
        for suite in suites
        if standard is None or standard in suite.standards
        for case in suite.cases()
        if standard is None or case.standard == standard
    )


def findings(
    cases: Sequence[Case], contestants: Sequence[Contestant], advance: Callable[[], None], ulps: int = 0
) -> Iterator[Finding]:
    """Every engine on every case in each of its forms, `ulps` allowed; `advance` is called after each of them."""
    for case in cases:
        for contestant in contestants:
            for form in contestant.forms(case):
                verdict = judged(case, partial(contestant.answer, case, form), ulps)
                yield Finding(case, contestant.name, form, verdict)
            advance()


Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """Cases of one engine; a case counts as the worst of the forms that it was put in."""

    passed: int = 0
    not_supported: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def cases(self) -> int:
        """All of them."""
        return self.passed + self.not_supported + self.refused + self.failed

    def __str__(self) -> str:
        """`7/12, 3 unsupported, 2 failed`: what there is none of is left out."""
        rest = ((self.not_supported, "unsupported"), (self.refused, "refused"), (self.failed, "failed"))
        return ", ".join([f"{self.passed}/{self.cases}", *(f"{number} {word}" for number, word in rest if number)])


def by_operator(case: Case) -> Key:
    """The columns of the table by operator."""
    return case.operator, case.standard


def by_suite(case: Case) -> Key:
    """The column of the table by suite."""
    return (case.suite,)


def counts(found: Iterable[Finding], key: Callable[[Case], Key]) -> dict[Key, dict[str, Count]]:
    """By key and by engine, in the order in which they turn up."""
    worst: dict[tuple[Key, str], dict[str, Outcome]] = defaultdict(dict)
    for finding in found:
        cases = worst[key(finding.case), finding.engine]
        title = finding.case.title
        cases[title] = max(cases.get(title, Outcome.PASSED), finding.verdict.outcome)
    table: dict[Key, dict[str, Count]] = defaultdict(dict)
    for (row, engine), outcomes in worst.items():
        table[row][engine] = _count(list(outcomes.values()))
    return dict(table)


def _count(outcomes: Sequence[Outcome]) -> Count:
    return Count(*(outcomes.count(outcome) for outcome in Outcome))


def cells(table: Mapping[Key, Mapping[str, Count]], engines: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows as text, `-` where an engine does not read the standard; the last one is the sum."""
    rows = [(*row, *(str(table[row].get(engine, "-")) for engine in engines)) for row in table]
    if len(table) < 2:
        return rows
    blank = ("",) * (len(next(iter(table))) - 1)
    totals = (_sum(table[row][engine] for row in table if engine in table[row]) for engine in engines)
    return [*rows, ("all", *blank, *(str(total) if total.cases else "-" for total in totals))]


def _sum(parts: Iterable[Count]) -> Count:
    return Count(*map(sum, zip(*map(astuple, parts), strict=True)))


# A failing case on disk, in the layout of ONNX's own test data.


DATA_SET = "test_data_set_0"


def save_case(folder: Path, case: Case, found: Sequence[Finding]) -> Path:
    """Writes the case to `folder/suite/name` whole or not at all and returns that path.

    There are model.onnx (for OpenVINO's operators model.xml and model.bin), test_data_set_0/input_N.pb and
    output_0.pb as TensorProtos, and found.txt, which says what each engine gave and why the expected answer is not
    that of the source. Where an error is expected there
    is no output. What was there before is replaced. Raises OSError.
    """
    target = folder / case.suite / folder_name(case)
    with replacing_folder(target) as work:
        _write(work, case, found)
    return target


def export_cases(folder: Path, cases: Sequence[Case]) -> int:
    """Writes every case as `save_case` does and says of each in `folder/cases.json` what is due; how many there are.

    A case's `tolerance` is relative and absolute: `absolute + relative * |expected|`, both 0 for the same bits.
    """
    rows = [_row(folder, case, save_case(folder, case, ())) for case in cases]
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "cases.json", json.dumps({"cases": rows}, indent=1))
    return len(rows)


def _row(folder: Path, case: Case, path: Path) -> dict[str, Any]:
    return {
        "suite": case.suite,
        "name": case.name,
        "folder": path.relative_to(folder).as_posix(),
        "standard": case.standard,
        "operator": case.operator,
        "opset": case.opset,
        "due": "output" if case.answer is not None else "error",
        "tolerance": {"relative": case.tolerance.relative, "absolute": case.tolerance.absolute},
        "half_unit": case.tolerance.half_unit,
    }


def folder_name(case: Case) -> str:
    """The case's name without what file systems do not like."""
    return re.sub(r"[^\w.\[\]-]+", "_", case.name)


def _write(work: Path, case: Case, found: Sequence[Finding]) -> None:
    fed = _write_model(work, case)
    data = work / DATA_SET
    data.mkdir()
    for i, (name, array) in enumerate(fed):
        (data / f"input_{i}.pb").write_bytes(tensor(array, name).SerializeToString())
    answer = case.answer
    if answer is not None:
        (data / "output_0.pb").write_bytes(tensor(answer, "y").SerializeToString())
    lines = [f"{each.engine} ({each.form.value}): {each.verdict.message}" for each in found]
    (work / "found.txt").write_text("\n".join([_described(case), *lines, ""]), encoding="utf-8")


def _write_model(work: Path, case: Case) -> list[tuple[str, NDArray]]:
    """Writes the model and returns the inputs by name, in the model's order."""
    if case.standard == "onnx":
        model, feeds = onnx_model(case)
        (work / "model.onnx").write_bytes(model.SerializeToString())
        return list(feeds.items())
    ir = ir_model(case, 11, case.axes_positions)
    (work / "model.xml").write_bytes(ir.xml)
    (work / "model.bin").write_bytes(ir.weights)
    return list(ir.feeds.items())


def _described(case: Case) -> str:
    rule = case.tolerance
    near = "the same bits" if rule.is_exact else f"within {rule.relative:g} relative, {rule.absolute:g} absolute"
    due = near if case.answer is not None else f"an error ({getattr(case.expected, '__name__', '')})"
    said = f"{case.title}: {case.standard}.{case.operator}, opset {case.opset}, {dict(case.attributes)}; due: {due}"
    return f"{said}\ncorrected: {case.correction}" if case.correction else said
