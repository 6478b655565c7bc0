"""A saved case: the layout of ONNX's test data, whole or not at all, and it reproduces what was saved."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from samesum.conformance import running
from samesum.conformance.case import Case, Outcome, Verdict, judged
from samesum.conformance.forms import Form
from samesum.conformance.running import DATA_SET, Finding, chosen_cases, save_case
from samesum.frontends.models.load import load


@cache
def titled() -> dict[str, Case]:
    """All cases by title; it takes seconds to make them."""
    return {case.title: case for case in chosen_cases()}


def _found(case: Case) -> list[Finding]:
    return [Finding(case, "mine", Form.MODEL, Verdict(Outcome.FAILED, "1 of 1 differ"))]


def _arrays(folder: Path, kind: str) -> list[np.ndarray]:
    paths = sorted((folder / DATA_SET).glob(f"{kind}_*.pb"))
    return [np.asarray(numpy_helper.to_array(onnx.load_tensor(path))) for path in paths]


@pytest.mark.parametrize(
    "title",
    [
        "onnx-node/test_reduce_sum_default_axes_keepdims_example",
        "onnx-node/test_reduce_sum_square_keepdims_random_expanded",
        "onnxruntime/reduction_ops_test/variation-000",
        "onnx-older/test_reduce_l1_do_not_keepdims_example_opset1",
        "edge/onnx-ReduceSum-13-bfloat16-allowed",
    ],
)
def test_a_saved_case_runs_from_its_files(title: str, tmp_path: Path) -> None:
    case = titled()[title]
    folder = save_case(tmp_path, case, _found(case))
    assert folder.parent == tmp_path / case.suite
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    model = onnx.load(folder / "model.onnx")
    onnx.checker.check_model(model)
    feeds = dict(zip((each.name for each in model.graph.input), _arrays(folder, "input"), strict=True))
    (saved,) = _arrays(folder, "output")
    answer = case.answer
    assert answer is not None
    assert (saved.dtype, saved.tolist()) == (answer.dtype, answer.tolist())
    for run in (_by_samesum, _by_the_reference):
        assert judged(case, lambda: run(folder / "model.onnx", feeds)).message == ""  # noqa: B023
    assert "mine (model): 1 of 1 differ" in (folder / "found.txt").read_text()


def _by_samesum(path: Path, feeds: dict[str, np.ndarray]) -> np.ndarray:
    (answer,) = load(path).run(feeds).values()
    return answer


def _by_the_reference(path: Path, feeds: dict[str, np.ndarray]) -> np.ndarray:
    return np.asarray(ReferenceEvaluator(str(path)).run(None, feeds)[0])


def test_a_case_of_openvino_is_saved_as_ir(tmp_path: Path) -> None:
    case = titled()["openvino-op-reference/ReduceSum-03-f32-kept"]
    folder = save_case(tmp_path, case, _found(case))
    (answer,) = load(folder / "model.xml").run(_arrays(folder, "input")).values()
    assert judged(case, lambda: answer).outcome is Outcome.PASSED
    assert answer.tolist() == _arrays(folder, "output")[0].tolist()


def test_a_refusal_has_no_output(tmp_path: Path) -> None:
    case = titled()["edge/onnx-ReduceSum-13-int8-refused"]
    folder = save_case(tmp_path, case, _found(case))
    assert len(_arrays(folder, "input")) == 2
    assert _arrays(folder, "output") == []
    assert "an error (DtypeError)" in (folder / "found.txt").read_text()


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    case = titled()["edge/onnx-ReduceSum-13-int8-refused"]
    folder = save_case(tmp_path, case, _found(case))
    (folder / "old").write_text("")
    assert save_case(tmp_path, case, _found(case)) == folder
    assert not (folder / "old").exists()


def test_nothing_is_left_of_a_case_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Any:
        raise OSError("no space left on device")

    monkeypatch.setattr(running, "tensor", full)
    case = titled()["edge/onnx-ReduceSum-13-int8-refused"]
    with pytest.raises(OSError, match="no space"):
        save_case(tmp_path, case, _found(case))
    assert list((tmp_path / "edge").iterdir()) == []


def test_every_case_has_a_folder_of_its_own() -> None:
    names = {(case.suite, running.folder_name(case)) for case in titled().values()}
    assert len(names) == len(titled())
    assert all("/" not in name and not name.startswith(".") for _, name in names)


def test_a_corrected_answer_is_saved_with_its_reason(tmp_path: Path) -> None:
    corrected = [case for case in titled().values() if case.correction]
    assert {case.suite for case in corrected} == {"openvino-op-reference", "onnxruntime-own", "onnx-node-others"}
    case = corrected[0]
    saved = (save_case(tmp_path, case, _found(case)) / "found.txt").read_text(encoding="utf-8")
    assert saved.splitlines()[1] == f"corrected: {case.correction}"
