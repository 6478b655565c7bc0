"""`samesum info`: the table of operators, and what a model is."""

from __future__ import annotations

import json
from pathlib import Path

from command import Command

from samesum.cli.catalogue import lines, types_text
from samesum.frontends.models.load import load
from samesum.specs.lookup import FAMILY


def test_the_table_has_a_line_for_every_operator(samesum: Command) -> None:
    done = samesum("info")
    assert done.status == 0
    assert done.err == ""
    for line in lines():
        assert any(all(cell in printed for cell in line.cells) for printed in done.out.splitlines()), line.cells


def test_the_json_table_has_every_version(samesum: Command) -> None:
    document = json.loads(samesum("info", "--json").out)
    found = {(row["standard"], row["operator"], row["since"]) for row in document["operators"]}
    assert found == {(spec.standard.name, spec.operator.name, spec.version.since) for spec in FAMILY}
    row = next(row for row in document["operators"] if (row["operator"], row["since"]) == ("ReduceSum", 13))
    assert row == {
        "standard": "onnx",
        "operator": "ReduceSum",
        "since": 13,
        "axes": "input",
        "types": ["bfloat16", "float16", "float32", "float64", "int32", "int64", "uint32", "uint64"],
    }


def test_a_line_says_what_each_version_changed() -> None:
    cells = next(line.cells for line in lines() if line.cells[:2] == ("ReduceSum", "onnx"))
    assert cells[2:] == (
        "1, 11, 13",
        "attribute, from 13 input",
        "float16/32/64, int32/64, uint32/64; from 13 also bfloat16",
    )


def test_types_are_short_and_in_order() -> None:
    assert types_text(["uint8", "bool", "float32", "int64", "float16", "bfloat16"]) == (
        "float16/32, bfloat16, int64, uint8, bool"
    )


def test_a_model_shows_its_inputs_outputs_and_plan(samesum: Command, examples: Path) -> None:
    path = examples / "openvino/layer_norm.xml"
    done = samesum("info", path)
    assert done.status == 0
    assert done.out == load(path).plan() + "\n"
    for words in ("input   x float32 [?, 12, 10, 24]", "output  y float32 [?, 12, 10, 24]", "axes [3], keepdims"):
        assert words in done.out
    assert done.out.count("openvino.ReduceMean-1") == 2


def test_a_model_as_json(samesum: Command, examples: Path) -> None:
    path = examples / "openvino/layer_norm.xml"
    document = json.loads(samesum("info", path, "--json").out)
    assert document["model"] == str(path)
    assert document["inputs"] == [{"name": "x", "dtype": "float32", "shape": [None, 12, 10, 24]}]
    assert document["outputs"] == [{"name": "y", "dtype": "float32", "shape": [None, 12, 10, 24]}]
    assert document["operators"]["openvino.ReduceMean-1"] == 2
    assert document["plan"] == load(path).plan().splitlines()
