"""OpenVINO on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from samesum.conformance.as_ir import Ir, ir_model
from samesum.conformance.as_onnx import onnx_model
from samesum.conformance.case import Case
from samesum.conformance.engines.engine import Form
from samesum.conformance.verdict import NotSupported
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.runtimes.packages import require

_EXACTLY_AS_SAID = {"EXECUTION_MODE_HINT": "ACCURACY"}
"""Without it the plugin may compute float32 in a shorter type where the machine is faster in that."""
_MISSING = ("No conversion rule found", "doesn't support", "not supported")


class OpenVino:
    """A compiled model of its own for each case; ONNX models too, by its own reader."""

    name = "openvino"

    def __init__(self) -> None:
        require("openvino", "the engine openvino")

    @property
    def version(self) -> str:
        """The package's."""
        return version("openvino")

    @cached_property
    def _core(self) -> Any:
        import openvino

        return openvino.Core()

    def forms(self, case: Case) -> tuple[Form, ...]:
        """ONNX models, or IR that holds the axes."""
        return (Form.MODEL,) if case.standard == "onnx" else (Form.IR11,)

    def answer(self, case: Case, form: Form) -> NDArray:
        """The first output of the compiled model."""
        if form is Form.MODEL:
            model, feeds = onnx_model(case)
            return self._run(model.SerializeToString(), b"", feeds)
        ir = ir_of(case)
        return self._run(ir.xml, ir.weights, ir.feeds)

    def _run(self, model: bytes, weights: bytes, feeds: Mapping[str, NDArray]) -> NDArray:
        try:
            compiled = self._core.compile_model(_read(self._core, model, weights), "CPU", _EXACTLY_AS_SAID)
            request = compiled.create_infer_request()
            for port in compiled.inputs:  # the reader drops inputs that decide nothing, such as empty axes
                (name,) = port.get_names() & feeds.keys()
                request.set_tensor(port, _tensor(feeds[name]))
            request.infer()
            return _array(request.get_output_tensor(0))
        except RuntimeError as error:
            if any(words in str(error) for words in _MISSING):
                raise NotSupported(str(error)) from error
            raise


def ir_of(case: Case) -> Ir:
    """The case as OpenVINO takes it: an axis left out is a constant 0 in its files."""
    if case.operator == "CumSum" and len(case.inputs) == 1:
        case = replace(case, inputs=(*case.inputs, np.array(0, np.int64)))
    return ir_model(case, 11, case.axes_positions)


def save(ir: Ir, path: Path) -> None:
    """Writes the model as OpenVINO saves it, the weights beside it; raises RuntimeError where it cannot."""
    import openvino

    model = _read(openvino.Core(), ir.xml, ir.weights)
    openvino.save_model(model, path, compress_to_fp16=False)


def _read(core: Any, model: bytes, weights: bytes) -> Any:
    import openvino

    held = np.frombuffer(weights, np.uint8)
    tensor = openvino.Tensor(held.copy()) if held.size else openvino.Tensor(openvino.Type.u8, openvino.Shape([0]))
    return core.read_model(model, tensor)


def _tensor(array: NDArray) -> Any:
    """A tensor on a copy; NumPy's bfloat16 is unknown there, so its bits are handed over."""
    import openvino

    is_bfloat16 = array.dtype == BFLOAT16
    tensor = openvino.Tensor(
        openvino.Type.bf16 if is_bfloat16 else openvino.Type(array.dtype), openvino.Shape(array.shape)
    )
    if array.size:
        tensor.data[...] = array.view(tensor.data.dtype) if is_bfloat16 else array
    return tensor


def _array(tensor: Any) -> NDArray:
    import openvino

    data = np.array(tensor.data)
    return data.view(BFLOAT16) if tensor.element_type == openvino.Type.bf16 else data
