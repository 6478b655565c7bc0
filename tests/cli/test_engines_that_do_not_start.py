"""An engine that does not start is wrong usage, said in one line, whichever verb was to use it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import ROOT, Command

from samesum.runtimes import catalogue

MODEL = ROOT / "examples" / "onnx" / "layer_norm.onnx"


@pytest.mark.parametrize("text", ["import no_such_package", "import os; os._exit(7)"])
def test_a_class_of_one_s_own(samesum: Command, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ("compare", MODEL, "--against", "mine:Engine"),
        ("conformance", "--op", "ReduceSum", "--suite", "onnx-node", "--backend", "mine:Engine"),
    ):
        done = samesum(*arguments)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith("samesum: error: ")
        assert done.err.count("\n") == 1
        assert "no_such_package" in done.err or "exit status 7" in done.err


class Broken:
    """An engine whose package is installed and cannot be imported."""

    name = "reference"

    @property
    def version(self) -> str:
        raise ImportError("libmissing.so: cannot open shared object file")


def test_a_package_that_is_installed_and_broken(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catalogue.ENGINES, "reference", Broken)
    monkeypatch.setattr("samesum.conformance.explaining.OTHERS", {"reference": Broken})
    says = "reference does not start: ImportError: libmissing.so: cannot open shared object file"
    done = samesum("compare", MODEL, "--against", "reference")
    assert (done.status, done.out, done.err) == (2, "", f"samesum: error: {says}\n")
    done = samesum("explain", "ReduceSum", "--case", "nan")
    assert (done.status, done.err) == (0, f"samesum: warning: {says}; reference is left out\n")
    assert "samesum" in done.out
    done = samesum("conformance", "--matrix", tmp_path / "agreement.md")
    assert (done.status, done.out) == (6, "")
    assert "there is no engine to put beside samesum" in done.err
    assert not (tmp_path / "agreement.md").exists()
