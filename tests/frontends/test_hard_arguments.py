"""Arguments far from what functions take: each is refused in words, and what is only empty is computed."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samesum as ss

X = np.float32([[[1, 2, 3, 4]]])


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (
            ss.ArgumentTypeError,
            r"the cache has to be an integer; got 'x'",
            lambda: ss.set_cache_limit("x"),
        ),  # type: ignore[arg-type]
        (
            ss.ArgumentTypeError,
            r"of threads has to be an integer; got 1\.5",
            lambda: ss.set_num_threads(1.5),
        ),  # type: ignore[arg-type]
        (ss.AxisError, r"axes have to be None, an integer", lambda: ss.sum(X, np.float64)),  # type: ignore[arg-type]
        (ss.ShapeError, r"2\^40 elements", lambda: ss.segment_reduce(X, [0], 0, 2**62)),
        (ss.ShapeError, r"2\^40 elements", lambda: ss.segment_reduce(X, [2**63 - 1])),
        (ss.ShapeError, r"2\^40 elements", lambda: ss.group_norm(X[:, :0], 2**63)),
        (ss.ShapeError, r"2\^40 elements", lambda: ss.openvino.AdaptiveAvgPool(X, [2**62])),
        (ss.ShapeError, r"2\^40 elements", lambda: ss.openvino.AdaptiveMaxPool(X, [2**62])),
        (
            ss.AttributeValueError,
            r"onnx\.MaxPool-1: 2 outputs were asked for; this version has one",
            lambda: ss.onnx.MaxPool(X, kernel_shape=[2], outputs=2, opset=7),
        ),
        (
            ss.AttributeValueError,
            r"onnx\.AveragePool-22: ceil_mode is array\(\[0, 1\]\); allowed is 0 or 1",
            lambda: ss.onnx.AveragePool(X, kernel_shape=[2], ceil_mode=np.array([0, 1])),  # type: ignore[arg-type]
        ),
        (ss.DtypeError, r"a norm of \|V4; allowed", lambda: ss.vector_norm(np.zeros(3, "V4"), ord=0)),
        (ss.DtypeError, r"a norm of \|V4; allowed", lambda: ss.vector_norm(np.zeros(3, "V4"), ord=np.inf)),
        (ss.UnsupportedOperator, r"in opset \[\]; known", lambda: ss.onnx.ReduceMean(X, [1], opset=[])),  # type: ignore[arg-type]
    ],
)
def test_refused_in_words(error: type[Exception], words: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_norms_of_nothing_are_zero_for_every_p(p: int) -> None:
    assert ss.onnx.GlobalLpPool(np.ones((2, 1, 3, 0), np.float32), p=p).tolist() == [[[[0]]], [[[0]]]]
    pooled = ss.onnx.LpPool(np.ones((2, 1, 3, 0)), kernel_shape=[1, 2], p=p, auto_pad="SAME_UPPER")
    assert pooled.shape == (2, 1, 3, 0)
    assert ss.onnx.LpPool(np.ones((0, 1, 3, 4)), kernel_shape=[1, 2], p=p).shape == (0, 1, 3, 3)


class Shaped:
    """Has a dtype, as tensors have, that is none."""

    dtype = "no dtype"


STRANGE: list[Any] = [
    *("no", b"x", "é", object(), Shaped(), int, lambda: 1, None, Ellipsis, slice(None), range(3), True),
    *({}, {1: 2}, set(), [], [[]], [None], (0, 0), (0, "a"), 1.5, 1j, float("nan"), 2**70, -(2**70)),
    *(np.array(["a"]), np.array(None), np.zeros(0), np.array([1, 2, 3]), np.datetime64("2020-01-01")),
    *(np.ma.masked_array([1.0], [True]), np.zeros(2, "V4"), np.zeros((1,) * 40)),
]
CALLS: dict[Any, tuple[Any, ...]] = {
    ss.reduce: (X[0], ["sum"]),
    ss.State: (["sum"],),
    ss.Scan: ("sum",),
    ss.vecdot: (X, X),
    ss.layer_norm: (X, 4),
    ss.rms_norm: (X, 4),
    ss.group_norm: (X, 1),
    ss.scatter_reduce: (X[0], 1, [0, 1, 2, 3], X[0]),
    ss.segment_reduce: (X[0], [0]),
    ss.matmul: (X[0], X[0].T),
    ss.tensordot: (X[0], X[0].T),
    ss.einsum: ("ij,ij->i", X[0], X[0]),
    ss.conv: (X, X),
    ss.scaled_dot_product_attention: (X, X, X),
}


@pytest.mark.parametrize("strange", STRANGE, ids=lambda strange: type(strange).__name__)
def test_every_argument_of_every_function_is_taken_or_refused_in_words(strange: Any) -> None:
    functions = [getattr(ss, name) for name in ss.__all__ if name not in ("load", "set_num_threads", "set_cache_limit")]
    for function in functions:
        if not inspect.isfunction(function) and function not in (ss.State, ss.Scan):
            continue
        given = CALLS.get(function, (X,))
        for place, name in enumerate(inspect.signature(function).parameters):
            arguments, keywords = list(given), {} if place < len(given) else {name: strange}
            if place < len(given):
                arguments[place] = strange
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    function(*arguments, **keywords)
                except ss.SamesumError as error:
                    refused = str(error)
                else:
                    continue
            assert len(refused.split()) > 3, (function, name, strange, refused)
