"""Answers that current releases give and that are wrong: found, with the engine that is right and the rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from disagreements import KNOWN, Disagreement
from models import INT64, model, one
from onnx import ModelProto, helper

from samesum.compare import Verdict, compare
from samesum.runtimes.catalogue import maker
from samesum.runtimes.runtime import EngineModel, Format, Settings, run


def model_of(known: Disagreement) -> ModelProto:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(known.dtype))
    if known.operator == "CumSum":
        node = helper.make_node("CumSum", ["x", "axis"], ["y"], name="node")
        shape = list(known.x.shape)
        return model([node], {"x": (kind, shape)}, {"y": (kind, None)}, {"axis": np.int64(0)}, known.opset)
    said = dict(known.said)
    if known.operator.startswith("Reduce") and known.axes is not None:
        said["keepdims"] = 0
    return one(known.operator, known.x.shape, kind, known.opset, known.axes, **said)


class Replays:
    """An engine that gives the recorded answer."""

    def __init__(self, known: Disagreement) -> None:
        self.known = known

    def run(self, _model: Any, _feeds: dict[str, np.ndarray], wanted: list[str]) -> dict[str, np.ndarray]:
        return dict.fromkeys(wanted, self.recorded)

    @property
    def recorded(self) -> np.ndarray:
        known = self.known
        dtype = "int64" if known.operator.startswith("Arg") or "gives int64" in known.reason else known.dtype
        return np.asarray(known.answer).astype(dtype).reshape(_shape(known))


def _shape(known: Disagreement) -> tuple[int, ...]:
    if known.operator.startswith("Arg"):
        return (1,)
    keeps = not known.operator.startswith("Reduce") or known.axes is None
    return known.x.shape if keeps else ()


def test_integers_that_wrap_in_int32_are_told_from_those_that_are_cut() -> None:
    class Engine:
        def run(self, _model: Any, feeds: dict[str, np.ndarray], wanted: list[str]) -> dict[str, np.ndarray]:
            return dict.fromkeys(wanted, feeds["x"].astype(np.int32).sum(1, np.int32).astype(np.int64))

    for data, reason in (([2**31 - 1] * 2, "narrowed to int32 and wrapped"), ([2**40, 1], "narrowed to int32")):
        proto = one("ReduceSum", (1, 2), INT64, axes=[1], keepdims=0)
        (node,) = compare(proto, {"x": np.array([data])}, [Engine]).nodes
        assert node.engines["Engine"].reason == reason


ODD = np.float32([[np.nan, 1, 2], [1, np.nan, 2], [1, 2, np.nan], [3, 2, 1], [2, np.nan, 1]])
OF_NAN = (
    ("ReduceMax", [2, 2, 2, 3, 2], "NaN skipped"),
    ("ReduceMin", [1, 1, 1, 1, 1], "NaN skipped"),
    ("ReduceMax", [np.nan, 2, 2, 3, 2], "a NaN stays only where it comes first"),
    ("ReduceMin", [np.nan, 1, 1, 1, 1], "a NaN stays only where it comes first"),
    ("ReduceMax", [2, 2, np.nan, 3, 1], "a NaN stays only where it comes last"),
    ("ReduceMin", [1, 2, np.nan, 1, 1], "a NaN stays only where it comes last"),
    ("ArgMax", [2, 2, 1, 0, 0], "NaN skipped"),
    ("ArgMin", [1, 0, 0, 2, 2], "NaN skipped"),
    ("ArgMax", [0, 2, 1, 0, 0], "a NaN stays only where it comes first"),
    ("ArgMin", [0, 0, 0, 2, 2], "a NaN stays only where it comes first"),
    ("ArgMax", [2, 2, 2, 0, 2], "a NaN stays only where it comes last"),
    ("ArgMin", [1, 2, 2, 2, 2], "a NaN stays only where it comes last"),
)


@pytest.mark.parametrize(("operator", "answer", "reason"), OF_NAN)
def test_each_way_with_nan_is_told_from_the_others(operator: str, answer: list[float], reason: str) -> None:
    is_position = operator.startswith("Arg")

    class Engine:
        def run(self, _model: Any, _feeds: dict[str, np.ndarray], wanted: list[str]) -> dict[str, np.ndarray]:
            return dict.fromkeys(wanted, np.array(answer, np.int64 if is_position else np.float32))

    said: dict[str, Any] = {"axis": 1} if is_position else {}
    proto = one(operator, ODD.shape, axes=None if is_position else [1], keepdims=0, **said)
    (node,) = compare(proto, {"x": ODD}, [Engine]).nodes
    assert node.engines["Engine"].reason == reason


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_the_answer_is_found_wrong_and_explained(known: Disagreement) -> None:
    (node,) = compare(model_of(known), {"x": known.x}, [Replays(known)]).nodes
    (finding,) = node.engines.values()
    assert (finding.verdict, finding.reason) == (Verdict.WRONG, known.reason)


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_the_engine_still_gives_it(known: Disagreement) -> None:
    """Of other releases another answer is no failure."""
    pytest.importorskip(known.engine if known.engine != "reference" else "onnx")
    content = EngineModel(Format.ONNX, model_of(known).SerializeToString())
    got = run(maker(known.engine)(), content, {"x": known.x}, ["y"], Settings(precision="f32"))["y"]
    if not np.array_equal(got, Replays(known).recorded, equal_nan=got.dtype.kind == "f"):
        pytest.skip(f"{known.engine} {maker(known.engine)().version} gives {got.ravel()[:4].tolist()}")
    (node,) = compare(model_of(known), {"x": known.x}, [known.engine]).nodes
    assert node.engines[known.engine].reason.removeprefix("inside the model, not alone: ") == known.reason


def test_there_are_enough_of_every_kind() -> None:
    assert len(KNOWN) >= 50
    assert {known.engine for known in KNOWN} == {"onnxruntime", "openvino", "reference"}
    assert len({known.operator for known in KNOWN}) >= 12
    assert len({known.reason for known in KNOWN}) >= 18


@pytest.mark.parametrize(("operator", "kind"), [("ReduceSum", INT64), ("ReduceMax", INT64)])
def test_samesum_itself_is_right(operator: str, kind: int) -> None:
    x = np.int64([2**53, 1])
    (node,) = compare(one(operator, (2,), kind, 20, [0]), {"x": x}, ["samesum"]).nodes
    assert node.verdict is Verdict.RIGHT
