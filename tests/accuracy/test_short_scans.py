"""Scans of a few elements, as lines and as columns: what is in doubt, overflows, vanishes or is no number."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import scan_lines
from naming import looped
from oracle import check_scan
from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Scan
from samesum.formats.arrays import NDArray

LINES = 43
LENGTHS = range(1, 11)
SPREADS = (0.5, 20.0, 300.0, 2000.0)
"""Bits between the magnitudes; what the format cannot hold is zero or infinite."""
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**-24, 5e-324])

each_scan = pytest.mark.parametrize("row", [CUMULATIVE_SUM, CUMULATIVE_PROD], ids=lambda row: row.name)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def lines_of(dtype: np.dtype[Any], length: int, spread: float) -> NDArray:
    """Every third line has a special value somewhere."""
    generator = np.random.default_rng([length, int(spread)])
    power = np.clip(generator.uniform(-spread / 2, spread / 2, (LINES, length)), -1074, 1023)
    x = np.exp2(power) * generator.choice([-1.0, 1.0], power.shape)
    for i, line in enumerate(range(0, LINES, 3)):
        x[line, generator.integers(0, length)] = SPECIAL[i % len(SPECIAL)]
    with np.errstate(over="ignore"):
        return np.asarray(x.astype(dtype))


@each_scan
@each_float
@looped("length", LENGTHS)
def test_magnitudes_near_and_far(row: Scan, dtype: np.dtype[Any], length: int) -> None:
    for spread in SPREADS:
        scan_lines.check(row, lines_of(dtype, length, spread))


@each_scan
@each_float
@looped("length", LENGTHS)
def test_every_family(row: Scan, dtype: np.dtype[Any], length: int) -> None:
    for family in cases.FAMILIES:
        scan_lines.check(row, cases.make(family, dtype, LINES * length, length).reshape(LINES, length))


@pytest.mark.usefixtures("each_instruction_set")
@each_scan
@each_float
def test_each_instruction_set(row: Scan, dtype: np.dtype[Any]) -> None:
    for length in (2, 3, 7, 8, 9):
        scan_lines.check(row, lines_of(dtype, length, 20.0))
        scan_lines.check(row, lines_of(dtype, length, 2000.0), scan_lines.FLAGS[3])


def few_hard(kind: str, length: int) -> NDArray:
    """Easy lines, of which one has an element that no quick way may take for another one."""
    x = np.random.default_rng(length).standard_normal((LINES, length))
    hard, at = np.random.default_rng([length, 1]).integers([LINES, length])
    elements = {"nan": np.nan, "infinity": -np.inf, "zero": 0.0, "tiny": 2.0**-60, "large": 2.0**55, "far": 2.0**-900}
    elements["other_nan"] = np.uint64(0xFFF8_0000_0000_0123).view(np.float64)
    if "zeros" in kind:
        x[np.random.default_rng(7).random(x.shape) < 0.3] = 0
    if kind.split()[0] in elements:
        x[hard, at] = elements[kind.split()[0]]
    if kind == "ties":
        x = np.round(x * 4) + 2.0**53
    if kind == "broken tie among zeros":
        x = np.round(x) * 2.0**53
        x[hard, :3] = [2.0**53, 1, 2.0**-60][:length]
    return x


@pytest.mark.usefixtures("each_instruction_set")
@each_scan
@looped(
    "kind",
    [
        *("easy", "nan", "other_nan", "infinity", "zero", "tiny", "tiny among zeros", "large", "far", "zeros"),
        *("ties", "broken tie among zeros"),
    ],
)
@pytest.mark.parametrize("dtype", cases.FLOATS[2:], ids=str)
def test_a_hard_line_among_easy_ones(row: Scan, dtype: np.dtype[Any], kind: str) -> None:
    for length in (2, 3, 5, 7, 8, 9, 12, 16, 23, 33, 64):
        scan_lines.check(row, few_hard(kind, length).astype(dtype))


@pytest.mark.usefixtures("each_instruction_set")
@each_scan
@pytest.mark.parametrize("bits", [0x7FF8_0000_0000_0000, 0x7FF0_0000_0000_0001], ids=["quiet", "signaling"])
def test_a_nan_hides_nothing_in_other_lines(row: Scan, bits: int) -> None:
    """Lines are looked at together before they are scanned: what counts may come before a NaN of another one."""
    heads = ([np.inf, 1.0], [2.0**60, 1, 2.0**60, 1, -(2.0**61), 2.0**-40], [1, -1, 2.0**-52, 2.0**-110, -(2.0**-52)])
    for length in (2, 3, 6, 7, 8, 9, 16, 33):
        for head in heads:
            for nans in ([1], [LINES // 2], range(20, 28)):
                x = np.ones((LINES, length))
                x[0, : len(head)] = head[:length]
                x[nans, 0] = np.uint64(bits).view(np.float64)
                scan_lines.check(row, x)


@pytest.mark.usefixtures("restored_threads")
@each_scan
@each_float
def test_many_short_columns_on_threads(row: Scan, dtype: np.dtype[Any]) -> None:
    """More than the caches hold, and a last strip that is not whole."""
    for rows, columns in ((3, 1_500_011), (8, 700_003)):
        x = np.tile(lines_of(dtype, rows, 20.0).T, (1, -(-columns // LINES)))[:, :columns].copy()
        scan_lines.check_columns_on_threads(row, x, LINES)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", cases.FLOATS[1:3], ids=str)
def test_products_that_double_words_hardly_hold(dtype: np.dtype[Any]) -> None:
    """Between 2^1000 and 2^1024 in eight factors, after products of up to 2^300."""
    for power in (*range(60, 128, 7), 127):
        x = np.ones((9, 40), np.float64)
        x[:, 7], x[:, 8:15], x[:, 15] = 2.0**100, 2.0**127, 2.0 ** (power - 93)
        x[1::2, 20:36] = 2.0**-100
        x[2::3] = -x[2::3]
        scan_lines.check(CUMULATIVE_PROD, x.astype(dtype))
    scan_lines.check(CUMULATIVE_PROD, np.full((9, 17), ml_dtypes.finfo(dtype).max, dtype))


@pytest.mark.usefixtures("each_instruction_set")
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("rows", [8, 9, 16, 17, 33, 64, 65])
def test_columns_of_which_some_are_hard(dtype: np.dtype[Any], rows: int) -> None:
    """Those beside them are certain at once; what failed is told for each prefix of a strip."""
    rng = np.random.default_rng(rows)
    info = ml_dtypes.finfo(dtype)
    for columns in (5, 16, 70):
        x = rng.normal(size=(rows, columns))
        for first, hard in enumerate((1.0, 2.0 ** -(info.nmant + 1), float(info.smallest_subnormal), -1.0)):
            x[first % rows, ::7] = hard
        x[rows // 2 :, 1::9] *= 2.0 ** rng.integers(-40, 12, x[rows // 2 :, 1::9].shape)
        x[rows - 1, 3::11] = np.inf
        check_scan(CUMULATIVE_SUM, x.astype(dtype), 0)
