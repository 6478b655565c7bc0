"""Loops and scans that make no pass: what they would have gathered has its rank, its dims and its type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from building import same
from graph.bodies import INT, NODE, B, F, graph, info, run
from samesum.errors import AxisError, ShapeError

V = np.float32([3, 4])
UNRANKED = [NODE("Range", ["i", "i", "i"], ["dims"]), NODE("Reshape", ["v", "dims"], ["o"])]
"""The rank is computed from the number of the pass."""


def body(nodes: list[Any], shape: Any) -> Any:
    """Of a Loop without states, whose result o is declared so."""
    ends = [info("i", INT, []), info("c", B, [])], [info("d", B, []), info("o", F, shape)]
    return graph([NODE("Identity", ["c"], ["d"]), *nodes], *ends)


def loop(nodes: list[Any], shape: Any, after: Any = None, **feeds: Any) -> np.ndarray:
    whole = [NODE("Loop", ["m", ""], ["k"], body=body(nodes, shape)), *([] if after is None else [after])]
    (found,) = run(whole, {"m": np.int64(0), "v": V, **feeds}, ["k" if after is None else "z"])
    return found


@pytest.mark.parametrize("shape", [[2], ["n"], None])
def test_a_part_has_the_shape_that_follows_from_what_the_body_reads(shape: Any) -> None:
    assert same(loop([NODE("Neg", ["v"], ["o"])], shape), np.zeros((0, 2), np.float32))


@pytest.mark.parametrize(("shape", "dims"), [([2], (0, 2)), (["n"], (0, 0)), ([], (0,)), ([3, None, 5], (0, 3, 0, 5))])
def test_where_nothing_follows_the_declared_shape_holds(shape: Any, dims: tuple[int, ...]) -> None:
    assert same(loop(UNRANKED, shape), np.zeros(dims, np.float32))


def test_a_shape_that_the_body_reads_is_known() -> None:
    nodes = [NODE("Expand", ["v", "dims"], ["o"])]
    assert same(loop(nodes, None, dims=np.int64([3, 1])), np.zeros((0, 3, 2), np.float32))


def test_an_unknown_rank_is_refused_in_words() -> None:
    with pytest.raises(
        ShapeError, match=r"no pass was made, .* not known before: float32 \[\.\.\.\]; a type and a rank"
    ):
        loop(UNRANKED, None)


@pytest.mark.parametrize("shape", [[2], None])
def test_a_body_with_branches(shape: Any) -> None:
    then, other = (graph([NODE(name, ["v"], ["r"])], [], [info("r")]) for name in ("Neg", "Abs"))
    branches = NODE("If", ["c"], ["o"], then_branch=then, else_branch=other)
    assert same(loop([branches], shape), np.zeros((0, 2), np.float32))


def test_what_comes_after_is_right() -> None:
    twice = [NODE("Concat", ["v", "v"], ["o"], axis=0)]
    assert same(loop(twice, None, NODE("ReduceSum", ["k", "a"], ["z"]), a=np.int64([-1])), np.zeros((0, 1), np.float32))
    rows = np.ones((1, 4), np.float32)
    assert same(loop(twice, None, NODE("Concat", ["k", "r"], ["z"], axis=0), r=rows), rows)


@pytest.mark.parametrize("opset", [9, 11, 16])
@pytest.mark.parametrize(("axes", "shape"), [(None, (0, 3, 2)), ([0], (0, 3, 2)), ([1], (3, 0, 2)), ([2], (3, 2, 0))])
def test_a_scan_of_nothing(opset: int, axes: Any, shape: tuple[int, ...]) -> None:
    """Each part is the outer sum of a state of shape (3, 1) and a row of 2."""
    for declared in ([3, 2], None):
        held = graph(
            [NODE("Identity", ["s"], ["t"]), NODE("Add", ["s", "x"], ["k"])],
            [info("s", F, None), info("x", F, None)],
            [info("t", F, None), info("k", F, declared)],
        )
        places = {} if axes is None else {"scan_output_axes": axes}
        node = NODE("Scan", ["s", "x"], ["t", "k"], body=held, num_scan_inputs=1, **places)
        state = np.ones((3, 1), np.float32)
        last, kept = run([node], {"s": state, "x": np.zeros((0, 2), np.float32)}, ["t", "k"], opset)
        assert same(last, state)
        assert same(kept, np.zeros(shape, np.float32))


def test_a_scan_of_nothing_along_an_axis_that_is_not_there() -> None:
    held = graph([NODE("Neg", ["x"], ["k"])], [info("x")], [info("k")])
    node = NODE("Scan", ["x"], ["k"], body=held, num_scan_inputs=1, scan_output_axes=[2])
    with pytest.raises(AxisError, match="scan_output_axes: axis 2 is out of range"):
        run([node], {"x": np.zeros((0, 2), np.float32)}, ["k"])


@pytest.mark.parametrize("shape", [(2, 0, 3), (0, 4, 3), (0, 0, 3)])
def test_a_scan_of_opset_8_without_a_pass(shape: tuple[int, ...]) -> None:
    held = graph(
        [NODE("Identity", ["s"], ["t"]), NODE("Concat", ["x", "x"], ["k"], axis=0)],
        [info("s"), info("x")],
        [info("t"), info("k")],
    )
    node = NODE("Scan", ["", "s", "x"], ["t", "k"], body=held, num_scan_inputs=1)
    state, x = np.ones((shape[0], 5), np.float32), np.zeros(shape, np.float32)
    last, kept = run([node], {"s": state, "x": x}, ["t", "k"], 8)
    assert same(last, state)
    assert same(kept, np.zeros((*shape[:2], 6), np.float32))
