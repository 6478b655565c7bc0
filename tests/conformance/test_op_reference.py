"""OpenVINO's own reference cases: by call, through IR 10 and 11 written by hand, through IR that OpenVINO saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from literals import assert_near
from op_reference import INSTANCES, Instance
from running import Question, by_call, by_ir, require_row
from twister import twister

from samesum.frontends.load import load

NDArray = np.ndarray[Any, np.dtype[Any]]

each_instance = pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)


def _ir_10(question: Question) -> NDArray:
    return by_ir(question, "10", constants=(1,), words=("0", "1"))


def _ir_11(question: Question) -> NDArray:
    return by_ir(question, "11", constants=(1,))


def _check(instance: Instance, run: Callable[[Question], NDArray]) -> None:
    require_row("openvino", instance.row["op"])
    question = instance.question
    got = run(question)
    assert question.inputs[0] is not None
    assert got.dtype == question.inputs[0].dtype
    assert_near(got, instance.literal, instance.allowed, instance.name)


@pytest.mark.parametrize("run", [by_call, _ir_10, _ir_11], ids=["call", "ir10", "ir11"])
@each_instance
def test_op_reference(instance: Instance, run: Callable[[Question], NDArray]) -> None:
    _check(instance, run)


@each_instance
def test_op_reference_in_ir_saved_by_openvino(instance: Instance, folder: Path) -> None:
    _check(instance, lambda question: _saved(question, folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where OpenVINO saves every model anew."""
    return tmp_path_factory.mktemp("saved")


def _saved(question: Question, folder: Path) -> NDArray:
    ov = pytest.importorskip("openvino")
    from openvino import opset13 as ops

    functions = {
        "ReduceSum": ops.reduce_sum, "ReduceMean": ops.reduce_mean, "ReduceProd": ops.reduce_prod,
        "ReduceMax": ops.reduce_max, "ReduceMin": ops.reduce_min, "ReduceL1": ops.reduce_l1,
        "ReduceL2": ops.reduce_l2, "CumSum": ops.cumsum,
    }  # fmt: skip
    data, *where = question.inputs
    assert data is not None
    parameter = ops.parameter(data.shape, _openvino_type(data.dtype))
    axes = ops.constant(where[0] if where else np.array(0, np.int64))
    node = functions[question.operator](parameter, axes, **question.attributes)
    path = folder / "model.xml"
    ov.serialize(ov.Model([ops.result(node)], [parameter], "saved"), path, path.with_suffix(".bin"))
    (result,) = load(path).run(data).values()
    return result


def _openvino_type(dtype: np.dtype[Any]) -> Any:
    from openvino import Type

    return Type.bf16 if dtype.name == "bfloat16" else Type(dtype)


def test_the_twister_is_that_of_the_cpp_standard() -> None:
    """The standard gives the 10000th number of a default-constructed engine."""
    assert int(twister(5489, 10000)[-1]) == 9981545732273789042
