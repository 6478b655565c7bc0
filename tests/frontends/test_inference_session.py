"""`samesum.onnx.InferenceSession` answers the same calls as ONNX Runtime's, where that is installed beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from building import onnx_bytes
from naming import looped
from samesum import ArgumentTypeError, AttributeValueError, DtypeError, ModelError, ShapeError, UnsupportedOperator
from samesum.frontends.plugins.session import NodeArg
from samesum.onnx import InferenceSession

F, NODE = TensorProto.FLOAT, helper.make_node
EXAMPLE = Path(__file__).parents[2] / "examples" / "onnx" / "opset13" / "reduce_sum_axes_1.onnx"
X = np.float32([[1, 2, 4], [8, 16, 32]])
ENDS = {"x": (F, [2, 3]), "w": (F, [3])}, {"low": (F, [2, 1]), "high": (F, [2, 1])}
MODEL = onnx_bytes(
    [
        NODE("Add", ["x", "w"], ["sum"]),
        NODE("ReduceMin", ["sum"], ["low"], axes=[1]),
        NODE("ReduceMax", ["sum"], ["high"], axes=[1]),
    ],
    *ENDS,
    opset=13,
)
FEEDS = {"x": X, "w": np.float32([1, 0, -1])}

Session = Callable[..., Any]


@pytest.fixture(params=["samesum", "onnxruntime"])
def session(request: pytest.FixtureRequest) -> Session:
    """The class itself and the one that it stands in for."""
    if request.param == "samesum":
        return InferenceSession
    found: Session = pytest.importorskip("onnxruntime").InferenceSession
    return found


@pytest.mark.parametrize("names", [None, [], ["high"], ["high", "low"], ("low", "low")])
def test_outputs_come_in_the_order_in_which_they_are_named(session: Session, names: Any) -> None:
    made = session(MODEL, providers=["CPUExecutionProvider"])
    outputs = made.run(names, FEEDS)
    values = {"low": [[2], [9]], "high": [[3], [31]]}
    assert isinstance(outputs, list)
    assert [y.tolist() for y in outputs] == [values[name] for name in names or values]
    assert {(type(y), y.dtype) for y in outputs} == {(np.ndarray, np.dtype(np.float32))}


def test_what_goes_in_and_out_is_described(session: Session) -> None:
    made = session(MODEL, None, ["CPUExecutionProvider"])
    assert [(each.name, each.type, each.shape) for each in made.get_inputs()] == [
        ("x", "tensor(float)", [2, 3]),
        ("w", "tensor(float)", [3]),
    ]
    assert [(each.name, each.type, each.shape) for each in made.get_outputs()] == [
        ("low", "tensor(float)", [2, 1]),
        ("high", "tensor(float)", [2, 1]),
    ]
    assert str(made.get_inputs()[0]) == "NodeArg(name='x', type='tensor(float)', shape=[2, 3])"
    assert made.get_providers() == ["CPUExecutionProvider"]


@pytest.mark.parametrize("form", [str, Path, lambda path: path.read_bytes()])
def test_a_model_is_a_path_or_bytes(session: Session, form: Callable[[Path], Any]) -> None:
    made = session(form(EXAMPLE), providers=["CPUExecutionProvider"])
    x = np.ones((6, 12, 10, 24), np.float32)
    assert made.run(["reduced"], {made.get_inputs()[0].name: x})[0][0, 0, 0] == 12


def test_an_input_with_a_default_is_not_listed_and_need_not_be_given(session: Session) -> None:
    data = onnx_bytes([NODE("Add", ["x", "w"], ["low"])], ENDS[0], {"low": (F, [2, 3])}, {"w": np.float32([1, 2, 3])})
    made = session(data, providers=["CPUExecutionProvider"])
    assert [each.name for each in made.get_inputs()] == ["x"]
    assert made.run(None, {"x": X})[0].tolist() == (X + [1, 2, 3]).tolist()
    assert made.run(None, {"x": X, "w": np.zeros(3, np.float32)})[0].tolist() == X.tolist()


REFUSED = {
    "an unknown output": (["z"], FEEDS, AttributeValueError, "unknown output 'z'; the model has low, high"),
    "a missing input": (None, {"x": X}, AttributeValueError, "missing input 'w'; the model has 2 inputs"),
    "an unknown input": (None, FEEDS | {"q": X}, AttributeValueError, "unknown input 'q'"),
    "another type": (None, FEEDS | {"x": X.astype(np.float64)}, DtypeError, "'x' is float64; the model takes float32"),
    "another shape": (None, FEEDS | {"x": X.T}, ShapeError, r"'x' has shape \[3, 2\]; the model takes \[2, 3\]"),
    "no mapping": (None, [X], ArgumentTypeError, "input_feed is a list; a mapping"),
    "names as one text": ("low", FEEDS, ArgumentTypeError, "output_names is the text 'low'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(session: Session, name: str) -> None:
    names, feeds, error, message = REFUSED[name]
    made = session(MODEL, providers=["CPUExecutionProvider"])
    ours = session is InferenceSession
    with pytest.raises(error if ours else Exception, match=message if ours else None):
        made.run(names, feeds)


@pytest.mark.parametrize(
    ("source", "error"),
    [(3, ArgumentTypeError), (None, ArgumentTypeError), (b"no model", ModelError), ("gone.onnx", FileNotFoundError)],
)
def test_what_is_no_model_is_refused(session: Session, source: Any, error: type[Exception]) -> None:
    with pytest.raises(error if session is InferenceSession else Exception):
        session(source, providers=["CPUExecutionProvider"])


def test_another_provider_is_warned_of() -> None:
    for providers in (["CUDAExecutionProvider", "CPUExecutionProvider"], [("CUDAExecutionProvider", {})]):
        with pytest.warns(UserWarning, match=r"^CUDAExecutionProvider was asked for; samesum runs on the CPU alone"):
            InferenceSession(MODEL, providers=providers)


PYTHON_NUMBERS = {
    "float": (TensorProto.FLOAT, [[1, 2.5], [True, -4]], np.float32([[1, 2.5], [1, -4]])),
    "float16": (TensorProto.FLOAT16, [0.1, 70000.0], np.array([0.1, np.inf], np.float16)),
    "bfloat16": (TensorProto.BFLOAT16, [1.0, 1.00390626], np.array([1, 1.0078125], ml_dtypes.bfloat16)),
    "integers": (TensorProto.INT64, [[-1], [2**40]], np.int64([[-1], [2**40]])),
    "truncated": (TensorProto.UINT8, [1.5, 255], np.uint8([1, 255])),
    "booleans": (TensorProto.BOOL, [2, 0, True], np.array([True, False, True])),
    "an empty list": (TensorProto.DOUBLE, [], np.array([], np.float64)),
    "a list of NumPy's numbers": (TensorProto.FLOAT, [np.float64(0.5), np.int8(3)], np.float32([0.5, 3])),
}


@looped("name", PYTHON_NUMBERS)
def test_lists_become_arrays_of_the_input_s_type(session: Session, name: str) -> None:
    kind, given, expected = PYTHON_NUMBERS[name]
    if session is not InferenceSession and name == "bfloat16":
        pytest.skip("ONNX Runtime takes no list for bfloat16")
    data = onnx_bytes([NODE("Identity", ["x"], ["y"])], {"x": (kind, None)}, {"y": (kind, None)}, ir_version=8)
    with np.errstate(over="ignore"):
        (found,) = session(data, providers=["CPUExecutionProvider"]).run(None, {"x": given})
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(("kind", "given"), [("UINT8", [300]), ("UINT8", [-1]), ("INT64", [float("nan")])])
def test_numbers_that_the_type_cannot_hold_are_refused(session: Session, kind: str, given: Any) -> None:
    number = getattr(TensorProto, kind)
    data = onnx_bytes([NODE("Identity", ["x"], ["y"])], {"x": (number, None)}, {"y": (number, None)})
    ours = session is InferenceSession
    message = f"input 'x' holds what {kind.lower()} cannot" if ours else None
    with pytest.raises(AttributeValueError if ours else Exception, match=message):
        session(data, providers=["CPUExecutionProvider"]).run(None, {"x": given})


def test_python_s_numbers_are_taken_and_texts_are_not() -> None:
    made = InferenceSession(onnx_bytes([NODE("Neg", ["x"], ["y"])], {"x": (F, [])}, {"y": (F, [])}))
    for given in (2, 2.0, True):
        (found,) = made.run(None, {"x": given})
        np.testing.assert_array_equal(found, np.float32(-1 if given is True else -2), strict=True)
    for given in (["1.5"], "1.5", [None]):
        with pytest.raises((DtypeError, ShapeError)):
            made.run(None, {"x": given})
    for given in (np.float64(2), np.int64(2), np.array(2.0)):
        with pytest.raises(DtypeError, match=r"input 'x' is .*; the model takes float32"):
            made.run(None, {"x": given})


TYPES = (
    *("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "BOOL"),
    *(f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)),
    *("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"),
)


@looped("name", TYPES)
def test_types_are_spelt_as_onnx_runtime_spells_them(session: Session, name: str) -> None:
    kind = getattr(TensorProto, name)
    data = onnx_bytes([NODE("Identity", ["x"], ["y"])], {"x": (kind, [])}, {"y": (kind, [])}, opset=20, ir_version=9)
    made = session(data, providers=["CPUExecutionProvider"])
    (x,), (y,) = made.get_inputs(), made.get_outputs()
    assert (x.type, y.type) == (f"tensor({name.lower()})",) * 2
    assert x.shape == y.shape == []


def test_open_dims_are_none_and_so_is_an_unknown_rank() -> None:
    data = onnx_bytes([NODE("Identity", ["x"], ["y"])], {"x": (F, ["n", None, 3])}, {"y": (F, None)})
    made = InferenceSession(data)
    assert made.get_inputs()[0].shape == [None, None, 3]
    data = onnx_bytes([NODE("Identity", ["x"], ["y"])], {"x": (F, None)}, {"y": (F, None)})
    assert InferenceSession(data).get_inputs()[0].shape is None


def test_an_unknown_type_says_so() -> None:
    ends = [[helper.make_empty_tensor_value_info(name)] for name in ("x", "y")]
    graph = helper.make_graph([NODE("Identity", ["x"], ["y"])], "g", *ends)
    made = InferenceSession(helper.make_model(graph).SerializeToString())
    assert {each.type for each in (*made.get_inputs(), *made.get_outputs())} == {"tensor(undefined)"}


def test_what_onnx_runtime_has_no_kernel_for_runs_here() -> None:
    kind = TensorProto.BFLOAT16
    data = onnx_bytes([NODE("ReduceProd", ["x"], ["y"], keepdims=0)], {"x": (kind, [2])}, {"y": (kind, [])})
    (y,) = InferenceSession(data).run(None, {"x": np.array([3, 7], ml_dtypes.bfloat16)})
    assert (y.dtype, y.item()) == (ml_dtypes.bfloat16, 21)


HALF_TURNS = np.float32(np.sqrt(2) * np.float64(np.float32(np.pi / 2)))
"""The norm of two right angles, which are arc tangents of large numbers."""


def test_a_model_with_other_operators_runs_in_onnx_runtime_which_is_said() -> None:
    pytest.importorskip("onnxruntime")
    nodes = [NODE("Atan", ["x"], ["e"]), NODE("ReduceL2", ["e"], ["y"]), NODE("ReduceL2", ["x"], ["z"])]
    data = onnx_bytes(nodes, {"x": (F, [1, 2])}, {"y": (F, [1, 1]), "z": (F, [1, 1])}, opset=17)
    with pytest.warns(UserWarning, match="Atan of this model run in ONNX Runtime; samesum computes the reductions"):
        session = InferenceSession(memoryview(data), providers=["CPUExecutionProvider"])
    y, z = session.run(None, {"x": np.float32([[3e30, 4e30]])})
    assert (y[0, 0], z[0, 0]) == (HALF_TURNS, np.float32(5e30))
    y, z = session.run(None, {"x": np.array([[3e30, 4e30]], ">f4")})
    assert (y[0, 0], z[0, 0]) == (HALF_TURNS, np.float32(5e30))
    assert session.get_inputs() == [NodeArg("x", "tensor(float)", [1, 2])]
    assert [output.name for output in session.get_outputs()] == ["y", "z"]
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_every_node_that_is_not_supported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    data = onnx_bytes([NODE("Atan", ["x"], ["e"]), NODE("Tan", ["e"], ["y"])], {"x": (F, [1])}, {"y": (F, [1])})
    with pytest.raises(UnsupportedOperator, match=r"2 operators .*Atan \(ai.onnx 18, node '#0'\), Tan "):
        InferenceSession(data)
