# ruff: noqa: ARG002, ARG003
"""Backends for the tests: one that is wrong, some that fail in other ways, and the styles that are allowed."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt
from onnx.helper import get_attribute_value
from onnx.reference import ReferenceEvaluator

from samesum import load


def evaluated(model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """What the reference evaluator gives."""
    names = [each.name for each in model.graph.input]
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))


class Right:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        return evaluated(model, inputs)


class Rep(BackendRep):
    def __init__(self, model: Any) -> None:
        self.model = model

    def run(self, inputs: list[np.ndarray], **_: Any) -> tuple[Any, ...]:
        return tuple(evaluated(self.model, inputs))


class Prepared:
    """By prepare alone."""

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU") -> Rep:
        return Rep(model)


class Inherited(Backend):
    """run_model as the base class has it, over prepare; some models are not for it."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **_: Any) -> bool:
        return "random" in model.graph.name

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **_: Any) -> BackendRep:
        return Rep(model)


class Float32:
    """Sums in float32, one after the other, whatever the type is."""

    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        (node,) = model.graph.node
        said = {each.name: get_attribute_value(each) for each in node.attribute}
        axes = said.get("axes", inputs[1].tolist() if len(inputs) > 1 else [])
        total = np.add.reduce(inputs[0], tuple(axes) or None, np.float32, keepdims=bool(said.get("keepdims", 1)))
        return [total.astype(inputs[0].dtype)]


class Raises:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        raise ValueError("no idea what this is")


class Refuses:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        raise RuntimeError("not this one")


class ByName:
    def run(self, model: Any, feeds: dict[str, np.ndarray], wanted: list[str]) -> dict[str, np.ndarray]:
        with np.errstate(all="ignore"):
            return dict(zip(wanted, ReferenceEvaluator(model).run(wanted, feeds), strict=True))


class ReadsIr:
    """OpenVINO's operators, by samesum."""

    formats = ("ir",)

    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        xml, weights = model
        return list(load(xml, weights=weights).run(inputs).values())


class ReadsOthers(ReadsIr):
    formats = ("tflite",)


class Empty:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        raise NotImplementedError(model.graph.node[0].op_type)


class NotSupposed:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        raise BackendIsNotSupposedToImplementIt("not for me")


class Crashes:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        os.abort()


class CrashesOnce:
    """On rank 3, else right."""

    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        if inputs[0].ndim == 3:
            os._exit(3)
        return evaluated(model, inputs)


class Hangs:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        time.sleep(600)
        return []


class Prints:
    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        print("this is not for standard output")
        return evaluated(model, inputs)


class Unmade:
    def __init__(self, required: int) -> None:
        self.required = required

    def run(self, model: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        return evaluated(model, inputs)


class Nothing:
    """Neither run nor prepare."""
