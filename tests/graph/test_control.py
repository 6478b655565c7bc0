"""If, Loop and Scan: what their graphs read from around them, how often they run, what they gather, their limits."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from building import onnx_bytes, same
from samesum.errors import DtypeError, ModelError, SamesumError, ShapeError, UnsafeModelError
from samesum.frontends.models.load import load
from samesum.graph import gathering

F, INT, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
NODE = helper.make_node
X = np.float32([[1, 2, 3], [4, 5, 6]])


def info(name: str, kind: int = F, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: dict[str, Any] | None = None) -> Any:
    held = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    return helper.make_graph(nodes, "body", inputs, outputs, held)


def run(
    nodes: list[Any], feeds: dict[str, Any], outputs: list[str], opset: int = 18, **constants: Any
) -> list[np.ndarray]:
    kinds = {n: (helper.np_dtype_to_tensor_dtype(a.dtype), None) for n, a in feeds.items()}
    model = load(onnx_bytes(nodes, kinds, dict.fromkeys(outputs, (0, None)), constants, opset=opset))
    return list(model.run(feeds).values())


THEN = graph([NODE("ReduceSum", ["x", "axes"], ["s"], keepdims=0)], [], [info("s")])
ELSE = graph([NODE("Add", ["y", "one"], ["t"])], [], [info("t")], {"one": np.float32(1)})


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


COUNTING = graph(
    [
        NODE("Cast", ["i"], ["n"], to=F),
        NODE("Add", ["a", "n"], ["b"]),
        NODE("ReduceSum", ["b"], ["s"], keepdims=0),
        NODE("Less", ["s", "limit"], ["on"]),
        NODE("Mul", ["b", "two"], ["kept"]),
    ],
    [info("i", INT, []), info("c", B, []), info("a")],
    [info("on", B), info("b"), info("kept")],
    {"two": np.float32(2)},
)


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


SCANNING = graph(
    [NODE("Add", ["s", "x"], ["t"]), NODE("Mul", ["t", "y"], ["k"])],
    [info("s"), info("x"), info("y")],
    [info("t"), info("k")],
)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("back", [0, 1])
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
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run([NODE("Loop", inputs, ["z"], body=ENDLESS)], feeds, ["z"])
    timer.join()


def test_what_a_loop_gathers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST_BYTES", 1000)
    node = NODE("Loop", ["m", "go", "x"], ["z", "k"], body=ENDLESS)
    with pytest.raises(UnsafeModelError, match="after 32 passes a loop has gathered 768 bytes, which is too much"):
        run([node], {"m": np.int64(2**62), "go": np.array(True), "x": X}, ["z", "k"])


def test_the_plan_shows_what_a_node_holds() -> None:
    nodes = [NODE("Neg", ["x"], ["y"]), NODE("If", ["c"], ["z"], then_branch=THEN, else_branch=ELSE)]
    model = load(onnx_bytes(nodes, {"x": (F, [2, 3]), "c": (B, [])}, {"z": (F, None)}, {"axes": np.int64([1])}))
    plan = model.plan()
    assert "onnx.If-1(c, y, x) -> z" in plan
    assert "then_branch:" in plan
    assert "onnx.ReduceSum-13(x, axes) -> s" in plan
    assert "else_branch:" in plan


def test_graphs_in_graphs_have_a_limit_of_depth() -> None:
    inner = graph([NODE("Identity", ["x"], ["z"])], [], [info("z")])
    for _ in range(24):
        inner = graph([NODE("If", ["c"], ["z"], then_branch=inner, else_branch=ELSE)], [], [info("z")])
    node = NODE("If", ["c"], ["z"], then_branch=inner, else_branch=inner)
    feeds = {"x": X, "y": X, "c": np.array(True)}
    assert same(run([node], feeds, ["z"])[0], X)
