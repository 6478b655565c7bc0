"""Cases put to engines, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from samesum.conformance.case import Case
from samesum.conformance.contestants import Contestant
from samesum.conformance.forms import Form
from samesum.conformance.suites.catalogue import SUITES, Suite
from samesum.conformance.verdict import Outcome, Verdict, judged


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
