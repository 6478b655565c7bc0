"""Sums of float64 among which some sets hold infinities or NaNs, nothing but zeros, or what overflows on the way."""

from __future__ import annotations

import numpy as np
import pytest

import samesum as ss
from naming import looped
from oracle import bits_of
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

SUMS = {"sum": ss.sum, "mean": ss.mean, "l1_norm": ss.l1_norm, "l2_norm": ss.l2_norm, "sum_square": ss.sum_square}
SUMS["log_sum"] = ss.log_sum
each_number_of_threads = pytest.mark.parametrize("threads", [1, 2, 3])
each_sum = pytest.mark.parametrize("name", SUMS)

KINDS = ("plain", "nan", "inf", "-inf", "both", "zeros", "-zeros", "overflowing", "inf_behind_overflow", "vanishing")


def set_of(kind: str, n: int, rng: np.random.Generator) -> NDArray:
    x = rng.normal(size=n)
    somewhere = int(rng.integers(n))
    if kind in {"nan", "inf", "-inf"}:
        x[somewhere] = float(kind)
    elif kind == "both":
        x[somewhere], x[somewhere - 1] = np.inf, -np.inf
    elif kind == "zeros":
        x[:] = 0
    elif kind == "-zeros":
        x[:] = -0.0
    elif kind == "overflowing":
        x[:] = 1.7e308 * np.where(np.arange(n) % 2, 1, -1)
    elif kind == "inf_behind_overflow":
        x[:] = 1.7e308
        x[-1] = -np.inf
    elif kind == "vanishing":
        x[:] = 0
        x[somewhere] = -3e-200
    return x


def wanted(name: str, kind: str, x: NDArray) -> float | None:
    """What follows from the special values alone."""
    special = x[~np.isfinite(x)]
    if name in {"l1_norm", "l2_norm", "sum_square"}:
        special = np.abs(special)
    if len(special):
        total = special[0] if (special == special[0]).all() else np.nan
        return np.nan if name == "log_sum" and total < 0 else float(total)
    if kind in {"zeros", "-zeros"}:
        return -np.inf if name == "log_sum" else 0.0
    if kind == "vanishing":
        at = float(x[x != 0][0])
        return {"l1_norm": -at, "l2_norm": -at, "sum_square": 0.0, "log_sum": np.nan, "sum": at}.get(name)
    return None


def check(name: str, kinds: list[str], sets: NDArray, got: NDArray) -> None:
    for kind, x, result in zip(kinds, sets, got, strict=True):
        value = wanted(name, kind, x)
        alone = SUMS[name](x) if value is None else np.float64(value)
        assert np.isnan(result) == np.isnan(alone), (kind, result)
        if kind == "-zeros":
            assert result == alone, (kind, result)
        elif not np.isnan(alone):
            assert bits_of(np.asarray(result)) == bits_of(np.asarray(alone)), (kind, result, alone)


@looped("name", SUMS)
@pytest.mark.parametrize("n", [2, 5, 17, 33, 64, 65, 300, 3000])
@looped("among", ["few", "many", "all"])
def test_rows_and_columns(name: str, n: int, among: str) -> None:
    rng = np.random.default_rng(n)
    kinds = [*KINDS, *["plain"] * 9] * {"few": 1, "many": 4, "all": 3}[among]
    if among == "few":
        kinds += ["plain"] * 300
    if among == "all":
        kinds = [kind for kind in kinds if kind in {"nan", "inf", "both"}]
    kinds = list(rng.permutation(kinds))
    sets = np.stack([set_of(kind, n, rng) for kind in kinds])
    check(name, kinds, sets, SUMS[name](sets, axis=1))
    columns = np.ascontiguousarray(sets.T)
    check(name, kinds, sets, SUMS[name](columns, axis=0))
    check(name, kinds, sets, SUMS[name](columns[::-1], axis=0))
    both = np.stack([columns, columns])
    for part in SUMS[name](both, axis=1):
        check(name, kinds, sets, part)
    strided = np.zeros((len(sets), 2 * n))[:, ::2]
    strided[...] = sets
    check(name, kinds, sets, SUMS[name](strided, axis=1))


@pytest.mark.usefixtures("restored_threads")
@looped("threads", [1, 2, 3])
@each_sum
@looped("kind", KINDS)
def test_long_sets(name: str, kind: str, threads: int) -> None:
    ss.set_num_threads(threads)
    x = set_of(kind, 300_000, np.random.default_rng(3))
    check(name, [kind], x[None], SUMS[name](x)[None])
    columns = np.stack([x, *np.random.default_rng(4).normal(size=(2, len(x)))], axis=1)
    check(name, [kind, "plain", "plain"], columns.T, SUMS[name](columns, axis=0))


@pytest.mark.parametrize("out_format", ["float16", "float32"])
def test_narrower_results(out_format: str) -> None:
    rng = np.random.default_rng(5)
    sets = np.stack([set_of(kind, 100, rng) for kind in ("nan", "inf", "-inf", "both", "plain")])
    got = ss.sum(sets, axis=1, dtype=out_format)
    np.testing.assert_array_equal(got[:4], np.array([np.nan, np.inf, -np.inf, np.nan], out_format))
    assert bits_of(got[4:]) == bits_of(ss.sum(sets[4:], axis=1, dtype=out_format))


@pytest.mark.usefixtures("restored_threads")
@each_number_of_threads
def test_prefixes_after_what_is_not_finite(threads: int) -> None:
    """They stay infinite until something else is not finite, and NaN for ever."""
    ss.set_num_threads(threads)
    for n in (50, 5000, 200_000):
        for dtype in ("float64", "float32", "float16"):
            x = np.ones(n, dtype)
            first, second = n // 3, n // 2
            x[first], x[second] = -np.inf, -np.inf
            plain = ss.cumulative_sum(np.ones(n, dtype))
            for last, after in ((1, -np.inf), (np.inf, np.nan), (np.nan, np.nan)):
                x[-3] = last
                want = plain.copy()
                want[first:], want[-3:] = -np.inf, after
                for axis_shape in ((n,), (n, 1), (1, n)):
                    got = ss.cumulative_sum(x.reshape(axis_shape), axis=int(np.argmax(axis_shape)))
                    np.testing.assert_array_equal(got.reshape(-1), want, f"{n} {dtype} {last}")
                many = ss.cumulative_sum(np.repeat(x[:, None], 5, axis=1), axis=0)
                np.testing.assert_array_equal(many, np.repeat(want[:, None], 5, axis=1))
