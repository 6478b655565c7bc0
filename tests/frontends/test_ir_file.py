"""OpenVINO IR: shapes, names, ports, element types and versions as files have them."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from building import Ir, same
from samesum.errors import ArgumentError, AttributeValueError, DtypeError, ModelError, ShapeError, UnsupportedOperator
from samesum.frontends.models.ir_file.xml import split_names
from samesum.frontends.models.load import load

X = np.arange(6, dtype=np.float32).reshape(2, 3)
AXIS = np.int64([1])


def summing(data: str = "", version: str = "opset1", **changes: object) -> Ir:
    ir = Ir()
    x = ir.parameter("x", "f32", "2,3")
    return ir.result(ir.layer("ReduceSum", [x, ir.const(AXIS, **changes)], data, version, name="total"))


def written(ir: Ir, folder: Path) -> Path:
    (folder / "net.bin").write_bytes(ir.weights)
    path = folder / "net.xml"
    path.write_text(ir.text, encoding="utf-8")
    return path


def test_weights_lie_beside_the_file_or_are_given(tmp_path: Path) -> None:
    path = written(summing(), tmp_path)
    assert load(path).run(X)["y"].tolist() == [3, 12]
    moved = (tmp_path / "net.bin").rename(tmp_path / "other.bin")
    with pytest.raises(FileNotFoundError, match=r"weights of the IR, and weights= names another file") as caught:
        load(path)
    assert caught.value.filename == str(tmp_path / "net.bin")
    with pytest.raises(ArgumentError, match=r"^model: the IR has constants.*pass weights="):
        load(path.read_bytes())
    with pytest.raises(FileNotFoundError):
        load(path, weights=tmp_path / "gone.bin")
    for weights in (moved, str(moved), moved.read_bytes()):
        assert load(path, weights=weights).run(X)["y"].tolist() == [3, 12]


def test_a_model_without_constants_needs_no_weights(tmp_path: Path) -> None:
    ir = Ir(version="10")
    path = tmp_path / "abs.xml"
    path.write_text(ir.result(ir.layer("Abs", [ir.parameter("x", "f32", "2")])).text, encoding="utf-8")
    assert load(path).run(np.float32([-1, 2]))["y"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("", ()),
        ("2,3", (2, 3)),
        (" 2 , 3 ", (2, 3)),
        ("?,-1,2..5,2..,..5,7", (None, None, None, None, None, 7)),
        ("...", None),
        ("0", (0,)),
    ],
)
def test_shapes_of_parameters(text: str, shape: tuple[int | None, ...] | None) -> None:
    ir = Ir()
    model = ir.result(ir.layer("Abs", [ir.parameter("x", "f32", text)])).load()
    assert model.inputs[0].shape == shape
    assert model.outputs[0].shape == shape


@pytest.mark.parametrize("text", ["2,x", "2,,3", "-2", "1e3", "2_0", "٣", "...,2", "1..2..3", "+1", "9" * 30])
def test_shapes_that_are_none(text: str) -> None:
    ir = Ir()
    with pytest.raises(ModelError, match=r"layer 0 .*Parameter 'x'"):
        ir.result(ir.layer("Abs", [ir.parameter("x", "f32", text)])).load()


TYPES = {
    "f16": np.float16, "f32": np.float32, "F64": np.float64, "bf16": ml_dtypes.bfloat16, "boolean": np.bool_,
    "i8": np.int8, "i16": np.int16, "I32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
    "u32": np.uint32, "u64": np.uint64, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_constants_of_every_type_at_odd_offsets(name: str) -> None:
    values = np.array([1, 0, 1]).astype(TYPES[name])
    ir = Ir()
    ir.weights += b"\0"
    model = ir.result(ir.const(values, element_type=name)).load()
    assert same(model.run()["y"], values)


@pytest.mark.parametrize(
    ("name", "raw", "shape", "expected"),
    [
        ("u1", b"\xa8", "5", np.uint8([1, 0, 1, 0, 1])),
        ("u4", b"\x9f\x07", "3", np.uint8([15, 9, 7])),
        ("i4", b"\x9f\x07", "3", np.int8([-1, -7, 7])),
        ("boolean", b"\x00\x02", "2", np.bool_([False, True])),
        ("f32", b"\x00\x00\x80\x3f", "", np.float32(1)),
        ("f32", b"\x00", "0", np.float32([])),
        ("i64", b"\x00", "2,0", np.zeros((2, 0), np.int64)),
    ],
)
def test_constants_packed_scalar_and_empty(name: str, raw: bytes, shape: str, expected: np.ndarray) -> None:
    ir = Ir()
    model = ir.result(ir.const(np.frombuffer(raw, np.uint8), element_type=name, shape=shape)).load()
    assert same(model.run()["y"], expected)


def test_aligned_constants_are_views_of_the_weights() -> None:
    weights = bytes(np.float32([1, 2, 3]))
    ir = Ir()
    ir.weights += weights
    ir.const(np.float32([]), shape="3", size=12, offset=0)
    ir.result(ir.const(np.float32([]), shape="2", size=8, offset=4), "b").result(0, "a")
    model = load(ir.text.encode(), weights=weights)
    base = np.frombuffer(weights, np.float32)
    for array in model._program.graph.constants.values():
        assert np.shares_memory(array, base)
        assert not array.flags.writeable
    assert model.run()["b"].tolist() == [2, 3]


def test_types_and_booleans_are_matched_without_case() -> None:
    ir = Ir()
    x = ir.parameter("x", "F32", "2,3")
    ir.result(ir.layer("reducesum", [x, ir.const(AXIS, element_type="I64")], '<data keep_dims="TRUE"/>'))
    assert ir.load().run(X)["y"].tolist() == [[3], [12]]


@pytest.mark.parametrize("name", ["FP32", "int64", "", "f33"])
def test_element_types_that_are_none(name: str) -> None:
    with pytest.raises(ModelError, match=f"element_type is '{name}'; allowed: boolean, f16"):
        summing(element_type=name).load()


@pytest.mark.parametrize("place", ["data", "layer"])
def test_cum_sum_has_its_attributes_in_either_place(place: str) -> None:
    said = 'exclusive="1" reverse="true"'
    ir = Ir()
    x = ir.parameter("x", "f32", "3")
    data, extra = (f"<data {said}/>", "") if place == "data" else ("", said)
    ir.result(ir.layer("CumSum", [x, ir.const(np.int32(0))], data, "opset3", extra=extra))
    assert ir.load().run(np.float32([1, 2, 3]))["y"].tolist() == [5, 3, 0]


@pytest.mark.parametrize(
    ("kind", "version", "message"),
    [
        ("CumSum", "opset2", "opset2, node 'it': openvino.CumSum does not exist in opset 2; it has version 3"),
        ("ReduceL2", "opset3", "opset3, node 'it': openvino.ReduceL2 does not exist in opset 3"),
        ("Slice", "opset7", "opset7, node 'it': openvino.Slice does not exist in opset 7; it has version 8"),
        ("ReduceSum", "opset99", "opset99, node 'it': known are the opsets 1 to 16"),
        ("ReduceSum", "extension", r"extension, node 'it'\). Instead: samesum.openvino.exact"),
        ("ReduceSum", "", r"no version, node 'it'\). Instead: samesum.openvino.exact"),
        ("Proposal", "opset1", r"opset1, node 'it'\). Instead: samesum.openvino.exact"),
    ],
)
def test_the_operator_must_exist_in_the_opset(kind: str, version: str, message: str) -> None:
    ir = Ir()
    x = ir.parameter("x", "f32", "3")
    ir.result(ir.layer(kind, [x, ir.const(np.int64(0))], version=version, name="it"))
    with pytest.raises(UnsupportedOperator, match=rf"^model: 1 operator is not supported: {kind} \({message}"):
        ir.load()


def test_names_of_inputs_and_outputs() -> None:
    ir = Ir()
    x = ir.layer("Parameter", [], '<data shape="1" element_type="f32"/>', name="layer", names="a\\,b,c")
    y = ir.layer("Abs", [x], name="abs", names="t")
    z = ir.layer("Exp", [x], name="exp")
    ir.result(y, "named\\,so,other")
    for source in (y, z, z):
        ir.layer("Result", [source], name="last")
    model = ir.load()
    assert [value.name for value in model.inputs] == ["a,b"]
    assert [value.name for value in model.outputs] == ["named,so", "t", "exp", "last"]
    for name in ("a,b", "c", "layer"):
        assert model.run({name: np.float32([0])})["exp"].tolist() == [1]
    with pytest.raises(AttributeValueError, match="given twice"):
        model.run({"c": np.float32([0]), "layer": np.float32([0])})


def test_names_are_split_at_commas_that_are_not_escaped() -> None:
    assert split_names("a") == ("a",)
    assert split_names(r"a\,b,c\\,d") == ("a,b", "c\\", "d")
    assert split_names("") == ()
    assert split_names("a,,b\\") == ("a", "b\\")


def test_the_order_of_inputs_and_outputs_is_the_order_of_the_layers() -> None:
    ir = Ir()
    b, a = ir.parameter("b", "f32", "1"), ir.parameter("a", "f32", "1")
    difference = ir.layer("Subtract", [a, b])
    ir.result(difference, "second_minus_first").result(b, "first")
    found = ir.load().run([np.float32([1]), np.float32([5])])
    assert list(found) == ["second_minus_first", "first"]
    assert found["second_minus_first"].tolist() == [4]


def test_layers_come_in_any_order_and_unreachable_ones_are_dropped() -> None:
    ir = summing()
    ir.layer("Convolution", [0], name="unused")
    ir.layers.reverse()
    model = ir.load()
    assert model.operators == ("openvino.ReduceSum-1",)
    assert model.run(X)["y"].tolist() == [3, 12]


def test_ports_that_contradict_are_warned_of() -> None:
    ir = Ir()
    x = ir.layer("Parameter", [], '<data shape="2,3" element_type="f32"/>', name="x", precision="FP16", dims=[2, 4])
    ir.result(ir.layer("Abs", [x], name="abs", precision="I64", dims=[2, 3]))
    with pytest.warns(UserWarning, match="is declared") as caught:
        model = ir.load()
    assert [str(each.message) for each in caught] == [
        "model: 'x' is declared float16 [2, 4] and is float32 [2, 3]; "
        "'abs' is declared int64 [2, 3] and is float32 [2, 3]",
    ]
    assert model.run(X)["y"].dtype == np.float32


def test_ports_that_agree_or_say_nothing_are_not() -> None:
    ir = Ir()
    x = ir.layer("Parameter", [], '<data shape="?,3" element_type="f32"/>', name="x", precision="FP32", dims=[-1, 3])
    ir.result(ir.layer("Abs", [x], precision="UNSPECIFIED"))
    assert ir.load().outputs[0].shape == (None, 3)


def test_dynamic_rank_and_axes_given_when_it_runs() -> None:
    ir = Ir()
    x, axes = ir.parameter("x", "f32", "..."), ir.parameter("axes", "i32", "?")
    model = ir.result(ir.layer("ReduceSum", [x, axes], '<data keep_dims="false"/>')).load()
    assert model.run([X, np.int32([-1])])["y"].tolist() == [3, 12]
    assert model.run([X, np.int32([])])["y"].tolist() == X.tolist()
    assert model.run([X[0], np.int32([0])])["y"].tolist() == 3


def test_inputs_that_do_not_fit() -> None:
    model = summing().load()
    with pytest.raises(DtypeError, match="model: input 'x' is float64"):
        model.run(X.astype(np.float64))
    with pytest.raises(ShapeError, match=r"model: input 'x' has shape \[3, 2\]; the model takes \[2, 3\]"):
        model.run(X.T)


def test_byte_order_mark_and_unknown_suffix(tmp_path: Path) -> None:
    ir = summing()
    path = tmp_path / "net.ir"
    path.write_bytes(b"\xef\xbb\xbf" + ir.text.encode())
    (tmp_path / "net.bin").write_bytes(ir.weights)
    assert load(path).run(X)["y"].tolist() == [3, 12]


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_openvino_saves_is_read(compressed: bool, tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    from openvino import opset13 as ops

    x = ops.parameter([-1, 3], np.float32, name="x")
    weight = ops.constant(np.float32([0.5, 2, 3]))
    total = ops.reduce_sum(ops.multiply(x, weight), ops.constant(np.int64([1])), keep_dims=True)
    total.output(0).tensor.set_names({"total", "with, comma"})
    cut = ops.strided_slice(x, ops.constant([0, 1]), ops.constant([0, 3]), ops.constant([1, 1]), [1, 0], [1, 0])
    model = openvino.Model([ops.result(total), ops.result(ops.clamp(cut, 0, 4))], [x], "net")
    path = tmp_path / "net.xml"
    openvino.save_model(model, path, compress_to_fp16=compressed)
    loaded = load(path)
    assert ("openvino.Convert-1" in loaded.operators) is compressed
    assert {value.name for value in loaded.outputs} & {"total", "with, comma"}
    assert [value.shape for value in loaded.outputs] == [(None, 1), (None, 2)]
    expected = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(X)
    for found, output in zip(loaded.run(X).values(), range(2), strict=True):
        assert same(found, expected[output])
