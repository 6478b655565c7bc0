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
from samesum.cli.main import main


def test_help_names_every_verb_and_status(samesum: Command) -> None:
    done = samesum("--help")
    assert done.status == 0
    assert done.err == ""
    for word in ("run", "info", "--version", "0 fine", "5 an operator is not supported"):
        assert word in done.out


def test_help_loads_neither_onnx_nor_rich() -> None:
    code = "import sys; from samesum.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"onnx", "rich", "torch", "openvino"} & set(done.stderr.split())


def test_the_version_is_the_package_s(samesum: Command) -> None:
    assert samesum("--version") == Done(0, f"samesum {package.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "VERB"),
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
