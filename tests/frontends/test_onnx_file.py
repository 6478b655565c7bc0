"""ONNX files: opsets, every way of storing a tensor, Constants, optional and defaulted inputs, what is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from building import onnx_bytes, same
from naming import looped
from samesum.errors import (
    ArgumentError,
    ArgumentTypeError,
    AttributeValueError,
    DtypeError,
    MissingPackage,
    ModelError,
    UnsafeModelError,
    UnsupportedOperator,
)
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

F, I64 = TensorProto.FLOAT, TensorProto.INT64
NODE = helper.make_node
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def reduce_sum(opset: int = 13, **attributes: Any) -> bytes:
    return onnx_bytes(
        [NODE("ReduceSum", ["x"], ["y"], **attributes)], {"x": (F, [2, 3])}, {"y": (F, None)}, opset=opset
    )


def tensor_model(tensor: TensorProto, path: Path | None = None) -> Model:
    """A model whose one output is the tensor."""
    tensor.name = "w"
    graph = helper.make_graph([], "g", [], [helper.make_tensor_value_info("w", tensor.data_type, None)], [tensor])
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()
    if path is None:
        return load(data)
    path.write_bytes(data)
    return load(path)


def stored(tensor: TensorProto, path: Path | None = None) -> np.ndarray:
    return tensor_model(tensor, path).run({})["w"]


def test_a_path_and_bytes_are_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "sum.onnx"
    path.write_bytes(reduce_sum())
    for source in (path, str(path), reduce_sum(), bytearray(reduce_sum()), memoryview(reduce_sum())):
        assert load(source).run(X)["y"].tolist() == [[15]]
    renamed = tmp_path / "sum.model"
    renamed.write_bytes(reduce_sum())
    assert load(renamed).name == "sum.model"
    (value,) = load(path).inputs
    assert (value.name, value.dtype, value.shape) == ("x", np.float32, (2, 3))


def test_the_opset_chooses_the_version() -> None:
    assert load(reduce_sum(11, axes=[1], keepdims=0)).run(X)["y"].tolist() == [3, 12]
    assert load(reduce_sum(13, noop_with_empty_axes=1)).run(X)["y"].tolist() == X.tolist()
    with pytest.raises(
        UnsupportedOperator, match=r"ReduceSum \(ai.onnx 13, node '#0': onnx.ReduceSum-13 has no attribute 'axes'"
    ):
        load(reduce_sum(13, axes=[1]))
    with pytest.raises(UnsupportedOperator, match="opsets 1 to"):
        load(reduce_sum(999))


def test_an_opset_import_is_needed_and_ai_onnx_is_the_default_domain() -> None:
    node, ends = [NODE("Abs", ["x"], ["y"])], ({"x": (F, [1])}, {"y": (F, [1])})
    with pytest.raises(ModelError, match="imports no opset for domain ''"):
        load(onnx_bytes(node, *ends, opset_imports=[helper.make_opsetid("com.example", 1)]))
    named = onnx_bytes(
        [NODE("Abs", ["x"], ["y"], domain="ai.onnx")], *ends, opset_imports=[helper.make_opsetid("ai.onnx", 13)]
    )
    assert load(named).operators == ("onnx.Abs-13",)
    twice = [helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx", 14)]
    with pytest.raises(ModelError, match="at opset 13 and 14"):
        load(onnx_bytes(node, *ends, opset_imports=twice))


STORED = {
    "FLOAT": [1.5, -2], "DOUBLE": [1.5, -2], "FLOAT16": [1.5, -2], "BFLOAT16": [1.5, -2], "INT8": [-1, 2],
    "UINT8": [1, 255], "INT16": [-1, 2], "UINT16": [1, 65535], "INT32": [-1, 2], "UINT32": [1, 2**32 - 1],
    "INT64": [-1, 2**62], "UINT64": [2**63, 2**64 - 1], "BOOL": [True, False],
    "FLOAT8E4M3FN": [1.5, -2], "FLOAT8E5M2": [1.5, -2],
}  # fmt: skip


@looped("name", STORED)
@pytest.mark.parametrize("raw", [False, True])
def test_every_type_in_both_forms(name: str, raw: bool) -> None:
    kind = getattr(TensorProto, name)
    expected = np.array(STORED[name]).astype(helper.tensor_dtype_to_np_dtype(kind))
    if raw:
        tensor = TensorProto(data_type=kind, dims=[2], raw_data=expected.tobytes())
    else:
        tensor = helper.make_tensor("w", kind, [2], STORED[name])
    assert same(stored(tensor), expected)


@pytest.mark.parametrize(("kind", "held"), [(TensorProto.INT4, ml_dtypes.int4), (TensorProto.UINT4, ml_dtypes.uint4)])
@pytest.mark.parametrize("raw", [False, True])
def test_four_bit_integers_are_unpacked(kind: int, held: type, raw: bool) -> None:
    tensor = TensorProto(data_type=kind, dims=[3])
    if raw:
        tensor.raw_data = b"\x9f\x07"
    else:
        tensor.int32_data.extend([0x9F, 0x07])
    assert same(stored(tensor), np.array([15, 9, 7] if held is ml_dtypes.uint4 else [-1, -7, 7], held))


@pytest.mark.parametrize(
    ("tensor", "error", "message"),
    [
        (TensorProto(data_type=F, dims=[3], raw_data=b"12345678"), ModelError, "needs 12 bytes; there are 8"),
        (TensorProto(data_type=F, dims=[1], float_data=[1, 2]), ModelError, "needs 1 items in float_data; there are 2"),
        (TensorProto(data_type=F, dims=[-1]), UnsafeModelError, "negative dim"),
        (TensorProto(data_type=F, dims=[2**32, 2**32]), UnsafeModelError, "more than 2\\^40 elements"),
        (TensorProto(data_type=F, dims=[2**32, 0, 2**32]), UnsafeModelError, "more than 2\\^40 elements"),
        (TensorProto(data_type=F, dims=[1] * 65, raw_data=b"1234"), UnsafeModelError, "65 dims"),
        (
            TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"a"]),
            UnsupportedOperator,
            "data type STRING; supported: FLOAT, ",
        ),
        (TensorProto(data_type=99, dims=[1]), DtypeError, "data type 99"),
        (TensorProto(data_type=TensorProto.COMPLEX64, dims=[0]), UnsupportedOperator, "data type COMPLEX64"),
    ],
)
def test_tensors_whose_data_do_not_fit(tensor: TensorProto, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^model: initializer 'w'.*{message}"):
        tensor_model(tensor)


SPARSE = helper.make_sparse_tensor(
    helper.make_tensor("v", F, [2], [5, 7]), helper.make_tensor("i", I64, [2, 2], [0, 1, 1, 2]), [2, 3]
)
FLAT = helper.make_sparse_tensor(
    helper.make_tensor("v", F, [2], [5, 7]), helper.make_tensor("i", I64, [2], [1, 5]), [2, 3]
)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"value": numpy_helper.from_array(np.float16([1, 2]))}, np.float16([1, 2])),
        ({"value_float": 1.5}, np.float32(1.5)),
        ({"value_floats": [1.5, 2]}, np.float32([1.5, 2])),
        ({"value_int": 3}, np.int64(3)),
        ({"value_ints": [3, -4]}, np.int64([3, -4])),
        ({"sparse_value": SPARSE}, np.float32([[0, 5, 0], [0, 0, 7]])),
        ({"sparse_value": FLAT}, np.float32([[0, 5, 0], [0, 0, 7]])),
    ],
)
def test_constants_in_every_form(attributes: dict[str, Any], expected: np.ndarray) -> None:
    data = onnx_bytes([NODE("Constant", [], ["y"], **attributes)], {}, {"y": (0, None)})
    assert same(load(data).run()["y"], expected)


def test_constants_that_are_refused() -> None:
    def constant(**attributes: Any) -> bytes:
        return onnx_bytes([NODE("Constant", [], ["y"], name="c", **attributes)], {}, {"y": (0, None)})

    with pytest.raises(UnsupportedOperator, match=r"node 'c'.*'value_string'.*value_ints"):
        load(constant(value_string=b"a"))
    with pytest.raises(ModelError, match=r"node 'c'.*found 0"):
        load(constant())
    bad = helper.make_sparse_tensor(
        helper.make_tensor("v", F, [1], [5]), helper.make_tensor("i", I64, [1, 2], [0, 3]), [2, 3]
    )
    with pytest.raises(ModelError, match="an index outside"):
        load(constant(sparse_value=bad))


@pytest.mark.parametrize("ir_version", [3, 8])
def test_an_initializer_that_is_an_input_is_a_default(ir_version: int) -> None:
    ends = {"x": (F, [2, 3]), "w": (F, [3])}, {"y": (F, None)}
    data = onnx_bytes([NODE("Add", ["x", "w"], ["y"])], *ends, {"w": np.float32([1, 2, 3])}, ir_version=ir_version)
    model = load(data)
    assert [value.name for value in model.inputs] == ["x"]
    assert model.run(X)["y"].tolist() == (X + [1, 2, 3]).tolist()
    assert model.run({"x": X, "w": np.float32([0, 0, 1])})["y"].tolist() == (X + [0, 0, 1]).tolist()
    assert "input   w float32 [3], optional" in model.plan()


def test_an_input_left_out_in_the_middle() -> None:
    data = onnx_bytes(
        [NODE("Clip", ["x", "", "high"], ["y"])], {"x": (F, [2, 3])}, {"y": (F, None)}, {"high": np.float32(2)}
    )
    assert load(data).run(X)["y"].max() == 2


def test_other_domains_are_unsupported() -> None:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.example", 1)]
    data = onnx_bytes(
        [NODE("Twice", ["x"], ["y"], name="n", domain="com.example")],
        {"x": (F, [1])},
        {"y": (F, None)},
        opset_imports=opsets,
    )
    with pytest.raises(UnsupportedOperator, match=r"Twice \(com.example 1, node 'n'\)"):
        load(data)


def test_inputs_that_are_no_tensors_are_unsupported() -> None:
    info = helper.make_tensor_sequence_value_info("x", F, None)
    graph = helper.make_graph([], "g", [info], [helper.make_tensor_value_info("x", F, None)])
    with pytest.raises(UnsupportedOperator, match="input 'x' is a sequence"):
        load(helper.make_model(graph).SerializeToString())


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"hello world", b"\x08\x08", reduce_sum()[:-9]])
def test_what_is_no_model_is_refused(data: bytes) -> None:
    with pytest.raises(ModelError, match=r"^model: not an? "):
        load(data)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load(tmp_path / "gone.onnx")
    assert caught.value.filename == str(tmp_path / "gone.onnx")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    with pytest.raises(AttributeValueError, match="is no path: embedded null byte"):
        load("a\0b")
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(ModelError, match="is not a regular file"):
        load(tmp_path / "pipe.onnx")
    with pytest.raises(ArgumentTypeError, match="a model is a path or bytes; got int"):
        load(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="weights= belongs to an OpenVINO IR"):
        load(reduce_sum(), weights=b"")


@pytest.mark.parametrize("name", ["README.md", "net.bin", "model"])
def test_a_file_of_another_kind_is_told_so(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"# samesum\n\nThe same sum everywhere.")
    with pytest.raises(ModelError, match=rf"^{name}: neither an \.onnx model nor the \.xml of an OpenVINO IR"):
        load(tmp_path / name)


def test_without_the_onnx_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = reduce_sum()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackage, match=r'^model: reading \.onnx files needs .*pip install "samesum\[onnx\]"'):
        load(data)


def test_the_example_of_a_layer_norm_agrees_with_the_reference_of_onnx() -> None:
    reference = pytest.importorskip("onnx.reference")
    path = Path(__file__).parents[2] / "examples" / "onnx" / "layer_norm.onnx"
    x = np.random.default_rng(0).standard_normal((2, 12, 10, 24)).astype(np.float32)
    (found,) = load(path).run(x).values()
    (expected,) = reference.ReferenceEvaluator(onnx.load(path)).run(None, {"x": x})
    assert np.abs(found - expected).max() < 2e-5, np.abs(found - expected).max()


def test_exact_work_agrees_with_onnxruntime() -> None:
    runtime = pytest.importorskip("onnxruntime")
    nodes = [
        NODE("Transpose", ["x"], ["t"], perm=[1, 0]),
        NODE("Mul", ["t", "t"], ["m"]),
        NODE("Cast", ["m"], ["i"], to=TensorProto.INT8),
        NODE("Cast", ["i"], ["f"], to=F),
        NODE("Sum", ["f", "t", "t"], ["s"]),
        NODE("ReduceSum", ["s", "axes"], ["y"]),
    ]
    data = onnx_bytes(nodes, {"x": (F, [None, 3])}, {"y": (F, None)}, {"axes": np.int64([0])})
    x = np.array([[300.5, -20, 7], [1e10, 0.25, -9]], np.float32)
    (expected,) = runtime.InferenceSession(data).run(None, {"x": x})
    assert same(load(data).run(x)["y"], expected)


def test_bfloat16_models_run_on_ml_dtypes() -> None:
    kind = TensorProto.BFLOAT16
    model = load(onnx_bytes([NODE("ReduceSum", ["x"], ["y"])], {"x": (kind, [None])}, {"y": (kind, None)}))
    x = np.ones(512, ml_dtypes.bfloat16)
    assert model.inputs[0].dtype == x.dtype
    assert same(model.run(x)["y"], np.array([512], ml_dtypes.bfloat16))
