"""A model that is broken, unsafe or not there ends every verb with one line and the status that says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Command
from onnx import ModelProto, TensorProto, helper

F = TensorProto.FLOAT
SUM = helper.make_node("ReduceSum", ["z"], ["y"], keepdims=0)


def model(second: str = "w", held: TensorProto | None = None, **external: object) -> ModelProto:
    """y = the sum of x + w; the entries say where w lies."""
    if held is None:
        held = TensorProto(name="w", data_type=F, dims=[2], data_location=TensorProto.EXTERNAL)
        for key, value in external.items():
            held.external_data.add(key=key, value=str(value))
    nodes = [helper.make_node("Add", ["x", second], ["z"]), SUM]
    ends = [[helper.make_tensor_value_info(name, F, dims)] for name, dims in (("x", [2]), ("y", []))]
    return helper.make_model(helper.make_graph(nodes, "g", *ends, [held]), opset_imports=[helper.make_opsetid("", 13)])


def recursive() -> ModelProto:
    """A function that calls itself."""
    own = [helper.make_opsetid("", 13), helper.make_opsetid("mine", 1)]
    call = helper.make_node("F", ["x"], ["y"], domain="mine")
    ends = [[helper.make_tensor_value_info(name, F, [2])] for name in ("x", "y")]
    function = helper.make_function("mine", "F", ["x"], ["y"], [call], own)
    return helper.make_model(helper.make_graph([call], "g", *ends), functions=[function], opset_imports=own)


GOOD = model(held=helper.make_tensor("w", F, [2], [1, 2])).SerializeToString()

BROKEN: dict[str, Callable[[], ModelProto] | bytes] = {
    "empty.onnx": b"",
    "text.onnx": b"# A model\n",
    "cut.onnx": GOOD[:-7],
    "name.onnx": GOOD.replace(b"ReduceSum", b"Reduce\xff\xfem"),
    "outside.onnx": lambda: model(location="../w.bin"),
    "absolute.onnx": lambda: model(location=__file__),
    "nowhere.onnx": lambda: model(location=""),
    "folder.onnx": lambda: model(location="folder"),
    "offset.onnx": lambda: model(location="w.bin", offset=-4),
    "word.onnx": lambda: model(location="w.bin", offset="first"),
    "empty.xml": b"",
    "text.xml": b"<html/>",
    "cut.xml": b'<net version="11"><layers>',
    "doctype.xml": b"<!DOCTYPE net><net/>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "models"
    (path / "folder").mkdir(parents=True)
    for place in (path, tmp_path):
        (place / "w.bin").write_bytes(bytes(8))
    for name, content in BROKEN.items():
        (path / name).write_bytes(content if isinstance(content, bytes) else content().SerializeToString())
    return path


VERBS = (("info",), ("info", "--json"), ("run",), ("compare", "--against", "reference"))


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_model_is_status_4(samesum: Command, folder: Path, name: str, verb: tuple[str, ...]) -> None:
    done = samesum(verb[0], folder / name, *verb[1:])
    assert (done.status, done.out, done.err.count("\n")) == (4, "", 1)
    assert done.err.startswith(f"samesum: error: {name}: ")


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("name", ["absent.onnx", "absent.xml", "folder"])
def test_a_model_that_cannot_be_read_is_status_2(
    samesum: Command, folder: Path, name: str, verb: tuple[str, ...]
) -> None:
    done = samesum(verb[0], folder / name, *verb[1:])
    reason = "Is a directory" if name == "folder" else "No such file or directory"
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("samesum: error: ")
    assert done.err.endswith(f"{folder / name}: {reason}\n")


def test_a_function_that_calls_itself(samesum: Command, folder: Path) -> None:
    path = folder / "recursive.onnx"
    path.write_bytes(recursive().SerializeToString())
    assert samesum("info", path).status == 4
    assert samesum("run", path).status == 4
    done = samesum("compare", path, "--against", "reference")
    assert done.status == 4
    said = "not a valid ONNX model: functions that call themselves: F"
    assert done.err == f"samesum: error: recursive.onnx: {said}\n"


def test_types_that_onnx_has_and_samesum_does_not(samesum: Command, folder: Path) -> None:
    path = folder / "words.onnx"
    path.write_bytes(model(held=helper.make_tensor("w", TensorProto.STRING, [1], [b"a"])).SerializeToString())
    assert samesum("info", path).status == 0
    done = samesum("run", path)
    assert (done.status, done.err.partition("; supported")[0]) == (
        5,
        "samesum: error: words.onnx: initializer 'w' has data type STRING",
    )


def test_external_data_that_are_not_there(samesum: Command, folder: Path) -> None:
    """They are weights, without which a model can be described and not run."""
    path = folder / "weightless.onnx"
    path.write_bytes(model(location="far.bin").SerializeToString())
    done = samesum("info", path)
    assert done.status == 0
    assert f"There is no plan: cannot read {folder / 'far.bin'}" in done.out
    done = samesum("run", path)
    assert (done.status, done.err) == (
        2,
        f"samesum: error: cannot read {folder / 'far.bin'}: No such file or directory; initializer 'w' is external "
        "data and lies there\n",
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--seed", "-1"), "argument --seed: -1 is not allowed; allowed are numbers from 0 on"),
        (("--max-ulp", "nan"), "argument --max-ulp: nan is not allowed; allowed are numbers from 0 on"),
        (("--weights", "w.bin"), "weights belong to an OpenVINO IR; an ONNX model holds its own"),
    ],
)
def test_options_of_compare_that_mean_nothing(
    samesum: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str], says: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "good.onnx").write_bytes(GOOD)
    done = samesum("compare", "good.onnx", "--against", "reference", *options)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
