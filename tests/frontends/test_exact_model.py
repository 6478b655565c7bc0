"""Models of OpenVINO with samesum's operators: which nodes are samesum's, and what is said of the plugin."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import samesum as ss
from building import onnx_bytes
from samesum import ArgumentError, SamesumError, UnsupportedOperator, load
from samesum.conformance.forms import Form, own_forms, question
from samesum.conformance.suites.catalogue import SUITES
from samesum.formats.arrays import NDArray
from samesum.frontends.plugins.exact_model import OFFERED
from samesum.specs.lookup import chosen_names
from samesum.specs.table import OPENVINO

openvino = pytest.importorskip("openvino")
opset = pytest.importorskip("openvino.opset13")

from samesum.openvino import exact  # noqa: E402 - only where the package is there

# On processors with bfloat16 the plugin uses it unless told otherwise.
pytestmark = pytest.mark.filterwarnings("ignore:OpenVINO's CPU plugin computes in:RuntimeWarning")

EXAMPLES = Path(__file__).parents[2] / "examples" / "openvino"
HUGE = np.float32([[3e30, 4e30], [1.0, 1.0]])
"""OpenVINO's squares overflow in its first L2 norm."""
TAKEN = chosen_names(OPENVINO, None, OFFERED)
KEPT = {"float32", "int32", "int16", "int8", "uint16", "uint8", "bool"}
"""Element types that the plugin computes with, or in a wider type that holds all their values."""
CORE = openvino.Core()
X = np.load(EXAMPLES.parent / "data" / "activations.npy")


def compiled(model: Any) -> Any:
    return CORE.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})


def norm_of(shape: list[int], kind: Any = np.float32, **attributes: Any) -> Any:
    data = opset.parameter(shape, kind, name="x")
    return openvino.Model([opset.reduce_l2(data, [1], **attributes)], [data], "norm")


def kinds_in(model: Any) -> list[str]:
    return [node.get_type_name() for node in model.get_ordered_ops()]


def test_the_nodes_are_samesums_and_the_model_given_stays() -> None:
    model = norm_of([2, 2])
    copy = exact(model)
    assert "ReduceL2" in kinds_in(model)
    assert "ReduceL2" not in kinds_in(copy)
    assert compiled(copy)([HUGE])[0].tobytes() == ss.l2_norm(HUGE, axis=1).tobytes()
    assert np.isinf(compiled(model)([HUGE])[0][0])


def test_names_and_shapes_stay() -> None:
    model = CORE.read_model(EXAMPLES / "layer_norm.xml")
    copy = exact(model)
    assert [port.names for port in copy.outputs] == [port.names for port in model.outputs]
    assert [port.partial_shape for port in copy.outputs] == [port.partial_shape for port in model.outputs]
    assert {node.get_friendly_name() for node in copy.get_ops()} >= {
        node.get_friendly_name() for node in model.get_ops() if node.get_type_name().startswith("Reduce")
    }
    expected = ss.load(EXAMPLES / "layer_norm.xml").run({"x": X})["y"]
    assert np.abs(compiled(copy)([X])[0] - expected).max() < 1e-6  # the rest is OpenVINO's


@pytest.mark.parametrize("keep_dims", [False, True])
@pytest.mark.parametrize("shape", [[2, 2], [-1, 2], [2, -1], [-1, -1]])
def test_dynamic_shapes(shape: list[int], keep_dims: bool) -> None:
    model = compiled(exact(norm_of(shape, keep_dims=keep_dims)))
    for _ in range(2):
        assert model([HUGE])[0].tobytes() == ss.l2_norm(HUGE, axis=1).tobytes()
        assert model([HUGE])[0].shape == ((2, 1) if keep_dims else (2,))
    if shape == [-1, -1]:
        larger = np.float32(np.arange(12).reshape(3, 4))
        assert model([larger])[0].tobytes() == ss.l2_norm(larger, axis=1).tobytes()


def test_bodies_of_if_loop_and_scan_are_exact_too() -> None:
    def value(name: str, kind: int = TensorProto.FLOAT, shape: list[int] | None = None) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    def norm(x: str, y: str) -> Any:
        return helper.make_node("ReduceL2", [x], [y], axes=[-1], keepdims=0)

    branches = {f"{way}_branch": helper.make_graph([norm("x", way)], way, [], [value(way)]) for way in ("then", "else")}
    going = [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("before", shape=[2, 2])]
    gone = [value("on", TensorProto.BOOL, []), value("after", shape=[2, 2]), value("norms")]
    copies = [helper.make_node("Identity", [a], [b]) for a, b in (("go", "on"), ("before", "after"))]
    loop = helper.make_graph([*copies, norm("before", "norms")], "loop", going, gone)
    scan = helper.make_graph([norm("row", "length")], "scan", [value("row", shape=[2])], [value("length", shape=[])])
    nodes = [
        helper.make_node("If", ["yes"], ["branch"], **branches),
        helper.make_node("Loop", ["once", "", "x"], ["last", "rows"], body=loop),
        helper.make_node("Scan", ["x"], ["each"], num_scan_inputs=1, body=scan),
    ]
    inputs = {"x": (TensorProto.FLOAT, [2, 2]), "yes": (TensorProto.BOOL, [])}
    outputs = dict.fromkeys(("branch", "rows", "each"), (TensorProto.FLOAT, None))
    source = onnx_bytes(nodes, inputs, outputs, {"once": np.array(1, np.int64)}, opset=17)
    results = compiled(exact(CORE.read_model(source)))([HUGE, np.array(True)]).to_tuple()
    expected = ss.l2_norm(HUGE, axis=1)
    assert [result.tobytes() for result in results] == [expected.tobytes()] * 3


