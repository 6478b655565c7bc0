"""An execution provider of ONNX Runtime that comes as a plugin: a library and the name of the provider in it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from samesum.errors import MissingPackage
from samesum.runtimes.custom_engine import BackendError
from samesum.runtimes.onnxruntime_engine import OnnxRuntime, OnnxRuntimeSession, trouble
from samesum.runtimes.runtime import DEFAULTS, EngineModel, Settings

_NO_FALLBACK = "session.disable_cpu_ep_fallback"
"""What the provider does not take is an error then, instead of running on ONNX Runtime's CPU provider."""


class Plugin(OnnxRuntime):
    """`onnxruntime.InferenceSession` on the devices of one provider, without ONNX Runtime's own for what it lacks."""

    def __init__(self, library: str, name: str) -> None:
        """Registers the library in this process; raises BackendError for one that is no plugin or lacks the provider,
        MissingPackage without onnxruntime or with one that knows no plugins."""
        super().__init__()
        self.name = name
        if not hasattr(self._package, "register_execution_provider_library"):
            raise MissingPackage(
                f"--ep-library needs an onnxruntime with register_execution_provider_library, 1.22 or newer; "
                f"{self._package.__version__} is installed"
            )
        before = {each.ep_name for each in self._package.get_ep_devices()}
        try:
            self._package.register_execution_provider_library(name, str(Path(library).resolve()))
        except Exception as error:
            said = " ".join(str(error).split())
            raise BackendError(f"{library} is no execution provider plugin that ONNX Runtime loads: {said}") from error
        found = self._package.get_ep_devices()
        self._devices = [each for each in found if each.ep_name == name]
        if not self._devices:
            new = ", ".join(sorted({each.ep_name for each in found} - before)) or "none on this machine"
            raise BackendError(f"{library} has no devices for the provider {name!r}; its providers with devices: {new}")

    @cached_property
    def version(self) -> str:
        """What the provider says, "" if it says nothing."""
        return str(dict(self._devices[0].ep_metadata).get("version", ""))

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> OnnxRuntimeSession:
        """A session all of whose nodes are the provider's."""
        try:
            session = self._package.InferenceSession(model.content, self._options(settings))
        except Exception as error:
            raise trouble(error) from error
        return PluginSession(session)

    def _options(self, settings: Settings) -> Any:
        options = super()._options(settings)
        options.add_provider_for_devices(self._devices, {})
        options.add_session_config_entry(_NO_FALLBACK, "1")
        return options


class PluginSession(OnnxRuntimeSession):
    """A session on a provider, which does not say what it computes in."""

    precision = "not said"
