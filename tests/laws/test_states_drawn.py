"""Drawn states and scans: any cuts, orders, masks, merges and copies of them give the bits of one call."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from bits import INTEGERS
from drawing import check_drawn
from oracle import assert_bits
from samesum.formats.arrays import NDArray

Rng = np.random.Generator
DTYPES = (*cases.FLOATS, *cases.FLOATS, *INTEGERS, np.dtype(np.bool_))
FREE: list[Any] = [
    "sum", "mean", "l1_norm", "l2_norm", "sum_square", "var", "std", "log_sum", "logsumexp", "prod", "min", "max",
    "all", "any", "count_nonzero",
]  # fmt: skip
SCANS: dict[str, Any] = {
    "sum": ss.cumulative_sum,
    "prod": ss.cumulative_prod,
    "min": ss.cumulative_min,
    "max": ss.cumulative_max,
}


def test_drawn_states() -> None:
    assert check_drawn(check, 1_000, 0) >= 1_000


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 5))
def test_one_hundred_thousand_drawn_states(part: int) -> None:
    """A quarter of the results each."""
    assert check_drawn(check, 25_000, part) >= 25_000


def check(rng: Rng) -> int:
    x = drawn(rng)
    return check_state(x, rng) + check_scan(x, rng)


def drawn(rng: Rng) -> NDArray:
    shape = tuple(int(rng.integers(1, (60, 20, 9)[rank])) for rank in range(rng.integers(1, 4)))
    dtype, seed = DTYPES[rng.integers(len(DTYPES))], int(rng.integers(1000))
    if dtype.kind == "b":
        return rng.random(shape) < rng.random()
    if dtype.kind in "iu":
        return cases.integer_data(dtype, math.prod(shape), seed).reshape(shape)
    families = tuple(cases.FAMILIES)
    return cases.make(families[rng.integers(len(families))], dtype, math.prod(shape), seed).reshape(shape)


def pieces(n: int, rng: Rng) -> list[tuple[int, int]]:
    return list(itertools.pairwise([0, *np.sort(rng.integers(0, n + 1, rng.integers(0, 6))).tolist(), n]))


def check_state(x: NDArray, rng: Rng) -> int:
    axes: Any = (
        None,
        int(rng.integers(x.ndim)),
        tuple(rng.permutation(x.ndim)[: rng.integers(1, x.ndim + 1)].tolist()),
    )
    axis = axes[rng.integers(3)]
    correction = float(rng.choice([0, 1, 0.5]))
    mask = rng.random(x.shape) < rng.random() if rng.integers(2) else None
    names = [*FREE, *([] if isinstance(axis, tuple) else ["argmin", "argmax"])]
    names = [name for name in names if rng.integers(8)]
    said = f"{x.dtype} {x.shape}, axis {axis}, correction {correction}, masked {mask is not None}"
    expected = {}
    for name in names:
        options = {"correction": correction} if name in ("var", "std") else {}
        try:
            expected[name] = np.asarray(getattr(ss, name)(x, axis=axis, where=mask, **options))
        except ss.SamesumError:  # of no element, or of a type without it
            continue
    state = gathered(x, mask, [*expected], axis, correction, rng)
    for name, value in state.result().items():
        assert_bits(np.ascontiguousarray(value), np.ascontiguousarray(expected[name]), f"{name}: {said}")
    return len(expected)


def gathered(x: NDArray, mask: NDArray | None, names: list[Any], axis: Any, correction: float, rng: Rng) -> ss.State:
    """Chunks in any order, in some states that are merged in any order, some of them stored in between."""
    states = [ss.State(names, axis=axis, correction=correction) for _ in range(rng.integers(1, 4))]
    along = 0 if axis is None else int(np.atleast_1d(axis)[0])
    step = x[:1].size if axis is None else 1
    cuts = pieces(x.shape[along], rng)
    for k in rng.permutation(len(cuts)).tolist():
        begin, end = cuts[k]
        rows = (slice(None),) * along + (slice(begin, end),)
        chosen = states[rng.integers(len(states))]
        offset = None if {"argmin", "argmax"}.isdisjoint(names) else begin * step
        chosen.update(x[rows], None if mask is None else mask[rows], offset)
    total = ss.State(names, axis=axis, correction=correction)
    for k in rng.permutation(len(states)).tolist():
        total.merge(pickle.loads(pickle.dumps(states[k])) if rng.integers(2) else states[k].copy())
    return total if "prod" in names or rng.integers(2) else ss.State.from_bytes(total.to_bytes())


def check_scan(x: NDArray, rng: Rng) -> int:
    axis, count = int(rng.integers(-x.ndim, x.ndim)), 0
    for name, one_call in SCANS.items():
        options = {"exclusive": bool(rng.integers(2))} if name in ("sum", "prod") else {}
        try:
            expected = one_call(x, axis, **options)
        except ss.SamesumError:  # of a type without it
            continue
        scan: Any = ss.Scan(name, axis, **options)  # type: ignore[arg-type]
        cuts = pieces(x.shape[axis], rng)
        parts = [scan.update(np.take(x, range(begin, end), axis)) for begin, end in cuts]
        with np.errstate(invalid="ignore"):
            got = np.concatenate(parts, axis)
        said = f"{name} of {x.dtype} {x.shape}, axis {axis}, {cuts}, {options}"
        assert_bits(np.ascontiguousarray(got), np.ascontiguousarray(expected), said)
        count += 1
    return count
