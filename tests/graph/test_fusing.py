"""Normalizations that a model writes out in several nodes: which become one step, with which bits, and which do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from written_out import (
    L2_NORMALIZATIONS,
    LAYER_NORMS,
    MOMENTS,
    RMS_NORMS,
    SHAPE,
    Writer,
    constants,
    feeds,
    in_onnx,
    in_openvino,
    last_axes,
    sample,
)

import samesum as ss
from bits import FLOATS
from building import onnx_bytes
from naming import looped
from norm_oracle import expected_line
from oracle import assert_bits
from samesum.algebra.rows import L2_QUOTIENT
from samesum.engine.norms import NO_EPSILON, Epsilon
from samesum.frontends.models.model import Model

EXAMPLES = Path(__file__).parents[2] / "examples"
NOT_QUITE = {
    "another exponent": MOMENTS.replace("two", "three") + "Sqrt a s; Div d s y",
    "another root": MOMENTS + "Pow a two s; Div d s y",
    "another numerator": MOMENTS + "Sqrt a s; Div x s y",
    "another data": "Exp x e; " + MOMENTS.replace("Sub x m d", "Sub e m d") + "Sqrt a s; Div e s y",
    "another axis of the mean": MOMENTS.replace("ReduceMean x", "ReduceMean@1 x") + "Sqrt a s; Div d s y",
    "an epsilon that is not constant": MOMENTS.replace("eps", "given") + "Sqrt a s; Div d s y",
    "a negative epsilon": MOMENTS.replace("eps", "minus_one") + "Sqrt a s; Div d s y",
    "a vector of epsilons": MOMENTS.replace("eps", "gamma") + "Sqrt a s; Div d s y",
    "a value used elsewhere": MOMENTS + "Sqrt a s; Div d s n; Mul n m y",
    "a difference used elsewhere": MOMENTS + "Sqrt a s; Div d s n; Add n d y",
    "the wrong way round": MOMENTS + "Sqrt a s; Div s d y",
    "a norm without the root": "Mul x x x2; ReduceMean x2 v; Add v eps a; Div x a y",
    "the sum for the mean": "Mul x x x2; ReduceSum x2 v; Add v eps a; Sqrt a s; Div x s y",
    "the least for the greatest": "ReduceL2 x l; Min l tiny c; Div x c y",
}

WRITERS = pytest.mark.parametrize("write", [in_onnx, in_openvino])
DTYPES = pytest.mark.parametrize("dtype", FLOATS, ids=str)


@WRITERS
@DTYPES
@looped("axes", [(-1,), (-2, -1), (-1, -2)])
@looped("name", LAYER_NORMS)
def test_layer_norm_has_the_bits_of_one_call(name: str, axes: tuple[int, ...], dtype: Any, write: Writer) -> None:
    lines, x, known = LAYER_NORMS[name], sample(dtype), constants(dtype)
    model = write(lines, dtype, axes, fuse_normalizations=True)
    assert model.operators == ("fused.LayerNorm",)
    weight, bias = (known[each] if each in lines else None for each in ("gamma", "beta"))
    wanted = last_axes(ss.layer_norm, axes, x, weight=weight, bias=bias, eps=float(known["eps"]))
    assert_bits(model.run(x)["y"], wanted)


@looped("write", [in_onnx, in_openvino])
@looped("dtype", FLOATS)
@pytest.mark.parametrize("axes", [(-1,), (-2, -1)])
@pytest.mark.parametrize("name", RMS_NORMS)
def test_rms_norm_has_the_bits_of_one_call(name: str, axes: tuple[int, ...], dtype: Any, write: Writer) -> None:
    lines, x, known = RMS_NORMS[name], sample(dtype), constants(dtype)
    model = write(lines, dtype, axes, fuse_normalizations=True)
    assert model.operators == ("fused.RMSNorm",)
    wanted = last_axes(
        ss.rms_norm, axes, x, weight=known["gamma"] if "gamma" in lines else None, eps=float(known["eps"])
    )
    assert_bits(model.run(x)["y"], wanted)


@WRITERS
@DTYPES
@looped("name", L2_NORMALIZATIONS)
def test_l2_normalization_is_rounded_once(name: str, dtype: Any, write: Writer) -> None:
    lines, x = L2_NORMALIZATIONS[name], sample(dtype)
    x[0, 0] = 2.0**-16
    x[0, 1] = 0
    model = write(lines, dtype, fuse_normalizations=True)
    assert model.operators == ("fused.L2Normalization",)
    epsilon = Epsilon(2.0**-20, at_least=True) if "tiny" in lines else NO_EPSILON
    wanted = [expected_line(L2_QUOTIENT, line, epsilon) for line in x.reshape(-1, 16)]
    got = model.run(x)["y"]
    assert_bits(got + got.dtype.type(0), np.array(wanted).reshape(x.shape))


@WRITERS
@pytest.mark.parametrize("target", ["Shape x t; Expand c t", "Expand c shape"])
def test_a_norm_that_is_repeated_to_the_shape_of_the_data(target: str, write: Writer) -> None:
    """So does PyTorch write its normalize."""
    lines, x = f"ReduceL2 x l; Max l tiny c; {target} b; Div x b y", sample(np.float32)
    model = write(lines, np.float32, shape=SHAPE if "shape" in lines else (-1, -1, 16), fuse_normalizations=True)
    assert model.operators == ("fused.L2Normalization",)
    assert_bits(
        model.run(x)["y"], write(L2_NORMALIZATIONS["at least"], np.float32, fuse_normalizations=True).run(x)["y"]
    )


@WRITERS
def test_a_norm_that_is_repeated_to_another_shape_is_left_alone(write: Writer) -> None:
    lines, x = "ReduceL2 x l; Expand l shape b; Div x b y", sample(np.float32, (1, 4, 16))
    plain, asked = (write(lines, np.float32, fuse_normalizations=each) for each in (False, True))
    assert asked.operators == plain.operators
    assert_bits(asked.run(x)["y"], plain.run(x)["y"])


def test_clip_gives_the_least_norm() -> None:
    x = sample(np.float32)
    lines = "ReduceL2 x l; Clip l tiny c; Div x c y"
    model = in_onnx(lines, np.float32, fuse_normalizations=True)
    assert model.operators == ("fused.L2Normalization",)
    assert_bits(
        model.run(x)["y"], in_onnx(lines.replace("Clip", "Max"), np.float32, fuse_normalizations=True).run(x)["y"]
    )
    bounded = in_onnx("ReduceL2 x l; Clip l tiny one c; Div x c y", np.float32, fuse_normalizations=True)
    assert bounded.operators == ("onnx.ReduceL2-18", "onnx.Clip-13", "onnx.Div-14")


def test_a_least_norm_whose_square_has_no_exact_double_is_left_alone() -> None:
    lines = "ReduceL2 x l; Max l eps c; Div x c y"
    assert len(in_onnx(lines, np.float64, fuse_normalizations=True).operators) == 3
    assert len(in_onnx(lines, np.float32, fuse_normalizations=True).operators) == 1


@WRITERS
def test_nothing_is_fused_unasked(write: Writer) -> None:
    """Each node is rounded to its own type: here the results differ from those of one rounding."""
    lines, x = LAYER_NORMS["scale and bias"], sample(np.float16)
    model = write(lines, np.float16)
    assert len(model.operators) == 9
    values = {name: np.float32(each).astype(np.float16) for name, each in constants(np.float16).items()}
    mean = ss.onnx.ReduceMean(x, [-1])
    d = x - mean
    squares = np.square(d.astype(np.float64)).astype(np.float16)
    deviation = np.sqrt(ss.onnx.ReduceMean(squares, [-1]) + values["eps"])
    assert_bits(model.run(x)["y"], d / deviation * values["gamma"] + values["beta"])
    assert (model.run(x)["y"] != write(lines, np.float16, fuse_normalizations=True).run(x)["y"]).any()


@WRITERS
@looped("name", NOT_QUITE)
def test_what_almost_matches_is_left_alone(name: str, write: Writer) -> None:
    lines, x = NOT_QUITE[name], sample(np.float32)
    plain, asked = (write(lines, np.float32, fuse_normalizations=each) for each in (False, True))
    assert asked.operators == plain.operators
    assert asked.plan() == plain.plan()
    assert_bits(asked.run(feeds(lines, x))["y"], plain.run(feeds(lines, x))["y"])


@WRITERS
@pytest.mark.parametrize("value", ["m", "d", "v", "s"])
def test_a_value_that_leaves_the_model_is_kept(value: str, write: Writer) -> None:
    lines, x = LAYER_NORMS["quotient"], sample(np.float32)
    plain, asked = (
        write(lines, np.float32, fuse_normalizations=each, outputs=("y", value)).run(x) for each in (False, True)
    )
    for name in ("y", value):
        assert_bits(asked[name], plain[name])


@WRITERS
def test_a_scaled_value_that_leaves_the_model_ends_the_normalization(write: Writer) -> None:
    x, known = sample(np.float32), constants(np.float32)
    model = write(LAYER_NORMS["scale and bias"], np.float32, fuse_normalizations=True, outputs=("y", "g"))
    assert len(model.operators) == 2
    scaled = ss.layer_norm(x, 16, known["gamma"], eps=float(known["eps"]))
    assert_bits(model.run(x)["g"], scaled)
    assert_bits(model.run(x)["y"], scaled + known["beta"])


@WRITERS
def test_reductions_that_drop_their_axes_are_left_alone(write: Writer) -> None:
    """Of a square, where the wrong line's norm is what broadcasting takes."""
    lines, x = "ReduceL2 x l; Div x l y", sample(np.float32, (1, 16, 16))
    plain, asked = (write(lines, np.float32, keeps=False, fuse_normalizations=each) for each in (False, True))
    assert asked.operators == plain.operators
    assert_bits(asked.run(x)["y"], plain.run(x)["y"])


