"""Totals that are kept are the exact sums of what was added, block by block, on every instruction set."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

import cases
from naming import looped
from samesum.algebra.rows import Map
from samesum.engine.totals import Totals, decoded
from samesum.formats.arrays import NDArray

DTYPES = [np.dtype(each) for each in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]
KINDS = (Map.ITSELF, Map.MAGNITUDE, Map.SQUARE)
LONGEST = 8192
"""Elements of a block, at most."""


def exact_sum(line: NDArray, kind: Map) -> int:
    """In units of 2^-2176, as totals are stored."""
    fractions, exponents = np.frexp(line.astype(np.float64))
    units = np.ldexp(fractions, 53).astype(np.int64).tolist()
    shifts = (exponents - 53 + 1188).tolist()  # of numbers that may end in up to 53 zeros
    if kind is Map.SQUARE:
        return sum(unit * unit << 2 * shift for unit, shift in zip(units, shifts, strict=True)) >> 200
    mapped = map(abs, units) if kind is Map.MAGNITUDE else units
    return sum(unit << shift + 1088 for unit, shift in zip(mapped, shifts, strict=True)) >> 100


def totals_of(x: NDArray, kind: Map, axis: int | None) -> list[int]:
    kept = 1 if axis is None else x.size // x.shape[axis]
    totals = Totals(int(kind), x.dtype, kept)
    totals.add(x, None if axis is None else (axis,))
    return [size << shift for size, shift in decoded(totals.encoded())]


def assert_exact(x: NDArray, axis: int | None, said: str) -> None:
    lines = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    for kind in KINDS:
        wanted = [exact_sum(line, kind) for line in lines]
        assert totals_of(x, kind, axis) == wanted, f"{x.dtype.name} {kind.name} axis {axis}: {said}"


def drawn(dtype: np.dtype, n: int, seed: int) -> Iterator[tuple[str, NDArray]]:
    """Numbers that fit the grids of their blocks, and numbers that do not."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal(n)
    signs = rng.choice([-1.0, 1.0], n)
    least, most = (-14, 15) if dtype == np.float16 else (-1020, 1020) if dtype.itemsize == 8 else (-125, 126)
    yield "normal", normal.astype(dtype)
    yield "sparse", np.where(rng.random(n) < 0.9, -0.0, normal).astype(dtype)
    yield "growing", (np.arange(n) * 0.3 - 5).astype(dtype)
    yield "spread", (signs * 2.0 ** rng.uniform(least / 30, most / 30, n)).astype(dtype)
    yield "all exponents", (signs * 2.0 ** rng.uniform(least - 8, most, n)).astype(dtype)
    yield "one above", np.where(np.arange(n) == n // 2, 2.0**most, normal).astype(dtype)
    yield "huge and back", np.resize([2.0**most, -(2.0**most), 1.5, 0.75], n).astype(dtype)
    yield "least", (signs * float(ml_dtypes.finfo(dtype).smallest_subnormal) * rng.integers(0, 9, n)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [1, 37, LONGEST + 1])
def test_runs(each_instruction_set: str, dtype: np.dtype, n: int) -> None:
    for said, x in drawn(dtype, n, n):
        assert_exact(x, None, f"{said}, {n} elements, {each_instruction_set}")
        strided = np.repeat(x, 2)[::2]
        assert totals_of(strided, Map.SQUARE, None) == totals_of(x, Map.SQUARE, None), said


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(300, 19), (7, 65), (3, 40, 3)], ids=str)
def test_columns_and_rows(each_instruction_set: str, dtype: np.dtype, shape: tuple[int, ...]) -> None:
    for said, x in drawn(dtype, int(np.prod(shape)), len(shape)):
        for axis in range(len(shape)):
            assert_exact(x.reshape(shape), axis, f"{said}, {shape}, {each_instruction_set}")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_squares_that_vanish_in_float64_count(each_instruction_set: str, dtype: np.dtype) -> None:
    tiny = 2.0**-1074 if dtype.itemsize == 8 else float(ml_dtypes.finfo(dtype).smallest_subnormal)
    x = np.array([1.0, *[tiny] * 40, -(2.0**-5)], dtype)
    assert_exact(x, None, each_instruction_set)
    assert_exact(np.stack([x, x[::-1]]), 1, each_instruction_set)
    assert_exact(np.stack([x, x[::-1]]), 0, each_instruction_set)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays(each_instruction_set: str, dtype: np.dtype, special: float) -> None:
    x = np.random.default_rng(5).standard_normal((600, 9)).astype(dtype)
    x[311, 4] = special
    for axis, place in ((0, 4), (1, 311), (None, 0)):
        totals = Totals(0, dtype, 1 if axis is None else x.size // x.shape[axis])
        totals.add(x, None if axis is None else (axis,))
        counts = np.ones(totals_shape(x, axis), np.int64)
        got = np.atleast_1d(totals.rounded(0, np.dtype(np.float64), counts))
        assert np.array_equal(got[place], special, equal_nan=True), (dtype, axis, each_instruction_set)
        assert np.isfinite(np.delete(got, place)).all()


def totals_shape(x: NDArray, axis: int | None) -> tuple[int, ...]:
    return () if axis is None else tuple(size for k, size in enumerate(x.shape) if k != axis)


def test_many_blocks_and_changing_sizes_join_exactly() -> None:
    rng = np.random.default_rng(6)
    for dtype in DTYPES:
        pieces = [cases.make("normal", dtype.name, 10_000, k).reshape(-1, 4) for k in range(8)]
        scales = [2.0**k for k in (0, 4, -4, 3, -3, 1, 0, 2)]
        scaled = [(piece.astype(np.float64) * scale).astype(dtype) for piece, scale in zip(pieces, scales, strict=True)]
        for kind in KINDS:
            totals = Totals(int(kind), dtype, 4)
            for k in rng.permutation(len(scaled)).tolist():
                totals.add(scaled[k], (0,))
            wanted = [exact_sum(column, kind) for column in np.concatenate(scaled).T]
            assert [size << shift for size, shift in decoded(totals.encoded())] == wanted, (dtype, kind)


@looped("name", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("shape", [(3001,), (70, 33), (5, 9, 40)], ids=str)
def test_integers(each_instruction_set: str, name: str, shape: tuple[int, ...]) -> None:
    dtype = np.dtype(name)
    rng = np.random.default_rng(7)
    limits = (0, 1) if name == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    some = np.array([*limits, 1, limits[1] // 3, limits[0] // 5], dtype)
    x = rng.choice(some, shape)
    for axis in range(len(shape)):
        lines = np.moveaxis(x, axis, -1).reshape(-1, shape[axis]).astype(object)
        for kind, mapped in ((Map.ITSELF, lines * 1), (Map.MAGNITUDE, abs(lines)), (Map.SQUARE, lines * lines)):
            totals = Totals(int(kind), dtype, len(lines))
            for _ in range(2):
                totals.add(x, (axis,))
            got = [size << shift for size, shift in decoded(totals.encoded())]
            assert got == [2 * sum(int(each) for each in line) for line in mapped], (
                name,
                axis,
                kind,
                each_instruction_set,
            )
