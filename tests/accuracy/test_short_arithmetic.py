"""Arithmetic of float16 and bfloat16, rounded once in every layout, and several operations in one pass."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cases
from elementary import every
from naming import case
from oracle import assert_bits
from samesum.engine.elementwise import MOST_COMBINED, Arithmetic, calculated, combined
from samesum.errors import ArgumentError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

SHORT = cases.FLOATS[:2]
EXACT: dict[Arithmetic, Callable[[Fraction, Fraction], Fraction]] = {
    Arithmetic.ADD: lambda a, b: a + b,
    Arithmetic.SUBTRACT: lambda a, b: a - b,
    Arithmetic.MULTIPLY: lambda a, b: a * b,
    Arithmetic.DIVIDE: lambda a, b: a / b,
}
NUMPY: dict[Arithmetic, Callable[[NDArray, NDArray], Any]] = {
    Arithmetic.ADD: np.add,
    Arithmetic.SUBTRACT: np.subtract,
    Arithmetic.MULTIPLY: np.multiply,
    Arithmetic.DIVIDE: np.divide,
}
each_short = pytest.mark.parametrize("dtype", SHORT, ids=str)


def canonical(x: NDArray) -> NDArray:
    """The bits, with one NaN for all."""
    return np.where(np.isnan(x.astype(np.float32)), np.array(np.nan, x.dtype).view(np.uint16), x.view(np.uint16))


def is_nearest(exact: Fraction, code: int, dtype: np.dtype[Any]) -> bool:
    """Whether the number with these bits is next to the exact one, and the even one of two."""
    near = [float(np.array(each, np.uint16).view(dtype)[()]) for each in (code - 1, code, code + 1)]
    distances = [abs(Fraction(each) - exact) if np.isfinite(each) else abs(exact) for each in near]
    return distances[1] < min(distances[0], distances[2]) or (distances[1] == min(distances) and code % 2 == 0)


@each_short
def test_results_are_next_to_the_exact_ones(dtype: np.dtype[Any]) -> None:
    """Of ordinary numbers, of ties, and of any bits: the results go from the least subnormal one to overflow."""
    rng = np.random.default_rng(3)
    mild = rng.standard_normal((2, 500)) * 2.0 ** rng.integers(-4, 5, (2, 500))
    ends = np.array([1, 1 + 2.0**-7, 2.0**-8, 3 * 2.0**-9, 2.0**-12, -(2.0**-8)])
    numbers = every(dtype)
    finite = numbers[np.isfinite(numbers.astype(np.float32))]
    low = finite[np.abs(finite.astype(np.float32)) < 2.0 ** (-60 if dtype.kind == "V" else -7)]
    x, y = (
        np.concatenate([mild[i].astype(dtype), tied.astype(dtype), rng.choice(finite, 500), rng.choice(low, 500)])
        for i, tied in enumerate((np.repeat(ends, 6), np.tile(ends, 6)))
    )
    for operation, exactly in EXACT.items():
        with case(operation.name):
            checked = 0
            for p, q, r in zip(x, y, calculated(operation, x, y), strict=True):
                if np.isfinite(float(r)) and r and q:
                    exact = exactly(Fraction(float(p)), Fraction(float(q)))
                    assert is_nearest(exact, int(r.view(np.uint16)), dtype), (float(p), float(q))
                    checked += 1
            assert checked > 700


@each_short
def test_every_number_beside_numpy(dtype: np.dtype[Any]) -> None:
    a = every(dtype)
    for operation, function in NUMPY.items():
        for seed in range(3):
            b = np.random.default_rng(seed).permutation(a)
            with case(operation.name, seed), np.errstate(all="ignore"):
                assert np.array_equal(calculated(operation, a, b).view(np.uint16), canonical(function(a, b)))


@each_short
def test_layouts_and_lengths(dtype: np.dtype[Any]) -> None:
    room = np.random.default_rng(5).standard_normal((6, 40, 52)).astype(dtype)
    views = [room[:, :n, 1 : 1 + m] for n, m in ((1, 1), (3, 7), (40, 17), (2, 33))]
    views += [room[::-1, ::2, ::3], room.T, room[0], room[..., :1], room[:0]]
    for x in views:
        for y in (x[::-1], x[..., :1], x[:1], x.flat[0] if x.size else x, np.ascontiguousarray(x)):
            other = np.asarray(y, dtype)
            with case(x.shape, x.strides, other.shape):
                for operation, function in NUMPY.items():
                    with np.errstate(all="ignore"):
                        expected = np.asarray(function(x, other))
                        assert_bits(calculated(operation, x, other), expected)
                        assert_bits(calculated(operation, other, x), np.asarray(function(other, x)))


@pytest.mark.parametrize("dtype", cases.FLOATS[:3], ids=str)
def test_operations_in_one_pass_are_those_one_after_the_other(dtype: np.dtype[Any]) -> None:
    """Of ordinary numbers, of zeros of both signs, NaN, infinities and subnormals, beside NumPy's `clip`."""
    rng = np.random.default_rng(7)
    odd = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 3, 6], np.float32)
    for n in (1, 15, 16, 31, 1023, 1025, 9000):
        x, y = (np.where(rng.random(n) < 0.3, rng.choice(odd, n), rng.standard_normal(n)).astype(dtype) for _ in "xy")
        three, zero, six = (np.array(each, dtype) for each in (3, -0.0, 6))
        a = Arithmetic
        steps = [a.ADD, 0, 2, 0, a.GREATEST, 5, 3, 1, a.LEAST, 6, 4, 2, a.MULTIPLY, 0, 7, 3, a.DIVIDE, 8, 4, 1]
        steps += [a.SUBTRACT, 1, 6, 0, a.MULTIPLY, 5, 5, 0]
        with case(n), np.errstate(all="ignore"):
            bounded = _bound(np.less, _bound(np.greater, np.add(x, three), zero), six)
            hard = np.divide(np.multiply(x, bounded), six)
            rest = np.subtract(y, hard)
            expected = np.multiply(rest, rest)
            found = combined(bytes(steps), [x, y, three, zero, six])
            kind = f"u{dtype.itemsize}"
            assert np.array_equal(_plain(found).view(kind), _plain(expected).view(kind))
            for operation, function in ((a.LEAST, np.less), (a.GREATEST, np.greater)):
                assert _plain(combined(bytes([operation, 0, 1, 0]), [x, y])).tobytes() == (
                    _plain(_bound(function, x, y)).tobytes()
                )
            if dtype == np.float32:
                assert _plain(_bound(np.greater, x, zero)).tobytes() == _plain(x.clip(zero, None)).tobytes()
                assert _plain(_bound(np.less, x, -zero)).tobytes() == _plain(x.clip(None, -zero)).tobytes()


