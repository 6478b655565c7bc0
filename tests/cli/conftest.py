"""The command line in this process and as a process of its own, and models to run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from command import ROOT, Command, Done
from compared import NODES, SHAPED, X
from onnx import TensorProto, helper, numpy_helper

from samesum.cli.main import main


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are as long as they are, whatever width the runner of the tests says."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def samesum(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process."""

    def call(*arguments: object) -> Done:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return call


@pytest.fixture
def process() -> Command:
    """`python -m samesum` as a process of its own."""

    def call(*arguments: object) -> Done:
        command = [sys.executable, "-W", "error", "-m", "samesum", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Writes an array to a .npy file of that name."""

    def write(name: str, array: object, dtype: object = np.float32) -> Path:
        path = tmp_path / name
        np.save(path, np.array(array, dtype))
        return path

    return write


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Path]:
    """Writes an ONNX model: nodes as (operator, inputs, outputs, attributes), the types of inputs and outputs."""

    def write(
        nodes: list[tuple[str, list[str], list[str], dict[str, object]]],
        inputs: dict[str, tuple[int, list[object] | None]],
        outputs: dict[str, tuple[int, list[object] | None]],
        opset: int = 18,
    ) -> Path:
        graph = helper.make_graph(
            [helper.make_node(kind, ins, outs, name=outs[0], **attributes) for kind, ins, outs, attributes in nodes],
            "test",
            [helper.make_tensor_value_info(name, *value) for name, value in inputs.items()],
            [helper.make_tensor_value_info(name, *value) for name, value in outputs.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        path = tmp_path / "model.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    return write


@pytest.fixture
def two_inputs(build: Callable[..., Path]) -> Path:
    """y = a + b, float32 [n]; s = the sum of y."""
    vector = (TensorProto.FLOAT, ["n"])
    nodes = [("Add", ["a", "b"], ["y"], {}), ("ReduceSum", ["y"], ["s"], {"keepdims": 0})]
    return build(nodes, {"a": vector, "b": vector}, {"y": vector, "s": (TensorProto.FLOAT, [])})


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is the one of the faulty engines."""
    monkeypatch.chdir(ROOT / "tests" / "compare")


@pytest.fixture
def model(build: Callable[..., Path], tmp_path: Path) -> Path:
    path = build(NODES, {"x": SHAPED, "axes": (TensorProto.INT64, [1])}, {"y": (TensorProto.FLOAT, [])})
    proto = onnx.load(path)
    del proto.graph.input[1]
    proto.graph.initializer.append(numpy_helper.from_array(np.int64([1]), "axes"))
    onnx.save(proto, path)
    np.save(tmp_path / "x.npy", X)
    return path
