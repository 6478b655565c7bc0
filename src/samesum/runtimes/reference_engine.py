"""The reference evaluator of the onnx package."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.runtimes.packages import require
from samesum.runtimes.runtime import DEFAULTS, EngineModel, Feeds, Format, Settings
from samesum.runtimes.troubles import of_python


class Reference:
    """`onnx.reference.ReferenceEvaluator`."""

    name = "reference"
    formats = frozenset({Format.ONNX})

    def __init__(self) -> None:
        require("onnx", "the engine reference")

    @property
    def version(self) -> str:
        """That of the onnx package."""
        return version("onnx")

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> ReferenceSession:  # noqa: ARG002
        """An evaluator; it has no settings."""
        from onnx.reference import ReferenceEvaluator

        with of_python():
            return ReferenceSession(ReferenceEvaluator(model.content))


class ReferenceSession:
    """One evaluator, which computes in NumPy in the types of the model."""

    precision = "as stored"

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs."""
        with of_python(), np.errstate(all="ignore"):
            outputs = self._evaluator.run(list(wanted), dict(feeds))
            return {name: np.asarray(output) for name, output in zip(wanted, outputs, strict=True)}
