"""A case as an ONNX model: the suite's own, or one of a single node."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.conformance.case import Case
from samesum.formats.arrays import NDArray
from samesum.formats.elements import MODEL_ELEMENTS
from samesum.runtimes.packages import require

IR_VERSION = 8
"""Of the file format; the oldest that all engines read and that holds every type of the cases."""

_NUMBERS = {element.own: number for number, element in MODEL_ELEMENTS.items()}


def onnx_model(case: Case, hold_axes: bool = False) -> tuple[Any, dict[str, NDArray]]:
    """The ModelProto and its inputs by name, in its order; `hold_axes` makes the axes constants of the model.

    Raises MissingPackage without the package onnx.
    """
    require("onnx", "an ONNX model")
    import onnx

    if case.model is not None:
        return onnx.load_model_from_string(case.model.content), dict(case.model.feeds)
    held = case.held | (case.axes_positions if hold_axes else frozenset())
    given = {f"x{i}": np.array(array) for i, array in enumerate(case.inputs) if array is not None}
    fed = {name: array for name, array in given.items() if int(name[1:]) not in held}
    graph = onnx.helper.make_graph(
        [_node(case)],
        case.operator,
        [onnx.helper.make_tensor_value_info(name, _NUMBERS[array.dtype], array.shape) for name, array in fed.items()],
        [_output(case)],
        [tensor(array, name) for name, array in given.items() if name not in fed],
    )
    opset = onnx.helper.make_opsetid("", case.opset)
    return onnx.helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION), fed


def tensor(array: NDArray, name: str) -> Any:
    """A TensorProto of any type that the cases have."""
    from onnx import helper

    return helper.make_tensor(name, _NUMBERS[array.dtype], array.shape, array.tobytes(), raw=True)


def _node(case: Case) -> Any:
    from onnx import AttributeProto, helper

    names = ["" if array is None else f"x{i}" for i, array in enumerate(case.inputs)]
    node = helper.make_node(case.operator, names, ["y"])
    for name, value in case.attributes.items():
        kind = AttributeProto.INTS if value == [] else None  # an empty list has a type that the function cannot guess
        node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
    return node


def _output(case: Case) -> Any:
    """The output in its type and shape, or by name alone where an error is expected."""
    from onnx import ValueInfoProto, helper

    answer = case.answer
    if answer is None:
        return ValueInfoProto(name="y")
    return helper.make_tensor_value_info("y", _NUMBERS[answer.dtype], answer.shape)
