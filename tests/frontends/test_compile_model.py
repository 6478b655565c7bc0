"""`samesum.openvino.compile_model` takes the same calls as OpenVINO's, where that is installed beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, onnx_bytes
from naming import looped
from samesum import ArgumentTypeError, AttributeValueError, DtypeError, ShapeError, UnsupportedOperator, load
from samesum.openvino import CumSum, ReduceL2, SoftMax, compile_model

EXAMPLES = Path(__file__).parents[2] / "examples"
LAYER_NORM = EXAMPLES / "openvino" / "layer_norm.xml"
X = np.load(EXAMPLES / "data" / "activations.npy")
F = TensorProto.FLOAT
A, B = np.float32([[1, 2, 4]]), np.float32([[8], [16]])
TWO_IN_TWO_OUT = onnx_bytes(
    [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("ReduceMax", ["sum"], ["top"], keepdims=0)],
    {"a": (F, [1, 3]), "b": (F, [2, 1])},
    {"sum": (F, [2, 3]), "top": (F, [])},
    opset=13,
)

Compile = Callable[..., Any]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """The model with two inputs and two outputs as a file."""
    path = tmp_path / "two.onnx"
    path.write_bytes(TWO_IN_TWO_OUT)
    return path


@pytest.fixture(params=["samesum", "openvino"])
def compile_by(request: pytest.FixtureRequest) -> Compile:
    """The function itself and the one that it stands in for."""
    if request.param == "samesum":
        return compile_model
    found: Compile = pytest.importorskip("openvino").compile_model
    return found


def error_of(compile_by: Compile, error: type[Exception], message: str) -> Any:
    """What the function has to raise; OpenVINO raises errors and texts of its own."""
    ours = compile_by is compile_model
    return pytest.raises(error if ours else Exception, match=message if ours else None)


@looped("form", [str, Path])
@pytest.mark.parametrize("device", ["CPU", "AUTO", "AUTO:CPU", None])
def test_a_model_is_a_path(compile_by: Compile, form: Callable[[Path], Any], device: str | None) -> None:
    compiled = compile_by(form(LAYER_NORM), device, {})
    assert compiled(X)[0].shape == X.shape


def test_one_input_is_given_in_every_way(compile_by: Compile) -> None:
    compiled = compile_by(LAYER_NORM, "CPU")
    expected = load(LAYER_NORM).run(X)["y"]
    for inputs in (X, [X], (X,), {0: X}, {"x": X}, {compiled.input(0): X}):
        np.testing.assert_allclose(compiled(inputs)["y"], expected, atol=2e-5)


def test_several_inputs_are_given_in_every_way(compile_by: Compile, two: Path) -> None:
    compiled = compile_by(two, "CPU")
    for inputs in ([A, B], (A, B), {0: A, 1: B}, {"b": B, "a": A}, {compiled.input(1): B, "a": A}, {1: B, "a": A}):
        result = compiled(inputs)
        assert result["sum"].tolist() == (A + B).tolist()
        assert result["top"] == 20
    assert compiled([A, B], True, share_outputs=False, decode_strings=False)[1] == 20


def test_a_result_is_taken_by_position_name_and_port(compile_by: Compile, two: Path) -> None:
    compiled = compile_by(two, "CPU")
    result = compiled([A, B])
    assert isinstance(result, Mapping)
    assert len(result) == 2
    for key in (1, "top", compiled.output(1), compiled.output("top"), compiled.outputs[1]):
        assert result[key] == 20
    assert [port.any_name for port in result] == ["sum", "top"]
    assert [set(names) for names in result.names()] == [{"sum"}, {"top"}]
    assert [y.shape for y in result.to_tuple()] == [y.shape for y in result.values()] == [(2, 3), ()]
    assert list(result.to_dict()) == compiled.outputs
    for key in (2, "gone"):
        with pytest.raises(KeyError, match=str(key)):
            result[key]


def test_ports_tell_what_goes_in_and_out(compile_by: Compile, two: Path) -> None:
    compiled = compile_by(two, "CPU")
    assert [port.any_name for port in compiled.inputs] == ["a", "b"]
    port = compiled.output("top")
    assert (port.any_name, port.get_any_name(), set(port.names)) == ("top", "top", {"top"})
    assert tuple(port.shape) == ()
    assert port == compiled.output(1)
    assert compiled.input("b") == compiled.input(1) == compiled.inputs[1]
    assert compile_by(LAYER_NORM, "CPU").output().any_name == "y"
    with error_of(compile_by, AttributeValueError, "the only output was asked for; there are 0 'sum', 1 'top'"):
        compiled.output()
    with error_of(compile_by, AttributeValueError, "no input 'gone'; there are 0 'a', 1 'b'"):
        compiled.input("gone")
    with error_of(compile_by, AttributeValueError, "no output 2; there are 0 'sum', 1 'top'"):
        compiled.output(2)


REFUSED = {
    "too many inputs": ([A, B, A], AttributeValueError, "3 inputs were given; the model has 2 inputs"),
    "a name that is none": ({"a": A, "gone": B}, AttributeValueError, "unknown input 'gone'"),
    "a position that is none": ({0: A, 2: B}, AttributeValueError, "no input 2; there are 0 'a', 1 'b'"),
    "another type": ([A, B.astype(np.float64)], DtypeError, "'b' is float64; the model takes float32"),
    "another shape": ([A.T, B], ShapeError, r"'a' has shape \[3, 1\]; the model takes \[1, 3\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(compile_by: Compile, two: Path, name: str) -> None:
    inputs, error, message = REFUSED[name]
    if compile_by is not compile_model and name == "another type":
        pytest.skip("OpenVINO converts it")
    with error_of(compile_by, error, message):
        compile_by(two, "CPU")(inputs)


@pytest.mark.parametrize("device", ["GONE", "cpu"])
def test_another_device_is_refused(compile_by: Compile, device: str) -> None:
    with error_of(compile_by, AttributeValueError, f"device '{device}' was asked for; allowed are CPU, AUTO"):
        compile_by(LAYER_NORM, device)


def test_inputs_that_are_missing_or_there_twice_are_refused() -> None:
    compiled = compile_model(TWO_IN_TWO_OUT)
    with pytest.raises(AttributeValueError, match="input 'a' is given twice, once as 0"):
        compiled({"a": A, 0: A})
    with pytest.raises(AttributeValueError, match="missing input 'b'"):
        compiled({"a": A})
    with pytest.raises(AttributeValueError, match="0 inputs were given; the model has 2"):
        compiled()


def test_lists_and_numbers_become_arrays_of_the_input_s_type() -> None:
    compiled = compile_model(TWO_IN_TWO_OUT)
    result = compiled([[[1, 2, 4]], [[8], [16]]])
    assert result["sum"].tolist() == (A + B).tolist()
    assert compiled({"a": [[1, 2, 4]], 1: B})["top"] == 20


def test_bytes_come_with_their_weights() -> None:
    xml, weights = (LAYER_NORM.with_suffix(suffix) for suffix in (".xml", ".bin"))
    expected = load(LAYER_NORM).run(X)["y"]
    for held in (weights.read_bytes(), weights):
        np.testing.assert_array_equal(compile_model(xml.read_bytes(), weights=held)(X)[0], expected, strict=True)


def test_a_port_s_dtype_is_numpy_s_and_an_open_dim_is_none() -> None:
    (port,) = compile_model(LAYER_NORM).inputs
    assert (port.position, port.element_type, port.shape) == (0, np.dtype(np.float32), (None, 12, 10, 24))


def test_a_model_with_other_operators_is_compiled_by_openvino_which_is_said() -> None:
    openvino = pytest.importorskip("openvino")
    opset = pytest.importorskip("openvino.opset13")
    data = opset.parameter([2], np.float32, name="x")
    model = openvino.Model([opset.reduce_l2(data, [0]), opset.atan(data)], [data], "two")
    with pytest.warns(UserWarning, match="Atan of this model run in OpenVINO; samesum computes the reductions"):
        compiled = compile_model(model)
    values = compiled([np.float32([3e30, 4e30])]).to_tuple()
    assert values[0] == np.float32(5e30)
    assert values[1].tolist() == np.arctan(np.float32([3e30, 4e30])).tolist()


def test_every_layer_that_is_not_supported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    ir = Ir()
    x = ir.parameter("x", "f32", "3")
    layer = ir.layer("Tan", [ir.layer("Sinh", [x], "", "opset1")], "", "opset1")
    with pytest.raises(UnsupportedOperator, match=r"2 operators .*Sinh .*Tan .*samesum\.openvino\.exact"):
        compile_model(ir.result(layer).text.encode())


def test_no_openvino_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    assert compile_model(LAYER_NORM)(X)[0].shape == X.shape
    with pytest.raises(ArgumentTypeError, match="a model is a path or bytes; got list"):
        compile_model([])


def test_openvino_s_own_models_are_taken() -> None:
    openvino = pytest.importorskip("openvino")
    opset = pytest.importorskip("openvino.opset8")
    x = opset.parameter([-1, 3], np.float32, name="x")
    x.output(0).set_names({"x"})
    outputs = {
        "norm": opset.reduce_l2(x, np.array([1])),
        "sums": opset.cum_sum(x, np.array(1)),
        "shares": opset.softmax(x, 1),
    }
    for name, node in outputs.items():
        node.output(0).set_names({name})
    compiled = compile_model(openvino.Model(list(outputs.values()), [x], "model"))
    expected = {"norm": ReduceL2(A, [1]), "sums": CumSum(A, 1), "shares": SoftMax(A, axis=1)}
    assert [port.any_name for port in compiled.outputs] == list(expected)
    for name, found in zip(expected, compiled({"x": A}).values(), strict=True):
        np.testing.assert_array_equal(found, expected[name], strict=True)
    read = openvino.Core().read_model(LAYER_NORM)
    np.testing.assert_array_equal(compile_model(read)(X)["y"], load(LAYER_NORM).run(X)["y"], strict=True)
