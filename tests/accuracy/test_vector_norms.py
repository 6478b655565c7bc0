"""`vector_norm` of every order against whole numbers, in every dtype."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from bits import below
from naming import looped
from oracle import assert_bits
from samesum.engine import power_norms
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, taken_apart

FAMILIES = ("normal", "uniform", "anything_finite", "wide", "subnormals", "tenths", "small_integers")
FAMILIES += ("smallest", "huge", "overflowing", "subnormal_results", "hidden_rests")
POWERS = (3, 4, 5, 7, 12, 64, 256)
SIMPLE = (0, 1, 2, math.inf, -math.inf)
DTYPES = (*cases.FLOATS, *cases.INTEGERS)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def drawn(dtype: np.dtype[Any], count: int, n: int) -> NDArray:
    if dtype.kind in "iu":
        return below(1 << 62, count * n, n).astype(dtype).reshape(count, n)
    return np.stack([cases.make(FAMILIES[i % len(FAMILIES)], dtype, n, i) for i in range(count)])


def sizes(line: NDArray) -> tuple[list[int], int]:
    """Magnitudes as whole numbers of a power of two."""
    taken = taken_apart(line)
    return [s << shift for s, shift in zip(taken.significand, taken.shift, strict=True)], taken.exponent


def expected_power(line: NDArray, order: int, dtype: np.dtype[Any]) -> int:
    """The nearest float to the root, by bisection over its bits: halves of neighbours are compared with the sum."""
    form, (terms, unit) = FORMATS[dtype.name], sizes(line)
    total = 2 * sum(term**order for term in terms)  # in halves of the unit's power
    low, high = 0, form.infinity
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(value_of(middle, form), order, unit) <= total:
            low = middle
        else:
            high = middle
    (number, exponent), (after, after_exponent) = value_of(low, form), value_of(low + 1, form)
    least = min(exponent, after_exponent)
    half = (number << (exponent - least)) + (after << (after_exponent - least)), least - 1
    between = power_of(half, order, unit)
    return low + (total > between or (total == between and low % 2 == 1))


def value_of(code: int, form: Any) -> tuple[int, int]:
    field, fraction = code >> (form.precision - 1), code & ((1 << (form.precision - 1)) - 1)
    hidden = (1 << (form.precision - 1)) if field else 0
    return fraction + hidden, form.unit + max(field - 1, 0)


def power_of(value: tuple[int, int], order: int, unit: int) -> int:
    """In halves of 2^(unit order); odd where it is between two whole numbers."""
    number, exponent = value
    shift = (exponent - unit) * order
    if shift >= 0:
        return number**order << (shift + 1)
    whole, rest = number**order >> -shift, number**order & ((1 << -shift) - 1)
    return 2 * whole + (rest != 0)


@looped("dtype", DTYPES)
@pytest.mark.parametrize("order", POWERS)
def test_roots_of_sums_of_powers(dtype: np.dtype[Any], order: int) -> None:
    target = np.dtype(np.float64) if dtype.kind in "iu" else dtype
    for count, n in ((len(FAMILIES), 1), (len(FAMILIES), 2), (7, 9), (2, 60)):
        x = drawn(dtype, count, n)
        bits = np.array([expected_power(line, order, target) for line in x], f"u{target.itemsize}")
        assert_bits(ss.vector_norm(x, 1, ord=order), bits.view(target), f"{count} lines of {n}")
        assert_bits(ss.vector_norm(np.asfortranarray(x.T), 0, ord=order), bits.view(target), f"{count} columns of {n}")


@pytest.mark.parametrize("n", [200, 9000])
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_every_method_has_the_same_bits(dtype: np.dtype[Any], n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of more than a block, and those that are scaled, too."""
    x = drawn(dtype, 7, n)
    for order in (3, 6, 11) if n == 200 else (3,):
        expected = np.array([expected_power(line, order, dtype) for line in x], f"u{dtype.itemsize}").view(dtype)
        for roots in ((), (power_norms._wide,), (power_norms._narrow, power_norms._wide)):
            if (n > 200 and not roots) or (dtype.itemsize == 8 and len(roots) == 2):
                continue
            monkeypatch.setattr(power_norms, "_methods", lambda *_, found=roots: found)
            assert_bits(ss.vector_norm(x, 1, ord=order), expected, f"{len(roots)} methods, order {order}")


def test_orders_that_come_out_even() -> None:
    assert ss.vector_norm([3.0, -4.0, 5.0], ord=3) == 6
    assert ss.vector_norm(np.array([30, 120, 272, 315], np.int16), ord=4) == 353
    assert ss.vector_norm(np.array([27, 84, 110, 133], np.uint8), ord=5) == 144
    assert ss.vector_norm(np.float32([3e38, 3e38]), ord=256) == np.float32(3.0081339e38)


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_long_vectors_have_the_bits_of_their_blocks(dtype: np.dtype[Any]) -> None:
    """As many equal elements as a power has: the root is whole."""
    x = np.zeros((2, 3 << 15), dtype)
    x[0, :: 3 << 5], x[1] = dtype.type(1.5), 0
    assert ss.vector_norm(x, 1, ord=10).tolist() == [3.0, 0.0]


