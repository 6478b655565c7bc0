"""ONNX's API, the normalizations: the standard's signatures, every version by its opset."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from oracle import assert_bits
from samesum import onnx as api
from samesum.errors import ArgumentTypeError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray

Function = Callable[..., NDArray]

INF = float("inf")
X = np.float32([[0, -INF, -INF], [7, -INF, -INF]])
CUBE = np.float32([[[3, -INF], [-INF, -INF]], [[-INF, 1], [-INF, -INF]]])
BOTH = pytest.mark.parametrize(
    "function", [api.Softmax, api.LogSoftmax, api.Hardmax], ids=lambda function: function.__name__
)


def ones(function: Function, result: NDArray) -> list[Any]:
    """Where the whole weight is; with one finite element in a row every normalization is exact."""
    return np.argwhere(result == (0 if function is api.LogSoftmax else 1)).tolist()


@BOTH
def test_the_signature_is_the_standard_s_and_out(function: Function) -> None:
    out = "" if function is api.Hardmax else ", out: Out | None = None"
    assert str(inspect.signature(function)) == (
        f"(input: ArrayLike, *, axis: int | None = None, opset: int | None = None{out}) -> NDArray"
    )


@pytest.mark.parametrize("function", [api.Softmax, api.LogSoftmax], ids=lambda function: function.__name__)
@pytest.mark.parametrize("opset", [1, 12, 13, None])
def test_out_takes_the_result(function: Function, opset: int | None) -> None:
    for x in (X, CUBE, CUBE.T):
        expected = function(x, axis=1, opset=opset)
        rooms = (np.empty_like(expected), np.empty((*x.shape, 2), np.float32)[..., 1], x.copy())
        for room in rooms:
            assert function(room if room is rooms[2] else x, axis=1, opset=opset, out=room) is room
            assert_bits(room, expected)
            turned = np.zeros(x.shape, x.dtype.newbyteorder())
            assert function(x, axis=1, opset=opset, out=turned) is turned
            assert_bits(turned.astype(np.float32), expected)
    with pytest.raises(ShapeError, match="read-only"):
        function(CUBE, axis=1, opset=opset, out=np.broadcast_to(np.float32(0), CUBE.shape))
    with pytest.raises(DtypeError, match="float64"):
        function(X, axis=1, opset=opset, out=np.empty(X.shape))
    with pytest.raises(ArgumentTypeError, match="list"):
        function(X, axis=1, opset=opset, out=[])
    with pytest.raises(ShapeError, match=r"out has shape \(3,\); the result has"):
        function(CUBE, axis=1, opset=opset, out=np.empty(3, np.float32))


@BOTH
@pytest.mark.parametrize("opset", [1, 12, 13, 28, None])
def test_a_matrix_is_normalized_along_its_rows_in_every_version(function: Function, opset: int | None) -> None:
    for axis in (None, 1, -1):
        result = function(X, axis=axis, opset=opset)
        assert (result.dtype, result.shape) == (np.float32, (2, 3))
        assert ones(function, result) == [[0, 0], [1, 0]]


@BOTH
def test_the_default_axis_is_that_of_the_version(function: Function) -> None:
    assert ones(function, function(CUBE, opset=12)) == [[0, 0, 0], [1, 0, 1]]
    along_last = function(np.where(CUBE == -INF, np.float32(-1e30), CUBE), opset=13)
    assert along_last.shape == (2, 2, 2)
    assert {(0, 0, 0), (1, 0, 1)} <= set(map(tuple, ones(function, along_last)))


@BOTH
def test_what_a_version_does_not_have_is_refused(function: Function) -> None:
    name = function.__name__
    assert function(X.astype(ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16
    with pytest.raises(DtypeError, match=rf"onnx.{name}-11: input is bfloat16; .*; bfloat16 is allowed by version 13$"):
        function(X.astype(ml_dtypes.bfloat16), opset=12)
    with pytest.raises(AxisError, match=rf"onnx.{name}-13: axis 2 is out of range for rank 2; allowed are -2 to 1"):
        function(X, axis=2)
    with pytest.raises(AxisError, match=rf"onnx.{name}-13: an axis has to be an integer; got 'a'"):
        function(X, axis="a")
    with pytest.raises(UnsupportedOperator, match=rf"onnx.{name} was asked for in opset 29"):
        function(X, opset=29)
    for opset in (13.0, [13], "13"):
        with pytest.raises(UnsupportedOperator, match="asked for in opset"):
            function(X, opset=opset)


@BOTH
def test_as_many_axes_as_numpy_has(function: Function) -> None:
    x = X.reshape(2, *[1] * 62, 3)
    for axis in (-1, 63):
        assert_bits(function(x, axis=axis).reshape(2, 3), function(X))
    assert_bits(function(x, axis=0).reshape(2, 3), function(X, axis=0))
