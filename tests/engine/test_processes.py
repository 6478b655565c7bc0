"""In other processes: after a fork, in workers, interrupted by a signal, told by the environment."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from samesum import _core

PATIENCE = 120
"""Seconds after which a process counts as hanging."""

LITTLE_STACK = 256 << 10
"""Bytes; what the interpreter itself needs is in it."""


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


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
def test_threads_with_little_stack(instruction_set: str, tmp_path: Path) -> None:
    """As small as some systems make them: every way of reducing, scanning and normalizing, every tier."""
    script = f"""
        import threading
        import numpy as np
        import cases
        from samesum import _core
        from samesum.algebra.rows import ARGMAX, LOGSUMEXP, NORMALIZATIONS, REDUCTIONS, SCANS, STD, VAR
        from samesum.engine import memory

        SHAPES = [(3000,), (100, 40), (64, 5, 3), (3, 20_000), (20_000, 3), (2000, 7), (20, 20, 39)]

        def arrays(dtype):
            for family in ("ill_conditioned", "near_overflow", "specials") if dtype in cases.FLOATS else ("",):
                for shape in SHAPES:
                    n = int(np.prod(shape))
                    x = (cases.make(family, dtype, n) if family else cases.integer_data(dtype, n)).reshape(shape)
                    yield from (x, x.T, x[..., ::2], np.flip(x, 0))

        def takes_long(row, dtype):
            return row in (VAR, STD) and dtype == np.float64 or row is LOGSUMEXP and dtype in cases.INTEGERS

        def compute():
            for dtype in [*cases.FLOATS, *cases.INTEGERS[::3]]:
                for x in arrays(dtype):
                    few = x[tuple(slice(0, 2000) for _ in x.shape)]
                    for axis in range(x.ndim):
                        for row in (ARGMAX, *REDUCTIONS):
                            memory.reduce(row, few if takes_long(row, dtype) else x, (axis,))
                        for row in SCANS:
                            memory.scan(row, x, axis)
                        for row in NORMALIZATIONS if dtype in cases.FLOATS else ():
                            memory.normalize(row, x, axis)
            print("done")

        _core.set_instruction_set("{instruction_set}")
        _core.set_num_threads(1)
        threading.stack_size({LITTLE_STACK})
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    """
    assert run(script, tmp_path) == "done\n"


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
    """2**40 elements would take minutes; a thread that runs beside the call sends the signal, which stops it."""
    script = """
        import os, signal, threading, time
        import numpy as np
        from samesum.algebra.rows import CUMULATIVE_SUM, SUM
        from samesum.engine import memory

        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background may ignore it
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


@pytest.mark.skipif(sys.platform != "linux", reason="reads the states of threads in /proc")
def test_idle_threads_sleep(tmp_path: Path) -> None:
    """After a call the threads of the pool sleep: some time later none of them runs, however often one looks."""
    script = """
        import os, time
        from pathlib import Path
        import numpy as np
        from samesum import _core
        from samesum.algebra.rows import SUM
        from samesum.engine import memory

        def awake():
            others = [task for task in Path("/proc/self/task").iterdir() if int(task.name) != os.getpid()]
            return any((task / "stat").read_text().rpartition(")")[2].split()[0] == "R" for task in others)

        _core.set_num_threads(4)
        memory.reduce(SUM, np.ones(1 << 22, np.float32))
        asleep, until = 0, time.monotonic() + 60
        while asleep < 50 and time.monotonic() < until:
            asleep = 0 if awake() else asleep + 1
            time.sleep(0.001)
        print(asleep)
    """
    assert run(script, tmp_path) == "50\n"


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads by /proc")
def test_helpers_come_for_long_work(tmp_path: Path) -> None:
    script = """
        import os
        import numpy as np
        from samesum import _core
        from samesum.algebra.rows import SUM
        from samesum.engine import memory

        _core.set_num_threads(4)
        x = np.ones(1 << 25, np.float32)
        before = len(os.listdir("/proc/self/task"))
        memory.reduce(SUM, x)
        print(len(os.listdir("/proc/self/task")) - before)
    """
    assert run(script, tmp_path) == "3\n"


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space of a new process")
def test_fewer_threads_than_asked_for_are_enough(tmp_path: Path) -> None:
    """Where the system gives no more threads, the call goes on with those it has."""
    script = """
        import hashlib
        import resource
        import numpy as np
        from samesum import _core
        from samesum.algebra.rows import CUMULATIVE_SUM, SUM
        from samesum.engine import memory

        x = np.full(1 << 22, 0.1, np.float32)
        _core.set_num_threads(1)
        expected_sum, expected_scan, out = memory.reduce(SUM, x), memory.scan(CUMULATIVE_SUM, x, 0), np.empty_like(x)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), resource.RLIM_INFINITY))
        _core.set_num_threads(500)
        for _ in range(3):
            assert memory.reduce(SUM, x) == expected_sum
            memory.scan(CUMULATIVE_SUM, x, 0, 0, None, out)
            assert hashlib.sha256(out).digest() == hashlib.sha256(expected_scan).digest()
        print("same")
    """
    assert run(script, tmp_path) == "same\n"
