"""The document of a comparison has the keys and kinds of values that others build on, whatever was found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import faulty
import numpy as np
import pytest
from models import FLOAT, HALF, branches, loop, model, one, scatter, two_sums
from onnx import helper

from samesum.compare import compare
from samesum.compare.comparing import _shortened
from samesum.compare.observing import Observed
from samesum.compare.results import FULL, OutputDifference
from samesum.compare.words import FENCE, MOST_LINES, block
from samesum.runtimes.catalogue import Custom

Check = Callable[[Any], bool]
CONTROLS = ("twice", "threads", "exposed")
VERDICTS = {"right", "inexact", "wrong", "refused", "no opinion"}


def text(value: Any) -> bool:
    return isinstance(value, str)


def count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def number(value: Any) -> bool:
    """A finite number of JSON, or one of three names."""
    if isinstance(value, str):
        return value in ("nan", "inf", "-inf")
    return isinstance(value, int | float) and bool(np.isfinite(float(value)))


def value_of(value: Any) -> bool:
    return isinstance(value, bool) or number(value)


def listed(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(each) for each in value)


def keyed(checks: Mapping[str, Check]) -> Check:
    return lambda value: (
        isinstance(value, dict) and list(value) == list(checks) and all(checks[key](value[key]) for key in checks)
    )


def named(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(text(key) and check(each) for key, each in value.items())


def maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


WORST = keyed({"index": listed(count), "got": value_of, "exact": value_of})
FIGURE = keyed({"ulp": number, "scaled": number, "wrong": count, "worst": maybe(WORST)})
FINDING = keyed({"inside": maybe(FIGURE), "alone": maybe(FIGURE), "verdict": VERDICTS.__contains__, "reason": text})
NODE = keyed({
    "name": text, "operator": text, "domain": text, "body": text, "shape": listed(count), "reduced": count,
    "sampled": maybe(count), "engines": named(FINDING),
})  # fmt: skip
DOCUMENT: dict[str, Check] = {
    "model": text,
    "inputs": keyed({"made_up": (True, False).__contains__, "seed": maybe(count)}),
    "engines": named(keyed({"version": text, "precision": text})),
    "outputs": listed(
        keyed({"name": text, "engine": text, "max_abs": number, "max_rel": number, "differ": count})
    ),
    "parting": maybe(keyed({
        "name": text, "operator": text, "output": text, "engines": listed(text),
        "inputs_differ": number, "output_differs": number,
    })),
    "control": listed(keyed({"engine": text, "kind": CONTROLS.__contains__, "same": (True, False).__contains__})),
    "nodes": listed(NODE),
    "hazards": listed(keyed({"name": text, "operator": text, "type": text, "kind": text, "value": number})),
    "keep": keyed({"node_block_list": listed(text), "nodes_to_exclude": text, "openvino": listed(text)}),
    "effect": listed(keyed({"output": text, "moved": number, "nearer": number})),
    "records": listed(named(text)),
    "pairs": listed(named(text)),
}  # fmt: skip

X = np.random.default_rng(7).uniform(0.5, 1.5, (64, 300)).astype(np.float32)
ODD = np.float32([[1, np.nan, np.inf], [3e38, 3e38, -3e38]])


def checked(found: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(document) == list(DOCUMENT)
    for key, check in DOCUMENT.items():
        assert check(document[key]), (key, document[key])
    lines = block(found).splitlines()
    assert (lines[0], lines[-1]) == (FENCE, FENCE)
    assert len(lines) <= MOST_LINES + 2
    assert not any(line.lstrip().startswith(FENCE) for line in lines[1:-1])
    return document


@pytest.mark.parametrize("engine", [
    faulty.Right, faulty.DropsOne, faulty.SumsInHalf, faulty.Changes, faulty.Refuses, faulty.RefusesExposed,
    faulty.LosesUpdates,
])  # fmt: skip
@pytest.mark.parametrize(("proto", "feeds"), [
    (two_sums(), {"x": X}),
    (one("ReduceSum", (2, 3), axes=[1]), {"x": ODD}),
    (one("ReduceMax", (2, 3), axes=[1]), {"x": ODD}),
    (one("ReduceMean", (2, 3), HALF), {"x": np.float16([[6e4, 6e4, 1], [1, 2, 3]])}),
    (one("ArgMax", (2, 3)), {"x": ODD}),
    (branches(), {"x": X[0], "flag": np.array(False)}),
    (loop(3, "Scan"), {"x": X[:4]}),
    (scatter(600), {"x": np.zeros(3, np.float32), "u": np.ones(600, np.float32)}),
])  # fmt: skip
def test_every_finding_has_the_promised_keys_and_kinds(engine: Any, proto: Any, feeds: Any) -> None:
    checked(compare(proto, feeds, [engine, "reference"]))


def test_a_block_stays_short_however_many_nodes_are_wrong() -> None:
    nodes = [
        helper.make_node("ReduceSum", ["x", "axes"], [f"y{i}"], name=f"```{i}\n" + 200 * "n", keepdims=0)
        for i in range(40)
    ]
    proto = model(
        nodes, {"x": (FLOAT, [64, 300])}, {f"y{i}": (FLOAT, [64]) for i in range(40)}, {"axes": np.int64([1])}
    )
    document = checked(compare(proto, {"x": X}, [faulty.SumsInHalf]))
    assert len(document["nodes"]) == 40


def test_the_engines_that_people_have() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("openvino")
    x = np.full((64, 300), 300.1, np.float32)
    document = checked(compare(two_sums(), {"x": x}, ["onnxruntime", "openvino"], effect=True))
    assert set(document["engines"]) >= {"onnxruntime", "openvino"}
    assert document["effect"]
    assert document["hazards"]


@pytest.mark.parametrize(
    ("far", "left", "says"),
    [
        (0.05, 1e-6, "which is mostly why outputs differ"),
        (0.05, 0.04, "and do not come much nearer"),
        (float("inf"), 1e-6, "which is mostly why outputs differ"),
        (float("inf"), float("inf"), "and do not come much nearer"),
    ],
)
def test_a_shorter_type_is_the_reason_only_where_float32_comes_nearer(far: float, left: float, says: str) -> None:
    engine = Observed("engine", Custom("engine", faulty.Right), outputs={"y": X}, full={"y": X + 1}, precision="bf16")
    differing = [OutputDifference("y", "engine", far, far, 1), OutputDifference("y", f"engine{FULL}", left, left, 1)]
    assert says in _shortened(engine, differing)
    engine.full = engine.outputs
    assert "here the outputs are the same" in _shortened(engine, differing)