def test_operators_choose_which_are_exact() -> None:
    data = opset.parameter([2, 2], np.float32, name="x")
    model = openvino.Model([opset.reduce_l2(data, [1]), opset.softmax(data, 1)], [data], "two")
    assert sorted(set(kinds_in(exact(model, ["SoftMax"]))) & {"ReduceL2", "Softmax"}) == ["ReduceL2"]
    assert sorted(set(kinds_in(exact(model, {"reducel2"}))) & {"ReduceL2", "Softmax"}) == ["Softmax"]
    with pytest.raises(UnsupportedOperator, match="operators names 'Proposal', which samesum does not take over"):
        exact(model, ["Proposal"])
    with pytest.raises(
        UnsupportedOperator, match="operators names 'Add', which samesum does not take over; allowed are ReduceSum"
    ):
        exact(model, ["Add"])
    with pytest.raises(ArgumentError, match="operators is the text 'ReduceL2'"):
        exact(model, "ReduceL2")


@pytest.mark.parametrize(
    ("kind", "said"),
    [("f64", "f64 to f32"), ("i64", "i64 to i32"), ("u64", "u64 to i32"), ("u32", "u32 to i32"), ("i32", None)],
)
def test_what_the_plugin_narrows_is_said(kind: str, said: str | None) -> None:
    model = norm_of([2, 2], getattr(openvino.Type, kind))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        exact(model)
    texts = [str(each.message) for each in found if "narrows" in str(each.message)]
    assert len(texts) == (said is not None)
    assert all(f"narrows {said} before an operator sees the data" in text for text in texts)
    assert all(each.filename == __file__ for each in found)


def test_what_the_plugin_computes_in_is_said() -> None:
    default = CORE.get_property("CPU", "INFERENCE_PRECISION_HINT")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        exact(norm_of([2, 2]))
    assert len(found) == (default != openvino.Type.f32)
    assert all('give compile_model {"INFERENCE_PRECISION_HINT": "f32"}' in str(each.message) for each in found)


def test_an_error_names_the_node() -> None:
    data = opset.parameter([-1, 2], np.float32, name="x")
    cumulative = opset.cum_sum(data, opset.constant(5))
    cumulative.set_friendly_name("running")
    with pytest.raises(Exception, match=r"node 'running': openvino.CumSum-3: axis 5 is out of range for rank 2"):
        compiled(exact(openvino.Model([cumulative], [data], "wrong")))([HUGE])


def own_answer(asked: Any) -> NDArray | SamesumError:
    try:
        return load(asked.model.content, weights=asked.model.weights).run(asked.feeds)[asked.wanted]
    except SamesumError as error:
        return error


def exact_answer(asked: Any) -> NDArray | Exception:
    weights = openvino.Tensor(np.frombuffer(asked.model.weights, np.uint8))
    try:
        return np.asarray(compiled(exact(CORE.read_model(asked.model.content, weights)))(list(asked.feeds.values()))[0])
    except Exception as error:
        return error


@pytest.mark.parametrize("suite", ["edge", pytest.param("openvino-op-reference", marks=pytest.mark.slow)])
def test_every_case_of_the_suites_has_the_bits_of_samesum(suite: str) -> None:
    wrong, count = [], 0
    for case in SUITES[suite].cases():
        data = case.inputs[0]
        if (
            case.standard != "openvino"
            or case.operator not in TAKEN
            or Form.IR11 not in own_forms(case)
            or data is None
        ):
            continue
        # OpenVINO reads a softmax without an axis as one along axis 0, and lets booleans be added up.
        other = case.operator == "SoftMax" and "axis" not in case.attributes
        if data.dtype.name not in KEPT or other or (case.operator == "CumSum" and data.dtype == np.bool_):
            continue
        asked = question(case, Form.IR11)
        wanted, found = own_answer(asked), exact_answer(asked)
        count += 1
        if isinstance(wanted, Exception) or isinstance(found, Exception):
            same = isinstance(wanted, Exception) and isinstance(found, Exception)
        else:
            same = (wanted.dtype, wanted.shape) == (found.dtype, found.shape) and wanted.tobytes() == found.tobytes()
        if not same:
            wrong.append((case.name, wanted, found))
    assert wrong == []
    assert count > 100
