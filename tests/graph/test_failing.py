"""An error names the node at which it occurred, and nothing is computed a second time to find that out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import onnx_bytes
from samesum.errors import DtypeError, SamesumError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.graph import passes
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


def watched(model: Model, failing: str, error: Callable[[], Exception], after: int) -> tuple[Model, Counter[str]]:
    """The model whose node `failing` raises after so many calls, and how often each node was called."""
    calls: Counter[str] = Counter()

    def wrapped(step: Step) -> Step:
        def call(inputs: list[NDArray | None]) -> NDArray:
            calls[step.node.name] += 1
            if step.node.name == failing and calls[failing] > after:
                raise error()
            return step.call(inputs)

        return replace(step, call=call)

    program = model._program
    stages = tuple(replace(stage, steps=tuple(map(wrapped, stage.steps))) for stage in program.stages)
    return Model(replace(program, stages=stages)), calls


ERRORS: dict[str, tuple[Callable[[], Exception], type[Exception], str]] = {
    "of samesum": (lambda: ShapeError("it is odd"), ShapeError, "it is odd"),
    "of memory": (lambda: MemoryError("std::bad_alloc"), MemoryError, "not enough memory"),
    "of NumPy's memory": (lambda: MemoryError("Unable"), MemoryError, "not enough memory: Unable"),
}


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize(
    ("block", "after", "expected"),
    [
        (1 << 20, 0, {"turn": 1, "first": 1, "second": 1}),
        (800, 0, {"turn": 1, "first": 1, "second": 1, "top": 1}),
        (800, 7, {"turn": 1, "first": 8, "second": 8, "top": 1}),
    ],
    ids=["one by one", "first block", "a later block"],
)
def test_the_node_that_fails_is_named_and_nothing_runs_again(
    kind: str, block: int, after: int, expected: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "BLOCK_BYTES", block)
    make, error, text = ERRORS[kind]
    model, calls = watched(layer(), "second", make, after)
    with pytest.raises(error) as caught:
        model.run(X)
    assert type(caught.value) is error
    assert str(caught.value) == f"model: node 'second': {text}"
    assert calls == expected  # "top" is tried on one element before the first block


def test_lack_of_memory_in_the_reductions_of_a_stage_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise MemoryError("std::bad_alloc")

    nodes = [NODE("Neg", ["x"], ["a"], name="back")]
    nodes += [NODE(kind, ["a"], [kind], axes=[0], name=kind) for kind in ("ReduceMax", "ReduceMin")]
    model = load(
        onnx_bytes(nodes, {"x": (F, [None, None])}, {"ReduceMax": (F, None), "ReduceMin": (F, None)}, opset=13)
    )
    monkeypatch.setattr(passes, "BLOCK_BYTES", 800)
    monkeypatch.setattr(passes, "reduce_pieces", exhausted)
    with pytest.raises(MemoryError, match=r"^model: nodes 'ReduceMax', 'ReduceMin': not enough memory$"):
        model.run(X)


def test_what_a_reduction_refuses_is_computed_once_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [NODE("Neg", ["x"], ["a"], name="back"), NODE("ReduceMax", ["a"], ["y"], axes=[2], name="top")]
    model = load(onnx_bytes(nodes, {"x": (F, [None, None])}, {"y": (F, None)}, opset=13))
    monkeypatch.setattr(passes, "BLOCK_BYTES", 800)
    counted, calls = watched(model, "", SamesumError, 0)
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
