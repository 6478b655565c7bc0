"""Every engine that is installed on a few cases, and each style of a backend."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest

from samesum.conformance.case import Case, Outcome, judged
from samesum.conformance.forms import Form
from samesum.conformance.running import ALONE, ByModels, Contestant, Own, chosen_cases, findings
from samesum.conformance.suites.catalogue import SUITES
from samesum.errors import MissingPackage
from samesum.runtimes.catalogue import OTHERS, Custom
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import BackendError, Runtime

NODE_TESTS = [case for case in SUITES["onnx-node"].cases() if case.operator == "ReduceSum" and case.is_one_call]


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is that of the backends."""
    monkeypatch.chdir(__file__.rpartition("/")[0])


@pytest.fixture
def backend(beside: None) -> Callable[[str], Custom]:  # noqa: ARG001
    """A backend of the module beside this one, as found from its folder."""
    return lambda name: Custom(f"backends:{name}")


def _outcomes(engine: Runtime, cases: list[Case]) -> list[Outcome]:
    return [finding.verdict.outcome for finding in findings(cases, [ByModels(engine)], lambda: None)]


@pytest.mark.parametrize("name", OTHERS)
def test_every_peer_passes_the_node_tests_of_the_sum(name: str) -> None:
    pytest.importorskip(name if name != "reference" else "onnx")
    engine = OTHERS[name]()
    assert engine.name == name
    assert engine.version[0].isdigit()
    cases = [case for case in NODE_TESTS if "empty_axes" not in case.name]
    assert len(cases) >= 8
    assert set(_outcomes(engine, cases)) == {Outcome.PASSED}


def test_samesum_is_asked_in_every_form() -> None:
    forms = {form for case in chosen_cases() for form in Own(ALONE).forms(case)}
    assert forms == set(Form) - {Form.SAVED}


def test_a_peer_reads_openvino_s_operators_or_is_not_asked() -> None:
    (case, *_) = SUITES["openvino-op-reference"].cases()
    assert ByModels(OTHERS["reference"]()).forms(case) == ()
    pytest.importorskip("openvino")
    engine = OTHERS["openvino"]()
    assert ByModels(engine).forms(case) == (Form.IR11,)
    assert _outcomes(engine, [case]) == [Outcome.PASSED]


@pytest.mark.parametrize("name", ["Right", "Prepared"])
def test_the_styles_of_a_backend(name: str, backend: Callable[[str], Custom]) -> None:
    assert set(_outcomes(backend(name), NODE_TESTS)) == {Outcome.PASSED}


def test_a_backend_may_say_which_models_are_for_it(backend: Callable[[str], Custom]) -> None:
    outcomes = dict(zip(NODE_TESTS, _outcomes(backend("Inherited"), NODE_TESTS), strict=True))
    assert set(outcomes.values()) == {Outcome.PASSED, Outcome.NOT_SUPPORTED}
    assert all(("random" in case.name) == (outcome is Outcome.PASSED) for case, outcome in outcomes.items())


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("Raises", Outcome.FAILED),
        ("Refuses", Outcome.REFUSED),
        ("Empty", Outcome.NOT_SUPPORTED),
        ("NotSupposed", Outcome.NOT_SUPPORTED),
    ],
)
def test_backends_that_raise(name: str, outcome: Outcome, backend: Callable[[str], Custom]) -> None:
    assert set(_outcomes(backend(name), NODE_TESTS)) == {outcome}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("backends", "given as module:Class, got 'backends'"),
        (":Class", "given as module:Class"),
        ("no_such_module:Class", "cannot import no_such_module: ModuleNotFoundError"),
        ("backends:NoSuchClass", "backends has no NoSuchClass; it has .*Float32"),
        ("backends:Nothing", "has neither run"),
        ("backends:Unmade", r"backends:Unmade\(\) cannot be made: TypeError"),
    ],
)
def test_what_is_no_backend(name: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(__file__.rpartition("/")[0])
    with pytest.raises(BackendError, match=says):
        Custom(name)


def _apart(name: str, seconds: float = 60.0) -> Remote:
    return Remote(partial(Custom, f"backends:{name}"), seconds)


@pytest.mark.usefixtures("beside")
def test_a_crash_fails_its_case_and_no_other() -> None:
    cases = [
        next(case for case in SUITES["edge"].cases() if case.name == "onnx-ReduceSum-13-float32-negative"),
        NODE_TESTS[0],
    ]
    contestant = ByModels(_apart("CrashesOnce"))
    try:
        verdicts = [judged(case, partial(contestant.answer, case, Form.MODEL)) for case in (*cases, *cases)]
    finally:
        contestant.close()
    assert cases[1].inputs[0] is not None
    assert cases[1].inputs[0].ndim == 3
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED, Outcome.FAILED] * 2
    assert verdicts[1].message == "the process of backends:CrashesOnce ended: exit status 3"


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize(("name", "says"), [("Crashes", "ended: SIGABRT"), ("Hangs", r"no answer within 0\.5 s")])
def test_a_signal_and_a_hang(name: str, says: str) -> None:
    contestant = ByModels(_apart(name, 0.5 if name == "Hangs" else 60.0))
    verdict = judged(NODE_TESTS[0], partial(contestant.answer, NODE_TESTS[0], Form.MODEL))
    contestant.close()
    assert verdict.outcome is Outcome.FAILED
    assert re.search(says, verdict.message), verdict.message


@pytest.mark.usefixtures("beside")
def test_what_cannot_be_made_apart_says_why() -> None:
    remote = _apart("Unmade")
    with pytest.raises(BackendError, match=r"backends:Unmade\(\) cannot be made: TypeError"):
        remote.start("backends:Unmade")
    remote.close()


def test_a_mistake_in_a_backend_is_shown_with_its_line(backend: Callable[[str], Custom]) -> None:
    contestant = ByModels(backend("Raises"))
    verdict = judged(NODE_TESTS[0], partial(contestant.answer, NODE_TESTS[0], Form.MODEL))
    assert re.fullmatch(r"ValueError: no idea what this is \(backends\.py, line \d+\)", verdict.message)


def test_a_backend_may_take_names(backend: Callable[[str], Custom]) -> None:
    assert set(_outcomes(backend("ByName"), NODE_TESTS)) == {Outcome.PASSED}


def test_a_backend_may_read_ir(backend: Callable[[str], Custom]) -> None:
    cases = [case for case in SUITES["openvino-op-reference"].cases() if case.operator == "ReduceSum"]
    contestant: Contestant = ByModels(backend("ReadsIr"))
    assert {contestant.forms(case) for case in cases} == {(Form.IR11,)}
    assert {contestant.forms(case) for case in NODE_TESTS} == {()}
    assert set(_outcomes(backend("ReadsIr"), cases)) == {Outcome.PASSED}
    assert len(cases) == 102


def test_formats_that_there_are_not(backend: Callable[[str], Custom]) -> None:
    with pytest.raises(BackendError, match=r"formats is \('tflite',\); allowed are names of \['onnx', 'ir'\]"):
        backend("ReadsOthers")


def test_a_package_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum.runtimes.runtime.find_spec", lambda _: None)
    with pytest.raises(MissingPackage, match=r'onnxruntime, which is not installed; pip install "samesum\[compare\]"'):
        OTHERS["onnxruntime"]()
    with pytest.raises(MissingPackage, match=r'pip install "samesum\[onnx\]"'):
        OTHERS["reference"]()
