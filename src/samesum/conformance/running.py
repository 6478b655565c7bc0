"""Who answers cases, any engine by models, samesum also by call; cases put to them, and how many passed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from samesum import __version__, onnx, openvino
from samesum.conformance.case import Case
from samesum.conformance.forms import Form, model_forms, own_forms, question
from samesum.conformance.suites.catalogue import SUITES, Suite
from samesum.conformance.verdict import Outcome, Verdict, judged
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
    listed = list(parts)
    return Count(
        sum(part.passed for part in listed),
        sum(part.not_supported for part in listed),
        sum(part.refused for part in listed),
        sum(part.failed for part in listed),
    )
