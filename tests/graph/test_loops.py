"""Loop: how often it runs, what it gathers, what it may hold, and how it ends."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest

from building import same
from graph.bodies import COUNTING, INT, NODE, B, F, X, graph, info, run
from samesum.errors import DtypeError, ShapeError, UnsafeModelError
from samesum.graph import control


def passes(start: np.ndarray, count: float, limit: float | None) -> tuple[np.ndarray, list[np.ndarray]]:
    """What the loop does, written out."""
    kept: list[np.ndarray] = []
    i = 0
    while i < count:
        start = start + np.float32(i)
        kept.append(start * np.float32(2))
        i += 1
        if limit is not None and not start.sum() < limit:
            break
    return start, kept


@pytest.mark.parametrize(
    ("count", "condition", "limit"), [(5, True, 40), (5, None, 40), (None, True, 40), (3, True, 1e9), (100, True, -1)]
)
def test_a_loop_ends_after_its_count_or_by_its_condition(
    count: int | None, condition: bool | None, limit: float
) -> None:
    inputs = ["" if count is None else "m", "" if condition is None else "go", "x"]
    node = NODE("Loop", inputs, ["last", "rows"], body=COUNTING)
    feeds: dict[str, Any] = {"x": X, "limit": np.float32(limit)}
    if count is not None:
        feeds["m"] = np.int64(count)
    if condition is not None:
        feeds["go"] = np.array([condition])
    last, rows = run([node], feeds, ["last", "rows"])
    expected, kept = passes(X, np.inf if count is None else count, None if condition is None else limit)
    assert same(last, expected)
    assert same(rows, np.stack(kept))


@pytest.mark.parametrize(("count", "condition"), [(0, True), (-3, True), (4, False)])
def test_a_loop_without_a_pass(count: int, condition: bool) -> None:
    node = NODE("Loop", ["m", "go", "x"], ["last", "rows"], body=COUNTING)
    feeds = {"m": np.int64(count), "go": np.array(condition), "x": X, "limit": np.float32(9)}
    last, rows = run([node], feeds, ["last", "rows"])
    assert same(last, X)
    assert (rows.dtype, rows.shape[0], rows.size) == (np.float32, 0, 0)


def test_scans_and_reductions_inside_a_loop_are_exact() -> None:
    """Each pass: a cumulative sum of 2^24 and ones, which float32 sums one after the other lose."""
    x = np.float32([2**24, 1, 1, 1])
    body = graph(
        [NODE("CumSum", ["a", "axis"], ["b"]), NODE("ReduceSum", ["b"], ["s"]), NODE("Identity", ["c"], ["on"])],
        [info("i", INT, []), info("c", B, []), info("a")],
        [info("on", B), info("b"), info("s")],
    )
    node = NODE("Loop", ["m", "", "x"], ["last", "sums"], body=body)
    last, sums = run([node], {"x": x}, ["last", "sums"], m=np.int64(2), axis=np.int64(0))
    first = [2**24, 2**24, 2**24 + 2, 2**24 + 4]
    assert last.tolist() == [float(np.float32(sum(first[: i + 1]))) for i in range(4)]
    assert sums.ravel().tolist() == [float(np.float32(sum(first))), float(np.float32(sum(last.tolist())))]


def test_a_state_may_grow_and_passes_that_differ_are_not_gathered() -> None:
    body = graph(
        [NODE("Concat", ["a", "x"], ["b"], axis=0), NODE("Identity", ["c"], ["on"])],
        [info("i", INT, []), info("c", B, []), info("a", F, [1, 3])],
        [info("on", B), info("b"), info("b")][:2],
    )
    (last,) = run([NODE("Loop", ["m", "", "x"], ["last"], body=body)], {"x": X}, ["last"], m=np.int64(3))
    assert same(last, np.concatenate([X] * 4))
    both = graph(
        [NODE("Concat", ["a", "x"], ["b"], axis=0), NODE("Identity", ["c"], ["on"]), NODE("Neg", ["b"], ["k"])],
        [info("i", INT, []), info("c", B, []), info("a")],
        [info("on", B), info("b"), info("k")],
    )
    with pytest.raises(ShapeError, match=r"pass 1 gives float32 \[6, 3\] for what was float32 \[4, 3\]"):
        run([NODE("Loop", ["m", "", "x"], ["l", "r"], body=both)], {"x": X}, ["l", "r"], m=np.int64(3))


def test_loops_in_loops_and_branches_in_loops() -> None:
    """The inner loop adds i of the outer one, its own j times; odd passes of the outer one negate."""
    inner = graph(
        [NODE("Cast", ["i"], ["n"], to=F), NODE("Add", ["p", "n"], ["q"]), NODE("Identity", ["d"], ["e"])],
        [info("j", INT, []), info("d", B, []), info("p")],
        [info("e", B), info("q")],
    )
    negated, kept = (graph([NODE(kind, ["r"], ["z"])], [], [info("z")]) for kind in ("Neg", "Identity"))
    outer = graph(
        [
            NODE("Loop", ["i", "", "a"], ["r"], body=inner),
            NODE("Mod", ["i", "two"], ["odd"]),
            NODE("Cast", ["odd"], ["is_odd"], to=B),
            NODE("If", ["is_odd"], ["b"], then_branch=negated, else_branch=kept),
            NODE("Identity", ["c"], ["on"]),
        ],
        [info("i", INT, []), info("c", B, []), info("a")],
        [info("on", B), info("b")],
    )
    (last,) = run(
        [NODE("Loop", ["m", "", "x"], ["last"], body=outer)], {"x": X}, ["last"], m=np.int64(4), two=np.int64(2)
    )
    expected = X
    for i in range(4):
        expected = expected + np.float32(i * i)
        expected = -expected if i % 2 else expected
    assert same(last, expected)


def test_a_body_takes_its_declared_types_alone() -> None:
    node = NODE("Loop", ["m", "", "x"], ["z"], body=COUNTING)
    with pytest.raises(DtypeError, match="the body's input 'a' is float32; it is given float64"):
        run([node], {"x": X.astype(np.float64), "limit": np.float32(1)}, ["z"], m=np.int64(1))


ENDLESS = graph(
    [NODE("Identity", ["c"], ["on"]), NODE("Identity", ["a"], ["b"]), NODE("Identity", ["a"], ["k"])],
    [info("i", INT, []), info("c", B, []), info("a")],
    [info("on", B), info("b"), info("k")],
)


@pytest.mark.parametrize("count", [2**62, None])
def test_an_endless_loop_can_be_interrupted(count: int | None) -> None:
    """Ctrl-C comes while it runs."""
    inputs = ["" if count is None else "m", "go", "x"]
    feeds: dict[str, Any] = {"go": np.array(True), "x": np.zeros(0, np.float32)}
    if count is not None:
        feeds["m"] = np.int64(count)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore the signal
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run([NODE("Loop", inputs, ["z"], body=ENDLESS)], feeds, ["z"])
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_what_a_loop_gathers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "MOST_BYTES", 1000)
    node = NODE("Loop", ["m", "go", "x"], ["z", "k"], body=ENDLESS)
    with pytest.raises(UnsafeModelError, match="after 32 passes a loop has gathered 768 bytes, which is too much"):
        run([node], {"m": np.int64(2**62), "go": np.array(True), "x": X}, ["z", "k"])