@each_dtype
def test_the_orders_that_reductions_have(dtype: np.dtype[Any]) -> None:
    x = drawn(dtype, 12, 40).reshape(3, 4, 40)
    target = np.dtype(np.float64) if dtype.kind in "iu" else dtype
    assert_bits(ss.vector_norm(x, 2), ss.l2_norm(x, 2), "2")
    assert_bits(ss.vector_norm(x, (0, 2), ord=1), ss.l1_norm(x, (0, 2), dtype=target), "1")
    x[0, 0, :30] = 0
    assert_bits(ss.vector_norm(x, 2, ord=0), np.count_nonzero(x != 0, 2).astype(target), "0")
    for order, function in ((math.inf, max), (-math.inf, min)):
        bits = []
        for line in x.reshape(12, 40):
            terms, unit = sizes(line)
            bits.append(FORMATS[target.name].nearest(function(terms), unit))
        got = ss.vector_norm(x, 2, ord=order)
        assert_bits(got, np.array(bits, f"u{target.itemsize}").view(target).reshape(3, 4), str(order))


@pytest.mark.parametrize("order", [*SIMPLE, 3, 10])
def test_shapes_types_and_out(order: float) -> None:
    x = np.arange(-12.0, 12.0).reshape(2, 3, 4)
    whole = ss.vector_norm(x, ord=order)
    assert isinstance(whole, np.float64)
    assert ss.vector_norm(x, ord=order, keepdims=True).shape == (1, 1, 1)
    assert ss.vector_norm(x, (0, -1), ord=order, keepdims=True).shape == (1, 3, 1)
    assert_bits(ss.vector_norm(x, (0, 1, 2), ord=order), whole, "all axes")
    assert_bits(ss.vector_norm(x, (), ord=order), (x != 0) * 1.0 if order == 0 else np.abs(x), "none")
    out = np.zeros((3, 2), np.float32).T
    assert ss.vector_norm(x, 2, ord=order, dtype=np.float32, out=out) is out
    assert_bits(out.copy(), ss.vector_norm(x, 2, ord=order, dtype=np.float32), "out")
    assert ss.vector_norm(np.float32(x), ord=order).dtype == np.float32
    swapped = ss.vector_norm(x.astype(">f8"), 2, ord=order, dtype=">f4")
    assert_bits(swapped, ss.vector_norm(x, 2, ord=order, dtype=np.float32), "in the other byte order")
    assert ss.vector_norm(x > 0, ord=order).dtype == np.float64


@pytest.mark.parametrize("order", [1, 2, math.inf, 3, 256])
@looped("dtype", cases.FLOATS)
def test_what_is_not_finite(dtype: np.dtype[Any], order: float) -> None:
    x = np.array([[1, 2], [-np.inf, 1], [np.nan, np.inf], [np.nan, 0], [0, -0.0]]).astype(dtype)
    got = ss.vector_norm(x, 1, ord=order)
    zero = np.zeros(1, dtype)
    assert np.isfinite(got[0].astype(np.float64))
    assert got[1] == np.inf
    assert np.isnan(got[2:4].astype(np.float64)).all()
    assert_bits(got[4:], zero, "zeros")


def test_nothing() -> None:
    for order in (0, 1, 2, 3):
        assert ss.vector_norm(np.ones((2, 0)), 1, ord=order).tolist() == [0.0, 0.0]
    for order in (math.inf, -math.inf):
        with pytest.raises(ShapeError, match="magnitude of an empty set"):
            ss.vector_norm(np.ones((2, 0)), 1, ord=order)


def test_floats_of_eight_bits() -> None:
    x = np.array([1, -2, 0.5]).astype(ml_dtypes.float8_e4m3fn)
    assert [float(ss.vector_norm(x, ord=order)) for order in SIMPLE] == [3, 3.5, 2.25, 2, 0.5]
    with pytest.raises(DtypeError, match="16 bits"):
        ss.vector_norm(x, ord=3)


def test_what_is_refused() -> None:
    for order in (0.5, -1, 2.5, 257, math.nan, -2):
        with pytest.raises(ArgumentError, match="whole numbers from 1 to 256"):
            ss.vector_norm(np.ones(3), ord=order)
    bad: Any = "fro"
    with pytest.raises(ArgumentTypeError):
        ss.vector_norm(np.ones(3), ord=bad)
    with pytest.raises(DtypeError, match="float dtypes"):
        ss.vector_norm(np.ones(3), dtype=np.int64)
    for order in (2, 3, math.inf):
        with pytest.raises(DtypeError):
            ss.vector_norm(np.ones(3, np.complex64), ord=order)
        with pytest.raises(AxisError):
            ss.vector_norm(np.ones(3), 1, ord=order)
