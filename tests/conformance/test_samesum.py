"""Every case of every suite, in every form that samesum has for it."""

from __future__ import annotations

from functools import partial
from itertools import groupby

import numpy as np
import pytest

from oracle import assert_bits
from samesum.conformance.case import Case
from samesum.conformance.contestants import ALONE, Own
from samesum.conformance.forms import Form
from samesum.conformance.running import chosen_cases
from samesum.conformance.verdict import Outcome, judged
from samesum.runtimes.packages import is_installed

Group = tuple[str, str, str]


def _group(case: Case) -> Group:
    return case.suite, case.standard, case.operator


CASES = {key: tuple(cases) for key, cases in groupby(sorted(chosen_cases(), key=_group), key=_group)}
HERE = Own(frozenset(Form) if is_installed("openvino") else ALONE)
ASKED = [
    (group, form) for group, cases in CASES.items() for form in Form if any(form in HERE.forms(case) for case in cases)
]


SAVED_OTHERWISE = {"edge/openvino-SoftMax-1-float32-axis-omitted"}
"""OpenVINO reads a SoftMax without an axis as one along axis 0, and saves that; its specification says axis 1."""


@pytest.mark.parametrize(("group", "form"), ASKED, ids=["-".join((*group, form.value)) for group, form in ASKED])
def test_every_case_passes(group: Group, form: Form) -> None:
    engine = Own(frozenset({form}))
    left_out = SAVED_OTHERWISE if form is Form.SAVED else ()
    asked = [case for case in CASES[group] if engine.forms(case) and case.title not in left_out]
    verdicts = [(case, judged(case, partial(engine.answer, case, form))) for case in asked]
    wrong = [f"{case.title}: {verdict.message}\n{case}" for case, verdict in verdicts if verdict.outcome]
    assert not wrong, f"{len(wrong)} of {len(asked)}:\n" + "\n".join(wrong[:10])
    assert {verdict.outcome for _, verdict in verdicts} == {Outcome.PASSED}


@pytest.mark.parametrize("group", [group for group in CASES if group[0] == "edge"], ids="-".join)
def test_nans_of_the_edges_are_the_canonical_one(group: Group) -> None:
    """The suite takes any NaN; here each bit counts."""
    engine = Own(frozenset({Form.CALL, Form.MODEL, Form.IR11}))
    for case in CASES[group]:
        if isinstance(case.expected, np.ndarray) and case.tolerance.is_exact:
            assert_bits(
                engine.answer(case, engine.forms(case)[0]), case.expected, f"{case}\ninputs = {case.inputs}"[:2000]
            )
