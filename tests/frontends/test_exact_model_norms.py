"""Models of OpenVINO with samesum's normalizations: the bits, bodies, dynamic shapes and what ONNX files become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import samesum as ss
from building import onnx_bytes
from naming import looped
from samesum.openvino import exact

openvino = pytest.importorskip("openvino")
opset = pytest.importorskip("openvino.opset13")
opset2 = pytest.importorskip("openvino.opset2")

F, NODE = TensorProto.FLOAT, helper.make_node
CORE = openvino.Core()
RANDOM = np.random.default_rng(35)
X = RANDOM.standard_normal((2, 6, 4, 5)).astype(np.float32)
SCALE = RANDOM.standard_normal(6).astype(np.float32)
AXES = np.int64([2, -1])
ACROSS = {"across_channels": True, "normalize_variance": True, "eps": 0.125, "opset": 2}
MVN = {"normalize_variance": True, "eps": 0.125, "eps_mode": "outside_sqrt"}

pytestmark = pytest.mark.filterwarnings("ignore:OpenVINO's CPU plugin:RuntimeWarning")

CASES: dict[str, tuple[Any, Any]] = {
    "MVN": (lambda p: opset.mvn(p, AXES, True, 0.125, "outside_sqrt"), lambda x: ss.openvino.MVN(x, AXES, **MVN)),
    "centred": (
        lambda p: opset.mvn(p, AXES, False, 0.125, "inside_sqrt"),
        lambda x: ss.openvino.MVN(x, AXES, normalize_variance=False, eps=0.125, eps_mode="inside_sqrt"),
    ),
    "MVN-1": (lambda p: opset2.mvn(p, True, True, 0.125), lambda x: ss.openvino.MVN(x, **ACROSS)),
    "NormalizeL2": (
        lambda p: opset.normalize_l2(p, np.int64([1]), 0.125, "add"),
        lambda x: ss.openvino.NormalizeL2(x, [1], eps=0.125, eps_mode="add"),
    ),
    "GroupNormalization": (
        lambda p: opset.group_normalization(
            p, *(opset.convert(SCALE, p.get_element_type().get_type_name()) for _ in range(2)), 3, 0.125
        ),
        lambda x: ss.openvino.GroupNormalization(
            x, SCALE.astype(x.dtype), SCALE.astype(x.dtype), num_groups=3, epsilon=0.125
        ),
    ),
}


def compiled(model: Any) -> Any:
    return CORE.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})


def model_of(name: str, shape: list[int], kind: Any = np.float32) -> Any:
    data = opset.parameter(shape, kind, name="x")
    return openvino.Model([CASES[name][0](data)], [data], name)


@pytest.mark.parametrize("name", CASES)
def test_openvino_adds_the_epsilon_in_the_same_place(name: str) -> None:
    """The deviations are near 1 and epsilon is 0.125: elsewhere it would change the first digits."""
    wanted = compiled(model_of(name, [2, 6, 4, 5]))([X])[0]
    assert np.abs(CASES[name][1](X) - wanted).max() < 1e-5


@looped("kind", [np.float32, np.float16])
@looped("shape", [[2, 6, 4, 5], [-1, 6, -1, -1]])
@pytest.mark.parametrize("name", CASES)
def test_the_bits_are_those_of_samesum(name: str, shape: list[int], kind: Any) -> None:
    model = exact(model_of(name, shape, kind))
    assert not {each.get_type_name() for each in model.get_ops()} & {"MVN", "NormalizeL2", "GroupNormalization"}
    assert model.output(0).partial_shape == openvino.PartialShape(shape)
    x = X.astype(kind)
    found, wanted = compiled(model)([x])[0], CASES[name][1](x)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


def test_what_overflows_in_openvino() -> None:
    data = opset.parameter([1, 2], np.float32, name="x")
    model = openvino.Model([opset.mvn(data, np.int64([1]), True, 0.0, "inside_sqrt")], [data], "mvn")
    assert compiled(exact(model))([np.float32([[3e30, 5e30]])])[0].tolist() == [[-1, 1]]


def test_names_choose() -> None:
    data = opset.parameter([2, 6], np.float32, name="x")
    nodes = [opset.mvn(data, np.int64([1]), True, 0.1, "inside_sqrt"), opset.reduce_sum(data, [1])]
    model = openvino.Model(nodes, [data], "two")
    kinds = {each.get_type_name() for each in exact(model, ["mvn"]).get_ops()}
    assert "MVN" not in kinds
    assert "ReduceSum" in kinds


def test_bodies_are_exact_too() -> None:
    ends = [helper.make_tensor_value_info(name, F, [6]) for name in ("row", "unit")]
    nodes = [NODE("LayerNormalization", ["row", "one"], ["unit"], epsilon=0.0)]
    scan = helper.make_graph(nodes, "scan", ends[:1], ends[1:])
    model = onnx_bytes(
        [NODE("Scan", ["x"], ["y"], num_scan_inputs=1, body=scan)],
        {"x": (F, [2, 6])},
        {"y": (F, [2, 6])},
        {"one": np.ones(6, np.float32)},
        opset=17,
    )
    x = X[:2, :, 0, 0] * np.float32(1e30)
    found = compiled(exact(CORE.read_model(model)))([x])[0]
    assert found.tobytes() == ss.layer_norm(x, 6, eps=0).tobytes()


def test_a_layer_normalization_of_an_onnx_file() -> None:
    """OpenVINO reads one as MVN, a product and a sum, which are its own."""
    nodes = [NODE("LRN", ["x"], ["c"], size=1, alpha=0.0), NODE("LayerNormalization", ["c", "w"], ["y"])]
    constants = {"w": np.full(5, 2, np.float32)}
    model = onnx_bytes(nodes, {"x": (F, [2, 6, 4, 5])}, {"y": (F, [2, 6, 4, 5])}, constants, opset=17)
    found = compiled(exact(CORE.read_model(model)))([X])[0]
    assert found.tobytes() == ss.onnx.LayerNormalization(X, np.full(5, 2, np.float32)).tobytes()
