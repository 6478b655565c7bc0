"""The scans of the array API: the axis, the directions, the initial element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from samesum.errors import AxisError, ShapeError

X = np.array([1.0, 2.0, 3.0], np.float32)


@pytest.mark.parametrize(
    ("keywords", "sums", "products"),
    [
        ({}, [1, 3, 6], [1, 2, 6]),
        ({"exclusive": True}, [0, 1, 3], [1, 1, 2]),
        ({"reverse": True}, [6, 5, 3], [6, 6, 3]),
        ({"exclusive": True, "reverse": True}, [5, 3, 0], [6, 3, 1]),
        ({"include_initial": True}, [0, 1, 3, 6], [1, 1, 2, 6]),
        ({"include_initial": True, "reverse": True}, [6, 5, 3, 0], [6, 6, 3, 1]),
        ({"include_initial": np.True_, "exclusive": np.False_}, [0, 1, 3, 6], [1, 1, 2, 6]),
    ],
    ids=str,
)
def test_directions_and_the_initial_element(keywords: dict[str, Any], sums: list[int], products: list[int]) -> None:
    for function, expected in ((ss.cumulative_sum, sums), (ss.cumulative_prod, products)):
        result = function(X, **keywords)
        assert (result.dtype, result.tolist()) == (X.dtype, expected), function.__name__


def test_the_initial_element_lengthens_the_axis() -> None:
    x = np.ones((2, 3), np.int32)
    assert ss.cumulative_sum(x, axis=0, include_initial=True).tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    assert ss.cumulative_sum(x, axis=-1, include_initial=True).tolist() == [[0, 1, 2, 3]] * 2
    assert ss.cumulative_sum(np.ones((2, 0)), axis=1, include_initial=True).tolist() == [[0], [0]]
    assert ss.cumulative_prod(np.ones((2, 0)), axis=1, include_initial=True).tolist() == [[1], [1]]


def test_exclusive_with_the_initial_element_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"exclusive and include_initial ask for the initial element twice"):
        ss.cumulative_sum(X, include_initial=True, exclusive=True)


def test_the_axis_may_be_left_out_for_one_dimension_only() -> None:
    assert ss.cumulative_sum(X).tolist() == ss.cumulative_sum(X, axis=0).tolist()
    with pytest.raises(AxisError, match=r"axis is None and x has rank 2; name one of -2 to 1"):
        ss.cumulative_sum(np.ones((2, 3)))


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_rank_0_is_refused(axis: int | None) -> None:
    with pytest.raises(ShapeError, match=r"x has rank 0; a scan needs rank 1 or more"):
        ss.cumulative_sum(np.array(1.0), axis=axis)


@pytest.mark.parametrize("axis", [2, -3, 2**70, 1.0, "0", (0,)], ids=repr)
def test_wrong_axes_are_refused(axis: Any) -> None:
    with pytest.raises(AxisError):
        ss.cumulative_sum(np.ones((2, 3)), axis=axis)


@pytest.mark.parametrize("axis", [0, 1, -1, np.int8(1)], ids=repr)
def test_every_axis_gives_the_shape_of_x(axis: Any) -> None:
    x = np.arange(6, dtype=np.int64).reshape(2, 3)
    assert ss.cumulative_sum(x, axis=axis).tolist() == np.cumsum(x, axis=axis).tolist()


def test_out_has_room_for_the_initial_element() -> None:
    out = np.full(4, 99, np.float32)
    assert ss.cumulative_sum(X, include_initial=True, out=out) is out
    assert out.tolist() == [0, 1, 3, 6]
