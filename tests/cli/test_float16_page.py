"""The commands of the page on float16 give what it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from command import ROOT, Command

PAGE = (ROOT / "docs" / "howto" / "float16.md").read_text(encoding="utf-8")
SCRIPT = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"```text\n\$ samesum (.*?)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    exec(SCRIPT[0], {})
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_commands_give_what_the_page_shows(samesum: Command) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("openvino")
    assert len(COMMANDS) == 3
    for command, shown in COMMANDS:
        done = samesum(*command.split())
        said = " ".join(done.out.split())
        assert done.status == ("explains it" in shown), done.out
        for part in shown.strip().split("\n\n"):
            assert " ".join(part.split()) in said, done.out
    done = samesum("compare", "stream_fp16.onnx", "--input", "x.npy", "--against", "onnxruntime", "--json")
    assert json.loads(done.out)["keep"]["node_block_list"] == ["block_5/residual", "norm"]


@pytest.mark.usefixtures("folder")
def test_one_line_of_four_is_nan(samesum: Command) -> None:
    assert samesum("run", "stream_fp16.onnx", "--input", "x.npy", "--output", "y.npz").status == 0
    assert np.isnan(np.load("y.npz")["y"]).all(axis=1).tolist() == [False, False, False, True]
    assert samesum("run", "stream.onnx", "--input", "x32.npy", "--output", "y.npz").status == 0
    assert np.isfinite(np.load("y.npz")["y"]).all()
