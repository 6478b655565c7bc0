"""Dask arrays give lazy results with the bits of one call, whatever their chunks and whoever computes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samesum as ss
from drawing import arrays
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.frontends.dask.reductions import reduced

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

from lazy_calls import cut, drawn_scheduler  # noqa: E402

FREE: list[Any] = [
    "sum", "mean", "l1_norm", "l2", "sum_square", "var", "std", "log_sum", "logsumexp", "prod", "min",
    "max", "all", "any",
]  # fmt: skip
FUNCTIONS: dict[str, Any] = {name: getattr(ss, name) for name in (*FREE, "argmin", "argmax") if name != "l2"}
FUNCTIONS["l2"] = ss.l2_norm
SCANS = (ss.cumulative_sum, ss.cumulative_prod)
seeds = st.integers(0, 2**32 - 1)


def check(got: Any, expected: Any, said: str, rng: np.random.Generator) -> None:
    expected = np.asarray(expected)
    assert isinstance(got, da.Array), said
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype), said
    with drawn_scheduler(rng):
        assert_bits(np.asarray(got.compute()), expected, said)


def check_all(x: NDArray, axis: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lazy = cut(x, rng)
    said = f"{x.dtype} {x.shape}, chunks {lazy.chunks}, axis {axis}, {seed=}"
    names = [*FREE, "argmin", "argmax"] if axis is None or isinstance(axis, int) else FREE
    keepdims = bool(rng.integers(2))
    results = ss.reduce(lazy, names, axis=axis, keepdims=keepdims)
    with drawn_scheduler(rng):
        computed = dask.compute(results)[0]
    for name, expected in ss.reduce(x, names, axis=axis, keepdims=keepdims).items():
        expected = np.asarray(expected)
        assert (results[name].shape, results[name].dtype) == (expected.shape, expected.dtype), f"{name}: {said}"
        assert_bits(np.asarray(computed[name]), expected, f"{name}: {said}")


@settings(max_examples=40)
@given(arrays(rank=3, side=9), st.sampled_from((None, 0, 1, 2, -1, (0, 2), (1, 2), (0, 1, 2), ())), seeds)
def test_reductions(x: NDArray, axis: Any, seed: int) -> None:
    if axis and max(np.atleast_1d(axis)) >= x.ndim:
        axis = None
    check_all(x, axis, seed)


@settings(max_examples=40)
@given(arrays(rank=3, side=9), st.sampled_from(SCANS), st.integers(-1, 2), st.integers(0, 5), seeds)
def test_scans(x: NDArray, function: Any, axis: int, kind: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis = axis if axis < x.ndim else 0
    options = {"reverse": kind % 2 == 1, "exclusive": kind // 2 == 1, "include_initial": kind // 2 == 2}
    lazy = cut(x, rng)
    said = f"{function.__name__} of {x.dtype} {x.shape}, chunks {lazy.chunks}, axis {axis}, {options}, {seed=}"
    got = function(lazy, axis=axis, **options)
    if not options["include_initial"]:
        assert got.chunks == lazy.chunks, said
    check(got, function(x, axis=axis, **options), said, rng)


@looped("name", sorted(FUNCTIONS))
@pytest.mark.parametrize("axis", [None, 1])
def test_each_function(name: str, axis: Any) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((7, 50, 3)).astype(np.float32)
    lazy = da.from_array(x, chunks=(3, 11, 2))
    check(FUNCTIONS[name](lazy, axis=axis, keepdims=True), FUNCTIONS[name](x, axis=axis, keepdims=True), name, rng)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_last_position(axis: Any) -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 3, (6, 7))
    lazy = da.from_array(x, chunks=(4, 3))
    for function in (ss.argmin, ss.argmax):
        got = function(lazy, axis=axis, select_last_index=True)
        check(got, function(x, axis=axis, select_last_index=True), f"{axis}", rng)


def test_another_type_of_the_results() -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((40, 30)).astype(np.float32)
    lazy = da.from_array(x, chunks=(7, 30))
    for function in (ss.sum, ss.prod, ss.mean, ss.l2_norm):
        check(function(lazy, axis=1, dtype=np.float64), function(x, axis=1, dtype=np.float64), function.__name__, rng)
    check(ss.cumulative_sum(lazy, 0, dtype=np.float64), ss.cumulative_sum(x, 0, dtype=np.float64), "scan", rng)


def test_rank_zero() -> None:
    lazy = da.from_array(np.array(3.5), chunks=())
    assert ss.sum(lazy).compute() == 3.5
    with pytest.raises(ss.ShapeError):
        ss.cumulative_sum(lazy)


def test_moments_and_masks() -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((30, 20)) + 1e8
    mask = rng.random(20) < 0.7
    names: list[Any] = ["var", "std", "count_nonzero", "argmin"]
    for function in (ss.var, ss.std):
        got = function(da.from_array(x, chunks=(7, 6)), axis=1, correction=1, keepdims=True)
        check(got, function(x, axis=1, correction=1, keepdims=True), function.__name__, rng)
    lazy = reduced(da.from_array(x, chunks=(7, 6)), names, 1, correction=1, where=da.from_array(mask, chunks=5))
    state = ss.State(names, axis=1, correction=1)
    state.update(x, where=mask)
    for name, expected in state.result().items():
        check(lazy[name], expected, name, rng)


def test_what_is_refused() -> None:
    lazy = da.ones((4, 5), chunks=2)
    with pytest.raises(ss.AxisError):
        ss.sum(lazy, axis=2)
    with pytest.raises(ss.AxisError):
        ss.cumulative_sum(lazy)
    with pytest.raises(ss.DtypeError):
        ss.sum(lazy, dtype=np.int32)
    for correction in (10**400, np.nan):
        with pytest.raises(ss.ArgumentError, match="correction is"):
            ss.var(da.ones(6, chunks=2), correction=correction)
    masked = da.ma.masked_greater(da.ones(6, chunks=2), 1)
    for call in (ss.sum, ss.var, ss.max, ss.cumulative_sum):
        with pytest.raises(ss.ArgumentTypeError, match="whose mask would be ignored"):
            call(masked)
    with pytest.raises(ss.ArgumentError, match="is lazy"):
        ss.sum(lazy, out=np.zeros(()))
    with pytest.raises(ss.ShapeError, match="no max of an empty set"):
        ss.max(lazy[:0])
    with pytest.raises(ss.ShapeError, match="chunks of known lengths"):
        ss.argmax(lazy[lazy > 0])


def test_chunks_of_unknown_lengths() -> None:
    x = np.random.default_rng(5).standard_normal(1000)
    lazy = da.from_array(x, chunks=300)
    chosen = lazy[lazy > 0]
    assert math.isnan(chosen.shape[0])
    assert_bits(np.asarray(ss.sum(chosen).compute()), np.asarray(ss.sum(x[x > 0])))
    assert_bits(ss.cumulative_sum(chosen).compute(), ss.cumulative_sum(x[x > 0]))


def depth(lazy: Any) -> int:
    """How many tasks follow one another at most."""
    graph = dict(lazy.__dask_graph__())
    depths: dict[Any, int] = {}
    for key in dask.order.order(graph):
        depths[key] = 1 + max((depths[each] for each in dask.core.get_dependencies(graph, key)), default=0)
    return max(depths.values())


def test_the_tree_is_as_wide_as_asked() -> None:
    x = np.random.default_rng(6).standard_normal((16, 3)).astype(np.float32)
    lazy = da.from_array(x, chunks=(1, 3))
    for every in (2, 3, 4, 8, 16, {0: 2}, {-2: 4, 1: 3}):
        got = ss.sum(lazy, axis=0, split_every=every)
        assert_bits(np.asarray(got.compute(scheduler="sync")), ss.sum(x, axis=0), f"{every}")
        plain = da.sum(lazy, axis=0, split_every={0: 4} if isinstance(every, dict) and 1 in every else every)
        assert depth(got) == depth(plain) + 1, f"{every}: as deep as Dask's own, and the rounding at the end"
    assert depth(ss.sum(lazy, axis=0)) == depth(da.sum(lazy, axis=0)) + 1
    for function in (*FUNCTIONS.values(), ss.nansum, ss.nanprod, ss.nanmean, ss.nanmax, ss.nanvar, ss.count_nonzero):
        deep, wide = (function(lazy, axis=0, split_every=every) for every in (2, 16))
        assert depth(deep) == depth(wide) + 3, function.__name__
        assert_bits(np.asarray(deep.compute(scheduler="sync")), np.asarray(function(x, axis=0)), function.__name__)
    wide, deep = (ss.reduce(lazy, ["sum", "argmin", "count_nonzero"], split_every=k) for k in (16, 2))
    for name, expected in ss.reduce(x, ["sum", "argmin", "count_nonzero"]).items():
        assert_bits(np.asarray(deep[name].compute(scheduler="sync")), np.asarray(expected), name)
        assert depth(wide[name]) < depth(deep[name])


def test_widths_of_trees_that_are_refused() -> None:
    lazy = da.ones((4, 5), chunks=2)
    for wrong in (0, 1, -4, {0: 1}):
        with pytest.raises(ss.ArgumentError, match="allowed are integers from 2 on"):
            ss.sum(lazy, split_every=wrong)
    for wrong in (2.5, "4", True, {1: 2.5}):
        with pytest.raises(ss.ArgumentTypeError, match="split_every has to be an integer"):
            ss.max(lazy, split_every=wrong)
    with pytest.raises(ss.AxisError, match="axis 2 is out of range for rank 2"):
        ss.all(lazy, split_every={2: 4})
    for function in (*FUNCTIONS.values(), ss.nansum, ss.nanstd, ss.count_nonzero):
        with pytest.raises(ss.ArgumentError, match="split_every is 4 and x ndarray"):
            function(np.ones(3), split_every=4)
    with pytest.raises(ss.ArgumentError, match="split_every is 4 and x list"):
        ss.reduce([1.0], ["sum"], split_every=4)


def test_several_results_share_one_pass() -> None:
    read = []

    def load(block_id: tuple[int, ...]) -> NDArray:
        read.append(block_id)
        return np.full((10,), float(block_id[0]))

    lazy = da.map_blocks(load, chunks=((10,) * 6,), dtype=np.float64, meta=np.empty(0))
    results = ss.reduce(lazy, ["sum", "max", "l2", "argmax"])
    got = dask.compute(results, scheduler="sync")[0]
    assert sorted(read) == [(k,) for k in range(6)]
    assert (got["sum"], got["max"], got["argmax"]) == (150, 5, 50)


def test_a_task_uses_one_thread_of_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    update = ss.State.update

    def spy(state: ss.State, *arguments: Any, **options: Any) -> None:
        seen.append(ss.get_num_threads())
        update(state, *arguments, **options)

    monkeypatch.setattr(ss.State, "update", spy)
    before = ss.get_num_threads()
    assert ss.sum(da.ones(4, chunks=2)).compute(scheduler="sync") == 4
    assert seen == [1, 1]
    assert ss.get_num_threads() == before


@pytest.mark.slow
def test_processes() -> None:
    x = np.random.default_rng(6).standard_normal((300, 200)).astype(np.float32)
    lazy = da.from_array(x, chunks=(70, 60))
    with dask.config.set(scheduler="processes", num_workers=2):
        for axis in (None, 0, 1):
            for name, got in ss.reduce(lazy, [*FREE, "argmax"], axis=axis).items():
                assert_bits(np.asarray(got.compute()), np.asarray(FUNCTIONS[name](x, axis=axis)), f"{name} {axis}")
        assert_bits(ss.cumulative_sum(lazy, 0).compute(), ss.cumulative_sum(x, 0))
        labels = np.arange(300) % 7
        assert_bits(ss.segment_reduce(lazy, labels, reduce="std").compute(), ss.segment_reduce(x, labels, reduce="std"))
        assert_bits(ss.vecdot(lazy, x, axis=0).compute(), ss.vecdot(x, x, axis=0))
