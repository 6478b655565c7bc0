"""Normalizations as ONNX Runtime writes them into optimised models, against the exact formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from norm_oracle import expected_inverse, expected_line
from oracle import assert_bits, exact
from samesum.algebra.rows import LAYER_NORM, MEAN, RMS_NORM, SUM
from samesum.engine.memory import Epsilon
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply, apply_all
from samesum.specs.lookup import operation_of

helper = pytest.importorskip("onnx.helper")

EPSILON = Epsilon(float(np.float32(1e-12)))
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def drawn(dtype: Any, *shape: int, seed: int) -> NDArray:
    return cases.make("normal", dtype, int(np.prod(shape)), seed).reshape(shape)


def call(name: str, *inputs: NDArray | None, **attributes: Any) -> tuple[NDArray, ...]:
    return apply_all(operation_of("com.microsoft", name, 1, **attributes), 4, list(inputs))


@each_float
@pytest.mark.parametrize("skip_shape", [(2, 3, 8), (1, 3, 8), (3, 8)])
def test_skip_layer_normalization(dtype: Any, skip_shape: tuple[int, ...]) -> None:
    x, skip = drawn(dtype, 2, 3, 8, seed=1), drawn(dtype, *skip_shape, seed=2)
    gamma, beta, bias = (drawn(dtype, 8, seed=seed) for seed in (3, 4, 5))
    wide = [np.broadcast_to(each, x.shape).astype(np.float64) for each in (x, skip, bias)]
    summed = exact.reduce(SUM, np.stack(wide), (0,)).reshape(-1, 8)
    y, mean, inverse, total = call("SkipLayerNormalization", x, skip, gamma, beta, bias)
    lines = [expected_line(LAYER_NORM, line, EPSILON, gamma, beta, dtype=np.dtype(dtype)) for line in summed]
    assert_bits(y, np.stack(lines).reshape(x.shape))
    assert_bits(mean, exact.reduce(MEAN, summed, (1,), dtype=np.float32).reshape(2, 3, 1))
    codes = [expected_inverse(LAYER_NORM, line, EPSILON, np.float32) for line in summed]
    assert_bits(inverse, np.array(codes, np.uint32).view(np.float32).reshape(2, 3, 1))
    narrow = [np.broadcast_to(each, x.shape) for each in (x, skip, bias)]
    assert_bits(total, exact.reduce(SUM, np.stack(narrow), (0,)))
    plain = call("SkipSimplifiedLayerNormalization", x, skip, gamma, bias)
    lines = [expected_line(RMS_NORM, line, EPSILON, gamma, None, dtype=np.dtype(dtype)) for line in summed]
    assert_bits(plain[0], np.stack(lines).reshape(x.shape))
    assert_bits(plain[3], total)


def test_nothing_overflows_in_the_sum() -> None:
    x, gamma = np.float16([[60000, -60000]]), np.float16([1, 1])
    y = call("SkipLayerNormalization", x, x, gamma, None, None)[0]
    assert_bits(y, np.float16([[1, -1]]))


def optimised(operator: str, domain: str, inputs: int, outputs: list[str], opset: int, **attributes: Any) -> bytes:
    names = ["x", "skip", "gamma", "beta", "bias"][:inputs] if domain else ["x", "gamma"]
    node = helper.make_node(operator, names, outputs, domain=domain, **attributes)
    shapes = {"x": [2, 3, 4], "skip": [2, 3, 4], "gamma": [4], "beta": [4], "bias": [4]}
    given = [helper.make_tensor_value_info(name, 1, shapes[name]) for name in names]
    wanted = [helper.make_tensor_value_info(name, 1, None) for name in outputs if name]
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "optimised", given, wanted)
    return bytes(helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString())


def test_optimised_models_are_read() -> None:
    x, skip = drawn(np.float32, 2, 3, 4, seed=1), drawn(np.float32, 2, 3, 4, seed=2)
    gamma, beta, bias = (drawn(np.float32, 4, seed=seed) for seed in (3, 4, 5))
    feeds = {"x": x, "skip": skip, "gamma": gamma, "beta": beta, "bias": bias}
    model = ss.load(optimised("SkipLayerNormalization", "com.microsoft", 5, ["y", "", "", "sum"], 17, epsilon=1e-12))
    y, _, _, total = call("SkipLayerNormalization", x, skip, gamma, beta, bias)
    got = model.run(feeds)
    assert_bits(got["y"], y)
    assert_bits(got["sum"], total)
    assert "com.microsoft.SkipLayerNormalization-1" in model.plan()
    for opset in (11, 17, 21):
        plain = ss.load(optimised("LayerNormalization", "", 2, ["y", "mean", "inverse"], opset, epsilon=1e-5))
        expected = ss.onnx.LayerNormalization(x, gamma, outputs=3)
        for got_one, wanted in zip(plain.run({"x": x, "gamma": gamma}).values(), expected, strict=True):
            assert_bits(got_one, wanted)
        simple = ss.load(optimised("SimplifiedLayerNormalization", "", 2, ["y", "inverse"], opset, epsilon=1e-5))
        got = simple.run({"x": x, "gamma": gamma})
        assert_bits(got["y"], ss.onnx.RMSNormalization(x, gamma))
        codes = [
            expected_inverse(RMS_NORM, line, Epsilon(float(np.float32(1e-5))), np.float32) for line in x.reshape(-1, 4)
        ]
        assert_bits(got["inverse"], np.array(codes, np.uint32).view(np.float32).reshape(2, 3, 1))


@pytest.mark.parametrize("epsilon", [-1.0, float("nan"), float("inf")])
def test_an_epsilon_that_is_none_is_refused_as_the_model_is_read(epsilon: float) -> None:
    for operator, domain in (("SkipLayerNormalization", "com.microsoft"), ("LayerNormalization", "")):
        content = optimised(operator, domain, 3, ["y"], 17, epsilon=epsilon)
        with pytest.raises(ss.ModelError, match=r"epsilon is .*allowed is a finite number from 0 on"):
            ss.load(content)


def test_wrong_shapes_are_refused() -> None:
    x, gamma = np.zeros((2, 3, 4), np.float32), np.zeros(4, np.float32)
    operation = operation_of("com.microsoft", "SkipLayerNormalization", 1)
    with pytest.raises(ss.ShapeError, match="skip has shape"):
        apply(operation, [x, x[:, :2], gamma])
    with pytest.raises(ss.ShapeError, match="gamma"):
        apply(operation, [x, x, gamma[:3]])


def test_an_operator_of_the_domain_that_there_is_not_is_named() -> None:
    content = optimised("MoE", "com.microsoft", 2, ["y"], 17)
    with pytest.raises(ss.UnsupportedOperator, match="MoE"):
        ss.load(content)
