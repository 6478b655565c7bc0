"""What `samesum compare` prints, from comparisons that are made by hand."""

from __future__ import annotations

import math

from samesum.cli.compare_report import SHOWN, report
from samesum.compare.judging import Verdict
from samesum.compare.results import Comparison, Effect, EngineFinding, Hazard, NodeFinding


def test_a_model_without_reductions() -> None:
    assert "No node is judged: no reduction, scan, softmax, normalization, pool or scatter." in report(
        Comparison("m.onnx", {})
    )


def test_the_effect_of_exact_reductions() -> None:
    effect = (Effect("y", 0.0123, 36.6), Effect("z", 0.5, 0.7), Effect("whole", 0.0, math.nan))
    lines = report(Comparison("m.onnx", {}, effect=effect)).splitlines()
    begin = lines.index("with exact reductions in ONNX Runtime, beside a run of the model in float64:")
    assert [line.split(maxsplit=1) for line in lines[begin + 1 : begin + 4]] == [
        ["y", "moves by 0.012, error 36.6 times as small"],
        ["z", "moves by 0.5, and comes no nearer"],
        ["whole", "moves by 0"],
    ]


def test_hazards_of_float16_are_counted_where_there_are_many() -> None:
    hazards = tuple(Hazard(f"node{i}", "ReduceSum", "float16", "partial sums overflow", 7e4) for i in range(SHOWN + 3))
    other = Hazard("node0", "ReduceSum", "bfloat16", "running sums stagnate", 256.0)
    lines = report(Comparison("m.onnx", {}, hazards=(*hazards, other))).splitlines()
    begin = lines.index("in float16 on these data:")
    assert lines[begin + 1].split(maxsplit=1) == ["node0", "partial sums overflow (70000)"]
    assert lines[begin + 1 + SHOWN : begin + 3 + SHOWN] == [
        "  ... and 3 more",
        f"nodes to keep in float32: {SHOWN + 3}; --json lists them",
    ]


def test_one_reason_for_no_opinion_is_said_once() -> None:
    finding = EngineFinding(None, None, Verdict.NO_OPINION, "samesum does not have LpPool")
    node = NodeFinding("pool", "LpPool", "", "", (1, 2, 8, 8), 4, {"onnxruntime": finding, "openvino": finding})
    lines = report(Comparison("m.onnx", {}, nodes=(node,))).splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("pool LpPool"))
    assert lines[begin : begin + 2] == [
        "pool LpPool [1, 2, 8, 8] over 4",
        "  no opinion: samesum does not have LpPool",
    ]
