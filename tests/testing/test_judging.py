"""`samesum.testing`: what a judgement says, what is drawn, and what does not fit is an error in words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from answers import fair, wrong

import samesum as ss
from naming import case
from samesum.testing import assert_fair, judge


def test_integers_and_extremes_are_exact_or_wrong() -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    fair(judge("sum", x.sum(axis=0), x, axis=0))
    off = x.sum(axis=0)
    off[2] += 1
    found = judge("sum", off, x, axis=0)
    wrong(found)
    assert (found.wrong, found.judged, found.ulp, found.unit) == (1, 4, 1.0, "steps")
    wrong(judge("max", np.float32([2.9999998]), np.float32([[1, 3]]), axis=1))
    wrong(judge("argmax", np.int64([0]), np.float32([[1, 3]]), axis=1))


def test_operators_of_the_standards_are_judged() -> None:
    random = np.random.default_rng(6)
    x, w = random.standard_normal((2, 6, 8)).astype(np.float32), np.ones(8, np.float32)
    exact = ss.onnx.LayerNormalization(x, w)
    found = judge("onnx.LayerNormalization", np.nextafter(exact, np.float32(9)), x, w, axis=-1)
    assert (found.verdict, found.unit) == ("inexact", "ulps of the largest of its line")
    wrong(judge("onnx.LayerNormalization", exact + np.float32(1e-3), x, w))
    fair(judge("onnx.ReduceSum", x.sum(axis=1), x, axes=[1], keepdims=0))
    fair(judge("onnx.ReduceSum", x.sum(axis=1), x, axes=[1], keepdims=0, opset=11))
    fair(judge("openvino.MVN", ss.openvino.MVN(x, [2], eps=1e-6), x, axes=[2], eps=1e-6))
    fair(judge("onnx.Exp", np.exp(x), x))
    wrong(judge("onnx.Exp", np.exp(x) * np.float32(1.001), x))
    fair(judge("openvino.SoftMax", ss.openvino.SoftMax(x, axis=2), x, axis=2))


def test_rows_are_drawn_by_the_seed() -> None:
    x = np.random.default_rng(7).standard_normal((50, 20)).astype(np.float32)
    exact = np.asarray(ss.softmax(x))
    broken = exact.copy()
    broken[7, 3] = 0.5
    found = [judge("softmax", broken, x, rows=10, seed=seed) for seed in range(20)]
    assert {each.judged for each in found} == {200}
    assert {each.verdict for each in found} == {"right", "wrong"}
    assert all(each.worst is None or each.worst.index == (7, 3) for each in found)
    assert judge("softmax", broken, x, rows=10, seed=3) == judge("softmax", broken, x, rows=10, seed=3)
    assert judge("sum", x.sum(axis=1), x, axis=1, rows=5).judged == 5
    assert judge("sum", x.sum(axis=1), x, axis=1, rows=500).judged == 50


def test_a_judgement_is_text_and_a_document() -> None:
    x = np.float32([[1, 2], [3, 4]])
    found = judge("sum", np.float32([4, np.nan]), x, axis=0)
    assert len(str(found).splitlines()) == 3
    assert str(found).startswith("sum float32 [2]: wrong, 1 of 2 results beyond what is allowed\n")
    document = json.loads(json.dumps(found.to_dict()))
    assert document["worst"] == {"index": [1], "got": "nan", "exact": 6}
    assert (document["verdict"], document["scaled"], document["wrong"]) == ("wrong", "inf", 1)
    with pytest.raises(AttributeError):
        found.verdict = "right"  # type: ignore[misc]


def test_assert_fair_says_what_is_wrong() -> None:
    x = np.random.default_rng(8).random((300, 40)).astype(np.float32)
    assert_fair("sum", x.sum(axis=0), x, axis=0)
    with pytest.raises(AssertionError, match=r"sum float32 \[40\]: wrong, 40 of 40 results beyond"):
        assert_fair("sum", x[1:].sum(axis=0), x, axis=0)
    with pytest.raises(AssertionError, match=r"further off than max_scaled=0\.01"):
        assert_fair("sum", x.sum(axis=0), x, axis=0, max_scaled=0.01)


X = object()
WRONG_ARGUMENTS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("sum", (X,), {"axis": "x"}),
    ("argmax", (X,), {"axis": [0, 1]}),
    ("softmax", (X,), {"axis": None}),
    ("cumulative_sum", (X,), {"axis": "q"}),
    ("layer_norm", (X, "a"), {}),
    ("group_norm", (X, None), {}),
    ("vecdot", (X, X), {"axis": "a"}),
    ("tensordot", (X, X), {"axes": "q"}),
    ("einsum", (3, X, X), {}),
    ("segment_reduce", (X, [0, 0, 1]), {"reduce": 3}),
    ("onnx.Softmax", ("abc",), {}),
    ("onnx.LayerNormalization", (X, X), {"axis": "u"}),
]


def test_what_does_not_fit_is_an_error_in_words() -> None:
    x = np.ones((3, 4), np.float32)
    for call in (judge, assert_fair):
        with pytest.raises(ss.ShapeError, match=r"sum: the answer has shape \(3,\); for these inputs it is \(4,\)"):
            call("sum", np.ones(3, np.float32), x, axis=0)
        with pytest.raises(ss.DtypeError, match="sum: the answer is float64; for these inputs it is float32"):
            call("sum", np.ones(4), x, axis=0)
        with pytest.raises(ss.ArgumentError, match="there is no operator 'summ' to judge; known are sum,"):
            call("summ", x, x)
        with pytest.raises(ss.UnsupportedOperator, match="onnx has no operator 'ReduceSumm'"):
            call("onnx.ReduceSumm", x, x)
        with pytest.raises(ss.ArgumentTypeError, match="sum: got an unexpected keyword argument 'axes'"):
            call("sum", x, x, axes=0)
        with pytest.raises(ss.ArgumentError, match="rows is 0; allowed are integers from 1 on"):
            call("sum", np.full(4, 3, np.float32), x, axis=0, rows=0)
        with pytest.raises(ss.ArgumentError, match="seed is -1; allowed are integers from 0 on"):
            call("sum", np.full(4, 3, np.float32), x, axis=0, seed=-1)
        with pytest.raises(ss.ArgumentTypeError, match="seed has to be an integer; got 'a'"):
            call("sum", np.full(4, 3, np.float32), x, axis=0, rows=2, seed="a")
        with pytest.raises(ss.ArgumentTypeError, match="the operator is None; a name is needed"):
            call(None, x, x)
        with pytest.raises(ss.ArgumentError, match=r"there are no results, so nothing is judged; .* is \(0,\)"):
            call("sum", x[0, :0], x[:, :0], axis=0)
        with pytest.raises(ss.AxisError):
            call("sum", x, x, axis=5)
        for name, given, said in WRONG_ARGUMENTS:
            with case(name, given, said), pytest.raises(ss.SamesumError):
                call(name, x, *(x if each is X else each for each in given), **said)
    torch = pytest.importorskip("torch")
    with pytest.raises(ss.ArgumentTypeError, match="a tensor on meta has no elements that can be copied"):
        judge("sum", x[0], torch.ones(3, 4, device="meta"), axis=0)
    for limit, error in ((np.nan, ss.ArgumentError), (-1, ss.ArgumentError), ("x", ss.ArgumentTypeError)):
        with pytest.raises(error, match="max_scaled is "):
            assert_fair("sum", x.sum(axis=0), x, axis=0, max_scaled=limit)  # type: ignore[arg-type]
