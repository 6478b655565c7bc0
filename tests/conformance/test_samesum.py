"""Every case of every suite, in every form that samesum has for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from itertools import groupby

import numpy as np
import pytest

from naming import case as case_of
from oracle import assert_bits
from samesum.conformance.case import Case, Outcome, judged
from samesum.conformance.forms import Form
from samesum.conformance.running import ALONE, Own, chosen_cases
from samesum.conformance.suites.catalogue import SUITES
from samesum.formats.arrays import NDArray
from samesum.frontends.models import model as models
from samesum.graph import holding
from samesum.graph.steps import Step, run_steps
from samesum.runtimes.runtime import is_installed

Group = tuple[str, str, str]
OF_SUITES = [(suite.name, standard) for suite in SUITES.values() for standard in suite.standards]


def _group(case: Case) -> Group:
    return case.suite, case.standard, case.operator


@cache
def groups(suite: str, standard: str) -> dict[Group, tuple[Case, ...]]:
    """The cases of a suite for each operator; it takes seconds to make them."""
    cases = chosen_cases([SUITES[suite]], standard)
    assert cases, f"{suite} has no cases of {standard}"
    return {key: tuple(some) for key, some in groupby(sorted(cases, key=_group), key=_group)}


HERE = Own(frozenset(Form) if is_installed("openvino") else ALONE)


SAVED_OTHERWISE = {"edge/openvino-SoftMax-1-float32-axis-omitted"}
"""OpenVINO reads a SoftMax without an axis as one along axis 0, and saves that; its specification says axis 1."""


def run_foreseen(steps: Iterable[Step], values: dict[str, NDArray]) -> None:
    """`run_steps`, where each result is what is known of it beforehand: inputs of known types are not checked again."""
    for step in steps:
        run_steps([replace(step, frees=())], values)
        for name, fact in zip(step.node.outputs, step.facts, strict=True):
            if name and not step.is_known:
                dtype, shape = values[name].dtype, values[name].shape
                assert fact.dtype in (None, dtype), f"{step.title}: {name} is {dtype}, foretold is {fact.dtype}"
                fits = fact.shape is None or len(fact.shape) == len(shape)
                assert fits, f"{step.title}: {name} has shape {shape}, foretold is {fact.shape}"
                assert all(n in (None, m) for n, m in zip(fact.shape or shape, shape, strict=True)), step.title
        for name in step.frees:
            del values[name]


@pytest.mark.parametrize(("suite", "standard"), OF_SUITES)
def test_every_case_passes(suite: str, standard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "run_steps", run_foreseen)
    monkeypatch.setattr(holding, "run_steps", run_foreseen)
    asked = [
        (group, form)
        for group, cases in groups(suite, standard).items()
        for form in Form
        if any(form in HERE.forms(case) for case in cases)
    ]
    assert asked
    for group, form in asked:
        with case_of(*group, form.value):
            check(groups(suite, standard)[group], form)


def check(cases: tuple[Case, ...], form: Form) -> None:
    engine = Own(frozenset({form}))
    left_out = SAVED_OTHERWISE if form is Form.SAVED else ()
    asked = [case for case in cases if engine.forms(case) and case.title not in left_out]
    verdicts = [(case, judged(case, partial(engine.answer, case, form))) for case in asked]
    wrong = [f"{case.title}: {verdict.message}\n{case}" for case, verdict in verdicts if verdict.outcome]
    assert not wrong, f"{len(wrong)} of {len(asked)}:\n" + "\n".join(wrong[:10])
    assert {verdict.outcome for _, verdict in verdicts} == {Outcome.PASSED}


@pytest.mark.parametrize("standard", SUITES["edge"].standards)
def test_nans_of_the_edges_are_the_canonical_one(standard: str) -> None:
    """The suite takes any NaN; here each bit counts."""
    engine = Own(frozenset({Form.CALL, Form.MODEL, Form.IR11}))
    for cases in groups("edge", standard).values():
        for case in cases:
            if isinstance(case.expected, np.ndarray) and case.tolerance.is_exact:
                answer = engine.answer(case, engine.forms(case)[0])
                assert_bits(answer, case.expected, f"{case}\ninputs = {case.inputs}"[:2000])
