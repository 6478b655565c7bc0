"""An execution provider of ONNX Runtime that comes as a plugin: what is asked of ONNX Runtime, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from building import onnx_bytes
from samesum.errors import MissingPackage
from samesum.runtimes import onnxruntime_engine
from samesum.runtimes.onnxruntime_engine import Plugin
from samesum.runtimes.runtime import BackendError, EngineError, EngineModel, Format, Trouble, run

onnxruntime: Any = pytest.importorskip("onnxruntime")
helper: Any = pytest.importorskip("onnx.helper")
if not hasattr(onnxruntime, "register_execution_provider_library"):
    pytest.skip("this onnxruntime knows no plugins", allow_module_level=True)

CPU = "CPUExecutionProvider"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was registered: the provider that ONNX Runtime has by itself stands for that of a plugin."""
    found: list[tuple[str, str]] = []
    monkeypatch.setattr(
        onnxruntime, "register_execution_provider_library", lambda name, path: found.append((name, path))
    )
    return found


def model(operator: str) -> EngineModel:
    node = helper.make_node(operator, ["x"], ["y"], keepdims=0)
    return EngineModel(Format.ONNX, onnx_bytes([node], {"x": (1, [2, 3])}, {"y": (1, None)}))


def test_onnx_runtime_has_what_is_used_of_it() -> None:
    assert callable(onnxruntime.register_execution_provider_library)
    assert hasattr(onnxruntime.SessionOptions, "add_provider_for_devices")
    (device,) = (each for each in onnxruntime.get_ep_devices() if each.ep_name == CPU)
    assert isinstance(device, onnxruntime.OrtEpDevice)
    assert dict(device.ep_metadata)["version"] == onnxruntime.__version__


def test_a_model_runs_on_the_devices_of_the_provider(
    registered: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ONNX Runtime does not let its own provider be added and excluded at once."""
    monkeypatch.setattr(onnxruntime_engine, "_NO_FALLBACK", "samesum.test")
    engine = Plugin("libmine.so", CPU)
    assert registered == [(CPU, str(Path("libmine.so").resolve()))]
    assert (engine.name, engine.version, engine.formats) == (CPU, onnxruntime.__version__, {Format.ONNX})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert run(engine, model("ReduceSum"), {"x": x}, ["y"])["y"] == 15
    assert engine.prepare(model("ReduceSum")).precision == "not said"


@pytest.mark.usefixtures("registered")
def test_what_the_provider_lacks_is_not_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Plugin("libmine.so", CPU)

    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError(
            "This session contains graph nodes that are assigned to the default CPU EP, "
            "but fallback to CPU EP has been explicitly disabled by the user."
        )

    monkeypatch.setattr(onnxruntime, "InferenceSession", refuse)
    with pytest.raises(EngineError) as caught:
        engine.prepare(model("ReduceSum"))
    assert caught.value.trouble is Trouble.NOT_SUPPORTED


@pytest.mark.usefixtures("registered")
def test_a_library_without_the_provider() -> None:
    with pytest.raises(BackendError, match=r"libmine\.so has no devices for the provider 'mine'; its providers with "):
        Plugin("libmine.so", "mine")


def test_a_file_that_is_no_plugin(tmp_path: Path) -> None:
    path = tmp_path / "libmine.so"
    path.write_text("no library")
    with pytest.raises(BackendError, match=r"libmine\.so is no execution provider plugin that ONNX Runtime loads: "):
        Plugin(str(path), "mine")


def test_an_onnx_runtime_that_knows_no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(onnxruntime, "register_execution_provider_library")
    with pytest.raises(MissingPackage, match="needs an onnxruntime with register_execution_provider"):
        Plugin("libmine.so", "mine")