@WRITERS
def test_integers_are_left_alone(write: Writer) -> None:
    lines = "Mul x x x2; ReduceMean x2 v; Add v one a; Div x a y"
    root = "ReduceL2 x l; Max l one c; Div x c y"
    for each in (lines, root):
        plain, asked = (write(each, np.int32, fuse_normalizations=fuses) for fuses in (False, True))
        assert asked.operators == plain.operators
        assert_bits(asked.run(sample(np.int32))["y"], plain.run(sample(np.int32))["y"])


@WRITERS
def test_lines_along_any_axis_are_normalized(write: Writer) -> None:
    x, known = sample(np.float32), constants(np.float32)
    model = write(LAYER_NORMS["quotient"], np.float32, (1,), fuse_normalizations=True)
    wanted = ss.layer_norm(np.moveaxis(x, 1, -1), x.shape[1], eps=float(known["eps"]))
    assert_bits(model.run(x)["y"], np.ascontiguousarray(np.moveaxis(wanted, -1, 1)))


def _with_long_scale(fuses: bool) -> Model:
    """The scale has two elements along an axis of unknown length."""
    nodes = [helper.make_node(*_node(line)) for line in RMS_NORMS["scale"].replace("gamma", "long").split("; ")]
    nodes[1].attribute.append(helper.make_attribute("axes", [-1]))
    kinds = {"x": (TensorProto.FLOAT, ["n", 16])}
    weights = {"two": np.float32(2), "eps": np.float32(1e-3), "long": np.float32([[1], [2]])}
    model = onnx_bytes(nodes, kinds, {"y": (TensorProto.FLOAT, None)}, weights, opset=13)
    return ss.load(model, fuse_normalizations=fuses)


