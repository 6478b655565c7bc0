"""Elementary functions as operators of both standards: rounded once, their versions, types and attributes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
from building import ir_run, onnx_run, same
from elementary import FUNCTIONS, correctly_rounded, specials, ulps_off
from naming import looped
from oracle import assert_bits, bits_of, form_of
from samesum.errors import DtypeError, ModelError, ShapeError
from samesum.formats.rounding import quotient

OPERATORS = {
    "sigmoid": ("Sigmoid", 13, {}, "Sigmoid", "opset1", ""),
    "tanh": ("Tanh", 13, {}, "Tanh", "opset1", ""),
    "erf": ("Erf", 13, {}, "Erf", "opset1", ""),
    "sin": ("Sin", 22, {}, "Sin", "opset1", ""),
    "cos": ("Cos", 22, {}, "Cos", "opset1", ""),
    "softplus": ("Softplus", 22, {}, "SoftPlus", "opset4", ""),
    "gelu": ("Gelu", 20, {"approximate": "none"}, "Gelu", "opset7", 'approximation_mode="ERF"'),
    "gelu_tanh": ("Gelu", 20, {"approximate": "tanh"}, "Gelu", "opset7", 'approximation_mode="TANH"'),
}


def data(dtype: np.dtype[Any]) -> np.ndarray:
    drawn = cases.make("normal", np.float64, 600, 3) * 4
    return np.concatenate([drawn.astype(dtype), specials(dtype)]).reshape(2, -1)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("name", OPERATORS)
def test_both_standards_round_once(name: str, dtype: np.dtype[Any]) -> None:
    onnx, opset, attributes, openvino, version, words = OPERATORS[name]
    x = data(dtype)
    found = onnx_run(onnx, [x], opset, **attributes)
    assert_bits(ir_run(openvino, [x], words, version), found)
    assert onnx_run(onnx, [x[0, 0]], opset, **attributes).shape == ()
    if dtype != np.float64:
        assert_bits(found, correctly_rounded(*FUNCTIONS[name], dtype, x))
    else:
        ordinary = np.abs(x) < 1e300
        assert ulps_off(FUNCTIONS[name][1], found[ordinary], x[ordinary]) <= 1


def test_defaults_are_the_exact_gelu() -> None:
    x = data(np.dtype(np.float32))
    assert same(onnx_run("Gelu", [x], 20), onnx_run("Gelu", [x], 20, approximate="none"))
    assert same(ir_run("Gelu", [x], "", "opset2"), onnx_run("Gelu", [x], 20))
    assert same(ir_run("Gelu", [x], "", "opset7"), onnx_run("Gelu", [x], 20))
    with pytest.raises(ModelError, match="approximate is 'sigmoid'; allowed is none or tanh"):
        onnx_run("Gelu", [x], 20, approximate="sigmoid")


def test_types_of_the_versions() -> None:
    half = np.array([1.0], ml_dtypes.bfloat16)
    for kind, old, new in (("Sigmoid", 6, 13), ("Sin", 7, 22), ("Softplus", 1, 22), ("HardSigmoid", 6, 22)):
        onnx_run(kind, [half], new)
        with pytest.raises(DtypeError, match=rf"{kind}-{old}: .* is bfloat16; allowed are float16, float32, float64"):
            onnx_run(kind, [half], old)
    assert onnx_run("Tanh", [np.float32([0])], 1, consumed_inputs=[0]).tolist() == [0]


def test_the_error_function_of_integers_is_below_one() -> None:
    for dtype in (np.int8, np.uint64):
        assert same(onnx_run("Erf", [np.array([0, 1, 9, 100], dtype)], 9), np.zeros(4, dtype))


def line(x: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    """alpha x + beta between 0 and 1 in fractions."""
    form = form_of(x.dtype)
    codes = np.empty(x.shape, f"u{x.itemsize}")
    for place in np.ndindex(x.shape):
        value = float(x[place])
        if not np.isfinite(value):
            codes[place] = form.nan if np.isnan(value) else bits_of(np.array([float(value > 0)]).astype(x.dtype))[0]
            continue
        exact = min(max(Fraction(alpha) * Fraction(value) + Fraction(beta), Fraction(0)), Fraction(1))
        codes[place] = form.nearest(*quotient(exact.numerator, 0, exact.denominator))
    return codes.view(x.dtype)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize(("alpha", "beta"), [(0.2, 0.5), (1.0, 0.5), (0.1, 1 / 3), (2.0**-20, 0.25)])
def test_hard_sigmoid_is_exact_until_it_is_rounded(dtype: np.dtype[Any], alpha: float, beta: float) -> None:
    x = data(dtype)
    near = np.clip(np.arange(-40, 40) * 2.0**-9 - beta / alpha, -6e4, 6e4).astype(dtype)
    x = np.concatenate([x.ravel(), near])
    single = [float(np.float32(each)) for each in (alpha, beta)]
    assert_bits(onnx_run("HardSigmoid", [x], 22, alpha=alpha, beta=beta), line(x, *single))
    own = [np.array(each).astype(dtype) for each in (alpha, beta)]
    assert_bits(ir_run("HardSigmoid", [x, *own]), line(x, *map(float, own)))


@looped("dtype", cases.FLOATS)
def test_hard_sigmoid_where_products_leave_the_range_of_float64(dtype: np.dtype[Any]) -> None:
    """Results that are subnormal, and products whose leading words cancel against beta, however great they are."""
    form, draw = form_of(dtype), np.random.default_rng(5)
    least, unit = 2.0**form.unit, 2.0**-form.precision
    tiny = np.concatenate([draw.integers(1, 1 << form.precision + 4, 300), [73184377, 1, 2, 3, 5, 7]]) * least
    great = math.sqrt(float(ml_dtypes.finfo(dtype).max)) / 4 * (1 + draw.random(60))  # type: ignore[no-untyped-call]
    great = great.astype(dtype).astype(np.float64)
    for alpha in (0.2, 0.5, 1.0, 3 * unit, 1 - unit):
        for beta in (0.0, least, -5 * least):
            check_line(tiny.astype(dtype), alpha, beta)
    for value in great[:20]:
        check_line(great.astype(dtype), value, -value * great[0])


def check_line(x: np.ndarray, *numbers: float) -> None:
    own = [np.array(each).astype(x.dtype) for each in numbers]
    assert_bits(ir_run("HardSigmoid", [x, *own]), line(x, *map(float, own)), f"{own}")


def test_hard_sigmoid_of_openvino_takes_numbers() -> None:
    x = np.float32([1, 2])
    with pytest.raises(ShapeError, match=r"alpha has shape \(2,\); one element is needed"):
        ir_run("HardSigmoid", [x, x, x[0]])


def test_a_chain_of_functions_runs_block_by_block_with_the_same_bits() -> None:
    """Larger than a block, so that the steps run in one pass."""
    from onnx import TensorProto, helper

    from building import onnx_bytes
    from samesum.frontends.models.load import load

    kinds = ["Tanh", "Sigmoid", "Softplus", "Erf", "Sin", "Cos", "Gelu", "HardSigmoid", "Round", "Reciprocal"]
    nodes = [helper.make_node(kind, [f"v{i}"], [f"v{i + 1}"]) for i, kind in enumerate(kinds)]
    outputs = {f"v{len(kinds)}": (0, None)}
    model = load(onnx_bytes(nodes, {"v0": (TensorProto.FLOAT, None)}, outputs, opset=22))
    x = (cases.make("normal", np.float64, 300_000, 5) * 4).astype(np.float32)
    (found,) = model.run(x).values()
    for kind in kinds:
        x = onnx_run(kind, [x], 22)
    assert_bits(found, x)
