"""What `samesum compare` prints, from comparisons that are made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

from samesum.cli.compare_report import SHOWN, report
from samesum.compare.page import page
from samesum.compare.results import Comparison, Effect, EngineFacts, EngineFinding, Hazard, NodeFinding
from samesum.compare.words import MOST_LINES, block
from samesum.testing.figures import Figure, Worst
from samesum.testing.truths import Verdict


def test_a_model_that_computes_nothing() -> None:
    text = "No node is judged: none computes numbers with an operator that samesum has."
    assert text in report(Comparison("m.onnx", {}))


def test_nothing_is_cut_from_what_is_pasted() -> None:
    message = f"Conversion failed: {'a reason that goes on, ' * 12}for the operator RandomUniformLike-18"
    reason = "probed: 16 interleaved sums of float32, joined in pairs, then the rest one after the other"
    finding = EngineFinding(Figure(9.0, 63.0, 26, Worst((0, 114), 1.5, 1.0)), None, Verdict.WRONG, reason)
    nodes = tuple(NodeFinding(f"n{i}", "ReduceSum", "", "", (1, 300), 300, {"engine": finding}) for i in range(20))
    engines = {"engine": EngineFacts("1.0", "as stored"), "other": EngineFacts("2.0", "")}
    found = Comparison(
        "m.onnx", engines, nodes=nodes, notes=("inputs made up", f"other does not run this model: {message}")
    )
    lines = block(found).splitlines()
    text = " ".join(block(found).split())
    assert message in text
    assert reason in text
    assert "26 elements beyond what is allowed, the worst at [0, 114] got 1.5, exact 1.0, up to 9 ulp" in text
    assert "20 nodes judged: 20 wrong other was not checked: it does not run this model." in text
    assert max(map(len, lines)) <= 80
    assert 12 < len(lines) <= MOST_LINES + 2
    assert block(replace(found, nodes=nodes[:1], notes=(message * 8,))).count("node ReduceSum 'n0'") == 1


def test_a_table_without_rows_has_no_header() -> None:
    right = EngineFinding(Figure(0.0, 0.0, 0, None), Figure(0.0, 0.0, 0, None), Verdict.RIGHT)
    node = NodeFinding("n", "ReduceMax", "", "", (3,), 3, {"engine": right})
    found = Comparison("m.onnx", {"engine": EngineFacts("1.0", "as stored")}, nodes=(node,))
    lines = report(found).splitlines()
    assert "1 node judged: 1 right" in lines
    assert not any("inside" in line or "Errors in ulps" in line for line in lines)
    assert page(replace(found, nodes=())).count("<table>") == 1


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
