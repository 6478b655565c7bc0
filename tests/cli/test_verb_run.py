"""`samesum run`: inputs by every way of naming them, outputs printed, saved and as JSON, and each way to go wrong."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from command import ROOT, Command, Done
from onnx import TensorProto

Save = Callable[..., Path]
Build = Callable[..., Path]


def test_it_prints_name_dtype_shape_and_values(samesum: Command, examples: Path) -> None:
    model, x = examples / "openvino/cum_sum_reverse.xml", examples / "data/cum_sum_x.npy"
    assert samesum("run", model, "--input", x) == Done(0, "y  float32  [5]\n[15., 14., 12.,  9.,  5.]\n", "")


def test_long_values_are_shortened(process: Command, examples: Path) -> None:
    model, x = examples / "openvino/l2_normalize.xml", examples / "data/activations_large.npy"
    done = process("run", model, "--input", f"x={x}")
    assert done.status == 0
    assert done.out.startswith("y  float32  [2, 8, 1024]\n")
    assert "..." in done.out
    assert len(done.out) < 5000


def test_inputs_by_name_in_any_order(samesum: Command, two_inputs: Path, save: Save) -> None:
    a, b = save("a.npy", [1, 2]), save("b=c.npy", [10, 20])
    done = samesum("run", two_inputs, "--input", f"b={b}", "--input", f"a={a}")
    assert done.out == "y  float32  [2]\n[11., 22.]\ns  float32  []\n33.\n"


def test_inputs_from_an_archive(samesum: Command, two_inputs: Path, tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    np.savez(path, a=np.float32([1, 2]), b=np.float32([3, 4]))
    by_name = samesum("run", two_inputs, "--input", path)
    one_each = samesum("run", two_inputs, "--input", f"a={path}", "--input", f"b={path}")
    assert by_name.status == 0
    assert by_name.out == one_each.out
    assert "[4., 6.]" in by_name.out


def test_the_only_array_of_an_archive_needs_no_name_of_its_own(
    samesum: Command, examples: Path, tmp_path: Path
) -> None:
    np.savez(tmp_path / "in.npz", whatever=np.float32([1, 1, 1, 1, 1]))
    done = samesum("run", examples / "openvino/cum_sum.xml", "--input", f"x={tmp_path / 'in.npz'}")
    assert "[1., 2., 3., 4., 5.]" in done.out


def test_a_bare_file_name_may_hold_an_equals_sign(samesum: Command, examples: Path, save: Save) -> None:
    done = samesum("run", examples / "openvino/cum_sum.xml", "--input", save("seed=1.npy", [1, 1, 1, 1, 1]))
    assert done.status == 0


def test_the_output_file_holds_every_output(samesum: Command, two_inputs: Path, save: Save, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    done = samesum(
        "run",
        two_inputs,
        "--input",
        f"a={save('a.npy', [1, 2])}",
        "--input",
        f"b={save('b.npy', [3, 4])}",
        "--output",
        out,
    )
    assert done.status == 0
    with np.load(out) as file:
        assert list(file) == ["y", "s"]
        np.testing.assert_array_equal(file["y"], np.float32([4, 6]), strict=True)
        np.testing.assert_array_equal(file["s"], np.array(10, np.float32), strict=True)


def test_json_is_one_document_alone(process: Command, two_inputs: Path, save: Save) -> None:
    a, b = save("a.npy", [1, np.nan, np.inf, 0.1]), save("b.npy", [1, 1, 1, 0])
    done = process("run", two_inputs, "--input", f"a={a}", "--input", f"b={b}", "--json")
    assert done.err == ""
    assert json.loads(done.out) == {
        "model": str(two_inputs),
        "outputs": [
            {"name": "y", "dtype": "float32", "shape": [4], "values": [2.0, "NaN", "Infinity", float(np.float32(0.1))]},
            {"name": "s", "dtype": "float32", "shape": [], "values": "NaN"},
        ],
        "saved": None,
    }


def test_json_with_output_leaves_the_values_to_the_file(samesum: Command, examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    x = examples / "data/cum_sum_x.npy"
    done = samesum("run", examples / "openvino/cum_sum.xml", "--input", x, "--json", "--output", out)
    document = json.loads(done.out)
    assert document["outputs"] == [{"name": "y", "dtype": "float32", "shape": [5]}]
    assert document["saved"] == str(out)


def test_bfloat16_goes_in_and_out(samesum: Command, build: Build, tmp_path: Path) -> None:
    model = build(
        [("ReduceSum", ["x"], ["y"], {"keepdims": 0})],
        {"x": (TensorProto.BFLOAT16, ["n"])},
        {"y": (TensorProto.BFLOAT16, [])},
    )
    np.save(tmp_path / "x.npy", np.array([1, 2, 0.5], ml_dtypes.bfloat16))
    done = samesum("run", model, "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    assert done.out == "y  bfloat16  []\n3.5\n"
    with np.load(tmp_path / "y.npz") as file:
        assert file["y"].view(ml_dtypes.bfloat16) == 3.5
    assert json.loads(samesum("run", model, "--input", tmp_path / "x.npy", "--json").out)["outputs"][0]["values"] == 3.5


def test_the_weights_of_an_ir_may_be_elsewhere(samesum: Command, examples: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.xml"
    shutil.copy(examples / "openvino/cum_sum.xml", model)
    x = examples / "data/cum_sum_x.npy"
    refused = samesum("run", model, "--input", x)
    assert refused.status == 2
    assert f"{model} has its weights in {tmp_path / 'm.bin'}, which is not there; give another file by --weights" in (
        refused.err
    )
    done = samesum("run", model, "--input", x, "--weights", examples / "openvino/cum_sum.bin")
    assert done.out == "y  float32  [5]\n[ 1.,  3.,  6., 10., 15.]\n"


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ([], 2, "missing input 'a', 'b'; the model has 2 inputs: 'a' float32 [?], 'b' float32 [?]"),
        (["a=one.npy"], 2, "missing input 'b'"),
        (["one.npy"], 2, "needs a name"),
        (["c=one.npy"], 2, "unknown input 'c'"),
        (["a=one.npy", "a=one.npy", "b=one.npy"], 2, "'a' is given twice"),
        (["a=nothing.npy"], 2, "cannot read nothing.npy: No such file"),
        (["other.npz"], 2, "'c'"),
        (["a=two.npz"], 2, "no array 'a'"),
        (["a=double.npy", "b=one.npy"], 2, "input 'a' is float64; the model takes float32"),
        (["a=square.npy", "b=one.npy"], 2, "input 'a' has shape [1, 2]; the model takes [?]"),
    ],
)
def test_inputs_that_do_not_fit_are_told_in_one_line(
    options: list[str],
    status: int,
    words: str,
    samesum: Command,
    two_inputs: Path,
    save: Save,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = save("one.npy", [1, 2]).parent
    save("double.npy", [1, 2], np.float64)
    save("square.npy", [[1, 2]])
    np.savez(folder / "other.npz", c=np.zeros(2, np.float32))
    np.savez(folder / "two.npz", c=np.zeros(2, np.float32), d=np.zeros(2, np.float32))
    monkeypatch.chdir(folder)
    done = samesum("run", two_inputs, *(part for option in options for part in ("--input", option)))
    assert done.status == status, done.err
    assert done.out == ""
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "words"), [("out.npy", "must end in .npz"), ("nowhere/out.npz", "there is no folder")]
)
def test_an_output_that_cannot_be_written_is_told_first(
    name: str, words: str, samesum: Command, tmp_path: Path
) -> None:
    done = samesum("run", "absent.xml", "--input", "absent.npy", "--output", tmp_path / name)
    assert done.status == 2
    assert words in done.err


def test_a_pickled_input_is_status_4(samesum: Command, examples: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([None] * 5, dtype=object), allow_pickle=True)
    done = samesum("run", examples / "openvino/cum_sum.xml", "--input", tmp_path / "x.npy")
    assert done.status == 4
    assert "pickled" in done.err


def test_a_model_that_is_none_is_status_4(samesum: Command, tmp_path: Path) -> None:
    for name, contents in (("a.onnx", b"\xff\xff no model"), ("a.xml", b"<net>"), ("b.xml", b"<!DOCTYPE net><net/>")):
        (tmp_path / name).write_bytes(contents)
        done = samesum("run", tmp_path / name)
        assert done.status == 4, (name, done.err)
        assert name in done.err
        assert done.err.count("\n") == 1


def test_an_unsupported_operator_is_status_5(samesum: Command, build: Build) -> None:
    vector = (TensorProto.FLOAT, ["n"])
    model = build([("Bernoulli", ["x"], ["y"], {})], {"x": vector}, {"y": vector})
    done = samesum("run", model)
    assert done.status == 5
    assert "Bernoulli" in done.err


def test_a_file_of_another_kind_is_told_so(samesum: Command) -> None:
    done = samesum("run", ROOT / "README.md")
    assert done.status == 4
    assert "README.md: neither an .onnx model nor the .xml of an OpenVINO IR" in done.err


def test_a_missing_package_is_status_6(samesum: Command, two_inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = samesum("run", two_inputs)
    assert done.status == 6
    assert 'pip install "samesum[onnx]"' in done.err


def test_too_little_memory_is_status_6(samesum: Command, build: Build, tmp_path: Path) -> None:
    kind = (TensorProto.FLOAT, [1])
    ends = {"x": kind, "shape": (TensorProto.INT64, [2])}
    model = build([("Expand", ["x", "shape"], ["a"], {}), ("Exp", ["a"], ["y"], {})], ends, {"y": (1, None)})
    np.savez(tmp_path / "in.npz", x=np.float32([1]), shape=np.int64([2**20, 2**20]))
    done = samesum("run", model, "--input", tmp_path / "in.npz")
    assert done.status == 6
    assert "node 'y': onnx.Exp-13: not enough memory: Unable to allocate 4.00 TiB" in done.err


def test_a_run_that_fails_leaves_the_old_output(samesum: Command, examples: Path, save: Save, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    out.write_bytes(b"old")
    done = samesum("run", examples / "openvino/cum_sum.xml", "--input", save("x.npy", [1, 2]), "--output", out)
    assert done.status == 2
    assert out.read_bytes() == b"old"


def test_what_a_model_says_wrong_of_itself_is_a_warning(process: Command, examples: Path, tmp_path: Path) -> None:
    text = (examples / "openvino/cum_sum.xml").read_text(encoding="utf-8")
    (tmp_path / "m.xml").write_text(text.replace('names="y"><dim>5', 'names="y"><dim>6'), encoding="utf-8")
    weights = examples / "openvino/cum_sum.bin"
    done = process("run", tmp_path / "m.xml", "--weights", weights, "--input", examples / "data/cum_sum_x.npy")
    assert done.status == 0, done.err
    assert done.err.startswith("samesum: warning: ")
    assert done.err.count("\n") == 1
