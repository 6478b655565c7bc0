"""A process that is stopped at any moment, for longer than a call takes, goes on afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="stops processes by signals and quotas of Linux")

PAUSES = (60, pytest.param(600, marks=pytest.mark.slow))
"""For each kind of calls."""
STOPPED, RUNNING = 0.03, 0.004
"""Seconds of each pause, more than the time after which a waiting call asks for signals, and between two pauses."""
PATIENCE = 60
"""Seconds without a finished call after which the process counts as hanging."""

CALLS = {
    "short": """
        half = np.random.default_rng(0).standard_normal((1900, 32)).astype(np.float16)[:, ::2]
        single = np.random.default_rng(1).standard_normal((64, 200)).astype(np.float32)
        bytes_ = np.ones((60000, 1), np.int8)
        calls = [
            lambda: ss.onnx.Softmax(half), lambda: ss.onnx.LogSoftmax(half), lambda: ss.onnx.Softmax(single, axis=0),
            lambda: ss.sum(single), lambda: ss.argmax(bytes_, axis=1), lambda: ss.cumulative_sum(single, axis=0),
            lambda: ss.logsumexp(half, axis=1),
        ]
    """,
    "long": """
        x = np.random.default_rng(0).standard_normal((1024, 1024)).astype(np.float32)
        calls = [
            lambda: ss.sum(x, axis=0), lambda: ss.l2_norm(x), lambda: ss.prod(x, axis=1),
            lambda: ss.cumulative_sum(x, axis=0), lambda: ss.cumulative_prod(x, axis=1),
            lambda: ss.onnx.Softmax(x), lambda: ss.onnx.Softmax(x.reshape(1, -1)), lambda: ss.logsumexp(x.T, axis=0),
            lambda: ss.reduce(x, ["min", "max", "sum"], axis=0),
        ]
    """,
    "model": """
        model = ss.load("examples/openvino/layer_norm.xml")
        x = np.random.default_rng(0).standard_normal((16, 12, 10, 24)).astype(np.float32)
        calls = [lambda: model.run({"x": x})]
    """,
}
SCRIPT = """
    import itertools, sys, threading
    import numpy as np
    import samesum as ss
    ss.set_num_threads(2)
    {calls}
    def work(first):
        for turn in itertools.count(first):
            calls[turn % len(calls)]()
            print(flush=True)
    for caller in range(3):
        threading.Thread(target=work, args=(caller,), daemon=True).start()
    threading.Event().wait()
"""


class Child:
    """A process that makes calls from three Python threads and writes a line after each."""

    def __init__(self, calls: str, folder: Path) -> None:
        script = folder / "script.py"
        script.write_text(textwrap.dedent(SCRIPT).format(calls=textwrap.dedent(calls).strip()))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        root = Path(__file__).resolve().parents[2]
        self._process = subprocess.Popen([sys.executable, script], env=environment, cwd=root, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self._lines = self._process.stdout
        os.set_blocking(self._lines.fileno(), False)
        self.pid = self._process.pid

    def await_progress(self) -> None:
        """Two calls are finished from now on: one that may have begun before, and one after it."""
        self._read()
        found, until = 0, time.monotonic() + PATIENCE
        while found < 2:
            assert self._process.poll() is None, "the process ended"
            assert time.monotonic() < until, f"no call was finished within {PATIENCE} seconds"
            found += self._read()
            time.sleep(0.001)

    def _read(self) -> int:
        return len(self._lines.read(1 << 20) or b"")  # type: ignore[call-arg]

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._lines.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Child]]:
    """Starts a child, which ends with the test."""
    children: list[Child] = []

    def started(calls: str) -> Child:
        children.append(Child(calls, tmp_path))
        children[-1].await_progress()
        return children[-1]

    yield started
    for child in children:
        child.end()


@pytest.mark.parametrize("pauses", PAUSES)
@pytest.mark.parametrize("kind", CALLS)
def test_pauses_leave_no_call_hanging(kind: str, pauses: int, start: Callable[[str], Child]) -> None:
    child = start(CALLS[kind])
    for _ in range(pauses):
        os.kill(child.pid, signal.SIGSTOP)
        time.sleep(STOPPED)
        os.kill(child.pid, signal.SIGCONT)
        time.sleep(RUNNING)
        child.await_progress()


@contextmanager
def tight_quota(pid: int) -> Iterator[None]:
    """The process gets 10 of every 40 milliseconds; skips the test where no control group can be made."""
    group = Path("/sys/fs/cgroup/cpu") / f"samesum-{pid}"
    if not group.parent.is_dir():
        group = Path("/sys/fs/cgroup") / f"samesum-{pid}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    before = group.parent / "cgroup.procs"
    try:
        try:
            if (group / "cpu.cfs_quota_us").exists():
                (group / "cpu.cfs_period_us").write_text("40000")
                (group / "cpu.cfs_quota_us").write_text("10000")
            else:
                (group / "cpu.max").write_text("10000 40000")
            (group / "cgroup.procs").write_text(str(pid))
        except OSError as error:
            pytest.skip(f"no CPU quota can be set: {error}")
        yield
    finally:
        before.write_text(str(pid))
        group.rmdir()


@pytest.mark.parametrize("kind", CALLS)
def test_a_quota_leaves_no_call_hanging(kind: str, start: Callable[[str], Child]) -> None:
    child = start(CALLS[kind])
    with tight_quota(child.pid):
        for _ in range(30):
            child.await_progress()
            time.sleep(0.05)
