"""The expectations of ONNX Runtime's own tests, as questions and answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from literals import RELATIVE, array_of, dtype_named
from running import Question

NDArray = np.ndarray[Any, np.dtype[Any]]

_FILE: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "onnxruntime.json").read_text())


@dataclass(frozen=True)
class Vector:
    """One expectation; arrays are made when they are asked for."""

    said: dict[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """The id."""
        return str(self.said["id"])

    @property
    def refused(self) -> bool:
        """True if ONNX Runtime refuses the call."""
        return bool(self.said["expect_error"])

    @property
    def question(self) -> Question:
        """The operator on the vector's inputs."""
        inputs = tuple(None if each is None else _array(each) for each in self.said["inputs"])
        return Question("onnx", self.said["op"], self.said["opset"], inputs, self.said["attributes"])

    @property
    def constants(self) -> frozenset[int]:
        """The positions of the inputs that the model holds."""
        return frozenset(i for i, each in enumerate(self.said["inputs"]) if each and each.get("initializer"))

    @property
    def expected(self) -> NDArray:
        """The one output, in its type."""
        return _array(self.said["outputs"][0])

    @property
    def allowed(self) -> NDArray:
        """How far a result may be from the literals: they were rounded, or computed without care."""
        expected = self.expected.astype(np.float64)
        size = np.where(np.isfinite(expected), np.abs(expected), 0)
        relative = self.said.get("rtol", RELATIVE.get(self.expected.dtype.name, 0))
        return np.maximum(size * relative, self.said.get("atol", 0))


def _array(said: dict[str, Any]) -> NDArray:
    return array_of(said["values"], dtype_named(said["type"]), said["shape"])


VECTORS = tuple(Vector(said) for said in _FILE["vectors"])
OWN_CHOICES = tuple(Vector(said) for said in _FILE["ort_specific"])
"""Where the source follows ONNX Runtime's own choice rather than the standard."""
