"""The reference evaluator of the onnx package."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from samesum.conformance.as_onnx import onnx_model
from samesum.conformance.case import Case
from samesum.conformance.engines.engine import Form
from samesum.formats.arrays import NDArray
from samesum.runtimes.packages import require


class Reference:
    """onnx.reference.ReferenceEvaluator."""

    name = "reference"

    def __init__(self) -> None:
        require("onnx", "the engine reference")

    @property
    def version(self) -> str:
        """That of the onnx package."""
        return version("onnx")

    def forms(self, case: Case) -> tuple[Form, ...]:
        """ONNX models."""
        return (Form.MODEL,) if case.standard == "onnx" else ()

    def answer(self, case: Case, form: Form) -> NDArray:
        """The first output of the model."""
        assert form is Form.MODEL
        from onnx.reference import ReferenceEvaluator

        model, feeds = onnx_model(case)
        with np.errstate(all="ignore"):
            first, *_ = ReferenceEvaluator(model).run(None, feeds)
            return np.asarray(first)
