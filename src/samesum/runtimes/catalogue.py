"""The engines by name, and the reference evaluator of the onnx package as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.runtimes.custom_engine import Custom
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino
from samesum.runtimes.own_engine import Samesum
from samesum.runtimes.packages import require
from samesum.runtimes.runtime import DEFAULTS, EngineModel, Feeds, Format, Runtime, Settings, of_python


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


# Those of other libraries.
OTHERS: dict[str, Callable[[], Runtime]] = {each.name: each for each in (OnnxRuntime, OpenVino, Reference)}

ENGINES: dict[str, Callable[[], Runtime]] = {**OTHERS, Samesum.name: Samesum}


def maker(name: str) -> Callable[[], Runtime]:
    """What makes the engine of that name: one of ENGINES, or a class of the user's own as `module:Class`."""
    return ENGINES[name] if name in ENGINES else partial(Custom, name)
