"""The core may be called from many threads at once, whatever else they do."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cases
from oracle import assert_bits
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS
from samesum.engine import memory
from samesum.errors import AxisError
from samesum.formats.arrays import NDArray

SEEDS = range(6)
MEGA = 1 << 20


def work(seed: int) -> list[NDArray]:
    """Reductions and scans, large and small, of data that depends on `seed`."""
    dtype = cases.FLOATS[seed % 4]
    large = cases.make("ill_conditioned", dtype, MEGA + seed, seed)
    small = cases.make("ties_off", dtype, 300, seed).reshape(10, 30)
    found = [memory.reduce(row, large) for row in REDUCTIONS]
    found += [memory.reduce(row, small, (axis,)) for row in REDUCTIONS for axis in (0, 1)]
    square = large[:MEGA].reshape(1 << 10, 1 << 10)
    found += [memory.reduce(row, square, (axis,)) for row in REDUCTIONS for axis in (0, 1)]
    return [*found, memory.scan(CUMULATIVE_SUM, large, 0), memory.scan(CUMULATIVE_SUM, square, 0)]


def same(got: list[NDArray], expected: list[NDArray], who: str) -> None:
    for index, (one, other) in enumerate(zip(got, expected, strict=True)):
        assert_bits(one, other, f"result {index} of {who}")


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_many_callers_at_once(threads: int) -> None:
    _core.set_num_threads(1)
    expected = [work(seed) for seed in SEEDS]
    _core.set_num_threads(threads)
    with ThreadPoolExecutor(len(SEEDS)) as callers:
        for seed, got in enumerate(callers.map(work, SEEDS)):
            same(got, expected[seed], f"caller {seed}, {threads} threads each")


@pytest.mark.usefixtures("restored_threads")
def test_the_number_of_threads_may_change_under_way() -> None:
    expected = [work(seed) for seed in SEEDS]
    stop = threading.Event()

    def change() -> None:
        threads = 1
        while not stop.is_set():
            threads = threads % 5 + 1
            _core.set_num_threads(threads)

    restless = threading.Thread(target=change)
    restless.start()
    try:
        with ThreadPoolExecutor(3) as callers:
            found = list(callers.map(work, SEEDS))
    finally:
        stop.set()
        restless.join()
    for seed, got in enumerate(found):
        same(got, expected[seed], f"caller {seed} while the number of threads changes")


def test_errors_in_one_caller_do_not_disturb_the_others() -> None:
    x = cases.make("normal", "float32", MEGA)
    expected = memory.reduce(REDUCTIONS[0], x)

    def call(index: int) -> NDArray | None:
        if index % 3:
            return memory.reduce(REDUCTIONS[0], x)
        with pytest.raises(AxisError):
            memory.reduce(REDUCTIONS[0], x, (index + 1,))
        return None

    with ThreadPoolExecutor(8) as callers:
        for index, got in enumerate(callers.map(call, range(60))):
            if got is not None:
                assert_bits(got, expected, f"caller {index}")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors are chosen on Linux only")
@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("processors", [1, None], ids=["one processor", "all"])
def test_helpers_may_run_where_the_process_may(processors: int | None) -> None:
    """Those that wake are sent away from their caller for a moment."""
    allowed = os.sched_getaffinity(0)
    x = np.random.default_rng(0).standard_normal(MEGA)
    _core.set_num_threads(4)
    expected = memory.reduce(REDUCTIONS[0], x)
    theirs = _elsewhere(1)  # other libraries pin their threads; a helper that is on its way comes back soon
    try:
        for thread in _threads() - theirs:
            os.sched_setaffinity(thread, sorted(allowed)[:processors])
        for _ in range(40):
            assert_bits(memory.reduce(REDUCTIONS[0], x), expected)
            time.sleep(0.001)
        assert _elsewhere(60, theirs) <= theirs
        assert os.sched_getaffinity(0) == set(sorted(allowed)[:processors])
    finally:
        for thread in _threads() - theirs:
            os.sched_setaffinity(thread, allowed)


def _elsewhere(seconds: float, theirs: Set[int] = frozenset()) -> Set[int]:
    """The threads that may not run where this one may, once they are but `theirs`, or when time is up."""
    until = time.monotonic() + seconds
    while True:
        here = os.sched_getaffinity(0)
        found = {thread for thread in _threads() if _allowed(thread) not in (here, None)}
        if found <= theirs or time.monotonic() > until:
            return found
        time.sleep(0.001)


def _allowed(thread: int) -> Set[int] | None:
    """Where the thread may run; None of one that has ended."""
    try:
        return os.sched_getaffinity(thread)
    except ProcessLookupError:
        return None


def _threads() -> Set[int]:
    return {int(task.name) for task in Path("/proc/self/task").iterdir()}
