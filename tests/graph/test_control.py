"""If and Scan: what their graphs read from around them and give; graphs that do not fit, and their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from building import onnx_bytes, same
from graph.bodies import COUNTING, ELSE, NODE, SCANNING, THEN, B, F, X, graph, info, run
from naming import looped
from samesum.errors import DtypeError, ModelError, SamesumError, ShapeError, UnsafeModelError
from samesum.frontends.models.load import load
from samesum.frontends.models.onnx_file import graphs


@pytest.mark.parametrize("opset", [13, 18, 25])
def test_a_branch_reads_what_is_around_it(opset: int) -> None:
    nodes = [NODE("Neg", ["x"], ["y"]), NODE("If", ["c"], ["z"], then_branch=THEN, else_branch=ELSE)]
    for shape in ((), (1,)):
        for condition, expected in ((True, X.sum(1)), (False, 1 - X)):
            feeds = {"x": X, "c": np.full(shape, condition)}
            assert same(run(nodes, feeds, ["z"], opset, axes=np.int64([1]))[0], expected)
    with pytest.raises(ShapeError, match=r"node '#1': onnx.If-1: cond has shape \(2,\); one element is needed"):
        run(nodes, {"x": X, "c": np.array([True, False])}, ["z"], opset, axes=np.int64([1]))
    with pytest.raises(DtypeError, match="cond is int64; allowed are bool"):
        run(nodes, {"x": X, "c": np.int64(1)}, ["z"], opset, axes=np.int64([1]))


def test_an_error_in_a_branch_names_both_nodes() -> None:
    inner = graph([NODE("ReduceSum", ["x", "far"], ["s"], name="inner")], [], [info("s")])
    nodes = [NODE("If", ["c"], ["z"], name="outer", then_branch=inner, else_branch=inner)]
    with pytest.raises(SamesumError, match=r"node 'outer': onnx.If-1: node 'inner': onnx.ReduceSum-13: axis 7"):
        run(nodes, {"x": X, "c": np.array(True)}, ["z"], far=np.int64([7]))


def test_a_default_that_is_given_reaches_a_branch() -> None:
    branch = graph([NODE("Add", ["x", "k"], ["s"])], [], [info("s")])
    node = NODE("If", ["c"], ["z"], then_branch=branch, else_branch=branch)
    data = onnx_bytes([node], {"x": (F, [1]), "c": (B, []), "k": (F, [1])}, {"z": (F, None)}, {"k": np.float32([5])})
    model = load(data)
    assert model.run({"x": np.float32([1]), "c": np.array(True)})["z"].tolist() == [6]
    assert model.run({"x": np.float32([1]), "c": np.array(True), "k": np.float32([2])})["z"].tolist() == [3]


def test_values_of_a_graph_hide_those_around_it() -> None:
    branch = graph([NODE("Neg", ["w"], ["x"])], [], [info("x")], {"w": np.float32([3])})
    nodes = [NODE("Abs", ["x"], ["w"]), NODE("If", ["c"], ["z"], then_branch=branch, else_branch=branch)]
    assert run(nodes, {"x": X, "c": np.array(True)}, ["z", "w"])[0].tolist() == [-3]


@looped("axis", [0, 1, -1])
@looped("back", [0, 1])
@pytest.mark.parametrize("out_axis", [0, 1, -1])
@pytest.mark.parametrize("out_back", [0, 1])
def test_a_scan_along_any_axis_in_any_direction(axis: int, back: int, out_axis: int, out_back: int) -> None:
    node = NODE(
        "Scan",
        ["s", "x", "y"],
        ["t", "k"],
        body=SCANNING,
        num_scan_inputs=2,
        scan_input_axes=[axis, 0],
        scan_input_directions=[back, 0],
        scan_output_axes=[out_axis],
        scan_output_directions=[out_back],
    )
    x = X if axis == 0 else np.ascontiguousarray(X.T)
    y, state = np.float32([2, 3]), np.zeros(3, np.float32)
    last, kept = run([node], {"s": state, "x": x, "y": y}, ["t", "k"])
    rows = X[::-1] if back else X
    sums = np.cumsum(rows, 0, dtype=np.float32)
    products = sums * y[:, None]
    assert same(last, sums[-1])
    assert same(kept, np.ascontiguousarray(np.moveaxis(products[::-1] if out_back else products, 0, out_axis)))


def test_scan_of_opset_8_has_a_batch_and_lengths() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    state = np.zeros((2, 3), np.float32)
    body = graph(
        [NODE("Add", ["s", "x"], ["t"]), NODE("Identity", ["t"], ["k"])], [info("s"), info("x")], [info("t"), info("k")]
    )
    lengths = np.int64([4, 2])
    for back in (0, 1):
        node = NODE("Scan", ["n", "s", "x"], ["t", "k"], body=body, num_scan_inputs=1, directions=[back])
        last, kept = run([node], {"n": lengths, "s": state, "x": x}, ["t", "k"], 8)
        for b, length in enumerate(lengths):
            rows = x[b, :length][::-1] if back else x[b, :length]
            sums = np.cumsum(rows, 0, dtype=np.float32)
            assert same(last[b], sums[-1])
            assert kept[b, :length].tolist() == sums.tolist()
            assert not kept[b, length:].any()
    node = NODE("Scan", ["", "s", "x"], ["t", "k"], body=body, num_scan_inputs=1)
    assert same(run([node], {"s": state, "x": x}, ["t", "k"], 8)[1], np.cumsum(x, 1, dtype=np.float32))
    node = NODE("Scan", ["n", "s", "x"], ["t", "k"], body=body, num_scan_inputs=1)
    with pytest.raises(ShapeError, match=r"sequence_lens is \[4, 9\]; 2 numbers from 0 to 4"):
        run([node], {"n": np.int64([4, 9]), "s": state, "x": x}, ["t", "k"], 8)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (NODE("Loop", ["m", "", "x", "x"], ["z"], body=COUNTING), "body has 3 inputs; 4 are needed"),
        (NODE("Loop", ["m", "", "x"], ["z", "k", "n"], body=COUNTING), "gives 3 results; there are"),
        (NODE("If", ["b"], ["z"], then_branch=THEN, else_branch=COUNTING), "else_branch has 3 inputs; 0 are needed"),
        (NODE("If", ["b"], ["z", "k"], then_branch=THEN, else_branch=ELSE), "else_branch gives 1 results"),
        (NODE("If", ["b"], ["z"], then_branch=THEN), "the attribute 'else_branch' is missing"),
        (NODE("Loop", ["m", "", "x"], ["z"], body=3), "body is 3; allowed is a graph"),
        (
            NODE("Scan", ["x"], ["z"], body=SCANNING, num_scan_inputs=2),
            "num_scan_inputs is 2; there are 1 states and scan",
        ),
        (NODE("Scan", ["x"], ["z"], body=SCANNING, num_scan_inputs=-1), "num_scan_inputs is -1; there are 1 states"),
        (NODE("Scan", ["x"], ["z"], body=SCANNING, num_scan_inputs=1), "body has 3 inputs; 1 are needed"),
    ],
)
def test_graphs_that_do_not_fit_are_refused_as_the_file_is_read(node: Any, message: str) -> None:
    feeds = {"x": X, "y": X, "b": np.array(True), "limit": np.float32(1)}
    with pytest.raises(ModelError, match=message):
        run([node], feeds, ["z"], m=np.int64(1), axes=np.int64([1]))


def test_the_plan_shows_what_a_node_holds() -> None:
    nodes = [NODE("Neg", ["x"], ["y"]), NODE("If", ["c"], ["z"], then_branch=THEN, else_branch=ELSE)]
    model = load(onnx_bytes(nodes, {"x": (F, [2, 3]), "c": (B, [])}, {"z": (F, None)}, {"axes": np.int64([1])}))
    plan = model.plan()
    assert "onnx.If-1(c, y, x) -> z" in plan
    assert "then_branch:" in plan
    assert "onnx.ReduceSum-13(x, axes) -> s" in plan
    assert "else_branch:" in plan


def test_graphs_in_graphs_have_a_limit_of_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = graph([NODE("Identity", ["x"], ["z"])], [], [info("z")])
    for _ in range(24):
        inner = graph([NODE("If", ["c"], ["z"], then_branch=inner, else_branch=ELSE)], [], [info("z")])
    node = NODE("If", ["c"], ["z"], then_branch=inner, else_branch=inner)
    feeds = {"x": X, "y": X, "c": np.array(True)}
    for most in (32, 25):
        monkeypatch.setattr(graphs, "MOST_DEPTH", most)
        assert same(run([node], feeds, ["z"])[0], X)
    monkeypatch.setattr(graphs, "MOST_DEPTH", 24)
    with pytest.raises(UnsafeModelError, match="lies in 24 graphs one inside the other"):
        run([node], feeds, ["z"])
