"""Floats of eight bits: every pair against float64, which holds them exactly; longer sets against the exact algebra."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from bits import mix
from oracle import assert_bits, check_reduce
from samesum.algebra.rows import CUMULATIVE_SUM, L1_NORM, L2_NORM, MAX, MEAN, MIN, REDUCTIONS, STD, SUM, SUM_SQUARE, VAR
from samesum.engine import memory
from samesum.engine.memory import KEEPDIMS, REFUSE_EMPTY
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import BYTES

TAKING = (SUM, MEAN, VAR, STD, MIN, MAX, L1_NORM, L2_NORM, SUM_SQUARE)

each_format = pytest.mark.parametrize("dtype", [np.dtype(getattr(ml_dtypes, name)) for name in BYTES], ids=str)
each_row = pytest.mark.parametrize("row", TAKING, ids=lambda row: row.name)


def every_code(dtype: np.dtype[Any]) -> NDArray:
    return np.arange(256, dtype=np.uint8).view(dtype)


def pairs(dtype: np.dtype[Any]) -> NDArray:
    codes = every_code(dtype)
    return np.stack(np.broadcast_arrays(codes[:, None], codes), axis=-1)


def drawn(dtype: np.dtype[Any], n: int, seed: int, kinds: int = 256) -> NDArray:
    return (mix(n, seed) % np.uint64(kinds)).astype(np.uint8).view(dtype)


def canonical(x: NDArray) -> NDArray:
    """NaNs, whatever their code and sign, as the canonical one."""
    codes = x.view(np.uint8).copy()
    codes[np.isnan(x.astype(np.float32))] = BYTES[x.dtype.name].nan
    return codes.view(x.dtype)


@each_format
def test_the_codes_are_those_of_ml_dtypes(dtype: np.dtype[Any]) -> None:
    codes = every_code(dtype)
    wide = codes.astype(np.float64)
    for row in (SUM, MEAN, MIN, MAX, L1_NORM, L2_NORM):
        expected = np.abs(wide) if row in (L1_NORM, L2_NORM) else wide + 0.0 if row in (SUM, MEAN) else wide
        with np.errstate(invalid="ignore"):
            assert_bits(memory.reduce(row, codes[:, None], 1), canonical(expected.astype(dtype)), row.name)
        if row not in (MIN, MAX):
            assert_bits(memory.reduce(row, codes[:, None], 1, 0, np.float64), nans(expected), row.name)


def nans(x: NDArray) -> NDArray:
    return np.where(np.isnan(x), np.nan, x)


@each_format
def test_every_pair(dtype: np.dtype[Any]) -> None:
    x = pairs(dtype)
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        expected = {SUM: wide.sum(axis=-1) + 0.0, MEAN: wide.mean(axis=-1) + 0.0, L1_NORM: np.abs(wide).sum(axis=-1)}
        for row, values in expected.items():
            wanted = canonical(values.astype(dtype))
            assert_bits(memory.reduce(row, x, 2), wanted, row.name)
            assert_bits(memory.reduce(row, np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0), wanted, row.name)
    for row in (MIN, MAX):
        got = memory.reduce(row, x, 2)
        wanted = (np.fmin if row is MIN else np.fmax)(wide[..., 0], wide[..., 1])
        wanted[np.isnan(wide).any(axis=-1)] = np.nan
        unequal = wide[..., 0] != wide[..., 1]
        assert_bits(got[unequal], canonical(wanted.astype(dtype))[unequal], row.name)


@each_format
@each_row
def test_sets_of_every_kind(row: Any, dtype: np.dtype[Any]) -> None:
    for n in (1, 2, 3, 5, 8, 17, 40, 255, 1000):
        for kinds in (4, 120, 256):
            x = drawn(dtype, 6 * n, n + kinds, kinds).reshape(6, n)
            check_reduce(row, x, (1,))
            check_reduce(row, np.ascontiguousarray(x.T), (0,), flags=KEEPDIMS)


@each_format
def test_zeros_and_signs(dtype: np.dtype[Any]) -> None:
    form = BYTES[dtype.name]
    zeros = np.zeros(5, np.uint8).view(dtype)
    assert_bits(memory.reduce(SUM, zeros), np.asarray(zeros[0]))
    if form.has_negative_zero:
        both = np.array([0x80, 0x00], np.uint8).view(dtype)
        assert memory.reduce(MIN, both).view(np.uint8) == 0x80
        assert memory.reduce(MAX, both).view(np.uint8) == 0x00
        assert memory.reduce(SUM, both[:1]).view(np.uint8) == 0x00
    least = np.array([0x81] + [0] * 8, np.uint8).view(dtype)
    assert memory.reduce(MEAN, least).view(np.uint8) == (0x80 if form.has_negative_zero else 0x00)


@each_format
def test_a_sum_beyond_the_format_overflows_once(dtype: np.dtype[Any]) -> None:
    form = BYTES[dtype.name]
    largest = np.array([form.largest or form.infinity - 1] * 3, np.uint8).view(dtype)
    overflow = form.infinity if form.has_infinity else form.nan
    assert memory.reduce(SUM, largest).view(np.uint8) == overflow
    assert_bits(memory.reduce(MEAN, largest), np.asarray(largest[0]))
    three = np.concatenate([largest[:2], (largest[:1].view(np.uint8) | 0x80).view(dtype)])
    assert_bits(memory.reduce(SUM, three), np.asarray(largest[0]))


@pytest.mark.usefixtures("restored_threads")
@each_format
@each_row
def test_large_arrays_and_threads(row: Any, dtype: np.dtype[Any]) -> None:
    n = 2**17 if row in (VAR, STD) else 2**19  # enough for several threads of what takes long for each element
    x = drawn(dtype, 3 * n, 5, 100).reshape(3, n)
    found = []
    for threads in (1, 2, 7):
        ss.set_num_threads(threads)
        found.append([memory.reduce(row, x, axes) for axes in ((0,), (1,), (0, 1))])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert_bits(a, b)
    whole = memory.reduce(row, x[:, ::-1], (0, 1))
    assert_bits(whole, found[0][2])


@each_format
def test_other_result_types(dtype: np.dtype[Any]) -> None:
    x = drawn(dtype, 300, 1, 120)
    for target in ("float16", "float32", "float64", ml_dtypes.bfloat16):
        check_reduce(SUM, x, dtype=target)
    for target in ("int32", "uint8", "bool"):
        with pytest.raises(DtypeError, match=dtype.name):
            memory.reduce(SUM, x, None, 0, target)
    with pytest.raises(DtypeError, match="float32"):
        memory.reduce(SUM, np.ones(3, np.float32), None, 0, dtype)
    assert ss.sum(x).dtype == ss.mean(x).dtype == ss.l2_norm(x).dtype == ss.min(x).dtype == dtype


@each_format
def test_empty_sets(dtype: np.dtype[Any]) -> None:
    empty = np.empty((2, 0), dtype)
    for row in TAKING:
        check_reduce(row, empty, (1,))
    with pytest.raises(ShapeError, match="empty set"):
        memory.reduce(MIN, empty, 1, REFUSE_EMPTY)


@each_format
def test_what_does_not_take_them_says_what_does(dtype: np.dtype[Any]) -> None:
    for row in REDUCTIONS:
        if row not in TAKING:
            with pytest.raises(DtypeError, match=f"{dtype.name} is accepted by sum, mean, var, std, min, max"):
                memory.reduce(row, np.zeros(3, np.uint8).view(dtype))
    with pytest.raises(DtypeError, match=f"{dtype.name} has no scans"):
        memory.scan(CUMULATIVE_SUM, np.zeros(3, np.uint8).view(dtype), 0)


def test_scales_are_no_numbers_to_be_summed() -> None:
    with pytest.raises(DtypeError, match="float8_e8m0fnu is not supported"):
        memory.reduce(SUM, np.ones(3, np.uint8).view(ml_dtypes.float8_e8m0fnu))
