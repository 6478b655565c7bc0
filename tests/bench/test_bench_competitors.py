"""Every competitor that is installed gives samesum's answers, nearly, in every way of every operator it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum
from naming import looped
from samesum_bench.accuracy import Reference
from samesum_bench.cells import Cell, Question
from samesum_bench.competitors.catalogue import COMPETITORS, installed, versions
from samesum_bench.competitors.own import Samesum
from samesum_bench.data import draw
from samesum_bench.grid import WINDOWS, array
from samesum_bench.operators import EXPONENT, OPERATORS
from samesum_bench.task import SMALL, Task, task_of

CELLS = (
    Cell("page", (6, 5, 4), (1,)),
    Cell("page", (6, 5, 4), (1, 2)),
    Cell("flat", (300,), (0,)),
    array((6, 5), (0,), "transposed"),
    array((6, 5), (1,), "strided"),
)
LAYER_CELLS = (
    Cell("lines", (6, 5, 40), (2,)),
    Cell("groups", (2, 8, 5, 3), (1, 2, 3), parts=4),
    Cell("batches", (2, 8, 5, 3), (0, 2, 3)),
    Cell("whole_images", (2, 3, 8, 9), (2, 3)),
    *(Cell("windows", (2, 3, 8, 9), (2, 3), window=window) for window in WINDOWS.values()),
    Cell("rows", (300, 4), (0,), parts=7),
    Cell("elements", (300,), (0,), parts=7),
)
TAKEN = [
    (operator, dtype)
    for dtype in ("float32", "float16", "bfloat16", "int32", "int8")
    for operator, row in OPERATORS.items()
    if row.takes(dtype)
]
"""The operators with the types for which samesum has them."""
LACKS = {
    "onnxruntime": {"EngineError", "RuntimeError"},
    "torch": {"RuntimeError"},
    "openvino": {"RuntimeError"},  # bfloat16 of GroupNormalization, where the processor computes in it
}


@pytest.fixture(params=COMPETITORS)
def competitor(request: pytest.FixtureRequest) -> Any:
    """A competitor with one thread; it is not installed everywhere."""
    name = request.param
    if name not in installed():
        pytest.skip(f"{name} is not installed")
    with np.errstate(all="ignore"):
        yield name, COMPETITORS[name].make(1)


@pytest.mark.filterwarnings("ignore:index_reduce")  # PyTorch calls it a beta
@looped("operator, dtype", TAKEN)
def test_a_competitor_s_answers_are_near(competitor: Any, operator: str, dtype: str, restored_threads: None) -> None:  # noqa: ARG001
    name, made = competitor
    cells = [cell for cell in (*CELLS, *LAYER_CELLS) if cell.suits(OPERATORS[operator])]
    # Of other types it counts that there is an answer, whatever the shape.
    for cell in cells if dtype == "float32" else cells[:1]:
        x = draw(Question(operator, dtype, cell, 1, "uniform"), 0)
        task = task_of(OPERATORS[operator], x, cell)
        way, *others = Samesum(1).ways(task)
        own = way.answer(way.call())
        try:
            answers = [np.array(each.answer(each.call())) for each in made.ways(task)]
        except Exception as error:
            if type(error).__name__ not in LACKS.get(name, ()):
                raise
            continue
        for other in others:
            narrow = other.answer(other.call())
            assert (narrow.dtype, narrow.tolist()) == (x.dtype, own.astype(x.dtype).tolist())
        for answer in answers:
            found = Reference(task, own).error_of(answer)
            assert found is not None, (cell, answer.dtype, answer.shape)
            assert found.worst is not None, cell
            if dtype == "float32":
                assert (found.worst if found.scaled is None else found.scaled) <= 40, (cell, found)


def test_scans_of_integers_are_asked_for_in_their_own_type_too() -> None:
    for dtype, ways in (("int8", 2), ("int32", 2), ("int64", 1), ("float32", 1)):
        task = Task(OPERATORS["cumulative_sum"], np.ones((3, 4), dtype), (1,))
        assert len(Samesum(1).ways(task)) == len(COMPETITORS["numpy"].make(1).ways(task)) == ways


def test_every_competitor_has_the_sum() -> None:
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    for name in installed():
        (way, *_) = COMPETITORS[name].make(1).ways(Task(OPERATORS["sum"], x, (0,)))
        assert np.asarray(way.answer(way.call())).tolist() == [12.0, 15.0, 18.0, 21.0], name
    assert "numpy" in installed()
    assert versions(["numpy"]) == {"samesum": samesum.__version__, "numpy": np.__version__}


@pytest.mark.parametrize("elements", [300, SMALL // 4 + 1])
def test_functions_of_each_element_are_correctly_rounded(elements: int) -> None:
    x = np.linspace(0.01, 3, elements, dtype=np.float32)
    exact = {"exp": np.exp, "log": np.log, "pow": lambda x: np.power(x, np.float64(np.float32(EXPONENT)))}
    for name, function in exact.items():
        (way,) = Samesum(1).ways(Task(OPERATORS[name], x, (0,)))
        assert np.array_equal(way.call(), function(x.astype(np.float64)).astype(np.float32)), name


def test_large_results_are_written_where_there_is_room() -> None:
    x = np.ones((SMALL // 4 + 1, 1), np.float32)
    (way,) = Samesum(1).ways(Task(OPERATORS["cumulative_sum"], x, (0,)))
    assert way.call() is way.call()
