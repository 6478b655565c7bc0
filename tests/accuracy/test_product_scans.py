"""Prefix products where their quick ways give up: ties, drift out of range and back, zeros and what is no number."""

from __future__ import annotations

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import scan_lines
from naming import looped
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD
from samesum.engine import memory
from samesum.formats.arrays import NDArray

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)

check_lines = partial(scan_lines.check, CUMULATIVE_PROD)


def near_one(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int, spread: float = 1.0) -> NDArray:
    """Values around one of either sign: most prefixes are ordinary."""
    generator = np.random.default_rng(seed)
    x = np.exp2((generator.random(shape) - 0.5) * spread) * generator.choice([-1.0, 1.0], shape)
    return np.asarray(x.astype(dtype))


def with_some(x: NDArray, values: list[float], seed: int) -> NDArray:
    """One element of sixteen, or so, is one of these."""
    generator = np.random.default_rng(seed)
    chosen = generator.random(x.shape) < 1 / 16
    return np.where(chosen, generator.choice(np.array(values), x.shape).astype(x.dtype), x)


@each_float
@looped("length", [*range(1, 20), 23, 24, 25, 31, 32, 33, 63, 64, 65, 70, 520])
def test_lines_of_every_length(dtype: np.dtype[Any], length: int) -> None:
    x = near_one(dtype, (max(11, 200 // length), length), length)
    for flags in scan_lines.FLAGS if length < 30 else (0,):
        check_lines(x, flags)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("target", cases.FLOATS, ids=str)
def test_every_format_into_every_other(dtype: np.dtype[Any], target: np.dtype[Any]) -> None:
    check_lines(near_one(dtype, (11, 60), 1, 6.0), dtype=target)
    check_lines(near_one(dtype, (200, 8), 2, 20.0), dtype=target)


@each_float
@pytest.mark.parametrize("spread", [0.01, 8.0, 25.0], ids=str)
def test_prefixes_in_all_of_the_range(dtype: np.dtype[Any], spread: float) -> None:
    check_lines(near_one(dtype, (20, 65), 3, spread))
    check_lines(near_one(dtype, (100, 8), 4, spread))


@each_float
def test_prefixes_that_drift_away_and_come_back(dtype: np.dtype[Any]) -> None:
    for factor in (0.37, 2.6):
        x = near_one(dtype, (19, 400), 5, 1.0)
        x[:, :200] = np.asarray(x[:, :200] * factor, dtype)
        x[:, 200:] = np.asarray(x[:, 200:] / factor, dtype)
        check_lines(x)
    x = near_one(dtype, (9, 1500), 6, 4.0)
    x[:4] = np.asarray(x[:4] / 3, dtype)
    check_lines(x)


@each_float
def test_zeros_infinities_and_nans_in_the_middle(dtype: np.dtype[Any]) -> None:
    for values in ([0.0, -0.0], [0.0, np.inf], [np.inf, -np.inf], [np.nan], [0.0, -0.0, np.inf, np.nan]):
        check_lines(with_some(near_one(dtype, (17, 70), 7), values, 8))
        check_lines(with_some(near_one(dtype, (17, 70), 7, 20.0), values, 9))
        check_lines(with_some(near_one(dtype, (90, 8), 10), values, 11))


@each_float
def test_the_ends_of_the_range_as_elements(dtype: np.dtype[Any]) -> None:
    for family in ("subnormals", "ramp", "anything_finite", "tiny", "huge", "specials"):
        check_lines(cases.make(family, dtype, 11 * 40, 3).reshape(11, 40))
        check_lines(cases.make(family, dtype, 70 * 8, 4).reshape(70, 8))


@each_float
def test_ties_and_what_is_next_to_them(dtype: np.dtype[Any]) -> None:
    """Products of few bits are ties wherever they have one more than the format; then factors next to one."""
    bits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name]
    generator = np.random.default_rng(12)
    step = 2.0 ** (1 - bits)
    small = generator.choice([1.0, 1.0, 3.0, 0.75, 1.25, -1.0, 0.5, 5.0], (40, 30)).astype(dtype)
    check_lines(small)
    check_lines(small[:, :8].copy())
    half = (bits + 1) // 2
    left = 2.0 ** (half - 1) + generator.integers(0, 1 << (half - 1), 200) // 2 * 2 + 1
    right = 2.0 ** (bits - half) + generator.integers(0, 1 << (bits - half), 200) // 2 * 2 + 1
    near = generator.choice([1.0, 1.0, 1.0 + step, 1.0 - step / 2, 1.0 + 2 * step], (200, 6))
    lines = np.concatenate([left[:, None], right[:, None], near], axis=1).astype(dtype)
    check_lines(lines)
    check_lines(np.tile(lines[:20], 3))
    check_lines(np.concatenate([lines[:30, :2], np.ones((30, 40), dtype)], axis=1))


@pytest.mark.usefixtures("each_instruction_set")
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("length", [3, 8, 13, 32, 64, 200])
def test_easy_and_hard_lines_by_turns(dtype: np.dtype[Any], length: int) -> None:
    """Groups of lines near one, of ties, of ties among the subnormal numbers, and of zeros, in any order."""
    generator = np.random.default_rng(length)
    few_bits = generator.choice([1.0, 1.0, 3.0, 0.75, 1.25, -1.0, 0.5, 5.0], (8, length)).astype(dtype)
    subnormal = few_bits.copy()
    subnormal[:, 0] *= ml_dtypes.finfo(dtype).tiny * dtype.type(4)
    easy = near_one(dtype, (8, length), 1, 0.01)
    kinds = (easy, few_bits, subnormal, with_some(easy, [0.0, -0.0], 2))
    check_lines(np.concatenate([kinds[k] for k in generator.integers(0, 4, 30)]))


@pytest.mark.usefixtures("each_instruction_set")
def test_products_next_to_ties_of_subnormal_bfloat16() -> None:
    """In float32, which is subnormal there, too, they would round to the tie."""
    bfloat16, float32 = cases.FLOATS[1:3]
    factors = np.arange(128, 256)
    products = factors[:, None, None] * factors[:, None] * factors
    for places in (20, 21, 22):
        above = products % 2**places - 2 ** (places - 1)
        near = np.argwhere((above != 0) & (abs(above) < 2 ** (places - 18)))
        lines = np.ldexp(np.resize(factors[near], (40, 3)), [-67, -67, 1 - places])
        x = np.concatenate([lines, np.ones((40, 2))], 1)
        check_lines(x.astype(bfloat16))
        check_lines(x.astype(float32), dtype=bfloat16)
    wide = np.array([2.0**-100, 2.0**-34 * (1 + 2.0**-20), 1, 1])
    check_lines(np.tile(wide, (17, 1)).astype(float32), dtype=bfloat16)


def test_no_ordinary_prefix_is_made_exactly() -> None:
    for dtype in cases.FLOATS:
        x = near_one(dtype, (64, 1024), 13, 0.2)
        for data, axis in ((x, 1), (x, 0), (x.reshape(-1, 8), 1)):
            _core.reset_counters()
            memory.scan(CUMULATIVE_PROD, data, axis)
            assert _core.counters()["scan_superaccumulator"] == 0, (dtype, data.shape, axis)


@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_every_instruction_set(dtype: np.dtype[Any]) -> None:
    for shape in ((9, 130), (40, 13), (100, 3), (50, 16), (50, 8)):
        check_lines(with_some(near_one(dtype, shape, 14, 3.0), [0.0, -0.0, 0.01, 100.0], 15))


@pytest.mark.usefixtures("restored_threads")
@each_float
def test_long_lines_on_threads(dtype: np.dtype[Any]) -> None:
    x = near_one(dtype, (3, 300_003), 16, 0.02)
    x[1] = with_some(x[1], [0.9, 1.1], 17)
    x[2, 200_000] = 0.0
    scan_lines.check_threads(CUMULATIVE_PROD, x)


@pytest.mark.usefixtures("each_instruction_set", "restored_threads")
@each_float
def test_few_columns_out_of_range_and_back(dtype: np.dtype[Any]) -> None:
    """However many columns the last tile has: what 8 rows in a row keep of a product 32 would not."""
    tiny = float(ml_dtypes.finfo(dtype).tiny)
    low = np.ones(75)
    low[:2], low[32:] = 2.0 ** ((np.log2(tiny) + 22) // 2), 1.75 / 8
    deep = np.ones(75)  # beyond what a double holds, unless those are doubles
    deep[32:39], deep[39:41], deep[41:50] = 1.9 * tiny, 1.3 * 2.0**-100, 1.1 * 2.0**120
    for line in (low, deep) if dtype in (np.float32, ml_dtypes.bfloat16) else (low,):
        for columns in (8, 9, 15, 17, 20, 23, 31, 33, 65, 97, 127, 128):
            x = np.tile(line[:, None].astype(dtype), (1, columns))
            scan_lines.check_columns_on_threads(CUMULATIVE_PROD, x, 1)
