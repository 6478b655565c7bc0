"""Exact states are those of the elements, whatever the type, the cut and the instruction set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from quotients import UNIT, integer, real
from samesum import _core
from samesum.formats.arrays import NDArray
from samesum.stats.exact import Exact, place
from samesum.stats.tally import tally_of

TYPES = (
    "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "float8_e8m0fnu", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
)  # fmt: skip


def expected(x: NDArray) -> Exact:
    """The state by Python's own arithmetic; every instruction set asks for it."""
    return _expected(x.tobytes(), x.dtype)


@lru_cache(maxsize=1024)
def _expected(elements: bytes, dtype: np.dtype[Any]) -> Exact:
    x = np.frombuffer(elements, dtype)
    is_integer = x.dtype.kind in "iub"
    values = [int(v) for v in x] if is_integer else [float(v) for v in x.astype(np.float64)]
    finite = [v for v in values if math.isfinite(v)]
    units = [v << UNIT for v in finite] if is_integer else [integer(v) for v in finite]
    normal = 0.0 if is_integer else float(ml_dtypes.finfo(x.dtype).smallest_normal)
    sizes = [abs(v) for v in finite if v]
    return Exact(
        len(values),
        sum(math.isnan(v) for v in values),
        values.count(math.inf),
        values.count(-math.inf),
        finite.count(0),
        sum(size < normal for size in sizes),
        min(finite, key=place, default=None),
        max(finite, key=place, default=None),
        None if is_integer else min(sizes, default=None),
        real(sum(units)),
        real(sum(map(abs, units))),
        real(sum(v * v for v in units), 2),
    )


def cases(name: str) -> Iterator[NDArray]:
    rng = np.random.default_rng(7)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    bits = rng.integers(0, 256, 2500 * dtype.itemsize, dtype=np.uint8)
    yield (bits % 2).astype(np.bool_) if dtype == np.bool_ else bits.view(dtype)
    yield np.zeros(3, np.uint8).astype(dtype)
    if dtype.kind in "iub":
        return
    finite = rng.standard_normal(2300)
    yield finite.astype(dtype)
    yield (finite * 2.0 ** rng.integers(-40, 10, 2300)).astype(dtype)
    yield np.array([-0.0, 0.0, -0.0, 1.0, -1.0]).astype(dtype)
    yield np.array([math.nan, math.inf, math.inf, -math.inf, 2.0, 0.0]).astype(dtype)
    yield np.array([math.inf, -math.inf]).astype(dtype)
    largest = np.array([ml_dtypes.finfo(dtype).max])
    yield np.repeat(largest, 2100)
    yield np.concatenate([largest, np.array([1], np.uint8).repeat(dtype.itemsize).view(dtype)] * 700)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero):RuntimeWarning")
@looped("name", TYPES)
def test_a_tally_is_exact(name: str) -> None:
    for x in cases(name):
        wanted = expected(x)
        for cut in (0, x.size // 3):
            tally = tally_of(x.dtype, 1)
            for part in (x[:cut], x[cut:]):
                tally.add(np.ascontiguousarray(part.reshape(1, -1)))
            (found,) = tally.exact()
            assert repr(found) == repr(wanted)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@looped("name", TYPES)
def test_rows_have_states_of_their_own(name: str) -> None:
    x = next(cases(name))[:2100].reshape(7, 300)
    tally = tally_of(x.dtype, 7)
    tally.add(np.ascontiguousarray(x[:, :120]))
    tally.add(np.ascontiguousarray(x[:, 120:]))
    assert [repr(each) for each in tally.exact()] == [repr(expected(row)) for row in x]


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "int8"])
def test_long_rows_are_cut_among_threads(name: str) -> None:
    rng = np.random.default_rng(11)
    x = (rng.standard_normal(200_000) * 30).astype(name)
    once, parts = tally_of(x.dtype, 1), tally_of(x.dtype, 1)
    once.add(x.reshape(1, -1))
    for begin in range(0, x.size, 47777):
        parts.add(np.ascontiguousarray(x[begin : begin + 47777].reshape(1, -1)))
    assert once.exact() == parts.exact()
    (found,) = once.exact()
    assert found.total == sum(map(Fraction, x.astype(np.float64).tolist()), Fraction(0))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_states_merge() -> None:
    rng = np.random.default_rng(13)
    x = rng.integers(0, 256, 4000, dtype=np.uint8).view(np.float32)
    found = Exact()
    for part in np.array_split(x, 9):
        found = expected(part).merged(found)
    assert repr(found) == repr(expected(x))


