"""`samesum info`: the table of operators, and what a model is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from command import Command
from onnx import TensorProto, helper, numpy_helper

from building import Ir, onnx_bytes
from samesum.cli.info import lines, types_text
from samesum.frontends.models.load import load
from samesum.specs.lookup import OF_REDUCTIONS


def test_the_table_has_a_line_for_every_operator(samesum: Command) -> None:
    done = samesum("info")
    assert done.status == 0
    assert done.err == ""
    for line in lines():
        assert any(all(cell in printed for cell in line.cells) for printed in done.out.splitlines()), line.cells


def test_the_json_table_has_every_version(samesum: Command) -> None:
    document = json.loads(samesum("info", "--json").out)
    found = {(row["standard"], row["operator"], row["since"]) for row in document["operators"]}
    assert found == {(spec.standard.name, spec.operator.name, spec.version.since) for spec in OF_REDUCTIONS}
    row = next(row for row in document["operators"] if (row["operator"], row["since"]) == ("ReduceSum", 13))
    assert row == {
        "standard": "onnx",
        "operator": "ReduceSum",
        "kind": "reduction",
        "since": 13,
        "axes": "input",
        "types": ["bfloat16", "float16", "float32", "float64", "int32", "int64", "uint32", "uint64"],
    }


def test_a_line_says_what_each_version_changed() -> None:
    cells = next(line.cells for line in lines() if line.cells[:2] == ("ReduceSum", "onnx"))
    assert cells[2:] == (
        "reduction",
        "1, 11, 13",
        "attribute, from 13 input",
        "float16/32/64, int32/64, uint32/64; 13 also bfloat16",
    )


def test_what_is_made_of_reductions_has_lines_too() -> None:
    found = {cells[:2]: cells[2:5] for cells in (line.cells for line in lines())}
    assert found["LayerNormalization", "onnx"] == ("normalization", "1, 17", "attribute")
    assert found["MVN", "openvino"] == ("normalization", "2, 6", "attribute, from 6 input")
    assert found["GroupNormalization", "openvino"] == ("normalization", "12", "-")
    assert found["AveragePool", "onnx"] == ("pool", "1, 7, 10, 11, 19, 22", "-")
    assert found["MaxPool", "openvino"] == ("pool", "1, 8, 14", "-")
    assert found["ScatterElements", "onnx"][0] == "scatter"
    assert found["SkipLayerNormalization", "com.microsoft"][0] == "normalization"


def test_types_are_short_and_in_order() -> None:
    assert types_text(["uint8", "bool", "float32", "int64", "float16", "bfloat16"]) == (
        "float16/32, bfloat16, int64, uint8, bool"
    )


def test_a_model_shows_its_inputs_outputs_operators_and_plan(samesum: Command, examples: Path) -> None:
    path = examples / "openvino/layer_norm.xml"
    done = samesum("info", path)
    assert done.status == 0
    head, _, plan = done.out.partition("All of it runs in samesum:\n")
    assert plan == load(path).plan() + "\n"
    lines = [line.split() for line in head.splitlines()]
    assert lines[:3] == [
        ["layer_norm.xml:", "openvino"],
        ["input", "x", "float32", "[?,", "12,", "10,", "24]"],
        ["output", "y", "float32", "[?,", "12,", "10,", "24]"],
    ]
    assert ["ReduceMean", "opset1", "2", "reduction", "openvino.ReduceMean-1"] in lines
    assert ["Sqrt", "opset1", "1", "openvino.Sqrt-1"] in lines
    assert "Reductions, scans and what is made of them: ReduceMean (2 nodes)." in head


def test_a_model_as_json(samesum: Command, examples: Path) -> None:
    path = examples / "openvino/layer_norm.xml"
    document = json.loads(samesum("info", path, "--json").out)
    end = {"kind": "tensor", "dtype": "float32", "shape": [None, 12, 10, 24]}
    assert document["model"] == str(path)
    assert document["standard"] == "openvino"
    assert document["inputs"] == [{"name": "x", **end}]
    assert document["outputs"] == [{"name": "y", **end}]
    assert document["operators"][0] == {
        "operator": "ReduceMean",
        "version": "opset1",
        "nodes": 2,
        "nodes_in_bodies": 0,
        "kind": "reduction",
        "runs_as": "openvino.ReduceMean-1",
        "nodes_not_supported": 0,
        "reason": None,
    }
    assert (document["is_supported"], document["refusal"]) == (True, None)
    assert document["plan"] == load(path).plan().splitlines()


def branch(*nodes: onnx.NodeProto) -> onnx.GraphProto:
    return helper.make_graph(list(nodes), "branch", [], [helper.make_tensor_value_info("z", 1, None)])


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A valid model that samesum cannot run: bodies, a function, a sequence, strings, weights that are not there."""
    node = helper.make_node
    then = branch(node("ReduceMax", ["x"], ["m"]), node("STFT", ["m"], ["z"], name="deep"))
    nodes = [
        node("Det", ["x", "w"], ["a"]),
        node("Det", ["a", "w"], ["b"]),
        node("If", ["c"], ["d"], then_branch=then, else_branch=branch(node("Softmax", ["x"], ["z"]))),
        node("CumSum", ["b", "axis"], ["e"]),
        node("ReduceSum", ["e"], ["f"], axes=[1]),
        node("ReduceSum", ["f"], ["g"]),
        node("Twice", ["g"], ["y"], domain="local"),
    ]
    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[9], data_location=TensorProto.EXTERNAL)
    weights.external_data.add(key="location", value="gone.bin")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "g",
        [
            value("x", TensorProto.FLOAT, ["n", 3]),
            value("c", TensorProto.BOOL, []),
            value("s", TensorProto.STRING, None),
            helper.make_tensor_sequence_value_info("q", TensorProto.FLOAT, None),
            value("w", TensorProto.FLOAT, [9]),
        ],
        [value("y", TensorProto.FLOAT, None)],
        [weights, numpy_helper.from_array(np.int64(0), "axis")],
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)]
    function = helper.make_function("local", "Twice", ["a"], ["b"], [node("ReduceL1", ["a"], ["b"])], opsets)
    path = tmp_path / "strange.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, functions=[function]).SerializeToString())
    return path