def _bound(is_kept: Callable[[NDArray, NDArray], Any], x: NDArray, y: NDArray) -> NDArray:
    return np.where(np.isnan(x.astype(np.float32)) | is_kept(x, y), x, y)


def _plain(x: NDArray) -> NDArray:
    """One NaN for all."""
    return np.where(np.isnan(x.astype(np.float32)), np.array(np.nan, x.dtype), x)


def test_operands_of_every_shape_are_spread() -> None:
    rng = np.random.default_rng(8)
    x = rng.standard_normal((3, 5, 40, 26)).astype(np.float32)[:, :, ::2]
    steps = bytes([Arithmetic.ADD, 0, 1, 0, Arithmetic.MULTIPLY, 3, 2, 1, Arithmetic.SUBTRACT, 4, 0, 0])
    shapes = [(1, 5, 1, 1), (26,), (20, 1), (3, 1, 1, 26), (), (1, 1, 1, 1), (3, 5, 20, 26), (3, 1, 20, 1)]
    for p, q in zip(shapes, [*shapes[1:], shapes[0]], strict=True):
        y, z = rng.standard_normal(p).astype(np.float32), rng.standard_normal(q).astype(np.float32)
        with case(p, q):
            assert_bits(combined(steps, [x, np.asarray(y), np.asarray(z)]), (x + y) * z - x)


def test_what_does_not_fit_is_refused() -> None:
    x = np.ones(3, np.float16)
    with pytest.raises(ShapeError, match="do not broadcast together"):
        calculated(Arithmetic.ADD, x, np.ones(2, np.float16))
    for a, b in ((x, x.astype(np.float32)), (x.astype(np.float64), x.astype(np.float64))):
        with pytest.raises(DtypeError, match="one of float16, bfloat16 and float32 is needed"):
            calculated(Arithmetic.ADD, a, b)
    add = bytes((Arithmetic.ADD, 0, 0, 0))
    for steps in (b"", add[:3], bytes((6, 0, 0, 0)), bytes((0, 5, 0, 0)), bytes((0, 0, 5, 0)), bytes((0, 0, 0, 4))):
        with pytest.raises(ArgumentError, match="operations, arrays or rooms that are not there"):
            combined(steps, [x])
    for arrays in ([], [x] * (MOST_COMBINED + 1)):
        with pytest.raises(ArgumentError, match="operations, arrays or rooms that are not there"):
            combined(add, arrays)
