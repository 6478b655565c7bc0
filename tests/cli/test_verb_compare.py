"""`samesum compare`: the report, the document, the page, reproducers, statuses and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import Command
from compared import SHAPED, X
from onnx import TensorProto, numpy_helper

from samesum.cli.compare import EPILOG

KEYS = [
    *(
        "model",
        "inputs",
        "engines",
        "outputs",
        "parting",
        "control",
        "nodes",
        "hazards",
        "keep",
        "effect",
        "records",
        "pairs",
    ),
]


@pytest.mark.usefixtures("beside")
def test_the_report_says_who_is_wrong_where_and_why(samesum: Command, model: Path) -> None:
    done = samesum("compare", model, "--input", model.with_name("x.npy"), "--against", "reference,faulty:SumsInHalf")
    assert done.status == 1, done.err
    assert "2 nodes judged: 1 wrong, 1 right" in done.out
    assert "total ReduceSum [64, 300] over 300" in done.out
    assert "wrong: sequential float16" in done.out
    assert "64 elements beyond what is allowed, the worst at [" in done.out
    _, _, rest = done.out.partition("To paste into an issue:\n\n```\n")
    block, fence, after = rest.partition("\n```\n")
    assert (fence, after) == ("\n```\n", "")
    assert 5 <= len(block.splitlines()) <= 32
    assert "faulty:SumsInHalf: wrong" in block
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.usefixtures("beside")
def test_the_document_has_the_keys_that_are_promised(samesum: Command, model: Path) -> None:
    done = samesum("compare", model, "--json", "--against", "faulty:SumsInHalf,reference", "--seed", "3")
    document = json.loads(done.out)
    assert list(document) == KEYS
    assert document["inputs"] == {"made_up": True, "seed": 3}
    assert {tuple(each) for each in document["engines"].values()} == {("version", "precision")}
    assert {tuple(each) for each in document["outputs"]} == {("name", "engine", "max_abs", "max_rel", "differ")}
    assert {tuple(each) for each in document["control"]} == {("engine", "kind", "same")}
    node = document["nodes"][0]
    assert list(node) == ["name", "operator", "domain", "body", "shape", "reduced", "sampled", "engines"]
    finding = node["engines"]["faulty:SumsInHalf"]
    assert list(finding) == ["inside", "alone", "verdict", "reason"]
    for place in ("inside", "alone"):
        assert list(finding[place]) == ["ulp", "scaled", "wrong", "worst"]
        assert list(finding[place]["worst"]) == ["index", "got", "exact"]
    assert set(document["keep"]) == {"node_block_list", "nodes_to_exclude", "openvino"}
    verdicts = {each["verdict"] for found in document["nodes"] for each in found["engines"].values()}
    assert done.status == int("wrong" in verdicts)


def test_engines_that_are_right_within_their_types_are_status_0(samesum: Command, model: Path) -> None:
    done = samesum("compare", model, "--input", model.with_name("x.npy"), "--against", "reference,samesum")
    assert (done.status, "wrong" in done.out) == (0, False)
    assert samesum("compare", model, "--against", "samesum", "--max-ulp", "0").status == 0
    limits = {
        limit: samesum("compare", model, "--against", "reference", "--max-ulp", limit).status for limit in ("0", "100")
    }
    assert limits == {"0": 1, "100": 0}


def test_inputs_come_from_folders_of_tensors(samesum: Command, model: Path, tmp_path: Path) -> None:
    for number, size in enumerate((1, 2)):
        folder = tmp_path / "data" / f"test_data_set_{number}"
        folder.mkdir(parents=True)
        tensor = numpy_helper.from_array(X[:64] * size, "x")
        (folder / "input_0.pb").write_bytes(tensor.SerializeToString())
    for given in (
        tmp_path / "data",
        tmp_path / "data" / "test_data_set_0",
        tmp_path / "data/test_data_set_1/input_0.pb",
    ):
        done = samesum("compare", model, "--against", "samesum", "--input", given, "--json")
        assert done.status == 0, done.err
        assert len(json.loads(done.out)["nodes"]) == 2


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("--against", "tensorrt"), 2, "there is no engine 'tensorrt'; allowed are onnxruntime"),
        (("--against", "samesum,samesum"), 2, "the engine 'samesum' is given twice"),
        (("--against", "samesum", "--input", "z=x.npy"), 2, "the model has no input 'z'; its inputs are x"),
        (("--input", "missing.npy"), 2, "cannot read missing.npy"),
        (("--save", "x.npy"), 2, "--save x.npy is a file"),
        (("--html", "no/such/page.html"), 2, "there is no folder"),
        (("--weights", "none.bin"), 2, "cannot read none.bin"),
        (("--against", "no_module:Engine"), 2, "cannot import no_module"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_runs(
    arguments: tuple[str, ...], status: int, says: str, samesum: Command, model: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(model.parent)
    done = samesum("compare", model, *arguments)
    assert done.out == ""
    assert done.status == status
    assert says in done.err


def test_a_missing_model_and_one_that_is_none(samesum: Command, tmp_path: Path) -> None:
    assert samesum("compare", tmp_path / "none.onnx").status == 2
    path = tmp_path / "text.onnx"
    path.write_text("# README, by mistake\n" * 30)
    done = samesum("compare", path, "--against", "reference")
    assert done.status == 4
    said = done.err.removeprefix("samesum: error: text.onnx: ").strip()
    assert said in ("neither an .onnx model nor the .xml of an OpenVINO IR", "the model holds no graph")


def test_the_help_shows_an_engine_of_one_s_own() -> None:
    assert "def run(self, model, feeds, wanted)" in EPILOG
    for verdict in ("right", "inexact", "wrong", "refused", "no opinion"):
        assert verdict in EPILOG


@pytest.mark.usefixtures("beside")
def test_two_records_stand_one_beside_the_other(samesum: Command, model: Path, tmp_path: Path) -> None:
    x = ("--input", model.with_name("x.npy"))
    a, b = tmp_path / "a.record", tmp_path / "b.record"
    assert samesum("compare", model, *x, "--against", "samesum", "--record", a).status == 0
    assert samesum("compare", model, *x, "--against", "faulty:SumsInHalf", "--record", b).status == 1
    done = samesum("compare", a, b)
    assert done.status == 1
    assert "first node that gives other bits for the same ones: ReduceSum total" in done.out
    document = json.loads(samesum("compare", a, b, "--json").out)
    assert document["pairs"][0]["first"] == "total"
    assert list(document) == KEYS
    same = samesum("compare", a, a)
    assert (same.status, "all of the same bits" in same.out) == (0, True)
    assert samesum("compare", a, model).status == 4
    alone = samesum("compare", a)
    assert (alone.status, alone.out) == (2, "")
    assert f"{a} is a record; name a second record to put beside it" in alone.err
    done = samesum("compare", a, b, *x, "--max-ulp", "5")
    assert (
        done.status,
        "beside two records allowed are MODEL, RECORD, --json; got --input, --max-ulp" in done.err,
    ) == (2, True)
    assert samesum("compare", a, b, "--max-ulp", "0").status == 2


def test_other_inputs_of_records_are_said_first_and_once(samesum: Command, model: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "a.record", tmp_path / "b.record"]
    for seed, path in enumerate(paths):
        samesum("compare", model, "--seed", seed, "--against", "samesum", "--record", path)
    done = samesum("compare", *paths)
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[0] == "The records are of other inputs, so what differs says nothing: record both with"
    assert done.out.count("other inputs") == 1
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 80


@pytest.mark.usefixtures("beside")
def test_an_engine_of_which_nothing_was_looked_at_is_no_success(
    samesum: Command, model: Path, build: Callable[..., Path]
) -> None:
    done = samesum("compare", model, "--against", "samesum,faulty:Refuses")
    assert done.status == 5
    assert "faulty:Refuses was not checked: it does not run this model." in done.out
    path = build([("Identity", ["x"], ["y"], {})], {"x": SHAPED}, {"y": SHAPED})
    done = samesum("compare", path, "--against", "samesum")
    assert done.status == 5
    assert "Nothing of samesum was checked: no node was judged, and no output has another" in done.out
    done = samesum("compare", path, "--against", "samesum,reference")
    assert done.status == 0
    assert "No node is judged: none computes" in done.out
    assert samesum("compare", path, "--against", "samesum,reference", "--max-ulp", "1").status == 5


SCALED = """import numpy as np
class Engine:
    def run(self, model, feeds, wanted):
        x = feeds["x"]
        return {name: (x * FACTOR).astype(x.dtype) for name in wanted}