def test_a_model_that_cannot_run_is_shown_whole(samesum: Command, strange: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(strange)
    done = samesum("info", strange)
    assert (done.status, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[:6] == [
        ["strange.onnx:", "onnx"],
        ["input", "x", "float32", "[?,", "3]"],
        ["input", "c", "bool", "[]"],
        ["input", "s", "string", "[...]"],
        ["input", "q", "sequence"],
        ["output", "y", "float32", "[...]"],
    ]
    for row in (
        ["Det", "ai.onnx", "13", "2", "no"],
        ["If", "ai.onnx", "13", "1", "onnx.If-1"],
        ["STFT", "ai.onnx", "13", "1", "no"],
        ["ReduceMax", "ai.onnx", "13", "1", "reduction", "onnx.ReduceMax-13"],
        ["ReduceL1", "ai.onnx", "13", "1", "reduction", "onnx.ReduceL1-13"],
        ["Softmax", "ai.onnx", "13", "1", "softmax", "onnx.Softmax-13"],
        ["CumSum", "ai.onnx", "13", "1", "scan", "onnx.CumSum-11"],
        ["Twice", "a", "function", "of", "the", "model,", "local", "1", "its", "own", "nodes"],
    ):
        assert row in lines, done.out
    assert "1 of 2: onnx.ReduceSum-13 has no attribute 'axes'; it has keepdims, noop_with_empty_axes" in done.out
    expected = "ReduceSum (2 nodes), ReduceMax (1 node), ReduceL1 (1 node), CumSum (1 node), Softmax (1 node)."
    assert f"Reductions, scans and what is made of them: {expected}" in done.out
    assert "There is no plan: " in done.out


def test_a_model_that_cannot_run_is_one_document(process: Command, strange: Path) -> None:
    done = process("info", strange, "--json")
    assert (done.status, done.err) == (0, "")
    document = json.loads(done.out)
    assert (document["is_supported"], document["plan"]) == (False, None)
    assert document["refusal"].startswith(f"cannot read {strange.with_name('gone.bin')}: ")
    assert {row["operator"]: row["nodes_not_supported"] for row in document["operators"]} == {
        "Det": 2,
        "If": 0,
        "STFT": 1,
        "Twice": 0,
        "ReduceSum": 1,
        "ReduceMax": 0,
        "ReduceL1": 0,
        "Softmax": 0,
        "CumSum": 0,
    }
    assert [end["kind"] for end in document["inputs"]] == ["tensor", "tensor", "tensor", "sequence"]
    assert document["inputs"][2] == {"name": "s", "kind": "tensor", "dtype": "string", "shape": None}


def test_an_ir_needs_no_weights(samesum: Command, examples: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.xml"
    text = (examples / "openvino/cum_sum.xml").read_text(encoding="utf-8")
    model.write_text(text.replace('element_type="f32"', 'element_type="string"', 1), encoding="utf-8")
    done = samesum("info", model)
    assert done.status == 0, done.err
    assert "input   x string [5]" in done.out
    assert "CumSum" in done.out
    assert "There is no plan" in done.out
    shutil.copy(examples / "openvino/cum_sum.xml", model)
    done = samesum("info", model)
    assert done.status == 0, done.err
    assert "openvino.CumSum-3" in done.out
    assert "m.bin, which is not there; give another file by --weights FILE" in done.out
    weights = examples / "openvino/cum_sum.bin"
    assert "All of it runs in samesum:" in samesum("info", model, "--weights", weights).out
    assert samesum("info", model, "--weights", tmp_path / "gone.bin").status == 2


def test_the_bodies_of_an_ir_are_counted(samesum: Command, tmp_path: Path) -> None:
    ir = Ir()
    c, x = ir.parameter("c", "boolean", ""), ir.parameter("x", "f32", "3")
    data = '<data shape="3" element_type="f32"/>'
    layers = "".join(
        f'<layer id="{i}" name="{kind}{i}" type="{kind}" version="opset1">{data if i == 0 else ""}'
        + ('<input><port id="1"/></input>' if i else "")
        + ("" if kind == "Result" else '<output><port id="0"/></output>')
        + "</layer>"
        for i, kind in enumerate(("Parameter", "Erf", "Sqrt", "Result"))
    )
    edges = "".join(f'<edge from-layer="{i}" from-port="0" to-layer="{i + 1}" to-port="1"/>' for i in range(3))
    body = f"<layers>{layers}</layers><edges>{edges}</edges>"
    ports = '<input external_port_id="1" internal_layer_id="0"/><output external_port_id="9" internal_layer_id="3"/>'
    text = "".join(
        f"<{side}_port_map>{ports}</{side}_port_map><{side}_body>{body}</{side}_body>" for side in ("then", "else")
    )
    path = tmp_path / "if.xml"
    path.write_text(ir.result(ir.layer("If", [c, x], text, "opset8", name="if")).text, encoding="utf-8")
    done = samesum("info", path, "--json")
    assert done.status == 0, done.err
    found = {row["operator"]: (row["nodes"], row["nodes_in_bodies"]) for row in json.loads(done.out)["operators"]}
    assert found == {"If": (1, 0), "Erf": (0, 2), "Sqrt": (0, 2)}


def test_what_is_no_model_is_status_4_and_what_is_not_there_2(samesum: Command, tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"\xff\xff no model")
    (tmp_path / "a.xml").write_bytes(b"<net>")
    for name, status in (("a.onnx", 4), ("a.xml", 4), ("gone.onnx", 2), ("gone.xml", 2)):
        for form in ((), ("--json",)):
            done = samesum("info", tmp_path / name, *form)
            assert (done.status, done.out) == (status, ""), name
            assert name in done.err


def test_no_line_is_longer_than_the_terminal(
    samesum: Command, build: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    long = "/model/" + "a_block_of_this_name/" * 6 + "output"
    assert len(long) > 80
    nodes: list[Any] = [("Relu", ["x"], [long], {}), ("ReduceSum", [long], ["y"], {}), ("Unique", [long], ["u"], {})]
    shaped = (TensorProto.FLOAT, [2] * 30)
    for count in (2, 3):
        done = samesum("info", build(nodes[:count], {"x": shaped}, {nodes[count - 1][2][0]: (TensorProto.FLOAT, None)}))
        assert done.status == 0
        assert max(map(len, done.out.splitlines())) <= 80
        assert ("All of it runs in samesum:" in done.out) == (count == 2)
        assert long in "".join(done.out.split()) or count == 3
    assert max(map(len, samesum("info").out.splitlines())) <= 80


def test_what_would_run_where(samesum: Command, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("LRN", ["x"], ["c"], size=1),
        helper.make_node("SimplifiedLayerNormalization", ["c", "w"], ["l"]),
        helper.make_node("LayerNormalization", ["l", "w"], ["y"]),
        helper.make_node("GlobalAveragePool", ["y"], ["z"]),
        helper.make_node("Softmax", ["z"], ["s"], domain="com.example"),
    ]
    ends = {"x": (TensorProto.FLOAT, [2, 6, 4, 5])}, {"s": (TensorProto.FLOAT, None)}
    path = tmp_path / "mixed.onnx"
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    constants = {"w": np.ones(5, np.float32)}
    path.write_bytes(onnx_bytes(nodes, *ends, constants, opset_imports=opsets))
    done = samesum("info", path)
    lines = [line.split() for line in done.out.splitlines()]
    assert ["LayerNormalization", "ai.onnx", "17", "1", "normalization", "onnx.LayerNormalization-17"] in lines
    assert ["GlobalAveragePool", "ai.onnx", "17", "1", "pool", "onnx.GlobalAveragePool-1"] in lines
    told = " ".join(done.out.split())
    assert "Of its nodes 3 would then be samesum's, the others the runtime's: " in told
    document = json.loads(samesum("info", path, "--json").out)
    taken = {"SimplifiedLayerNormalization": 1, "LayerNormalization": 1, "GlobalAveragePool": 1}
    assert document["taken_over"] == taken
