"""ONNX Runtime on the CPU."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from samesum.conformance.as_onnx import onnx_model
from samesum.conformance.case import Case
from samesum.conformance.engines.engine import Form
from samesum.conformance.verdict import NotSupported
from samesum.formats.arrays import NDArray
from samesum.runtimes.packages import require

_SILENT = 4
_MISSING = ("NOT_IMPLEMENTED", "only *guarantees* support for models", "Unsupported model IR version")


class OnnxRuntime:
    """A session of its own for each case."""

    name = "onnxruntime"

    def __init__(self) -> None:
        require("onnxruntime", "the engine onnxruntime")
        require("onnx", "the engine onnxruntime")

    @property
    def version(self) -> str:
        """The package's."""
        return version("onnxruntime")

    @cached_property
    def _package(self) -> Any:
        import onnxruntime

        return onnxruntime

    @cached_property
    def _options(self) -> Any:
        options = self._package.SessionOptions()
        options.log_severity_level = _SILENT
        return options

    def forms(self, case: Case) -> tuple[Form, ...]:
        """ONNX models."""
        return (Form.MODEL,) if case.standard == "onnx" else ()

    def answer(self, case: Case, form: Form) -> NDArray:
        """The first output of the model."""
        assert form is Form.MODEL
        model, feeds = onnx_model(case)
        try:
            session = self._package.InferenceSession(
                model.SerializeToString(), self._options, providers=["CPUExecutionProvider"]
            )
            return np.asarray(session.run(None, feeds)[0])
        except Exception as error:
            if any(words in str(error) for words in _MISSING):
                raise NotSupported(str(error)) from error
            raise
