"""`vecdot` of the array API: promotion, axes, shapes, and what is refused."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from samesum.errors import AxisError, DtypeError, ShapeError


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (np.int8, np.int8, np.int8),
        (np.int8, np.uint8, np.int16),
        (np.uint32, np.int32, np.int64),
        (np.int16, np.float32, np.float32),
        (np.int64, np.float32, np.float64),
        (np.float16, np.float32, np.float32),
        (ml_dtypes.bfloat16, np.float32, np.float32),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16, ml_dtypes.bfloat16),
        (ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2),
    ],
)
def test_types_are_promoted_first(a: Any, b: Any, result: Any) -> None:
    got = ss.vecdot(np.array([1, 2, 3]).astype(a), np.array([4, 5, 6]).astype(b))
    assert got.dtype == result
    assert float(got) == float(np.array(32).astype(result))


def test_axes_count_from_the_back() -> None:
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(12.0).reshape(3, 4)
    assert np.array_equal(ss.vecdot(a, b, axis=-2), (a * b).sum(1))
    assert np.array_equal(ss.vecdot(a, a, axis=0), (a * a).sum(0))
    assert np.array_equal(ss.vecdot(a, a, axis=np.int64(2)), (a * a).sum(2))
    with pytest.raises(AxisError, match="allowed are -2 to -1"):
        ss.vecdot(a, b, axis=1)
    for axis in (-3, 3, -4, True, 1.0, None):
        with pytest.raises(AxisError):
            ss.vecdot(a, b if axis == -3 else a, axis=axis)  # type: ignore[arg-type]
    with pytest.raises(AxisError, match="axis 3 is out of range for rank 3; allowed are -3 to 2"):
        ss.vecdot(a, a, axis=3)
    with pytest.raises(AxisError, match="out of range"):
        ss.vecdot(a, 2.0)


def test_shapes() -> None:
    assert ss.vecdot(np.ones((5, 1, 3)), np.ones((4, 3))).shape == (5, 4)
    assert ss.vecdot([1, 2], [3, 4]) == 11
    for a, b in (((3,), (4,)), ((2, 3), (3, 3)), ((3,), (1,)), ((2, 1), (2, 3))):
        with pytest.raises(ShapeError, match=r"\(.*\) and \(.*\)"):
            ss.vecdot(np.ones(a), np.ones(b))
    with pytest.raises(ShapeError, match="out has shape"):
        ss.vecdot(np.ones((2, 3)), np.ones(3), out=np.zeros(3))


def test_nothing_gives_zero() -> None:
    assert np.array_equal(ss.vecdot(np.ones((4, 0)), np.ones(0)), np.zeros(4))
    assert ss.vecdot(np.ones((0, 4)), np.ones(4)).shape == (0,)
    out = np.ones((3, 4)).T
    assert ss.vecdot(np.ones((4, 3, 0)), np.ones(0), out=out) is out
    assert not out.any()


def test_a_scalar_where_nothing_is_left() -> None:
    assert isinstance(ss.vecdot(np.ones(3), np.ones(3)), np.float64)


@pytest.mark.parametrize(
    ("a", "b", "dtype"),
    [
        (np.bool_, np.bool_, None),
        (np.complex64, np.float32, None),
        (np.float64, np.float64, np.int64),
        (np.int64, np.int64, np.float64),
        (np.float64, np.float64, np.complex128),
        (ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, None),
        (np.float64, "U3", None),
    ],
)
def test_types_that_are_refused(a: Any, b: Any, dtype: Any) -> None:
    with pytest.raises(DtypeError):
        ss.vecdot(np.zeros(3, a), np.zeros(3, b), dtype=dtype)


def test_floats_as_integers_are_refused_in_words() -> None:
    with pytest.raises(DtypeError, match="a dot product of float32 as int32 was asked for; allowed are float dtypes"):
        ss.vecdot(np.ones(3, "f"), np.ones(3, "f"), dtype=np.int32)
