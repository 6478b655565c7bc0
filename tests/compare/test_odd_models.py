"""Models that are unusual or that no engine takes: findings or errors in words, never an accusation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faulty
import numpy as np
import onnx
import pytest
from models import FLOAT, INT64, model, one
from onnx import TensorProto, helper

from samesum.compare import Verdict, compare
from samesum.compare.reading import read
from samesum.errors import AttributeValueError, UnsafeModelError

STRING = TensorProto.STRING


def test_nodes_of_one_name_are_told_apart() -> None:
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["a"], name="n"),
        helper.make_node("ReduceMax", ["x"], ["b"], name="n"),
        helper.make_node("Add", ["a", "b"], ["y"], name="n"),
    ]
    proto = model(nodes, {"x": (FLOAT, [4])}, {"y": (FLOAT, None)})
    found = compare(proto, {"x": np.float32([1, 2, 3, 4])}, [faulty.Right])
    assert {node.name: (node.operator, node.verdict) for node in found.nodes} == {
        "n": ("ReduceSum", Verdict.RIGHT),
        "n:b": ("ReduceMax", Verdict.RIGHT),
        "n:y": ("Add", Verdict.RIGHT),
    }


def test_texts_are_made_up_and_taken() -> None:
    nodes = [
        helper.make_node("StringNormalizer", ["s"], ["t"], case_change_action="UPPER"),
        helper.make_node("ReduceSum", ["x"], ["y"]),
    ]
    proto = model(nodes, {"s": (STRING, [2]), "x": (FLOAT, [8])}, {"t": (STRING, None), "y": (FLOAT, None)})
    graph = read(proto)
    assert [each.dtype for each in graph.inputs] == [np.dtype(object), np.dtype(np.float32)]
    x = np.ones(8, np.float32)
    for given in (None, {"s": np.array(["a", "b"]), "x": x}):
        (node,) = compare(proto, given, [faulty.Right]).nodes
        assert node.verdict is Verdict.RIGHT


def test_a_sequence_has_to_be_given() -> None:
    node = helper.make_node("ConcatFromSequence", ["q"], ["y"], axis=0)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_sequence_value_info("q", FLOAT, [4])],
        [helper.make_tensor_value_info("y", FLOAT, None)],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    with pytest.raises(AttributeValueError, match="the input 'q' is no tensor that can be made up; give it"):
        compare(proto, engines=[faulty.Right])


class RefusesModels:
    """Takes no model at all."""

    @staticmethod
    def is_compatible(_: Any) -> bool:
        return False

    def run(self, *_: Any) -> Any:
        raise AssertionError("a model that is not compatible is not run")


def test_a_model_that_no_engine_takes_has_refused_nodes() -> None:
    found = compare(one("ReduceSum", (2, 3)), engines=[RefusesModels])
    assert {node.verdict for node in found.nodes} == {Verdict.REFUSED}
    assert "RefusesModels does not run this model: is_compatible says no" in found.notes


class RefusesInputs(faulty.Right):
    def run(self, *_: Any) -> Any:
        raise ValueError("not these inputs")


def test_inputs_that_no_engine_takes_are_a_wrong_usage() -> None:
    with pytest.raises(AttributeValueError, match=r"no inputs that are made up fit the model, so give some; .*not th"):
        compare(one("ReduceSum", (2, 3)), engines=[RefusesInputs])


def test_a_model_that_computes_nothing_has_no_nodes() -> None:
    proto = model([helper.make_node("Identity", ["x"], ["y"])], {"x": (FLOAT, [4])}, {"y": (FLOAT, [4])})
    found = compare(proto, engines=[faulty.Right])
    assert (found.nodes, found.wrong, found.to_dict()["nodes"]) == ((), (), [])


@pytest.mark.parametrize("location", ["gone", "../outside"])
def test_external_data_that_are_missing_or_outside_are_refused(tmp_path: Path, location: str) -> None:
    nodes = [helper.make_node("Add", ["x", "w"], ["h"]), helper.make_node("ReduceSum", ["h"], ["y"])]
    proto = model(nodes, {"x": (FLOAT, [64])}, {"y": (FLOAT, None)}, {"w": np.ones(64, np.float32)})
    folder = tmp_path / "models"
    folder.mkdir()
    path = folder / "model.onnx"
    onnx.save(proto, path, save_as_external_data=True, location="weights", size_threshold=0)
    assert [node.name for node in read(path).nodes] == ["Add:h", "ReduceSum:y"]
    (folder / "weights").rename(tmp_path / "outside")
    changed = onnx.load(path, load_external_data=False)
    for each in changed.graph.initializer[0].external_data:
        each.value = location if each.key == "location" else each.value
    path.write_bytes(changed.SerializeToString())
    with pytest.raises(UnsafeModelError, match=r"model\.onnx: external data: "):
        read(path)


@pytest.mark.parametrize("opset", [7, 11, 12, 13, 18, min(26, onnx.defs.onnx_opset_version())])
def test_every_opset_is_read(opset: int) -> None:
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["r"], keepdims=1, name="top"),
        helper.make_node("Softmax", ["r"], ["y"], axis=1, name="soft"),
    ]
    proto = model(nodes, {"x": (FLOAT, [3, 4])}, {"y": (FLOAT, None)}, opset=opset)
    found = compare(proto, engines=[faulty.Right])
    assert {node.name: node.verdict for node in found.nodes} == {"top": Verdict.RIGHT, "soft": Verdict.RIGHT}


def test_positions_are_judged_by_every_bit() -> None:
    proto = model([helper.make_node("ArgMax", ["x"], ["y"], name="top")], {"x": (FLOAT, [3, 4])}, {"y": (INT64, None)})
    (node,) = compare(proto, engines=[faulty.Right]).nodes
    assert node.verdict is Verdict.RIGHT
