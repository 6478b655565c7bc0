"""The digests of the fixed calls are those in the documentation, on every instruction set and number of threads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from samesum import _core
from samesum.cli.doctor import calls, digests
from samesum.cli.main import main

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "reproduce.md").read_text(encoding="utf-8")
DOCUMENTED = dict(re.findall(r"^(\w+) +([0-9a-f]{16})$", PAGE, re.MULTILINE))


def test_the_page_names_the_calls() -> None:
    assert set(DOCUMENTED) <= {"inputs", *calls()}
    assert len(DOCUMENTED) >= 22


@pytest.mark.parametrize("name", _core.instruction_sets())
@pytest.mark.parametrize("threads", [1, 3])
def test_the_digests_are_those_of_the_page(name: str, threads: int) -> None:
    before, count = _core.instruction_set(), _core.get_num_threads()
    _core.set_instruction_set(name)
    _core.set_num_threads(threads)
    try:
        found = digests()
    finally:
        _core.set_instruction_set(before)
        _core.set_num_threads(count)
    assert {key: value for key, value in found.items() if key in DOCUMENTED} == DOCUMENTED


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--digests"]) == 0
    assert DOCUMENTED.items() <= dict(line.split() for line in capsys.readouterr().out.splitlines()).items()
    assert main(["doctor", "--digests", "--json"]) == 0
    assert DOCUMENTED.items() <= json.loads(capsys.readouterr().out).items()


def test_doctor_says_what_an_issue_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["instruction set"].startswith(_core.instruction_set())
    assert (found["threads"], found["byte order"]) == (_core.get_num_threads(), "little")
    assert {"samesum", "python", "system", "processor", "memory", "cpu quota", "numpy", "onnxruntime"} <= found.keys()
    assert main(["doctor"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(found)
