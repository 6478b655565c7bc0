"""A masked reduction has the bits of the chosen elements alone: for any values, masks, machines and thread counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samesum as ss
from bits import mix
from cases import make
from drawing import arrays, reductions, subsets
from naming import looped
from oracle import assert_bits
from oracle.exact import is_position
from samesum import _core
from samesum.algebra.rows import REDUCTIONS, Reduction
from samesum.engine import memory
from samesum.engine.memory import flags_of
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray

seeds = st.integers(0, 2**32 - 1)
FAMILIES = ("ill_conditioned", "cancelling", "hidden_rests", "normal", "ties")
LARGE: list[tuple[tuple[int, ...], Any]] = [((200_000,), None), ((1000, 200), 0), ((100, 2000), 1), ((20_000, 8), 1)]


def drawn_mask(shape: tuple[int, ...], seed: int) -> NDArray:
    """Of the shape or of one that broadcasts to it, in some order of memory."""
    rng = np.random.default_rng(seed)
    sides = [int(n) if rng.random() < 0.8 else 1 for n in shape]
    mask = rng.random(sides) < rng.choice([0.1, 0.5, 0.95])
    mask = np.transpose(
        np.ascontiguousarray(np.transpose(mask, order := rng.permutation(len(shape)))), np.argsort(order)
    )
    return mask[tuple(slice(None, None, rng.choice([1, -1])) for _ in shape)]


@given(st.data(), reductions, arrays(rank=3, side=10), seeds)
def test_of_any_values(data: st.DataObject, row: Reduction, x: NDArray, seed: int) -> None:
    axes = data.draw(subsets(x.ndim))
    if is_position(row):
        axes = axes[:1]
    mask, flags = drawn_mask(x.shape, seed), flags_of(row)
    chosen = np.broadcast_to(mask, x.shape)
    kept = [i for i in range(x.ndim) if i not in axes]
    said = f"{row.name} of {x.dtype} {x.shape} axes {axes}, {seed=}"
    try:
        got = np.asarray(memory.reduce(row, x, axes, flags, where=mask))
    except ShapeError:
        assert not row.has_identity, said
        assert not np.any(chosen, axis=axes).all(), said
        return
    order = [*kept, *axes]
    sets, picks = np.transpose(x, order), np.transpose(chosen, order)
    for place in np.ndindex(got.shape):
        elements = np.ascontiguousarray(sets[place][picks[place]])
        expected = np.asarray(memory.reduce(row, elements, None, flags))
        if is_position(row):
            expected = np.asarray(np.flatnonzero(picks[place])[expected])
        assert_bits(np.asarray(got[place]), expected, f"{said} at {place}")


def results(family: str) -> dict[str, NDArray]:
    found: dict[str, NDArray] = {}
    for dtype in (np.float16, np.float32, np.float64):
        for shape, axis in LARGE:
            x = make(family, np.dtype(dtype), int(np.prod(shape))).reshape(shape)
            mask = (mix(x.size, 7) % 3 > 0).reshape(shape)
            mask[..., 0] = mask[0] = True
            for row in REDUCTIONS:
                name = f"{row.name} of {family} {x.dtype} {shape}"
                found[name] = np.asarray(memory.reduce(row, x, axis, flags_of(row), where=mask))
            found[f"nanvar {family} {x.dtype} {shape}"] = np.asarray(ss.nanvar(x, axis))
            found[f"count {family} {x.dtype} {shape}"] = np.asarray(ss.count_nonzero(x, axis))
    return found


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("family", FAMILIES[:2])
def test_on_any_number_of_threads(family: str) -> None:
    _core.set_num_threads(1)
    alone = results(family)
    _core.set_num_threads(3)
    for name, got in results(family).items():
        assert_bits(got, alone[name], name)


@pytest.mark.parametrize("family", FAMILIES[2:])
def test_for_any_instruction_set(family: str) -> None:
    before = _core.instruction_set()
    expected = results(family)
    try:
        for name in _core.instruction_sets():
            _core.set_instruction_set(name)
            for call, got in results(family).items():
                assert_bits(got, expected[call], f"{call}, {name} against {before}")
    finally:
        _core.set_instruction_set(before)


def late(dtype: str, shape: tuple[int, int]) -> tuple[NDArray, NDArray]:
    """An array and a mask whose columns begin with nothing that is chosen, some of them all their length."""
    rng = np.random.default_rng(5)
    mask = (rng.random(shape) < 0.5) & (np.arange(shape[0])[:, None] >= rng.integers(0, shape[0], shape[1]))
    mask[:, ::17] = False
    mask[:, 1::17] = True
    if np.dtype(dtype).kind in "iu":
        ends = np.iinfo(dtype)
        x = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        return np.where(np.arange(shape[1]) % 2, x, x // 8), mask
    x = (100 + rng.standard_normal(shape)).astype(dtype)
    return np.where(mask, x, rng.choice(np.array([np.nan, np.inf, 6e4, 0], dtype), shape)), mask


@pytest.mark.usefixtures("restored_threads")
@looped("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("shape", [(3000, 200), (40, 4200), (700, 65), (500, 7)])
@pytest.mark.parametrize("threads", [1, 3])
def test_sets_that_begin_late_or_are_empty(dtype: str, shape: tuple[int, int], threads: int) -> None:
    _core.set_num_threads(threads)
    x, mask = late(dtype, shape)
    columns = [*range(0, shape[1], max(1, shape[1] // 40)), *range(min(34, shape[1]))]
    for function in (ss.var, ss.std, ss.mean, ss.sum):
        down, along = function(x, axis=0, where=mask), function(np.ascontiguousarray(x.T), axis=1, where=mask.T)
        for j in columns:
            expected = np.asarray(function(x[:, j][mask[:, j]]))
            said = f"{function.__name__} of {dtype}, column {j} of {shape}, {threads} threads"
            assert_bits(np.asarray(down[j]), expected, said)
            assert_bits(np.asarray(along[j]), expected, f"{said}, as a row")
