"""The command line as a whole: help, version, statuses, one line per error, quiet ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import Command, Done

import samesum as package
from samesum.cli import run
from samesum.cli.main import VERBS, main
from samesum.cli.show import InvalidFileError, UsageError, status_of
from samesum.errors import (
    AttributeValueError,
    DtypeError,
    MissingPackage,
    ModelError,
    UnsafeModelError,
    UnsupportedOperator,
)


def test_help_names_every_verb_and_status(samesum: Command) -> None:
    done = samesum("--help")
    assert done.status == 0
    assert done.err == ""
    for word in ("run", "info", "doctor", "conformance", "--version"):
        assert word in done.out
    table = done.out.partition("exit status:\n")[2].splitlines()
    assert [line.split()[0] for line in table] == ["0", "1", "2", "3", "4", "5", "6"]
    assert "6  a package that is needed is not installed, or not enough memory" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_a_terminal_of_80_columns(samesum: Command, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, samesum(verb, "--help").out.splitlines())) <= 80


def test_no_verb_is_a_call_for_help(samesum: Command) -> None:
    assert samesum() == samesum("--help")


def test_help_loads_neither_onnx_nor_rich() -> None:
    code = "import sys; from samesum.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"onnx", "rich", "torch", "openvino"} & set(done.stderr.split())


def test_the_version_is_the_package_s(samesum: Command) -> None:
    assert samesum("--version") == Done(0, f"samesum {package.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "fly"),
        (["run"], "MODEL"),
        (["run", "m.xml", "--fast"], "--fast"),
        (["run", "m.xml", "--out", "x.npz"], "--out"),
        (["info", "--json", "--markdown"], "not allowed with"),
        (["info", "m.xml", "--markdown"], "without MODEL"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arguments: list[str], words: str, samesum: Command) -> None:
    done = samesum(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("samesum: error: ")
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_missing_model_is_status_2(process: Command) -> None:
    done = process("info", "nowhere.xml")
    assert done.status == 2
    assert done.err.startswith("samesum: error: ")
    assert "nowhere.xml" in done.err
    assert done.err.count("\n") == 1


def test_control_characters_of_a_file_do_not_reach_the_terminal(samesum: Command, tmp_path: Path) -> None:
    model = tmp_path / "m.xml"
    model.write_text('<net name="a" version="9&#10;&#27;[31m"><layers/></net>'.replace("&#27;", "x"), encoding="utf-8")
    done = samesum("info", model)
    assert done.status == 4
    assert done.err.count("\n") == 1


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "open_model", interrupted)
    assert main(["run", "m.xml"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(os.name != "posix", reason="pipes that close are a POSIX matter")
def test_a_closed_pipe_is_quiet() -> None:
    command = [sys.executable, "-m", "samesum", "info"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.wait() == 128 + signal.SIGPIPE
        assert running.stderr.read() == b""


def test_running_out_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(run, "open_model", exhausted)
    assert main(["run", "m.xml"]) == 6
    assert capsys.readouterr().err == "samesum: error: out of memory\n"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("x"), 2),
        (FileNotFoundError(2, "x"), 2),
        (AttributeValueError("x"), 2),
        (DtypeError("x"), 2),
        (ModelError("x"), 4),
        (UnsafeModelError("x"), 4),
        (InvalidFileError("x"), 4),
        (UnsupportedOperator("x"), 5),
        (MissingPackage("x"), 6),
        (MemoryError("x"), 6),
    ],
)
def test_each_kind_of_error_has_its_status(error: Exception, status: int) -> None:
    assert status_of(error) == status
