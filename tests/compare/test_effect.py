"""What exact reductions do to a model's outputs, beside a run in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from models import FLOAT, HALF, branches, model, one
from onnx import TensorProto, checker, helper, numpy_helper

from samesum.compare import compare
from samesum.compare.effect import doubled, in_float64
from samesum.compare.onnx_graph import OnnxGraph

X = np.full((4, 30000), 0.1, np.float32)


def test_every_float_becomes_a_double_in_bodies_too() -> None:
    for proto in (branches(), one("ReduceSum", (2, 3), HALF, axes=[1])):
        wide = doubled(proto)
        kinds = {each.type.tensor_type.elem_type for each in (*wide.graph.input, *wide.graph.output)}
        assert kinds <= {TensorProto.DOUBLE, TensorProto.BOOL}
    checker.check_model(doubled(branches()))
    feeds = {"x": np.full(300, 0.1), "flag": np.array(False)}
    (answer,) = in_float64(OnnxGraph(branches()), feeds).values()
    assert answer.dtype == np.float64
    assert answer == pytest.approx(300 * math.exp(0.1), rel=1e-14)


def test_constants_casts_and_sizes_are_minded() -> None:
    nodes = [
        helper.make_node("Constant", [], ["half"], value_float=0.5),
        helper.make_node("Constant", [], ["third"], value=numpy_helper.from_array(np.float32([0.25]))),
        helper.make_node("Cast", ["n"], ["m"], to=FLOAT),
        helper.make_node("ConstantOfShape", ["shape"], ["ones"], value=numpy_helper.from_array(np.float32([1]))),
        helper.make_node("Sum", ["half", "third", "m", "ones"], ["y"]),
    ]
    proto = model(nodes, {"n": (TensorProto.INT64, [2])}, {"y": (FLOAT, [2])}, {"shape": np.int64([2])})
    (answer,) = in_float64(OnnxGraph(proto), {"n": np.int64([1, 2])}).values()
    assert (answer.dtype, answer.tolist()) == (np.float64, [2.75, 3.75])


def test_exact_sums_come_nearer() -> None:
    pytest.importorskip("onnxruntime")
    found = compare(one("ReduceSum", (4, 30000), axes=[1]), {"x": X}, ["onnxruntime"], effect=True)
    (effect,) = found.effect
    assert effect.output == "y"
    assert effect.moved > 0
    assert effect.nearer > 10
    assert found.to_dict()["effect"][0].keys() == {"output", "moved", "nearer"}


def test_without_onnxruntime_it_is_said() -> None:
    found = compare(one("ReduceSum", (4, 30000), axes=[1]), {"x": X}, ["samesum"], effect=True)
    assert found.effect == ()
    assert "the effect of exact reductions is known for ONNX models that ONNX Runtime runs" in found.notes
