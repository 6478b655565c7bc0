"""ONNX Runtime on the CPU, or on an execution provider that comes as a plugin: a library and a name in it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import MissingPackage
from samesum.formats.arrays import NDArray
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.runtimes.runtime import DEFAULTS, BackendError, EngineModel, Feeds, Format, Settings, require, trouble

_NUMBERS = {element.dtype: number for number, element in ONNX_ELEMENTS.items() if element.bits >= 8}
# Types that ONNX Runtime does not take from NumPy, by its names.
BEYOND_NUMPY = {
    f"tensor({name.replace('_', '')})": np.dtype(getattr(ml_dtypes, name))
    for name in ("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
}
SILENT = 4
_MISSING = (
    "fallback to CPU EP has been explicitly disabled",
    "NOT_IMPLEMENTED",
    "only *guarantees* support for models",
    "Unsupported model IR version",
)


class OnnxRuntime:
    """`onnxruntime.InferenceSession` with the CPU's execution provider."""

    name = "onnxruntime"
    formats = frozenset({Format.ONNX})

    def __init__(self) -> None:
        require("onnxruntime", "the engine onnxruntime")

    @property
    def version(self) -> str:
        """The package's."""
        return str(self._package.__version__)

    @cached_property
    def _package(self) -> Any:
        import onnxruntime

        return onnxruntime

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> OnnxRuntimeSession:
        """A session on the bytes of an ONNX model."""
        try:
            session = self._package.InferenceSession(
                model.content, self._options(settings), providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise trouble(error, _MISSING) from error
        return OnnxRuntimeSession(session)

    def _options(self, settings: Settings) -> Any:
        options = self._package.SessionOptions()
        options.log_severity_level = SILENT
        if settings.threads is not None:
            options.intra_op_num_threads = settings.threads
            options.inter_op_num_threads = 1
        if not settings.optimize:
            options.graph_optimization_level = self._package.GraphOptimizationLevel.ORT_DISABLE_ALL
        # Its threads would go on spinning after a run and take the processors of whoever runs next.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        return options


class OnnxRuntimeSession:
    """A session on the CPU; types are computed as they are stored, float16 in float32 where it has no kernel."""

    precision = "as stored"

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs; inputs that the model lacks are left out."""
        known = {each.name for each in self._session.get_inputs()}
        given = {name: array for name, array in feeds.items() if name in known}
        types = {each.name: each.type for each in self._session.get_outputs()}
        by_value = any(array.dtype in BEYOND_NUMPY.values() for array in given.values())
        by_value |= any(types.get(name) in BEYOND_NUMPY for name in wanted)
        try:
            if by_value:
                return _run_by_values(self._session, given, wanted)
            outputs = self._session.run(list(wanted), given)
        except Exception as error:
            raise trouble(error, _MISSING) from error
        return {name: np.asarray(output) for name, output in zip(wanted, outputs, strict=True)}

    def bound(self, feeds: Feeds, outputs: Feeds) -> Callable[[], object]:
        """A run on arrays that are bound once, without a copy."""
        binding = self._session.io_binding()
        for bind, arrays in ((binding.bind_input, feeds), (binding.bind_output, outputs)):
            for name, array in arrays.items():
                bind(name, "cpu", 0, _NUMBERS[array.dtype], array.shape, array.ctypes.data)
        return partial(self._session.run_with_iobinding, binding)


def _run_by_values(session: Any, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
    """A run on values of ONNX Runtime's own, which hold types that NumPy lacks."""
    from onnxruntime import OrtValue

    given = {
        name: OrtValue.ortvalue_from_numpy_with_onnx_type(array, _NUMBERS[array.dtype])
        if array.dtype in BEYOND_NUMPY.values()
        else OrtValue.ortvalue_from_numpy(array)
        for name, array in feeds.items()
    }
    outputs = session.run_with_ort_values(list(wanted), given)
    return {name: _array(output) for name, output in zip(wanted, outputs, strict=True)}


def _array(value: Any) -> NDArray:
    """A copy of the values."""
    dtype = BEYOND_NUMPY.get(value.data_type())
    if dtype is None:
        return np.asarray(value.numpy())
    shape = tuple(value.shape())
    count = math.prod(shape) * dtype.itemsize
    raw = (ctypes.c_uint8 * count).from_address(value.data_ptr()) if count else b""
    return np.frombuffer(bytes(raw), dtype).reshape(shape)


# What the provider does not take is an error then, instead of running on ONNX Runtime's CPU provider.
_NO_FALLBACK = "session.disable_cpu_ep_fallback"


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
            raise trouble(error, _MISSING) from error
        return PluginSession(session)

    def _options(self, settings: Settings) -> Any:
        options = super()._options(settings)
        options.add_provider_for_devices(self._devices, {})
        options.add_session_config_entry(_NO_FALLBACK, "1")
        return options


class PluginSession(OnnxRuntimeSession):
    """A session on a provider, which does not say what it computes in."""

    precision = "not said"
