"""samesum itself: by call, and as a model in every form."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

from samesum import __version__, onnx, openvino
from samesum.conformance.as_ir import ONE_ZERO, Ir, ir_model
from samesum.conformance.as_onnx import onnx_model
from samesum.conformance.case import Case
from samesum.conformance.engines.engine import Form
from samesum.conformance.engines.openvino_engine import ir_of, save
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.runtimes.packages import require
from samesum.specs.lookup import CATALOGUE

_DOORS = {"onnx": vars(onnx), "openvino": vars(openvino)}

FUNCTIONS: dict[tuple[str, str], Callable[..., NDArray]] = {
    key: _DOORS[key[0]][key[1]] for key in {(spec.standard.name, spec.operator.name) for spec in CATALOGUE}
}
"""The operators of both standards as functions."""


ALONE = frozenset(Form) - {Form.SAVED}
"""The forms that need no other engine."""


class Samesum:
    """Every one of `wanted` that the standard of a case has."""

    name = "samesum"
    version = __version__

    def __init__(self, wanted: Collection[Form] = ALONE) -> None:
        if Form.SAVED in wanted:
            require("openvino", "the form saved")
        self._wanted = wanted

    def forms(self, case: Case) -> tuple[Form, ...]:
        """A function where there is one, and the models."""
        return tuple(form for form in _forms(case) if form in self._wanted)

    def answer(self, case: Case, form: Form) -> NDArray:
        """What samesum gives in that form."""
        if form is Form.CALL:
            return _called(case)
        if case.standard == "onnx":
            model, feeds = onnx_model(case, hold_axes=form is Form.CONSTANTS)
            return _only(load(model.SerializeToString()).run(feeds))
        if form is Form.MODEL:
            return _by_ir(ir_model(case, 11, held=()))
        if form is Form.IR10:
            return _by_ir(ir_model(case, 10, case.axes_positions, ONE_ZERO))
        return _saved(case) if form is Form.SAVED else _by_ir(ir_model(case, 11, case.axes_positions))


def _forms(case: Case) -> tuple[Form, ...]:
    called = (Form.CALL,) if case.is_one_call and (case.standard, case.operator) in FUNCTIONS else ()
    if case.standard == "onnx":
        held = (Form.CONSTANTS,) if case.model is None and case.axes_positions - case.held else ()
        return (*called, Form.MODEL, *held)
    fed = (Form.MODEL,) if case.axes_positions else ()
    return (*called, *fed, Form.IR10, Form.IR11, *((Form.SAVED,) if _can_be_saved(case) else ()))


def _can_be_saved(case: Case) -> bool:
    """OpenVINO saves no model that it refuses; it refuses rank 0 with axes for some operators."""
    data = case.inputs[0]
    return case.answer is not None and data is not None and data.ndim > 0


def _called(case: Case) -> NDArray:
    inputs = [None if array is None else np.array(array) for array in case.inputs]
    return FUNCTIONS[case.standard, case.operator](*inputs, opset=case.opset, **case.attributes)


def _by_ir(ir: Ir) -> NDArray:
    return _only(load(ir.xml, weights=ir.weights).run(ir.feeds))


def _saved(case: Case) -> NDArray:
    """The answer of the IR that OpenVINO writes once it has read the case."""
    ir = ir_of(case)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        save(ir, path)
        return _only(load(path).run(ir.feeds))


def _only(outputs: dict[str, Any]) -> NDArray:
    (array,) = outputs.values()
    return np.asarray(array)
