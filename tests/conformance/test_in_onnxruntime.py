"""Every case of the suites in ONNX, in a session of ONNX Runtime, has the bits that samesum gives it."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samesum import SamesumError, load
from samesum.conformance.case import Case
from samesum.conformance.forms import Form, onnx_model, own_forms, question
from samesum.conformance.suites.catalogue import SUITES
from samesum.formats.arrays import NDArray
from samesum.frontends.plugins.custom_rows import OPERATORS
from samesum.onnx import exact_session

onnxruntime = pytest.importorskip("onnxruntime")

BFLOAT16, BFLOAT16_NUMBER = np.dtype(ml_dtypes.bfloat16), 16


def options() -> Any:
    made = onnxruntime.SessionOptions()
    made.log_severity_level = 4
    made.intra_op_num_threads = 1
    return made


def ort_value(array: NDArray) -> Any:
    if array.dtype != BFLOAT16:
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    codes = np.array(array).view(np.uint16)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(codes, BFLOAT16_NUMBER)


def array_of(value: Any) -> NDArray:
    """ONNX Runtime makes no NumPy array of bfloat16."""
    if value.element_type() != BFLOAT16_NUMBER:
        return np.asarray(value.numpy())
    shape = tuple(value.shape())
    data = ctypes.string_at(value.data_ptr(), 2 * int(np.prod(shape))) if 0 not in shape else b""
    return np.frombuffer(data, np.uint16).view(BFLOAT16).reshape(shape)


def own_answer(case: Case, form: Form) -> NDArray | SamesumError:
    asked = question(case, form)
    try:
        return load(asked.model.content).run(asked.feeds)[asked.wanted]
    except SamesumError as error:
        return error


def session_answer(case: Case, form: Form) -> NDArray | Exception:
    asked = question(case, form)
    try:
        session = exact_session(asked.model.content, options(), providers=["CPUExecutionProvider"])
        feeds = {name: ort_value(x) for name, x in asked.feeds.items()}
        return array_of(session.run_with_ort_values([asked.wanted], feeds)[0])
    except Exception as error:
        return error


def is_known(case: Case) -> bool:
    """Whether this release of ONNX Runtime reads models of the case's opset."""
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)], ir_version=8)
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options(), providers=["CPUExecutionProvider"])
    except Exception:
        return False
    return True


def has_other_operators(case: Case) -> bool:
    """Whether the answer is not samesum's alone: the other operators are the runtime's own."""
    return bool({node.op_type for node in onnx_model(case)[0].graph.node} - {each.name for each in OPERATORS})


@pytest.mark.parametrize("suite", [name for name, suite in SUITES.items() if "onnx" in suite.standards])
def test_a_session_gives_the_bits_of_samesum(suite: str) -> None:
    known: dict[int, bool] = {}
    wrong = []
    for case in SUITES[suite].cases():
        if case.standard != "onnx" or has_other_operators(case):
            continue
        if case.opset not in known:
            known[case.opset] = is_known(case)
        for form in own_forms(case):
            if not known[case.opset]:
                continue
            wanted, found = own_answer(case, form), session_answer(case, form)
            if isinstance(wanted, Exception) or isinstance(found, Exception):
                same = isinstance(wanted, Exception) and isinstance(found, Exception)
            else:
                same = (wanted.dtype, wanted.shape) == (found.dtype, found.shape)
                same = same and wanted.tobytes() == found.tobytes()
            if not same:
                wrong.append((case.name, form, wanted, found))
    assert wrong == []
    assert any(known.values())
