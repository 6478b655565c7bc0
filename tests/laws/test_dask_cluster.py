"""A cluster of processes on this machine: an array larger than its memory, and a worker that is lost on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import samesum as ss
from oracle import assert_bits
from samesum.formats.arrays import NDArray

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SIDE, CHUNK, LIMIT = 20480, 2048, 400_000_000
NAMES: list[Any] = ["sum", "l2", "min"]


@cache
def deviates() -> NDArray:
    return np.random.default_rng(1).standard_normal((CHUNK, CHUNK), np.float32)


def chunk(row: int, column: int) -> NDArray:
    return deviates() + np.float32(100 * row + column)


def block(block_id: tuple[int, int]) -> NDArray:
    return chunk(*block_id)


def lazy() -> Any:
    """4 times as large as what a worker may hold."""
    lengths = (CHUNK,) * (SIDE // CHUNK)
    x = da.map_blocks(block, chunks=(lengths, lengths), dtype=np.float32, meta=np.empty((0, 0), np.float32))
    assert x.nbytes > 4 * LIMIT
    return x


def expected(axis: int | None) -> dict[str, NDArray]:
    """By one state for each run of chunks, which the tests of states compare with one call."""
    count = SIDE // CHUNK
    states = [ss.State(NAMES, axis=axis) for _ in range(1 if axis is None else count)]
    for row in range(count):
        for column in range(count):
            states[0 if axis is None else (column, row)[axis]].update(chunk(row, column))
    results = [state.result() for state in states]
    if axis is None:
        return {name: np.asarray(results[0][name]) for name in NAMES}
    return {name: np.concatenate([np.asarray(result[name]) for result in results]) for name in NAMES}


@pytest.fixture
def client() -> Iterator[Any]:
    options: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": None, "memory_limit": LIMIT}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_an_array_larger_than_the_memory(client: Any, axis: int | None) -> None:
    results = client.compute(ss.reduce(lazy(), NAMES, axis=axis), sync=True)
    for name, value in expected(axis).items():
        assert_bits(np.asarray(results[name]), value, f"{name}, axis {axis}")


def test_a_worker_that_is_killed(client: Any) -> None:
    future = client.compute(ss.reduce(lazy(), NAMES, axis=0))
    killed = client.run(os.getpid)
    distributed.wait(client.submit(int, 1))  # the cluster is at work
    os.kill(next(iter(killed.values())), signal.SIGKILL)
    results = future.result()
    assert set(client.run(os.getpid).values()) != set(killed.values())
    for name, value in expected(0).items():
        assert_bits(np.asarray(results[name]), value, name)


def test_segments_while_a_worker_is_killed(client: Any) -> None:
    labels, count = np.arange(SIDE) * 5 % 12, SIDE // CHUNK
    future = client.compute(ss.segment_reduce(lazy(), labels, reduce="mean"))
    killed = client.run(os.getpid)
    distributed.wait(client.submit(int, 1))
    os.kill(next(iter(killed.values())), signal.SIGKILL)
    got = future.result()
    assert set(client.run(os.getpid).values()) != set(killed.values())
    for column in range(count):
        states = [ss.State(["mean"], axis=0) for _ in range(12)]
        for row in range(count):
            for label, state in enumerate(states):
                state.update(chunk(row, column)[labels[row * CHUNK : (row + 1) * CHUNK] == label])
        means = np.stack([np.asarray(state.result()["mean"]) for state in states])
        assert_bits(np.ascontiguousarray(got[:, column * CHUNK : (column + 1) * CHUNK]), means, f"column {column}")


def test_dot_products_larger_than_the_memory(client: Any) -> None:
    """Of float64, along the axis that is cut: each output is the dot product of 20480 pairs."""
    weights = np.linspace(-1e200, 1e200, SIDE)[:, None]
    got = client.compute(ss.vecdot(lazy()[:, : 2 * CHUNK], weights, axis=0), sync=True)
    whole = np.concatenate([np.concatenate([chunk(row, column) for column in range(2)], 1) for row in range(10)])
    assert_bits(np.ascontiguousarray(got), ss.vecdot(whole, weights, axis=0))
