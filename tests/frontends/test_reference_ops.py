"""ONNX's reference evaluator with samesum's operators gives what `load` gives, bit for bit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, inliner
from onnx.reference import ReferenceEvaluator

from building import onnx_bytes
from samesum import AttributeValueError, AxisError, DtypeError, UnsupportedOperator, load
from samesum.frontends.plugins import onnx_tools
from samesum.onnx import LayerNormalization, ReduceL1, ReduceMax, ReduceSum, reference_ops
from samesum.specs.lookup import FAMILY
from samesum.specs.table import ONNX, Spec

F, NODE = TensorProto.FLOAT, helper.make_node
SPECS = [spec for spec in FAMILY if spec.standard is ONNX]
X = np.random.default_rng(3).standard_normal((2, 3, 4)).astype(np.float32)
ATTRIBUTES = {
    "axes": [1],
    "axis": 1,
    "keepdims": 0,
    "noop_with_empty_axes": 1,
    "select_last_index": 1,
    "exclusive": 1,
    "reverse": 1,
}
"""None has its default value."""


def opsets(spec: Spec) -> tuple[int, ...]:
    """The first and the last opset in which the version holds."""
    ends = [version.since for version in spec.operator.versions] + [ONNX.newest_opset + 1]
    return next(tuple({first, after - 1}) for first, after in pairwise(ends) if first == spec.version.since)


def by_evaluator(model: bytes, feeds: dict[str, np.ndarray]) -> np.ndarray:
    session = ReferenceEvaluator(onnx.load_from_string(model), new_ops=reference_ops())
    (result,) = session.run(None, feeds)
    return result


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators that samesum was asked for, in order."""
    made: list[str] = []
    apply = onnx_tools.apply

    def noting(operation: Any, inputs: Any) -> np.ndarray:
        made.append(operation.spec.identifier)
        return apply(operation, inputs)

    monkeypatch.setattr(onnx_tools, "apply", noting)
    return made


def test_there_is_one_class_for_each_operator() -> None:
    names = [each.__name__ for each in reference_ops()]
    assert sorted(names) == sorted({*(spec.operator.name for spec in SPECS), *MADE_OF_REDUCTIONS})
    assert {each.op_domain for each in reference_ops()} == {""}


@pytest.mark.parametrize("given", [True, False], ids=["every attribute", "no attribute"])
@pytest.mark.parametrize(
    ("spec", "opset"),
    [pytest.param(spec, opset, id=f"{spec.identifier} at {opset}") for spec in SPECS for opset in opsets(spec)],
)
def test_every_version_in_every_type_gives_the_bits_of_load(
    spec: Spec, opset: int, given: bool, calls: list[str]
) -> None:
    attributes = {each.name: ATTRIBUTES[each.name] for each in spec.attributes if given}
    where = {"axes": np.int64([1]), "axis": np.int64(1)}
    rest = {each.name: where[each.name] for each in spec.inputs[1:] if given or not each.optional}
    node = NODE(spec.operator.name, ["x", *rest], ["y"], **attributes)
    for name in sorted(spec.types):
        feeds = {"x": (np.abs(X) * 3).astype(name), **rest}
        kinds = {each: (helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for each, array in feeds.items()}
        model = onnx_bytes([node], kinds, {"y": (0, None)}, opset=opset)
        found = by_evaluator(model, feeds)
        np.testing.assert_array_equal(found, load(model).run(feeds)["y"], strict=True)
    assert calls == [spec.identifier] * len(spec.types)


def test_an_input_left_out_at_the_end_is_left_out() -> None:
    model = onnx_bytes([NODE("ReduceSum", ["x", ""], ["y"])], {"x": (F, [2, 3, 4])}, {"y": (F, None)}, opset=13)
    np.testing.assert_array_equal(by_evaluator(model, {"x": X}), ReduceSum(X), strict=True)


def reduced_by(axes: str, keepdims: str, opset: int = 13) -> onnx.FunctionProto:
    """A function whose attributes are those of the node in it."""
    node = NODE("ReduceMax", ["a"], ["b"])
    node.attribute.append(onnx.AttributeProto(name="axes", ref_attr_name=axes, type=onnx.AttributeProto.INTS))
    node.attribute.append(onnx.AttributeProto(name="keepdims", ref_attr_name=keepdims, type=onnx.AttributeProto.INT))
    imports = [helper.make_opsetid("", opset)]
    return helper.make_function("local", "Reduced", ["a"], ["b"], [node], imports, [axes, keepdims])


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axes", [[0], [-1, 1]])
def test_attributes_of_a_function_reach_its_nodes(axes: list[int], keepdims: int, calls: list[str]) -> None:
    session = ReferenceEvaluator(reduced_by("where", "kept"), new_ops=reference_ops())
    (found,) = session.run(None, {"a": X}, attributes={"where": axes, "kept": keepdims})
    np.testing.assert_array_equal(found, ReduceMax(X, axes=axes, keepdims=keepdims, opset=13), strict=True)
    assert calls == ["onnx.ReduceMax-13"]


def test_functions_of_a_model_are_samesum_s_once_they_are_put_into_the_graph(calls: list[str]) -> None:
    nodes = [
        NODE("Reduced", ["x"], ["m"], domain="local", where=[1], kept=1),
        NODE("ReduceL1", ["m"], ["y"], axes=[2], keepdims=0),
    ]
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)]
    functions = [reduced_by("where", "kept")]
    ends = {"x": (F, [2, 3, 4])}, {"y": (F, None)}
    data = onnx_bytes(nodes, *ends, opset_imports=imports, functions=functions)
    model = inliner.inline_local_functions(onnx.load_from_string(data))
    found = by_evaluator(model.SerializeToString(), {"x": X})
    expected = ReduceL1(ReduceMax(X, axes=[1], opset=13), axes=[2], keepdims=0, opset=13)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert calls == ["onnx.ReduceMax-13", "onnx.ReduceL1-13"]
    calls.clear()
    np.testing.assert_allclose(by_evaluator(data, {"x": X}), expected, rtol=1e-6)
    assert calls == ["onnx.ReduceL1-13"], "the evaluator now hands new_ops to functions: say so in reference_ops"


