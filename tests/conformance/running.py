"""One question put by every way in: the door's function, a one-node ONNX model, OpenVINO IR as text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from building import Ir, onnx_bytes
from samesum import onnx, openvino
from samesum.errors import UnsupportedOperator
from samesum.frontends.load import load
from samesum.graph.catalogue import versions
from samesum.graph.types import IR_ELEMENTS
from samesum.specs.lookup import lookup

NDArray = np.ndarray[Any, np.dtype[Any]]

DOORS: dict[str, dict[str, Callable[..., NDArray]]] = {
    "onnx": {name: vars(onnx)[name] for name in onnx.__all__},
    "openvino": {name: vars(openvino)[name] for name in openvino.__all__},
}
ELEMENT_TYPES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}


@dataclass(frozen=True)
class Question:
    """An operator on arrays; None is an input left out."""

    standard: str
    operator: str
    opset: int | None
    inputs: tuple[NDArray | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)


def has_row(standard: str, operator: str) -> bool:
    """True if some version of the operator is implemented, in the family or around it; a Constant is read, not run."""
    try:
        lookup(standard, operator)
    except UnsupportedOperator:
        return operator == "Constant" or bool(versions(standard, operator))
    return True


def require_row(standard: str, operator: str) -> None:
    """Skips the test of an operator that has no row yet: the only place where vectors are left out."""
    if not has_row(standard, operator):
        pytest.skip(f"{standard}.{operator} has no row")


def require_function(standard: str, operator: str) -> None:
    """Skips the call of an operator that only models have."""
    require_row(standard, operator)
    if operator not in DOORS[standard]:
        pytest.skip(f"{standard}.{operator} has no function")


def by_call(question: Question) -> NDArray:
    """What the door's function gives."""
    function = DOORS[question.standard][question.operator]
    return function(*question.inputs, opset=question.opset, **question.attributes)


def by_model(question: Question, constants: Collection[int] = ()) -> NDArray:
    """What a model of one node gives; the inputs at the positions `constants` are held by the model."""
    if question.standard == "onnx":
        return by_onnx(question, constants)
    return by_ir(question, "11", constants)


def by_onnx(question: Question, constants: Collection[int] = (), declared: NDArray | None = None) -> NDArray:
    """What an ONNX model gives, its output declared as `declared` is or not at all."""
    from onnx import helper

    names = ["" if array is None else f"x{i}" for i, array in enumerate(question.inputs)]
    given = {name: array for name, array in zip(names, question.inputs, strict=True) if array is not None}
    held = {name: array for i, (name, array) in enumerate(zip(names, question.inputs, strict=True)) if i in constants}
    fed = {name: array for name, array in given.items() if name not in held}
    kinds = {name: (helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in fed.items()}
    said = (0, None) if declared is None else (helper.np_dtype_to_tensor_dtype(declared.dtype), declared.shape)
    node = helper.make_node(question.operator, names, ["y"])
    node.attribute.extend(_attribute(name, value) for name, value in question.attributes.items())
    assert question.opset is not None
    model = load(onnx_bytes([node], kinds, {"y": said}, held, question.opset))  # type: ignore[arg-type]
    return model.run(fed)["y"]


def _attribute(name: str, value: Any) -> Any:
    """An attribute; an empty list has a type that the helper cannot guess."""
    from onnx import AttributeProto, helper

    return helper.make_attribute(name, value, attr_type=AttributeProto.INTS if value == [] else None)


def by_ir(
    question: Question, version: str, constants: Collection[int] = (), words: tuple[str, str] = ("false", "true")
) -> NDArray:
    """What an IR gives whose net has that version, its booleans written as `words`."""
    ir = Ir(version)
    sources, fed = [], []
    for i, array in enumerate(question.inputs):
        if array is None:
            continue
        if i in constants:
            sources.append(ir.const(array))
        else:
            shape = ",".join(map(str, array.shape))
            sources.append(ir.parameter(f"x{i}", ELEMENT_TYPES[array.dtype], shape))
            fed.append(array)
    said = " ".join(f'{name}="{words[value]}"' for name, value in question.attributes.items())
    layer = ir.layer(question.operator, sources, said and f"<data {said}/>", f"opset{question.opset}")
    return ir.result(layer).load().run(fed)["y"]
