"""The command line of the benchmarks in this process and as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from samesum_bench.command import main

Command = Callable[..., SimpleNamespace]


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process: its exit status and what was printed. Lines are as long as they are."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: object) -> SimpleNamespace:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return SimpleNamespace(status=status, out=captured.out, err=captured.err)

    return call


@pytest.fixture
def process() -> Command:
    """`python -m samesum_bench` in the folder that holds it."""

    def call(*arguments: object) -> SimpleNamespace:
        command = [sys.executable, "-W", "error", "-m", "samesum_bench", *map(str, arguments)]
        folder = Path(__file__).resolve().parents[2] / "benchmarks"
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        return SimpleNamespace(status=done.returncode, out=done.stdout, err=done.stderr)

    return call
