"""An error names the node at which it occurred, and nothing is computed a second time to find that out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import onnx_bytes
from samesum.errors import DtypeError, SamesumError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.graph.steps import Step

F = TensorProto.FLOAT
NODE = helper.make_node
X = np.arange(6000, dtype=np.float32).reshape(60, 100)


def layer() -> Model:
    """A transposition, then a chain of two operators that a reduction follows, then a last operator."""
    nodes = [
        NODE("Transpose", ["x"], ["t"], name="turn"),
        NODE("Exp", ["t"], ["a"], name="first"),
        NODE("Neg", ["a"], ["b"], name="second"),
        NODE("ReduceMax", ["b"], ["m"], axes=[0], name="top"),
        NODE("Transpose", ["m"], ["y"], name="last"),
    ]
    return load(onnx_bytes(nodes, {"x": (F, [None, None])}, {"y": (F, None)}, opset=13))


def watched(model: Model, failing: str, error: Callable[[], Exception]) -> tuple[Model, Counter[str]]:
    """The model whose node `failing` raises, and how often each node was called."""
    calls: Counter[str] = Counter()

    def wrapped(step: Step) -> Step:
        def call(inputs: list[NDArray | None]) -> NDArray:
            calls[step.node.name] += 1
            if step.node.name == failing:
                raise error()
            return step.call(inputs)

        return replace(step, call=call)

    program = model._program
    return Model(replace(program, steps=tuple(map(wrapped, program.steps)))), calls


ERRORS: dict[str, tuple[Callable[[], Exception], type[Exception], str]] = {
    "of samesum": (lambda: ShapeError("it is odd"), ShapeError, "it is odd"),
    "of memory": (lambda: MemoryError("std::bad_alloc"), MemoryError, "not enough memory"),
    "of NumPy's memory": (lambda: MemoryError("Unable"), MemoryError, "not enough memory: Unable"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_the_node_that_fails_is_named_and_nothing_runs_again(kind: str) -> None:
    make, error, text = ERRORS[kind]
    model, calls = watched(layer(), "second", make)
    with pytest.raises(error) as caught:
        model.run(X)
    assert type(caught.value) is error
    assert str(caught.value) == f"model: node 'second': {text}"
    assert calls == {"turn": 1, "first": 1, "second": 1}


def test_what_a_reduction_refuses_is_computed_once_and_named() -> None:
    nodes = [NODE("Neg", ["x"], ["a"], name="back"), NODE("ReduceMax", ["a"], ["y"], axes=[2], name="top")]
    model = load(onnx_bytes(nodes, {"x": (F, [None, None])}, {"y": (F, None)}, opset=13))
    counted, calls = watched(model, "", SamesumError)
    with pytest.raises(SamesumError, match=r"^model: node 'top': onnx\.ReduceMax-13: axis 2 is out of range"):
        counted.run(X)
    assert calls["back"] == 1


def test_the_operator_is_named_once_in_a_chain() -> None:
    nodes = [NODE("Neg", ["x"], ["a"], name="back"), NODE("Add", ["a", "z"], ["y"], name="both")]
    model = load(onnx_bytes(nodes, {"x": (F, None), "z": (TensorProto.DOUBLE, None)}, {"y": (F, None)}, opset=13))
    x = np.ones((600, 600), np.float32)
    with pytest.raises(DtypeError) as caught:
        model.run([x, x.astype(np.float64)])
    assert str(caught.value) == (
        "model: node 'both': onnx.Add-13: it was given float32 and float64; its inputs must have one type"
    )
