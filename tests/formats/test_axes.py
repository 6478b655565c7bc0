"""One check of axes: what it takes, and that the core and every operator refuse in its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samesum as ss
from samesum.errors import AxisError, DtypeError
from samesum.formats.axes import all_from_front, axis_number, from_front

X = np.ones((2, 3), np.float32)


@pytest.mark.parametrize("axis", [0, -1, np.int8(1), np.array(1), np.uint64(3)], ids=repr)
def test_integers_of_every_kind_name_an_axis(axis: Any) -> None:
    assert axis_number(axis) == int(axis)
    assert type(axis_number(axis)) is int


@pytest.mark.parametrize("axis", [True, np.True_, 1.0, "1", None, [1], np.array([1, 2]), (1,)], ids=repr)
def test_what_is_no_integer_names_none(axis: Any) -> None:
    with pytest.raises(AxisError, match=r"^an axis has to be an integer; got "):
        axis_number(axis)


def test_axes_are_counted_from_the_front() -> None:
    assert [from_front(axis, 3) for axis in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    assert all_from_front(None, 3) == (0, 1, 2)
    assert all_from_front(-1, 3) == (2,)
    assert all_from_front([2, -3], 3) == (2, 0)
    assert all_from_front(np.array([1, 0]), 3) == (1, 0)
    assert all_from_front((), 3) == ()


WRONG: dict[str, tuple[Any, int, str]] = {
    "out of range": (2, 2, r"axis 2 is out of range for rank 2; allowed are -2 to 1"),
    "below": (-3, 2, r"axis -3 is out of range for rank 2; allowed are -2 to 1"),
    "far out of range": (10**30, 2, r"axis 10{30} is out of range for rank 2; allowed are -2 to 1"),
    "of a scalar": (0, 0, r"axis 0 is out of range for rank 0; it has none"),
    "no integer": ([1.5], 2, r"an axis has to be an integer; got 1\.5"),
    "a boolean": (True, 2, r"an axis has to be an integer; got True"),
    "in a list": ([0, 2], 2, r"axis 2 is out of range for rank 2; allowed are -2 to 1"),
    "twice": ((0, -2), 2, r"axes \(0, -2\) name axis 0 of rank 2 twice; each may be named once"),
    "a text": ("01", 2, r"axes have to be None, an integer or a sequence of integers; got '01'"),
    "a set": ({0}, 2, r"axes have to be None, an integer or a sequence of integers; got \{0\}"),
    "a real number": (1.0, 2, r"axes have to be None, an integer or a sequence of integers; got 1\.0"),
}


@pytest.mark.parametrize(("axes", "rank", "message"), WRONG.values(), ids=list(WRONG))
def test_the_core_refuses_in_the_same_words(axes: Any, rank: int, message: str) -> None:
    with pytest.raises(AxisError) as by_python:
        all_from_front(axes, rank)
    with pytest.raises(AxisError, match=f"^{message}$") as by_core:
        ss.sum(np.ones((2,) * rank), axes)
    assert str(by_core.value) == str(by_python.value)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda axis: ss.cumulative_sum(X, axis), ""),
        (lambda axis: ss.argmax(X, axis), ""),
        (lambda axis: ss.reduce(X, ["sum", "argmin"], axis), ""),
        (lambda axis: ss.onnx.ReduceSum(X, [axis]), "onnx.ReduceSum-13: "),
        (lambda axis: ss.onnx.ReduceSum(X, [axis], opset=11), "onnx.ReduceSum-11: "),
        (lambda axis: ss.onnx.CumSum(X, axis), "onnx.CumSum-14: "),
        (lambda axis: ss.onnx.ArgMin(X, axis=axis), "onnx.ArgMin-13: "),
        (lambda axis: ss.onnx.Softmax(X, axis=axis), "onnx.Softmax-13: "),
        (lambda axis: ss.onnx.Hardmax(X, axis=axis), "onnx.Hardmax-13: "),
        (lambda axis: ss.onnx.Softmax(X, axis=axis, opset=11), "onnx.Softmax-11: "),
        (lambda axis: ss.openvino.ReduceMax(X, axis), "openvino.ReduceMax-1: "),
        (lambda axis: ss.openvino.CumSum(X, axis), "openvino.CumSum-3: "),
        (lambda axis: ss.openvino.SoftMax(X, axis=axis), "openvino.SoftMax-8: "),
    ],
)
def test_every_function_refuses_in_the_same_words(call: Callable[[Any], Any], name: str) -> None:
    with pytest.raises(AxisError) as caught:
        call(5)
    assert str(caught.value) == f"{name}axis 5 is out of range for rank 2; allowed are -2 to 1"
    for wrong in (1.5, "a", False):
        with pytest.raises(
            (AxisError, DtypeError), match=r"an axis has to be an integer; got |ax[ie]s is \w+; allowed are"
        ):
            call(wrong)
