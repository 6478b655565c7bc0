"""The core may be called from many threads at once, after a fork and in worker processes, and can be interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cases
from oracle import assert_bits
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS
from samesum.engine import memory
from samesum.errors import AxisError

NDArray = np.ndarray[Any, np.dtype[Any]]

SEEDS = range(6)
MEGA = 1 << 20
PATIENCE = 120
"""Seconds after which a child process counts as hanging."""


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


def test_other_python_threads_run_during_a_long_call() -> None:
    x = np.broadcast_to(np.float32(0.1), (1 << 28,))
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(None)

    clock = threading.Thread(target=tick)
    clock.start()
    memory.reduce(REDUCTIONS[0], x)
    during = len(ticks)
    done.set()
    clock.join()
    assert during > 0


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


def run(script: str, tmp_path: Path, *, expect: int = 0) -> str:
    """The output of a Python script that can import what the tests import; a hang or another exit code fails."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == expect, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_after_a_fork(tmp_path: Path) -> None:
    """The child computes the same with threads of its own, and so does its child; the parent goes on."""
    script = """
        import os, sys, hashlib
        import numpy as np
        import cases
        from samesum import _core
        from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS
        from samesum.engine import memory

        _core.set_num_threads(3)
        x = cases.make("ill_conditioned", "float32", (1 << 20) + 5)

        def digest():
            found = [memory.reduce(row, x) for row in REDUCTIONS] + [memory.scan(CUMULATIVE_SUM, x, 0)]
            return hashlib.sha256(b"".join(r.tobytes() for r in found)).hexdigest()

        def child(depth):
            pid = os.fork()
            if pid == 0:
                good = digest() == expected and _core.get_num_threads() == 3 and (depth == 0 or child(depth - 1))
                os._exit(0 if good else 1)
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

        expected = digest()
        for attempt in range(5):
            assert child(1), attempt
            assert digest() == expected, attempt
        print("same")
    """
    assert run(script, tmp_path) == "same\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_while_other_threads_compute(tmp_path: Path) -> None:
    script = """
        import os, threading
        import numpy as np
        from samesum import _core
        from samesum.algebra.rows import SUM
        from samesum.engine import memory

        _core.set_num_threads(2)
        x = np.full((1 << 21,), 0.1, np.float32)
        expected = memory.reduce(SUM, x).tobytes()
        stop = threading.Event()

        def busy():
            while not stop.is_set():
                assert memory.reduce(SUM, x).tobytes() == expected

        callers = [threading.Thread(target=busy) for _ in range(3)]
        for caller in callers:
            caller.start()
        for attempt in range(20):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if memory.reduce(SUM, x).tobytes() == expected else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, attempt
        stop.set()
        for caller in callers:
            caller.join()
        print("same")
    """
    assert run(script, tmp_path) == "same\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_in_worker_processes(method: str, tmp_path: Path) -> None:
    if method != "spawn" and not hasattr(os, "fork"):
        pytest.skip("no fork on this system")
    script = f"""
        import multiprocessing
        import numpy as np
        import cases
        from samesum.algebra.rows import REDUCTIONS
        from samesum.engine import memory

        def work(seed):
            x = cases.make("ill_conditioned", "float32", (1 << 20) + seed, seed)
            return [memory.reduce(row, x).tobytes() for row in REDUCTIONS]

        if __name__ == "__main__":
            expected = [work(seed) for seed in range(3)]
            with multiprocessing.get_context({method!r}).Pool(2) as workers:
                assert workers.map(work, range(3)) == expected
            print("same")
    """
    assert run(script, tmp_path) == "same\n"


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_a_long_call_can_be_interrupted(tmp_path: Path) -> None:
    """2**40 elements would take minutes; the signal stops the call, and the next one works."""
    script = """
        import os, signal, threading, time
        import numpy as np
        from samesum.algebra.rows import CUMULATIVE_SUM, SUM
        from samesum.engine import memory

        x = np.broadcast_to(np.arange(1 << 10, dtype=np.float32), (1 << 30, 1 << 10))
        for axes in ((0,), (1,), (0, 1)):
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                memory.reduce(SUM, x, axes, 0, None, None if axes != (1,) else np.zeros(1 << 30, np.float32))
            except KeyboardInterrupt:
                print("interrupted", axes)
            timer.join()
        assert memory.reduce(SUM, x[:2]) == 1023 * 1024
        print("works")
    """
    expected = "interrupted (0,)\ninterrupted (1,)\ninterrupted (0, 1)\nworks\n"
    assert run(script, tmp_path) == expected


@pytest.mark.skipif(os.name != "posix", reason="reads the environment of a new process")
@pytest.mark.parametrize(("value", "threads"), [("1", 1), ("3", 3)])
def test_the_environment_sets_the_number_of_threads(
    value: str, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMESUM_NUM_THREADS", value)
    assert run("from samesum import _core\nprint(_core.get_num_threads())\n", tmp_path) == f"{threads}\n"


def test_idle_threads_sleep(tmp_path: Path) -> None:
    """After a call the pool costs no processor time."""
    script = """
        import time
        import numpy as np
        from samesum import _core
        from samesum.algebra.rows import SUM
        from samesum.engine import memory

        _core.set_num_threads(4)
        memory.reduce(SUM, np.ones(1 << 22, np.float32))
        time.sleep(0.1)
        before = time.process_time()
        time.sleep(0.5)
        print(time.process_time() - before < 0.05)
    """
    assert run(script, tmp_path) == "True\n"
