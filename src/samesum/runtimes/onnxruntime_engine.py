"""ONNX Runtime on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.runtimes.packages import require
from samesum.runtimes.runtime import DEFAULTS, EngineError, EngineModel, Feeds, Format, Settings, Trouble

_NUMBERS = {element.dtype: number for number, element in ONNX_ELEMENTS.items() if element.bits >= 8}
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
        return version("onnxruntime")

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
            raise trouble(error) from error
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
        try:
            outputs = self._session.run(list(wanted), given)
        except Exception as error:
            raise trouble(error) from error
        return {name: np.asarray(output) for name, output in zip(wanted, outputs, strict=True)}

    def bound(self, feeds: Feeds, outputs: Feeds) -> Callable[[], object]:
        """A run on arrays that are bound once, without a copy."""
        binding = self._session.io_binding()
        for bind, arrays in ((binding.bind_input, feeds), (binding.bind_output, outputs)):
            for name, array in arrays.items():
                bind(name, "cpu", 0, _NUMBERS[array.dtype], array.shape, array.ctypes.data)
        return partial(self._session.run_with_iobinding, binding)


def trouble(error: Exception) -> EngineError:
    """An error of ONNX Runtime's: what it lacks, or what it refuses."""
    missing = any(words in str(error) for words in _MISSING)
    text = f"{type(error).__name__}: {error}"
    return EngineError(Trouble.NOT_SUPPORTED if missing else Trouble.REFUSED, text)