def _node(line: str) -> tuple[str, list[str], list[str]]:
    operator, *inputs, output = line.split()
    return operator, inputs, [output]


def test_a_scale_that_enlarges_the_result_runs_node_by_node() -> None:
    plain, asked = _with_long_scale(False), _with_long_scale(True)
    assert asked.operators == ("fused.RMSNorm",)
    one, two = sample(np.float32, (1, 16)), sample(np.float32, (2, 16))
    assert_bits(asked.run(one)["y"], plain.run(one)["y"])
    assert_bits(asked.run(two)["y"], ss.rms_norm(two, 16, eps=float(np.float32(1e-3))) * np.float32([[1], [2]]))
    with pytest.raises(ss.ShapeError, match=r"node .*broadcast"):
        asked.run(sample(np.float32, (3, 16)))


@WRITERS
def test_no_elements_run_node_by_node(write: Writer) -> None:
    model = write(LAYER_NORMS["scale and bias"], np.float32, fuse_normalizations=True)
    assert model.run(np.zeros((0, 4, 16), np.float32))["y"].shape == (0, 4, 16)


def test_one_normalization_after_the_other() -> None:
    first = RMS_NORMS["scale"].replace("y", "z")
    second = MOMENTS.replace("x", "z").replace(" v", " w").replace(" a", " b") + "Sqrt b t; Div d t y"
    x, known = sample(np.float32), constants(np.float32)
    model = in_onnx(f"{first}; {second}", np.float32, fuse_normalizations=True)
    assert model.operators == ("fused.RMSNorm", "fused.LayerNorm")
    eps = float(known["eps"])
    assert_bits(model.run(x)["y"], ss.layer_norm(ss.rms_norm(x, 16, known["gamma"], eps=eps), 16, eps=eps))


def test_the_plan_names_the_nodes() -> None:
    model = in_onnx(RMS_NORMS["quotient"], np.float32, fuse_normalizations=True)
    (line,) = [line for line in model.plan().splitlines() if "fused" in line]
    assert line.split(". ")[1] == (
        "fused.RMSNorm(x) -> y float32 [?, ?, 16]; axes [2], epsilon 0.001; "
        "in the place of the 5 nodes that give x2, v, a, s, y; frees x"
    )


@pytest.mark.parametrize("file", ["onnx/layer_norm.onnx", "openvino/layer_norm.xml"])
def test_the_examples_are_fused(file: str) -> None:
    x = np.load(EXAMPLES / "data/activations.npy")
    model = ss.load(EXAMPLES / file, fuse_normalizations=True)
    assert model.operators == ("fused.LayerNorm",)
    steps = np.arange(24, dtype=np.float32)
    wanted = ss.layer_norm(x, 24, 1 + steps / 64, (steps - 12) / 32, eps=float(np.float32(1e-5)))
    assert_bits(model.run(x)["y"], wanted)