@pytest.mark.parametrize(("condition", "operator"), [(True, "ReduceSum"), (False, "ReduceMax")])
def test_the_branches_of_an_if_are_samesum_s_too(condition: bool, operator: str, calls: list[str]) -> None:
    def branch(name: str) -> onnx.GraphProto:
        return helper.make_graph([NODE(name, ["x"], ["z"])], name, [], [helper.make_tensor_value_info("z", F, None)])

    node = NODE("If", ["c"], ["y"], then_branch=branch("ReduceSum"), else_branch=branch("ReduceMax"))
    model = onnx_bytes([node], {"c": (TensorProto.BOOL, []), "x": (F, [2, 3, 4])}, {"y": (F, None)}, opset=20)
    found = by_evaluator(model, {"c": np.array(condition), "x": X})
    expected = {"ReduceSum": ReduceSum, "ReduceMax": ReduceMax}[operator](X)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert [name.partition("-")[0] for name in calls] == [f"onnx.{operator}"]


REFUSED = {
    "an opset that is too new": (NODE("ReduceSum", ["x"], ["y"]), 99, UnsupportedOperator, "the opsets 1 to"),
    "an operator that is too new": (NODE("CumProd", ["x", "x"], ["y"]), 20, UnsupportedOperator, "it has version 26"),
    "an attribute of another version": (
        NODE("ReduceSum", ["x"], ["y"], axes=[1]), 13, UnsupportedOperator, "ReduceSum-13 has no attribute 'axes'"
    ),
    "a value that is not allowed": (
        NODE("ReduceSum", ["x"], ["y"], keepdims=2), 13, AttributeValueError, "keepdims is 2"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_run_is_refused_when_the_evaluator_is_made(name: str) -> None:
    node, opset, error, message = REFUSED[name]
    model = onnx.load_from_string(onnx_bytes([node], {"x": (F, [2, 3, 4])}, {"y": (F, None)}, opset=opset))
    with pytest.raises(error, match=f"^node 'y': .*{message}"):
        ReferenceEvaluator(model, new_ops=reference_ops())


def test_errors_of_running_name_the_node_and_are_not_wrapped() -> None:
    node = NODE("ReduceMax", ["x"], ["y"], name="top", axes=[3])
    model = onnx_bytes([node], {"x": (0, None)}, {"y": (0, None)}, opset=13)
    with pytest.raises(AxisError, match=r"^node 'top': onnx.ReduceMax-13: .*axis 3"):
        by_evaluator(model, {"x": X})
    with pytest.raises(DtypeError, match=r"^node 'top': onnx.ReduceMax-13: data is bool; .*allowed by version 20"):
        by_evaluator(model, {"x": X > 0})


def test_other_type_errors_stay_what_they_are() -> None:
    session = ReferenceEvaluator(reduced_by("where", "kept"), new_ops=reference_ops())
    with pytest.raises(TypeError, match="Issues with types"):
        session.run(None, {"a": "text"}, attributes={"where": [0], "kept": 1})


def test_bfloat16_as_old_versions_of_the_evaluator_hold_it_is_refused() -> None:
    old = np.dtype((np.uint16, {"bfloat16": (np.uint16, 0)}))
    model = onnx_bytes([NODE("ArgMax", ["x"], ["y"])], {"x": (0, None)}, {"y": (0, None)}, opset=13)
    with pytest.raises(DtypeError, match=r"^node 'y': the data are bfloat16; .*1\.19"):
        by_evaluator(model, {"x": np.zeros(4, np.uint16).view(old)})


RANDOM = np.random.default_rng(35)
PLANES, SCALE = RANDOM.standard_normal((2, 6, 4, 5)).astype(np.float32), RANDOM.standard_normal(6).astype(np.float32)
LAST = RANDOM.standard_normal(5).astype(np.float32)
BYTES, UNIT, ZERO = RANDOM.integers(0, 256, (4, 5), np.uint8), np.float32(1.0), np.uint8(0)
MADE_OF_REDUCTIONS: dict[str, tuple[int, tuple[np.ndarray, ...], dict[str, Any]]] = {
    "LayerNormalization": (17, (PLANES, LAST, LAST), {"epsilon": 0.25}),
    "RMSNormalization": (23, (PLANES, LAST), {}),
    "GroupNormalization": (21, (PLANES, SCALE, SCALE), {"num_groups": 3}),
    "InstanceNormalization": (22, (PLANES, SCALE, SCALE), {}),
    "MeanVarianceNormalization": (13, (PLANES,), {"axes": [1, 3]}),
    "LpNormalization": (22, (PLANES,), {"p": 1, "axis": 1}),
    "GlobalAveragePool": (17, (PLANES,), {}),
    "GlobalMaxPool": (17, (PLANES,), {}),
    "GlobalLpPool": (17, (PLANES,), {}),
    "AveragePool": (22, (PLANES,), {"kernel_shape": [2, 3], "pads": [1, 0, 0, 1], "count_include_pad": 1}),
    "MaxPool": (12, (PLANES,), {"kernel_shape": [2, 2]}),
    "LpPool": (18, (PLANES,), {"kernel_shape": [3, 1], "p": 1}),
    "ScatterElements": (18, (LAST, np.int64([0, 0, -1]), LAST[:3]), {"reduction": "add"}),
    "ScatterND": (18, (LAST, np.int64([[0], [0]]), LAST[:2]), {"reduction": "mul"}),
    "MatMul": (13, (PLANES, PLANES[0, 0].T), {}),
    "Gemm": (13, (PLANES[0, 0], PLANES[0, 1], LAST[:4]), {"alpha": 0.5, "beta": 2.0, "transB": 1}),
    "Einsum": (12, (PLANES, LAST), {"equation": "abcd,d->cab"}),
    "Conv": (22, (PLANES, PLANES[:, :3]), {"group": 2, "pads": [0, 1, 2, 0]}),
    "ConvTranspose": (22, (PLANES, PLANES.swapaxes(0, 1).copy()), {"strides": [2, 1]}),
    "Attention": (23, (PLANES[None, :, :, 0], PLANES[None, :4, :, 1], PLANES[None, :4, :, 2]), {"softcap": 0.5}),
    "MatMulInteger": (10, (BYTES, BYTES.T, np.uint8([3])), {}),
    "ConvInteger": (10, (BYTES[None, None], BYTES[None, None, :2], np.uint8(3)), {"auto_pad": "SAME_LOWER"}),
    "QLinearMatMul": (10, (BYTES, UNIT, ZERO, BYTES.T, UNIT, ZERO, np.float32(900), ZERO), {}),
    "QLinearConv": (10, (BYTES[None, None], UNIT, ZERO, BYTES[None, None, :2], UNIT, ZERO, np.float32(900), ZERO), {}),
}


@pytest.mark.parametrize("operator", MADE_OF_REDUCTIONS)
def test_what_is_made_of_reductions_is_what_load_gives(operator: str, calls: list[str]) -> None:
    opset, arrays, attributes = MADE_OF_REDUCTIONS[operator]
    names = [f"x{i}" for i in range(len(arrays))]
    feeds = dict(zip(names, arrays, strict=True))
    ends = {name: (helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in feeds.items()}
    kind = np.int32 if operator.endswith("Integer") else np.uint8 if operator.startswith("QLinear") else np.float32
    result = {"y": (helper.np_dtype_to_tensor_dtype(np.dtype(kind)), None)}
    model = onnx_bytes([NODE(operator, names, ["y"], **attributes)], ends, result, opset=opset)
    (wanted,) = load(model).run(feeds).values()
    found = by_evaluator(model, feeds)
    assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())
    assert calls[0].startswith(f"onnx.{operator}-")


def test_a_layer_normalization_has_three_outputs() -> None:
    node = NODE("LayerNormalization", ["x", "w"], ["y", "mean", "inverse"], axis=-2)
    ends = {"x": (F, PLANES.shape), "w": (F, LAST.shape)}, dict.fromkeys(("y", "mean", "inverse"), (F, None))
    session = ReferenceEvaluator(onnx.load_from_string(onnx_bytes([node], *ends)), new_ops=reference_ops())
    found = session.run(None, {"x": PLANES, "w": LAST})
    wanted = LayerNormalization(PLANES, LAST, axis=-2, outputs=3)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in wanted]