def test_the_core_refuses_what_is_not_a_row_for_each_set() -> None:
    from samesum.errors import DtypeError, ShapeError

    statistics = _core.Statistics(np.dtype(np.float32), 2)
    for x in (np.zeros((3, 4), np.float32), np.zeros(2, np.float32), np.zeros((2, 8), np.float32)[:, ::2]):
        with pytest.raises(ShapeError, match=r"C-contiguous, aligned and of shape \[2, n\]"):
            statistics.add(x)
    with pytest.raises(DtypeError, match="the statistics are of float32"):
        statistics.add(np.zeros((2, 4)))
    with pytest.raises(DtypeError, match="statistics of int32"):
        _core.Statistics(np.dtype(np.int32), 1)
    with pytest.raises(ShapeError, match="the counts have to be"):
        _core.count_bytes(np.zeros((1, 4), np.uint8), np.zeros((1, 255), np.int64))


def exact_totals(x: NDArray) -> list[Fraction]:
    """The sums of finite floats, of their magnitudes and of their squares, in integers that count 2^-1127."""
    return _exact_totals(x.tobytes(), x.dtype)


@lru_cache(maxsize=16)
def _exact_totals(elements: bytes, dtype: np.dtype[Any]) -> list[Fraction]:
    x = np.frombuffer(elements, dtype)
    significands, exponents = np.frexp(x.astype(np.float64))
    pairs = zip((significands * 2.0**53).astype(np.int64).tolist(), (exponents + 1074).tolist(), strict=True)
    values = [value << shift if shift >= 0 else value >> -shift for value, shift in pairs]
    unit = Fraction(2) ** -1127
    return [unit * sum(values), unit * sum(map(abs, values)), unit**2 * sum(value * value for value in values)]


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@looped("spread", [0, 9, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 30, 36, 40, 56, 70])
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_sums_are_exact_for_every_range_of_exponents(name: str, spread: int) -> None:
    """The methods of sums follow from the range: each at its limits, with the greatest significands there are."""
    rng = np.random.default_rng(spread)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    size, top = 4096 + 37, 4
    greatest = np.full(size, 2 - 2.0 ** -ml_dtypes.finfo(dtype).nmant)
    one_below = np.full(size, top)
    one_below[::2048] = top - spread
    signs = rng.choice([-1.0, 1.0], size)
    for values in (
        np.ldexp(greatest, one_below),
        np.ldexp(greatest * signs, one_below),
        np.ldexp(1 + rng.random(size), top - rng.integers(0, spread + 1, size)) * signs,
    ):
        x = values.astype(dtype)
        for part in (x, x[: 4096 // x.itemsize]):
            tally = tally_of(dtype, 1)
            tally.add(np.ascontiguousarray(part).reshape(1, -1))
            (found,) = tally.exact()
            assert [found.total, found.magnitudes, found.squares] == exact_totals(part)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_extremes_and_classes_of_a_few_kinds_of_elements(name: str) -> None:
    """Zeros of both signs, elements of one sign, and what is not finite, alone and together."""
    rng = np.random.default_rng(23)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    kinds = ([0.0], [-0.0], [1.5, 3.0], [-1.5, -3.0], [math.nan], [math.inf], [-math.inf], [tiny], [-tiny])
    for _ in range(120):
        chosen = rng.choice(len(kinds), rng.integers(1, 5), replace=False)
        x = rng.choice(np.concatenate([kinds[k] for k in chosen]), int(rng.integers(1, 90))).astype(dtype)
        tally = tally_of(dtype, 1)
        tally.add(x.reshape(1, -1))
        (found,) = tally.exact()
        assert repr(found) == repr(expected(x))
