"""How many threads there are to begin with: affinity, CPU quotas of control groups, the environment, and bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import samesum as ss
from samesum import _core
from samesum.engine import environment

QUOTA, PERIOD = "cpu.cfs_quota_us", "cpu.cfs_period_us"
SHOW = "import samesum as ss; print(ss.get_num_threads(), ss._core.instruction_set())"


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return root


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        ("0::/\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/a/b\n", {"a/cpu.max": "50000 100000\n", "a/b/cpu.max": "max 100000\n"}, 0.5),
        ("0::/a/b\n", {"a/cpu.max": "400000 100000\n", "a/b/cpu.max": "300000 100000\n"}, 3.0),
        ("0::/not/in/the/container\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("4:cpu,cpuacct:/x\n", {f"cpu,cpuacct/x/{QUOTA}": "25000\n", f"cpu,cpuacct/x/{PERIOD}": "100000\n"}, 0.25),
        ("1:cpu:/\n", {f"cpu/{QUOTA}": "-1\n", f"cpu/{PERIOD}": "100000\n"}, None),
        ("3:memory:/x\n", {"memory/x/cpu.max": "1 100000\n"}, None),
        ("0::/\n", {"cpu.max": "nonsense\n"}, None),
        ("0::/\n", {}, None),
    ],
)  # fmt: skip
def test_the_quota_is_the_least_of_all_groups(
    membership: str, files: dict[str, str], expected: float | None, tmp_path: Path
) -> None:
    groups = tree(tmp_path / "groups", files)
    member = tree(tmp_path, {"membership": membership}) / "membership"
    assert environment.quota(member, groups) == expected


def test_without_a_list_of_groups_there_is_no_quota(tmp_path: Path) -> None:
    assert environment.quota(tmp_path / "missing", tmp_path) is None


@pytest.mark.parametrize(("limit", "expected"), [(None, 8), (0.1, 1), (1.5, 2), (2.0, 2), (100.0, 8)])
def test_a_quota_is_rounded_up(limit: float | None, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "affinity", lambda: 8)
    monkeypatch.setattr(environment, "quota", lambda *_: limit)
    assert environment.usable() == expected


def started(environment: dict[str, str], *before: str) -> subprocess.CompletedProcess[str]:
    """A process that imports samesum and shows what holds at the start."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SAMESUM_")}
    inherited["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    command = [*before, sys.executable, "-c", SHOW]
    return subprocess.run(command, env=inherited | environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processors are chosen on Linux only")
def test_the_affinity_is_heeded() -> None:
    first = str(min(os.sched_getaffinity(0)))
    shown = started({}, "taskset", "-c", first)
    assert shown.stdout.split()[0] == "1", shown.stderr


@pytest.mark.parametrize("value", ["abc", "0", "-3", "4097", "1.5", "10000000000000000000000"])
def test_a_wrong_number_of_threads_is_ignored_with_a_warning(value: str) -> None:
    shown = started({"SAMESUM_NUM_THREADS": value})
    assert shown.returncode == 0
    assert shown.stdout.split()[0] == str(min(environment.usable(), 4096))
    assert f"SAMESUM_NUM_THREADS is '{value}'; allowed is an integer from 1 to 4096" in shown.stderr


def test_a_wrong_instruction_set_is_ignored_with_a_warning() -> None:
    shown = started({"SAMESUM_INSTRUCTION_SET": "sse9"})
    assert shown.returncode == 0
    assert shown.stdout.split()[1] == _core.instruction_sets()[-1]
    assert f"SAMESUM_INSTRUCTION_SET is 'sse9'; allowed is {_core.instruction_sets()[0]}" in shown.stderr


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("n", [0, -5, 4097, 10**9, 10**30])
def test_the_number_of_threads_is_bounded(n: int) -> None:
    before = ss.get_num_threads()
    with pytest.raises(ss.ArgumentError, match=rf"the number of threads is {n}; allowed are 1 to 4096"):
        ss.set_num_threads(n)
    assert ss.get_num_threads() == before
    ss.set_num_threads(4096)
    assert ss.get_num_threads() == 4096