"""


@pytest.mark.parametrize(
    ("factor", "kind", "status"),
    [("1.3", "FLOAT", 1), ("1.0001", "FLOAT", 0), ("1.01", "FLOAT16", 0), ("1.25", "FLOAT16", 1), ("2", "INT32", 1)],
)
def test_outputs_that_differ_for_no_reason_are_no_success(
    factor: str, kind: str, status: int, samesum: Command, build: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    shaped = getattr(TensorProto, kind), [2, 3]
    path = build([("Identity", ["x"], ["y"], {})], {"x": shaped}, {"y": shaped})
    (path.parent / "scaled.py").write_text(SCALED.replace("FACTOR", factor))
    monkeypatch.chdir(path.parent)
    done = samesum("compare", path, "--against", "samesum,scaled:Engine", "--html", path.parent / "page.html")
    assert done.status == status
    text = " ".join(done.out.split())
    said = f"The outputs of scaled:Engine differ from those of samesum by up to {float(factor) - 1:.2g}"
    assert text.count(said) == 2 * status
    assert text.count("and nothing that was judged explains it") == 2 * status
    assert (path.parent / "page.html").read_text().count("nothing that was judged explains it") == 2 * status


@pytest.mark.usefixtures("beside")
def test_what_a_wrong_node_explains_is_not_called_unexplained(samesum: Command, model: Path) -> None:
    done = samesum("compare", model, "--against", "samesum,faulty:DropsOne")
    assert (done.status, "explains it" in done.out) == (1, False)


def test_nodes_that_are_alike_stand_together(samesum: Command, build: Callable[..., Path]) -> None:
    nodes: list[Any] = [("ReduceMean", ["x"], [f"m{i}"], {"axes": [1], "keepdims": 0}) for i in range(5)]
    nodes.append(("Sum", [f"m{i}" for i in range(5)], ["y"], {}))
    path = build(nodes, {"x": SHAPED}, {"y": (TensorProto.FLOAT, None)}, opset=13)
    done = samesum("compare", path, "--against", "reference")
    assert done.status == 0
    assert "  and 4 more like it, none worse" in done.out.splitlines()


def test_a_limit_for_differences_of_outputs(samesum: Command, build: Callable[..., Path], monkeypatch: Any) -> None:
    path = build([("Identity", ["x"], ["y"], {})], {"x": SHAPED}, {"y": SHAPED})
    (path.parent / "scaled.py").write_text(SCALED.replace("FACTOR", "1.0001"))
    monkeypatch.chdir(path.parent)
    asked = ("compare", path, "--against", "samesum,scaled:Engine", "--max-difference")
    assert [samesum(*asked, limit).status for limit in ("0", "9e-5", "2e-4")] == [1, 1, 0]
    assert samesum("compare", path, "--against", "samesum", "--max-difference", "1").status == 5
    assert samesum(*asked, "-1").status == 2


def test_a_node_without_results_is_not_judged(samesum: Command, build: Callable[..., Path]) -> None:
    shaped = (TensorProto.FLOAT, [3, 0])
    path = build(
        [("ReduceSum", ["x"], ["y"], {"axes": [0]})], {"x": shaped}, {"y": (TensorProto.FLOAT, None)}, opset=11
    )
    done = samesum("compare", path, "--against", "reference", "--json")
    (node,) = json.loads(done.out)["nodes"]
    assert (done.status, node["engines"]["reference"]["verdict"]) == (5, "no opinion")
    assert samesum("compare", path, "--against", "reference,samesum", "--max-ulp", "1").status == 5


def test_no_option_writes_over_a_file_that_is_read(samesum: Command, model: Path, tmp_path: Path) -> None:
    before, record = model.read_bytes(), tmp_path / "a.record"
    assert samesum("compare", model, "--against", "samesum", "--record", record).status == 0
    for option in ("--html", "--record"):
        for target in (model, tmp_path / "x.npy"):
            done = samesum(
                "compare", model, "--input", f"x={tmp_path / 'x.npy'}", "--against", "samesum", option, target
            )
            said = f"{option} {target} is a file that the command reads; a new file is needed"
            assert (done.status, said in done.err) == (2, True)
    done = samesum("run", model, "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    assert done.status == 0
    np.savez(tmp_path / "x.npz", x=X)
    done = samesum("run", model, "--input", tmp_path / "x.npz", "--output", tmp_path / "x.npz")
    assert (done.status, "--output" in done.err) == (2, True)
    assert model.read_bytes() == before


@pytest.mark.usefixtures("beside")
def test_an_engine_that_refuses_alone_is_not_supported(samesum: Command, model: Path) -> None:
    """Whether inputs are given or made up: no others would help."""
    done = samesum("compare", model, "--against", "faulty:Refuses")
    assert (done.status, "faulty:Refuses was not checked: it does not run this model." in done.out) == (5, True)
    given = samesum("compare", model, "--against", "faulty:Refuses", "--input", model.with_name("x.npy"))
    assert given.status == 5
