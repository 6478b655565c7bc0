"""A float input summed to another float format is rounded once, straight from the exact value."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
from bits import real
from naming import looped
from oracle import assert_bits, check_reduce, check_scan, form_of
from samesum.algebra.rows import CUMULATIVE_SUM, L1_NORM, L2_NORM, MEAN, SUM, SUM_SQUARE, Reduction
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, REVERSE
from samesum.errors import DtypeError

SUMS = (SUM, MEAN, L1_NORM, L2_NORM, SUM_SQUARE)
FAMILIES = ("normal", "ill_conditioned", "ties", "ties_off", "anything_finite", "wide", "subnormals", "specials")
FAMILIES += ("near_overflow", "overflow_edge", "infinities", "zeros")

each_sum = pytest.mark.parametrize("row", SUMS, ids=lambda row: row.name)
each_source = pytest.mark.parametrize("source", cases.FLOATS, ids=str)


@looped("target", cases.FLOATS)
@looped("source", cases.FLOATS)
@each_sum
def test_every_pair_of_formats(row: Reduction, source: np.dtype[Any], target: np.dtype[Any]) -> None:
    for family in FAMILIES:
        x = np.stack([cases.make(family, source, 35, seed) for seed in range(6)])
        check_reduce(row, x, (1,), dtype=target)
        check_reduce(row, np.ascontiguousarray(x.T), (0,), dtype=target)


@looped("target", cases.FLOATS)
@each_source
def test_scans_of_every_pair_of_formats(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    for family in FAMILIES:
        x = np.stack([cases.make(family, source, 15, seed) for seed in range(9)])
        check_scan(CUMULATIVE_SUM, x, 1, dtype=target)
        check_scan(CUMULATIVE_SUM, np.ascontiguousarray(x.T), 0, dtype=target)
        check_scan(CUMULATIVE_SUM, x, 0, flags=EXCLUSIVE | REVERSE, dtype=target)


@each_source
@pytest.mark.parametrize("target", cases.FLOATS[:3], ids=lambda dtype: f"to_{dtype}")
def test_ties_of_the_narrower_format(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    form = form_of(target)
    top, half = real(form_of(source), 1.0), real(form_of(source), 2.0**-form.precision)
    far = real(form_of(source), 2.0**-24)
    for values in ([top, half], [top, half, far], [top, half, -far], [-top, -half, -far], [half, half, top, half]):
        check_reduce(SUM, np.array(values, source), dtype=target)
        check_scan(CUMULATIVE_SUM, np.array(values, source), dtype=target)


@pytest.mark.parametrize("target", cases.FLOATS[:2], ids=str)
def test_every_midpoint_of_the_narrow_formats(target: np.dtype[Any]) -> None:
    """Halfway between neighbours the even one is right; beside it, by one place of float64, the nearer one."""
    infinity = int(np.array(np.inf, target).view(np.uint16))
    bits = np.arange(infinity, dtype=np.uint16)
    number = bits.view(target).astype(np.float64)
    above = np.append(number[1:], 2 * number[-1] - number[-2])
    middle = (number + above) / 2
    assert np.array_equal(middle - number, above - middle)
    for x, expected in (
        (middle, bits + bits % 2),
        (np.nextafter(middle, 0), bits),
        (np.nextafter(middle, np.inf), bits + 1),
    ):
        for sign, its_bit in ((1.0, 0), (-1.0, 0x8000)):
            sets = (sign * x)[:, None]
            for axis, of in ((1, sets), (0, np.ascontiguousarray(sets.T))):
                for got in (
                    memory.reduce(SUM, of, (axis,), dtype=target),
                    memory.scan(CUMULATIVE_SUM, of, axis, dtype=target),
                ):
                    assert np.array_equal(got.reshape(-1).view(np.uint16), expected | np.uint16(its_bit))


def test_float16_is_not_rounded_through_float32() -> None:
    x = np.array([1, 2.0**-11, 2.0**-30])
    assert_bits(memory.reduce(SUM, x, dtype="float16"), np.array(1.0009765625, np.float16))
    assert_bits(memory.reduce(SUM, x.astype(np.float32), dtype=np.float16), np.array(1.0009765625, np.float16))


def test_prefixes_that_come_back_from_beyond_float64() -> None:
    line = np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308, -1.0])
    for columns in (1, 7, 8, 9, 40):
        for target in cases.FLOATS:
            check_scan(CUMULATIVE_SUM, np.repeat(line[:, None], columns, 1), 0, dtype=target)
            check_scan(CUMULATIVE_SUM, np.repeat(line[None, :], columns, 0), 1, dtype=target)


def test_a_negative_result_that_underflows_is_minus_zero() -> None:
    for values, target in (([-1e-30], "float16"), ([-1e-300, 1e-310], "float32"), ([-1e-300], ml_dtypes.bfloat16)):
        got = check_reduce(SUM, np.array(values), dtype=target)
        assert got == 0
        assert np.signbit(got)


@looped("source", cases.FLOATS)
@pytest.mark.parametrize("target", ["int8", "int64", "uint32", "bool"])
def test_floats_are_not_summed_to_integers(source: np.dtype[Any], target: str) -> None:
    with pytest.raises(DtypeError, match=target):
        memory.reduce(SUM, np.ones(3, source), dtype=target)
    with pytest.raises(DtypeError, match=target):
        memory.scan(CUMULATIVE_SUM, np.ones(3, source), 0, dtype=target)
