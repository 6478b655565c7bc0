"""The forms in which a case is put to an engine, and the case in each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from samesum.conformance.as_ir import ONE_ZERO, Ir, ir_model
from samesum.conformance.as_onnx import onnx_model
from samesum.conformance.case import Case
from samesum.formats.arrays import NDArray
from samesum.runtimes.openvino_engine import saved_again
from samesum.runtimes.runtime import EngineModel, Format


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

OUTPUT = "y"
"""The name of the output of a model that is made here."""


@dataclass(frozen=True, slots=True)
class Question:
    """A model, the arrays for its inputs in their order, and the name of the output that is judged."""

    model: EngineModel
    feeds: Mapping[str, NDArray]
    wanted: str


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
