"""`samesum compare`: reproducers, which show what was found, and the page."""

from __future__ import annotations

import re
import runpy
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import onnx
import pytest
from command import ROOT, Command
from onnx import helper, numpy_helper


@pytest.mark.usefixtures("beside")
def test_a_reproducer_shows_what_was_found(
    samesum: Command, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wrong"
    arguments = ("--input", model.with_name("x.npy"), "--against", "faulty:SumsInHalf", "--save", folder)
    assert samesum("compare", model, *arguments).status == 1
    (saved,) = folder.iterdir()
    assert {path.name for path in saved.iterdir()} == {
        "model.onnx",
        "input.npy",
        "exact.npy",
        "allowed.npy",
        "reproduce.py",
    }
    onnx.checker.check_model(onnx.load(saved / "model.onnx"))
    script = saved / "reproduce.py"
    text = script.read_text()
    head = text.splitlines()[0]
    assert head == '"""ReduceSum in opset 18: faulty:SumsInHalf is wrong (sequential float16)."""'
    assert len(text.splitlines()) <= 15
    monkeypatch.chdir(saved)
    monkeypatch.syspath_prepend(ROOT / "tests" / "compare")
    runpy.run_path(str(script))
    assert "elements beyond what is allowed: 64 of 64 that differ" in capsys.readouterr().out


@pytest.mark.usefixtures("beside")
def test_what_is_wrong_only_inside_is_reproduced_by_the_whole_model(
    samesum: Command, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wrong"
    arguments = ("--input", model.with_name("x.npy"), "--against", "faulty:DropsOneInside", "--save", folder)
    done = samesum("compare", model, *arguments)
    assert done.status == 1
    assert "wrong: inside the model, not" in done.out
    (saved,) = folder.iterdir()
    assert {path.name for path in saved.iterdir()} == {
        "model.onnx",
        "inputs.npz",
        "exact.npy",
        "allowed.npy",
        "reproduce.py",
    }
    assert len(onnx.load(saved / "model.onnx").graph.node) == 2
    monkeypatch.chdir(saved)
    monkeypatch.syspath_prepend(ROOT / "tests" / "compare")
    runpy.run_path(str(saved / "reproduce.py"))
    assert "elements beyond what is allowed: 64 of 64 that differ" in capsys.readouterr().out


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino", "reference"])
def test_the_script_of_each_engine_shows_what_the_report_says(
    engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from samesum.compare import compare
    from samesum.compare.saving import Case, save

    pytest.importorskip("onnx" if engine == "reference" else engine)
    info = helper.make_tensor_value_info
    node = helper.make_node("CumSum", ["x", "axis"], ["y"], name="scan")
    held = [numpy_helper.from_array(np.int64(0), "axis")]
    graph = helper.make_graph([node], "scan", [info("x", 1, [100000])], [info("y", 1, [100000])], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    found: list[Case] = []
    compare(model, {"x": np.full(100000, 0.1, np.float32)}, [engine], save=found.append)
    (case,) = found
    folder = save(tmp_path, case)
    monkeypatch.chdir(folder)
    values = runpy.run_path(str(folder / "reproduce.py"))
    assert values["got"].dtype == np.float32
    assert (values["got"] != values["exact"]).sum() > 90000
    shown = case.finding.shown
    assert shown is not None
    assert shown.worst is not None
    said = capsys.readouterr().out
    assert f"elements beyond what is allowed: {shown.wrong} of " in said
    assert f"the worst at {list(shown.worst.index)} got {shown.worst.got!r} exact " in said
    assert shown.wrong < (values["got"] != values["exact"]).sum()


@pytest.mark.usefixtures("beside")
def test_the_page_is_whole(samesum: Command, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert samesum("compare", model, "--against", "faulty:SumsInHalf", "--html", path).status == 1
    text = path.read_text(encoding="utf-8")
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "br", "line", "rect"):
                opened.append(tag)
            assert not any(name in ("src", "href") for name, _ in attrs)

        def handle_endtag(self, tag: str) -> None:
            if tag not in ("line", "rect"):
                assert opened.pop() == tag

    Reader().feed(text)
    assert opened == []
    breaking = re.findall(r"([^{}]*)\{[^}]*overflow-wrap: anywhere", text)
    assert [each.strip() for each in breaking] == ["h1", "td.name"]
    for name in re.findall(r'<td class="name">(?!</td>)([^<]*)', text):
        assert name in ("total", "y")
    assert not re.search(r'<td class="n">[^<]*[^-0-9.e+inf<]', text)
    assert "<svg" in text
    assert "sequential float16" in text
