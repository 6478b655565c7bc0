"""Sessions of ONNX Runtime with samesum's operators: what is refused, when and how."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from building import onnx_bytes
from samesum import ArgumentError, ArgumentTypeError, ModelError, UnsupportedOperator
from samesum.onnx import custom_ops_library, exact_session
from sessions import HUGE, NODE, F, one_node, quiet

onnxruntime = pytest.importorskip("onnxruntime")

I64 = TensorProto.INT64


@pytest.mark.parametrize(
    ("operators", "error", "says"),
    [
        (
            ["Sofmax"],
            UnsupportedOperator,
            "operators names 'Sofmax', which samesum does not take over; allowed are ReduceSum",
        ),
        (["Det"], UnsupportedOperator, "operators names 'Det', which samesum does not take over"),
        ("Softmax", ArgumentError, "operators is the text 'Softmax'; a sequence of names is needed"),
        (3, ArgumentTypeError, "operators is 3; a sequence of names is needed"),
        ([["Softmax"]], ArgumentTypeError, r"operators is \[\['Softmax'\]\]; a sequence of names is needed"),
        ([], ArgumentError, "operators names none"),
    ],
)
def test_wrong_choices_are_refused(operators: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        exact_session(one_node("ReduceSum"), operators=operators)


def test_unknown_names_in_the_configuration_are_refused() -> None:
    options = quiet()
    options.add_session_config_entry("samesum.operators", "ReduceSum;Det")
    with pytest.raises(Exception, match=r"samesum.operators names 'Det', which samesum does not have"):
        options.register_custom_ops_library(custom_ops_library())
    options = quiet()
    options.add_session_config_entry("samesum.opset", "new")
    with pytest.raises(Exception, match=r"samesum.opset is 'new'; allowed is the opset of the model"):
        options.register_custom_ops_library(custom_ops_library())


def test_a_second_registration_is_harmless_or_refused() -> None:
    options = quiet()
    for _ in range(2):
        session = exact_session(one_node("ReduceL2", 13, axes=[1]), options)
        assert session.run(None, {"x": HUGE})[0][0, 0] == np.float32(5e30)
    options.register_custom_ops_library(custom_ops_library())
    says = "hold samesum's operators for opset 13, operators all; this model needs opset 17, operators all"
    with pytest.raises(ArgumentError, match=says):
        exact_session(one_node("ReduceL2", 17, axes=[1]), options)
    options.add_session_config_entry("samesum.opset", "17")
    with pytest.raises(Exception, match="opset 13, operators all; now it is asked for opset 17"):
        options.register_custom_ops_library(custom_ops_library())


@pytest.mark.parametrize(
    ("axes", "says"),
    [
        ([2], r"onnx.ReduceL2-18: axis 2 is out of range for rank 2; allowed are -2 to 1"),
        ([1, -1], r"onnx.ReduceL2-18: axes \(1, -1\) name axis 1 of rank 2 twice; each may be named once"),
    ],
)
def test_wrong_axes_are_refused_when_the_node_runs(axes: list[int], says: str) -> None:
    model = onnx_bytes(
        [NODE("ReduceL2", ["x", "axes"], ["y"])], {"x": (F, [2, 2]), "axes": (I64, [None])}, {"y": (F, None)}
    )
    with pytest.raises(Exception, match=says):
        exact_session(model, quiet()).run(None, {"x": HUGE, "axes": np.int64(axes)})


def test_attributes_are_checked_when_the_session_is_made() -> None:
    with pytest.raises(Exception, match=r"onnx.ReduceSum-13: keepdims is 2; allowed is 0 or 1"):
        exact_session(one_node("ReduceSum", keepdims=2), quiet())
    with pytest.raises(Exception, match=r"onnx.ReduceSum-13: there is no attribute 'axes' in this version"):
        exact_session(one_node("ReduceSum", axes=[1]), quiet())


def test_an_empty_set_has_the_value_of_the_standard_or_none() -> None:
    x = np.zeros((2, 0), np.float32)
    assert exact_session(one_node("ReduceMax", 13, axes=[1])).run(None, {"x": x})[0].tolist() == [[-np.inf], [-np.inf]]
    argmax = onnx_bytes([NODE("ArgMax", ["x"], ["y"], axis=1)], {"x": (F, [2, None])}, {"y": (I64, None)})
    with pytest.raises(Exception, match=r"no position of a maximum of an empty set: the shape is \(2, 0\)"):
        exact_session(argmax, quiet()).run(None, {"x": x})


def test_types_that_the_version_lacks_are_refused() -> None:
    for operator, opset, kind in [("ReduceMax", 18, TensorProto.BOOL), ("ReduceSum", 18, TensorProto.INT8)]:
        with pytest.raises(Exception, match=operator):
            exact_session(one_node(operator, opset, kind), quiet())


def test_what_is_no_onnx_file_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.onnx"
    empty.touch()
    with pytest.raises(ModelError, match="is empty"):
        exact_session(empty)
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(ModelError, match="is not a regular file"):
        exact_session(tmp_path / "pipe.onnx")
    with pytest.raises(FileNotFoundError, match=r"missing\.onnx"):
        exact_session(tmp_path / "missing.onnx")
    with pytest.raises(ArgumentTypeError, match="a model is a path or bytes; got NoneType"):
        exact_session(None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=r"sess_options is an onnxruntime\.SessionOptions or None; got int"):
        exact_session(one_node("ReduceSum"), 5)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="the bytes given is no ONNX model"):
        exact_session(b"\xff\xff\xff\xff")
    with pytest.raises(ModelError, match="in ONNX Runtime's own format"):
        exact_session(b"\x00\x00\x00\x00ORTM")
    with pytest.raises(UnsupportedOperator, match="the model has opset 99"):
        exact_session(one_node("ReduceSum", 99))


class Base(ctypes.Structure):
    """OrtApiBase."""

    get_api_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)
    version_type = ctypes.CFUNCTYPE(ctypes.c_void_p)
    _fields_ = (("get_api", get_api_type), ("version", version_type))


def test_a_runtime_that_is_too_old_is_refused_with_what_is_needed() -> None:
    said = []
    create_status = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)(
        lambda _, message: said.append(message.decode()) or 1
    )
    table = (ctypes.c_void_p * 300)(ctypes.cast(create_status, ctypes.c_void_p).value)
    text = ctypes.create_string_buffer(b"1.17.3")
    base = Base(
        Base.get_api_type(lambda version: ctypes.addressof(table) if version <= 17 else None),
        Base.version_type(lambda: ctypes.addressof(text)),
    )
    register = ctypes.CDLL(custom_ops_library()).RegisterCustomOps
    register.restype = ctypes.c_void_p
    assert register(None, ctypes.byref(base)) == 1
    assert said == ["samesum needs ONNX Runtime 1.20 or newer; this is 1.17.3"]
