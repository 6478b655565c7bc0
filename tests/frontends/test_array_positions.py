"""Positions of extremes and truth in the array API: the axis, which of equal ones, the types, nothing."""

from __future__ import annotations

import inspect
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from samesum.errors import AxisError, DtypeError, ShapeError

BOTH = pytest.mark.parametrize("function", [ss.argmin, ss.argmax], ids=lambda function: function.__name__)
TYPES = [
    np.dtype(each)
    for each in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", ml_dtypes.bfloat16, "float32", "float64"),
    )
]
EVERY_TYPE = pytest.mark.parametrize("dtype", TYPES, ids=str)
X = np.array([[3.0, 1.0, 3.0], [0.0, 5.0, 0.0]])


@BOTH
def test_the_signature_is_one_array_and_keywords(function: Any) -> None:
    assert str(inspect.signature(function)) == (
        "(x: ArrayLike, /, axis: SupportsIndex | None = None, *, "
        "keepdims: bool = False, select_last_index: bool = False, where: ArrayLike | None = None, "
        "split_every: SplitEvery | None = None) -> NDArray | np.int64"
    )


@EVERY_TYPE
def test_positions_of_every_type_are_int64(dtype: np.dtype[Any]) -> None:
    x = np.array([1, 0, 1, 0]).astype(dtype)
    for function, first, last in ((ss.argmin, 1, 3), (ss.argmax, 0, 2)):
        for select_last_index, expected in ((False, first), (True, last)):
            result = function(x, select_last_index=select_last_index)
            assert isinstance(result, np.int64)
            assert (result.dtype, result.shape, result.tolist()) == (np.int64, (), expected)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -2, np.int8(1), np.array(0)], ids=repr)
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_axis_gives_numpy_s_answer(axis: Any, keepdims: bool) -> None:
    for function, numpys in ((ss.argmin, np.argmin), (ss.argmax, np.argmax)):
        expected = numpys(X, axis=axis, keepdims=keepdims)
        result = function(X, axis=axis, keepdims=keepdims)
        assert (result.shape, result.tolist()) == (expected.shape, expected.tolist()), function.__name__


def test_all_elements_count_in_row_major_order_whatever_the_layout() -> None:
    assert (ss.argmin(X).tolist(), ss.argmax(X).tolist()) == (3, 4)
    assert (ss.argmin(X.T).tolist(), ss.argmax(X.T).tolist()) == (1, 3)
    assert ss.argmin(X, select_last_index=True).tolist() == 5
    assert ss.argmin(X, keepdims=True).shape == (1, 1)


def test_nan_wins_and_zeros_are_equal() -> None:
    x = np.array([1.0, np.nan, 3.0, np.nan])
    zeros = np.array([-0.0, 0.0])
    for function in (ss.argmin, ss.argmax):
        assert [function(x, select_last_index=last).tolist() for last in (False, True)] == [1, 3]
        assert [function(zeros, select_last_index=last).tolist() for last in (False, True)] == [0, 1]


@BOTH
def test_wrong_axes_are_refused(function: Any) -> None:
    for axis in (2, -3, 2**70, True):
        with pytest.raises(AxisError, match=f"{axis}"):
            function(X, axis=axis)
    for axis in ((0, 1), [0], 1.0, "1", np.array([1])):
        with pytest.raises(AxisError, match="an axis has to be an integer; got"):
            function(X, axis=axis)
    with pytest.raises(AxisError, match="rank 0"):
        function(np.array(1.0), axis=0)
    assert function(np.array(1.0)).tolist() == 0


@BOTH
def test_nothing_has_no_position(function: Any) -> None:
    for x, axis in ((X[:0], None), (X[:0], 0), (X[:, :0], 1)):
        with pytest.raises(ShapeError, match="empty set"):
            function(x, axis=axis)
    assert function(X[:0], axis=1).shape == (0,)


@BOTH
def test_complex_numbers_have_no_order(function: Any) -> None:
    with pytest.raises(DtypeError, match="complex128"):
        function(X + 1j)


@EVERY_TYPE
def test_all_and_any_are_boolean_for_every_type(dtype: np.dtype[Any]) -> None:
    x = np.array([[1, 0, 2], [0, 0, 0], [1, 1, 3]]).astype(dtype)
    for function, expected in ((ss.all, [False, False, True]), (ss.any, [True, False, True])):
        result = function(x, axis=1)
        assert (result.dtype, result.tolist()) == (bool, expected)
        assert function(x[:, :0], axis=1).tolist() == [function is ss.all] * 3


def test_nan_is_true_and_negative_zero_is_not() -> None:
    x = np.array([np.nan, -0.0])
    assert (ss.all(x).tolist(), ss.any(x).tolist()) == (False, True)
    assert (ss.all(x[:1]).tolist(), ss.any(x[1:]).tolist()) == (True, False)
