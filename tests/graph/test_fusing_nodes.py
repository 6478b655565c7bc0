"""Nodes that normalize, with the scale, the bias and the conversions that other nodes add: one step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from written_out import constants, dtype_named, sample

import samesum as ss
from bits import FLOATS
from building import IR_NAMES, Ir
from oracle import assert_bits
from samesum.algebra.rows import LAYER_NORM
from samesum.engine.norms import Epsilon, normalize_lines
from samesum.frontends.models.model import Model

EPS = float(np.float32(1e-3))
DTYPES = pytest.mark.parametrize("dtype", FLOATS, ids=str)


def mvn(
    dtype: Any, lines: str, mode: str = "inside_sqrt", axes: Any = (2,), divides: bool = True, fuses: bool = True
) -> Model:
    """MVN of x gives n; the lines go on from there, the last one gives y."""
    ir, known = Ir(), constants(dtype)
    ids = {"x": ir.parameter("x", IR_NAMES[np.dtype(dtype)], "?,?,16")}
    ids |= {name: ir.const(array) for name, array in known.items()}
    ids |= {"axes": ir.const(np.int64(axes)) if axes is not None else ir.parameter("axes", "i64", "?")}
    said = f'<data eps="0.001" eps_mode="{mode}" normalize_variance="{str(divides).lower()}"/>'
    for line in lines.split("; "):
        operator, *inputs, output = line.split()
        operator, _, target = operator.partition(">")
        data = f'<data destination_type="{IR_NAMES[dtype_named(target)]}"/>' if target else ""
        data, version = (said, "opset6") if operator == "MVN" else (data, "opset1")
        ids[output] = ir.layer(operator, [ids[name] for name in inputs], data, version)
    ir.result(ids["y"], "y")
    return ss.load(ir.text.encode(), bytes(ir.weights), fuse_normalizations=fuses)


@DTYPES
@pytest.mark.parametrize("lines", ["Multiply n gamma y", "Multiply gamma n g; Add g beta y", "Add beta n y"])
def test_mvn_with_a_scale_and_a_bias_has_the_bits_of_layer_norm(lines: str, dtype: Any) -> None:
    x, known = sample(dtype), constants(dtype)
    model = mvn(dtype, f"MVN x axes n; {lines}")
    assert model.operators == ("fused.LayerNorm",)
    scale, bias = (known[each] if each in lines else None for each in ("gamma", "beta"))
    assert_bits(model.run(x)["y"], ss.layer_norm(x, 16, scale, bias, EPS))


@pytest.mark.parametrize("axes", [(-1, 1), (2, 1)])
def test_axes_in_any_order_and_an_epsilon_outside_of_the_root(axes: Any) -> None:
    x, known = sample(np.float32), constants(np.float32)
    model = mvn(np.float32, "MVN x axes n; Multiply n gamma y", "outside_sqrt", axes)
    wanted = normalize_lines(LAYER_NORM, x, (1, 2), Epsilon(outside=EPS), known["gamma"])
    assert_bits(model.run(x)["y"], wanted)
    assert "axes [1, 2], epsilon 0.001 outside of the root; in the place of the 2 nodes that give" in model.plan()


@pytest.mark.parametrize("convert", ["Convert>float16 n o", "ConvertLike n x o"])
def test_mixed_precision_is_rounded_once(convert: str) -> None:
    x, known = sample(np.float16), constants(np.float16)
    lines = f"Convert>float32 x h; MVN h axes n; {convert}; Multiply o gamma g; Add g beta y"
    model = mvn(np.float16, lines)
    assert model.operators == ("fused.LayerNorm",)
    assert_bits(model.run(x)["y"], ss.layer_norm(x, 16, known["gamma"], known["beta"], EPS))
    assert (mvn(np.float16, lines, fuses=False).run(x)["y"] != model.run(x)["y"]).any()


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        ("MVN x axes n; ReLU n y", {}),
        ("MVN x axes n; Multiply n gamma y", {"divides": False}),
        ("MVN x axes n; Multiply n gamma y", {"axes": None}),
        ("MVN x axes n; Multiply n n y", {}),
        ("MVN x axes n; Multiply n gamma g; Add g n y", {}),
    ],
)
def test_what_almost_matches_is_left_alone(lines: str, changes: dict[str, Any]) -> None:
    plain, asked = (mvn(np.float32, lines, fuses=fuses, **changes) for fuses in (False, True))
    assert asked.operators == plain.operators
    feeds = {"x": sample(np.float32)} | ({"axes": np.int64([2])} if changes.get("axes", 0) is None else {})
    assert_bits(asked.run(feeds)["y"], plain.run(feeds)["y"])


def test_a_node_that_normalizes_alone_stays_what_it_is() -> None:
    assert mvn(np.float32, "MVN x axes y").operators == ("openvino.MVN-6",)


def test_a_conversion_to_the_type_of_a_normalized_value_is_none_of_it() -> None:
    """The normalized value is only asked for its type."""
    lines = "MVN x axes n; ConvertLike gamma n y"
    plain, asked = (mvn(np.float32, lines, fuses=fuses) for fuses in (False, True))
    assert asked.operators == plain.operators


def test_no_elements_run_node_by_node() -> None:
    model = mvn(np.float32, "MVN x axes n; Multiply n gamma g; Add g beta y")
    assert model.run(np.zeros((0, 4, 16), np.float32))["y"].shape == (0, 4, 16)
