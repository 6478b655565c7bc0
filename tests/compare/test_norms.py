"""Normalizations beside a computation in float64: what engines get wrong, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from models import FLOAT, HALF, model
from onnx import ModelProto, helper

from samesum.compare import Verdict, compare
from samesum.compare.reading import read
from samesum.formats.arrays import NDArray
from samesum.testing.normalizations import condition, plan_of, two_passes

RANDOM = np.random.default_rng(5)
RAMP = np.arange(1, 5, dtype=np.float32)[None] * np.float32(1e30)


def node_of(operator: str, x: NDArray, held: dict[str, Any] | None = None, opset: int = 23, **said: Any) -> ModelProto:
    kind = HALF if x.dtype == np.float16 else FLOAT
    node = helper.make_node(operator, ["x", *(held or {})], ["y"], name="norm", **said)
    return model([node], {"x": (kind, list(x.shape))}, {"y": (kind, list(x.shape))}, held, opset)


class Gives:
    """An engine that gives what a function makes of x in float32."""

    def __init__(self, make: Any) -> None:
        self.make = make

    def run(self, _: Any, feeds: dict[str, NDArray], wanted: list[str]) -> dict[str, NDArray]:
        (x,) = feeds.values()
        with np.errstate(all="ignore"):
            return dict.fromkeys(wanted, np.asarray(self.make(x)).astype(x.dtype))


def layer(x: NDArray, way: str = "right") -> NDArray:
    """LayerNormalization over the last axis in float64, or with moments in float32."""
    held = x.astype(np.float64 if way == "right" else np.float32)
    mean = held.mean(-1, keepdims=True)
    square = np.square(held).mean(-1, keepdims=True) - mean**2 if way == "subtracted" else held.var(-1, keepdims=True)
    return (held - mean) / np.sqrt(square + np.float32(1e-5))


@pytest.mark.parametrize(
    ("way", "x", "verdict", "reason"),
    [
        ("right", RANDOM.standard_normal((4, 64)).astype(np.float32), Verdict.RIGHT, ""),
        ("right", RAMP, Verdict.RIGHT, ""),
        ("two passes", RAMP, Verdict.WRONG, "squares in float32 that overflow or underflow"),
        (
            "subtracted",
            (1000 + RANDOM.standard_normal((4, 64))).astype(np.float32),
            Verdict.WRONG,
            "variance as E[x^2] - E[x]^2 in float32",
        ),
    ],
)
def test_layer_normalization(way: str, x: NDArray, verdict: Verdict, reason: str) -> None:
    proto = node_of("LayerNormalization", x, {"scale": np.ones(x.shape[-1], np.float32)})
    (node,) = compare(proto, {"x": x}, [Gives(lambda x: layer(x, way))]).nodes
    (finding,) = node.engines.values()
    assert (finding.verdict, finding.reason) == (verdict, reason)


def test_a_mean_that_is_large_is_minded() -> None:
    """Two passes in float32 lose what the mean's own rounding makes of the deviations, and that is allowed."""
    x = (1000 + RANDOM.standard_normal((4, 64))).astype(np.float32)
    proto = node_of("LayerNormalization", x, {"scale": np.ones(64, np.float32)})
    (node,) = compare(proto, {"x": x}, [Gives(lambda x: layer(x, "two passes"))]).nodes
    assert node.verdict is Verdict.INEXACT
    plan = plan_of(read(proto).nodes[0], [x, np.ones(64, np.float32)])
    assert plan is not None
    assert 100 < condition(plan).max() < 1000


PICTURE = RANDOM.standard_normal((2, 6, 4, 5)).astype(np.float32)
SIX = {"scale": np.linspace(1, 2, 6, dtype=np.float32), "bias": np.linspace(-1, 1, 6, dtype=np.float32)}
THREE = {"scale": np.float32([1, 2, 3]), "bias": np.float32([0, 1, 2])}
TWENTY = {"scale": np.ones((4, 5), np.float32), "bias": np.full((4, 5), 2, np.float32)}

CASES = [
    ("LayerNormalization", TWENTY, 17, {"axis": -2}),
    ("RMSNormalization", {"scale": np.linspace(1, 2, 5, dtype=np.float32)}, 23, {}),
    ("InstanceNormalization", SIX, 6, {"epsilon": 1e-3}),
    ("GroupNormalization", SIX, 21, {"num_groups": 3}),
    ("GroupNormalization", THREE, 18, {"num_groups": 3}),
    ("MeanVarianceNormalization", {}, 13, {}),
    ("LpNormalization", {}, 22, {"axis": 1}),
]


@pytest.mark.parametrize(("operator", "held", "opset", "said"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_plans_say_what_onnx_s_evaluator_gives(
    operator: str, held: dict[str, NDArray], opset: int, said: dict[str, Any], dtype: Any
) -> None:
    x = PICTURE.astype(dtype)
    given = {name: array.astype(dtype) for name, array in held.items()}
    proto = node_of(operator, x, given, opset, **said)
    plan = plan_of(read(proto).nodes[0], [x, *given.values()])
    assert plan is not None
    answer = plan.answer(two_passes)
    assert (answer.dtype, answer.shape) == (x.dtype, x.shape)
    wide = node_of(operator, PICTURE, held, opset, **said)
    (expected,) = _evaluated(wide, x.astype(np.float32))
    np.testing.assert_allclose(
        answer.astype(np.float64), expected, rtol=4e-3 if dtype == np.float16 else 1e-5, atol=1e-3
    )


def _evaluated(proto: ModelProto, x: NDArray) -> Any:
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(proto).run(None, {"x": x})


def test_other_norms_have_no_plan() -> None:
    node = read(node_of("LpNormalization", PICTURE, {}, 22, p=1)).nodes[0]
    assert plan_of(node, [PICTURE]) is None


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
def test_known_mistakes_of_engines(engine: str) -> None:
    pytest.importorskip(engine)
    proto = node_of("LayerNormalization", RAMP, {"scale": np.ones(4, np.float32)}, 17)
    (node,) = compare(proto, {"x": RAMP}, [engine]).nodes
    finding = node.engines[engine]
    if finding.verdict is not Verdict.WRONG:
        pytest.skip("this release is right")
    assert finding.reason == "squares in float32 that overflow or underflow"
