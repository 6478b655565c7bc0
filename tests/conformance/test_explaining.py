"""Situations on which engines disagree: what samesum gives is right, and an engine that differs is marked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samesum.conformance.explaining import BY_NAME, SITUATIONS, Explained, case_of, explain, matrix, specs_of, usual
from samesum.conformance.forms import Form
from samesum.conformance.matrix import checked, counts, write
from samesum.conformance.running import Contestant, Own
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import DEFAULTS, EngineError, EngineModel, Feeds, Format, Session, Settings, Trouble
from samesum.specs.lookup import FAMILY

pytest.importorskip("onnx")
OWN = Own(frozenset({Form.CALL}))
RIGHT = {
    ("ReduceSum", "nan"): "nan",
    ("ReduceSum", "infinity"): "nan",
    ("ReduceSum", "empty"): "[0, 0]",
    ("ReduceSum", "overflow"): "3e+38",
    ("ReduceSum", "order"): "1",
    ("ReduceSum", "long"): "4096",
    ("ReduceSum", "ties"): "1.001",
    ("ReduceSum", "zeros"): "0",
    ("ReduceSum", "subnormal"): "2.5e-40",
    ("ReduceSum", "wrap"): "-2147483648",
    ("ReduceSum", "int64"): "9007199254740993",
    ("ReduceMean", "wrap"): "1073741824",
    ("ReduceMean", "truncation"): "-3",
    ("ReduceL2", "overflow"): "5e+30",
    ("ReduceL2", "truncation"): "5",
    ("ReduceL1", "order"): "100000008",
    ("ReduceProd", "overflow"): "1e+30",
    ("ReduceProd", "zeros"): "-0",
    ("ReduceMax", "zeros"): "0",
    ("ReduceMin", "zeros"): "-0",
    ("ReduceLogSumExp", "overflow"): "1000.6932",
    ("CumSum", "order"): "[1e+8, 1e+8, 1]",
    ("ArgMax", "nan"): "1",
    ("ArgMax", "equal"): "1",
    ("ArgMax", "empty"): "error",
    ("Hardmax", "equal"): "[0, 1, 0]",
    ("ReduceLogicalAnd", "bool"): "False",
}


@pytest.mark.parametrize(("operator", "situation"), RIGHT)
def test_samesum_gives_what_the_contract_says(operator: str, situation: str) -> None:
    found = list(explain(operator, [BY_NAME[situation]], [OWN]))
    assert found
    for each in found:
        text = each.answers[0].text
        expected = RIGHT[operator, situation]
        assert text == expected or np.float32(text) == np.float32(expected), each.spec.identifier


def test_every_operator_has_situations_in_each_of_its_standards() -> None:
    for standard, operator in {(spec.standard.name, spec.operator.name) for spec in FAMILY}:
        spec = usual(specs_of(operator)[standard])
        assert [each.name for each in SITUATIONS if case_of(spec, each) is not None], spec.identifier


def test_names_are_found_in_any_case_and_standard() -> None:
    assert set(specs_of("reducesum")) == {"onnx", "openvino"}
    assert set(specs_of("SOFTMAX")) == {"onnx", "openvino"}
    assert set(specs_of("ArgMax")) == {"onnx"}
    assert specs_of("Det") == {}


class Fixed:
    """An engine that always gives the same array, or the same trouble."""

    name, version, formats = "fixed", "1", frozenset({Format.ONNX})

    def __init__(self, answer: NDArray | EngineError) -> None:
        self._answer = answer

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> Session:  # noqa: ARG002
        return self  # type: ignore[return-value]

    def run(self, feeds: Feeds, wanted: list[str]) -> dict[str, NDArray]:  # noqa: ARG002
        if isinstance(self._answer, EngineError):
            raise self._answer
        return dict.fromkeys(wanted, self._answer)


def given(answer: NDArray | EngineError) -> Explained:
    (found,) = (
        each
        for each in explain("ReduceSum", [BY_NAME["subnormal"]], [OWN, Contestant(Fixed(answer))])
        if each.spec.standard.name == "onnx"
    )
    return found


@pytest.mark.parametrize(
    ("answer", "text", "differs"),
    [
        (np.array(2.5e-40, np.float32), "2.5e-40", False),
        (np.array(0, np.float32), "0", True),
        (np.array(2.5e-40, np.float64), "float64 2.5e-40", True),
        (np.array([2.5e-40], np.float32), "[2.5e-40]", True),
        (EngineError(Trouble.NOT_SUPPORTED, "no"), "not supported", True),
        (EngineError(Trouble.ENDED, "gone"), "crash", True),
        (EngineError(Trouble.REFUSED, "will not"), "error", True),
    ],
)
def test_an_engine_that_differs_is_marked(answer: NDArray | EngineError, text: str, differs: bool) -> None:
    own, other = given(answer).answers
    assert (own.engine, own.text, own.differs) == ("samesum", "2.5e-40", False)
    assert (other.engine, other.text, other.differs) == ("fixed", text, differs)


def test_every_nan_is_the_same() -> None:
    nan = np.array(0xFFFFFFFF, np.uint32).view(np.float32)
    situation = [BY_NAME["nan"]]
    found = next(iter(explain("ReduceSum", situation, [OWN, Contestant(Fixed(nan))])))
    assert [one.differs for one in found.answers] == [False, False]


def test_the_matrix_has_every_operator() -> None:
    found = list(matrix([OWN]))
    assert {each.spec.operator.name for each in found} == {spec.operator.name for spec in FAMILY}
    assert not any(one.differs for each in found for one in each.answers)


def test_the_matrix_is_written_in_each_format(tmp_path: Path) -> None:
    found = [given(np.array(0, np.float32)), given(np.array(2.5e-40, np.float32))]
    versions = {"samesum": "0", "fixed": "1"}
    assert counts(found, "samesum") == (2, 2)
    assert counts(found, "fixed") == (1, 2)
    write(found, versions, checked(tmp_path / "m.md"))
    lines = (tmp_path / "m.md").read_text().splitlines()
    assert lines[:4] == [
        "| case | data |",
        "| --- | --- |",
        "| `subnormal` | numbers below the smallest normal one |",
        "",
    ]
    assert lines[4] == "| operator | case | data | samesum 0 | fixed 1 |"
    assert lines[6] == "| all cases |  |  | 2/2 | 1/2 |"
    assert lines[7] == "| onnx.ReduceSum-13 | subnormal | float32 [1e-40, 2e-40, -5e-41] | 2.5e-40 | **0** |"
    assert len(lines) == 8
    image = pytest.importorskip("matplotlib.image")
    write(found, versions, checked(tmp_path / "m.png"))
    picture = image.imread(tmp_path / "m.png")
    assert picture[0, 0, 3] == 0, "the background is transparent"
    assert picture[..., 3].max() == 1


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AttributeValueError, match=r"allowed are files that end in \.md, \.png, \.svg"):
        checked(tmp_path / "m.txt")
