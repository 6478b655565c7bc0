"""Every engine takes the same model, feeds and names and gives arrays by name, here and in a process of its own."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from samesum.runtimes.catalogue import ENGINES, Samesum, maker
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino, saved_again
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import EngineError, EngineModel, Format, Settings, Trouble, run

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def two_outputs(kind: int = TensorProto.FLOAT, operator: str = "Mul") -> EngineModel:
    graph = helper.make_graph(
        [
            helper.make_node(operator, ["x", "x"], ["square"]),
            helper.make_node("ReduceMax", ["square"], ["top"], axes=[1], keepdims=0),
        ],
        "two",
        [helper.make_tensor_value_info("x", kind, [2, 3])],
        [helper.make_tensor_value_info("square", kind, [2, 3]), helper.make_tensor_value_info("top", kind, [2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return EngineModel(Format.ONNX, model.SerializeToString())


@pytest.fixture(params=ENGINES)
def name(request: pytest.FixtureRequest) -> str:
    engine = str(request.param)
    if engine in ("onnxruntime", "openvino"):
        pytest.importorskip(engine)
    return engine


def test_the_wanted_outputs_come_by_name(name: str) -> None:
    runtime = maker(name)()
    assert (runtime.name, runtime.version[0].isdigit()) == (name, True)
    assert Format.ONNX in runtime.formats
    session = runtime.prepare(two_outputs(), Settings(threads=1, precision="f32", optimize=False))
    for _ in range(2):
        assert {key: each.tolist() for key, each in session.run({"x": X}, ["top"]).items()} == {"top": [4, 25]}
    both = session.run({"x": X}, ["top", "square"])
    assert list(both) == ["top", "square"]
    assert both["square"].tolist() == [[0, 1, 4], [9, 16, 25]]
    assert session.precision


def test_the_same_in_a_process_of_its_own(name: str) -> None:
    remote = Remote(maker(name), 60.0)
    try:
        first = remote.prepare(two_outputs())
        second = remote.prepare(two_outputs(operator="Add"))
        assert first.run({"x": X}, ["top"])["top"].tolist() == [4, 25]
        assert second.run({"x": X}, ["top"])["top"].tolist() == [4, 10]
        assert (remote.name, remote.version) == (name, maker(name)().version)
        with pytest.raises(EngineError):
            run(remote, EngineModel(Format.ONNX, b"no model"), {}, ["y"])
        assert first.run({"x": X}, ["top"])["top"].tolist() == [4, 25]
    finally:
        remote.close()


def test_bfloat16_goes_in_and_out_of_openvino() -> None:
    pytest.importorskip("openvino")
    got = run(OpenVino(), two_outputs(TensorProto.BFLOAT16), {"x": X.astype(BFLOAT16)}, ["top"])["top"]
    assert (got.dtype, got.tolist()) == (BFLOAT16, [4, 25])


def test_openvino_says_in_which_type_it_computes() -> None:
    pytest.importorskip("openvino")
    assert OpenVino().prepare(two_outputs(), Settings(precision="f32")).precision == "f32"


def test_what_an_engine_lacks_is_told_from_what_it_refuses() -> None:
    pytest.importorskip("onnxruntime")
    kinds = {"not there": (TensorProto.BFLOAT16, "Mul"), "not allowed": (TensorProto.FLOAT, "Split")}
    troubles = {}
    for title, (kind, operator) in kinds.items():
        with pytest.raises(EngineError) as found:
            OnnxRuntime().prepare(two_outputs(kind, operator))
        troubles[title] = found.value.trouble
    assert troubles["not there"] is Trouble.NOT_SUPPORTED
    assert troubles["not allowed"] is Trouble.REFUSED


def test_openvino_saves_a_model_again_as_ir() -> None:
    pytest.importorskip("openvino")
    again = saved_again(two_outputs())
    assert again.format is Format.IR
    assert run(Samesum(), again, {"x": X}, ["top"])["top"].tolist() == [4, 25]


@pytest.mark.parametrize(("kind", "short"), [
    (TensorProto.BFLOAT16, BFLOAT16), (TensorProto.FLOAT8E4M3FN, np.dtype(ml_dtypes.float8_e4m3fn)),
])  # fmt: skip
def test_onnxruntime_takes_and_gives_types_that_numpy_lacks(kind: int, short: np.dtype[np.generic]) -> None:
    pytest.importorskip("onnxruntime")
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.FLOAT),
            helper.make_node("Identity", ["x"], ["same"]),
        ],
        "short",
        [helper.make_tensor_value_info("x", kind, ["n", 2])],
        [helper.make_tensor_value_info("wide", 1, ["n", 2]), helper.make_tensor_value_info("same", kind, ["n", 2])],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = OnnxRuntime().prepare(EngineModel(Format.ONNX, proto.SerializeToString()))
    for shape in ((3, 2), (0, 2)):
        x = np.arange(shape[0] * 2).reshape(shape).astype(short)
        found = session.run({"x": x}, ["wide", "same"])
        assert found["same"].dtype == short
        assert found["same"].tolist() == x.tolist()
        assert found["wide"].tolist() == x.astype(np.float32).tolist()
