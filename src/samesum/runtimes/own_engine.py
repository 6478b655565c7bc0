"""samesum itself as an engine of models; its errors come out as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samesum import __version__
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.runtimes.runtime import DEFAULTS, EngineModel, Feeds, Format, Settings


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
