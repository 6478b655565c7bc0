"""Without the onnx package each thing that needs it says so and names the extra; the rest works."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import samesum
from samesum import MissingPackage

WITHOUT = """
import sys
sys.modules["onnx"] = None
import samesum
samesum.onnx.ReduceSum([1.0])
samesum.load("examples/openvino/cum_sum.xml")
print(samesum.onnx.InferenceSession.__name__)
for name in ("Backend", "reference_ops"):
    try:
        getattr(samesum.onnx, name)
    except samesum.MissingPackage as error:
        print(error)
try:
    from samesum.onnx import Backend
except ImportError as error:
    print(type(error).__name__)
try:
    samesum.onnx.InferenceSession("examples/onnx/l2_normalize.onnx")
except samesum.MissingPackage as error:
    print(error)
"""
NEEDS = 'needs the package onnx, which is not installed; pip install "samesum[onnx]" ('


def test_the_extra_is_named() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, cwd=root)
    session, backend, reference, kind, loading = done.stdout.splitlines()
    assert session == "InferenceSession"
    assert backend.startswith(f"samesum.onnx.Backend {NEEDS}")
    assert reference.startswith(f"samesum.onnx.reference_ops {NEEDS}")
    assert kind == "MissingPackage"
    assert loading.startswith(f"l2_normalize.onnx: reading .onnx files {NEEDS}")


def test_an_error_keeps_its_text_when_it_is_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackage) as caught:
        samesum.load(Path(__file__).parents[2] / "examples" / "onnx" / "l2_normalize.onnx")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.name) == (MissingPackage, str(caught.value), "onnx")
