"""The engines by name, and the reference evaluator of the onnx package as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from samesum import __version__
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.runtimes.custom_engine import Custom
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import DEFAULTS, EngineModel, Feeds, Format, Runtime, Settings, of_python, require


class Samesum:
    """`samesum.load`."""

    name = "samesum"
    version = __version__
    formats = frozenset({Format.ONNX, Format.IR})

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> SamesumSession:  # noqa: ARG002
        """A loaded model; no setting changes a bit."""
        if model.format is Format.ONNX:
            return SamesumSession(load(model.content))
        return SamesumSession(load(model.content, weights=model.weights))


class SamesumSession:
    """A loaded model."""

    precision = "exact, rounded once"

    def __init__(self, model: Model) -> None:
        self._model = model

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs; a model of one output has it whatever its name."""
        outputs = self._model.run(feeds)
        if len(outputs) == 1 == len(wanted):
            return {wanted[0]: np.asarray(next(iter(outputs.values())))}
        return {name: np.asarray(outputs[name]) for name in wanted}


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


def started(name: str, seconds: float) -> Remote:
    """The engine of that name, or a class as `module:Class`, in a process of its own with so long for each answer.

    Raises MissingPackage for an engine that is not installed, BackendError for one that does not start.
    """
    if name in ENGINES:
        ENGINES[name]()
    return Remote(maker(name), seconds).start(name)


def maker(name: str) -> Callable[[], Runtime]:
    """What makes the engine of that name: one of ENGINES, or a class of the user's own as `module:Class`."""
    return ENGINES[name] if name in ENGINES else partial(Custom, name)
