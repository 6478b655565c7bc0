"""A case as a model, in the forms in which it is put to an engine.

ONNX is the suite's own model, or one of a single node; OpenVINO IR one layer as a writer would have put it down.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from samesum.conformance.case import Case
from samesum.formats.arrays import NDArray
from samesum.formats.elements import MODEL_ELEMENTS
from samesum.runtimes.openvino_engine import (
    const_text,
    edge_text,
    layer_text,
    net_text,
    parameter_text,
    precision_of,
    result_text,
    saved_again,
)
from samesum.runtimes.runtime import EngineModel, Format, Question, require

# Of the file format; the oldest that all engines read and that holds every type of the cases.
IR_VERSION = 8

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
        [_onnx_node(case)],
        case.operator,
        [onnx.helper.make_tensor_value_info(name, _NUMBERS[array.dtype], array.shape) for name, array in fed.items()],
        [_onnx_output(case)],
        [tensor(array, name) for name, array in given.items() if name not in fed],
    )
    opset = onnx.helper.make_opsetid("", case.opset)
    return onnx.helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION), fed


def tensor(array: NDArray, name: str) -> Any:
    """A TensorProto of any type that the cases have."""
    from onnx import helper

    return helper.make_tensor(name, _NUMBERS[array.dtype], array.shape, array.tobytes(), raw=True)


def _onnx_node(case: Case) -> Any:
    from onnx import AttributeProto, helper

    names = ["" if array is None else f"x{i}" for i, array in enumerate(case.inputs)]
    node = helper.make_node(case.operator, names, ["y"])
    for name, value in case.attributes.items():
        kind = AttributeProto.INTS if value == [] else None  # an empty list has a type that the function cannot guess
        node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
    return node


def _onnx_output(case: Case) -> Any:
    """The output in its type and shape, or by name alone where an error is expected."""
    from onnx import ValueInfoProto, helper

    answer = case.answer
    if answer is None:
        return ValueInfoProto(name="y")
    return helper.make_tensor_value_info("y", _NUMBERS[answer.dtype], answer.shape)


TRUE_FALSE = ("false", "true")
ONE_ZERO = ("0", "1")


@dataclass(frozen=True, slots=True)
class Ir:
    """The .xml, the .bin, and the arrays for the Parameters by name and in their order."""

    xml: bytes = field(repr=False)
    weights: bytes = field(repr=False)
    feeds: Mapping[str, NDArray] = field(repr=False)


def ir_model(case: Case, version: int, held: Collection[int], words: tuple[str, str] = TRUE_FALSE) -> Ir:
    """The IR in that version of the format, the inputs at the positions `held` as Const layers.

    `words` are those for false and true.
    """
    layers: list[str] = []
    feeds: dict[str, NDArray] = {}
    weights = bytearray()
    for i, array in enumerate(case.inputs):
        if array is None:
            continue
        dense = np.array(array)
        if i in held:
            layers.append(const_text(len(layers), dense, len(weights)))
            weights += dense.tobytes() or b"\0"
        else:
            feeds[f"x{len(layers)}"] = dense
            layers.append(parameter_text(len(layers), dense))
    count = len(layers)
    said = "".join(
        f' {name}="{words[value] if isinstance(value, bool) else value}"' for name, value in case.attributes.items()
    )
    layers.append(_ir_layer(case, count, f"<data{said}/>" if said else ""))
    layers.append(result_text(count + 1, "y/result", ' output_names="y"'))
    edges = [*(edge_text(i, 0, count, i) for i in range(count)), edge_text(count, count, count + 1, 0)]
    return Ir(net_text("case", version, layers, edges), bytes(weights), feeds)


def _ir_layer(case: Case, count: int, data: str) -> str:
    """The layer, its inputs at the ports from 0 on and its output at the next one."""
    inputs = "".join(f'<port id="{i}"/>' for i in range(count))
    data_type = next(array.dtype for array in case.inputs if array is not None)
    precision = precision_of(data_type if case.dtype is None else case.dtype)
    ports = f'<input>{inputs}</input><output><port id="{count}" precision="{precision}" names="y"/></output>'
    return layer_text(count, case.operator, f"opset{case.opset}", data + ports, "y")


class Form(Enum):
    """The ways in which a case is put to an engine."""

    CALL = "call"
    """The operator as a function on arrays."""
    MODEL = "model"
    """A model whose inputs are fed: ONNX, or IR 11 for OpenVINO's operators."""
    CONSTANTS = "constants"
    """An ONNX model that holds the axes as initializers."""
    IR10 = "ir10"
    """IR 10 that holds the axes, its booleans written 0 and 1."""
    IR11 = "ir11"
    """IR 11 that holds the axes."""
    SAVED = "saved"
    """The same, read and saved again by OpenVINO."""


FORMS = {form.value: form for form in Form}

# The name of the output of a model that is made here.
OUTPUT = "y"


def model_forms(case: Case, formats: Collection[Format]) -> tuple[Form, ...]:
    """The one form for an engine that reads `formats`; none if it does not read the standard of the case."""
    if case.standard == "onnx":
        return (Form.MODEL,) if Format.ONNX in formats else ()
    return (Form.IR11,) if Format.IR in formats else ()


def own_forms(case: Case) -> tuple[Form, ...]:
    """Every form that samesum has for the case, but the call."""
    if case.standard == "onnx":
        held = (Form.CONSTANTS,) if case.model is None and case.axes_positions - case.held else ()
        return (Form.MODEL, *held)
    fed = (Form.MODEL,) if case.axes_positions else ()
    return (*fed, Form.IR10, Form.IR11, *((Form.SAVED,) if _can_be_saved(case) else ()))


def question(case: Case, form: Form) -> Question:
    """The case as a model in that form; raises MissingPackage, and EngineError where OpenVINO cannot save it."""
    if case.standard == "onnx":
        model, feeds = onnx_model(case, hold_axes=form is Form.CONSTANTS)
        return Question(EngineModel(Format.ONNX, model.SerializeToString()), feeds, model.graph.output[0].name)
    if form is Form.MODEL:
        return _asked(ir_model(case, 11, held=()))
    if form is Form.IR10:
        return _asked(ir_model(case, 10, case.axes_positions, ONE_ZERO))
    whole = _asked(_with_axis(case))
    return replace(whole, model=saved_again(whole.model)) if form is Form.SAVED else whole


def _asked(ir: Ir) -> Question:
    return Question(EngineModel(Format.IR, ir.xml, ir.weights), ir.feeds, OUTPUT)


def _with_axis(case: Case) -> Ir:
    """IR 11 that holds the axes: OpenVINO's reader wants an axis of CumSum, which is 0 where it is left out."""
    if case.operator == "CumSum" and len(case.inputs) == 1:
        case = replace(case, inputs=(*case.inputs, np.array(0, np.int64)))
    return ir_model(case, 11, case.axes_positions)


def _can_be_saved(case: Case) -> bool:
    """OpenVINO saves no model that it refuses; it refuses rank 0 with axes for some operators."""
    data = case.inputs[0]
    return case.answer is not None and data is not None and data.ndim > 0
