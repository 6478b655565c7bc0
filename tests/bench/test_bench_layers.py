"""Layers of networks as rows: their cells, what they are fed, and the scale of their errors."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samesum.formats.arrays import NDArray
from samesum_bench.accuracy import Reference
from samesum_bench.cells import Cell, Question
from samesum_bench.choice import ChoiceError, Wish, chosen_questions
from samesum_bench.competitors.own import layer_call
from samesum_bench.grid import questions
from samesum_bench.operators import EPSILON, LAYERS, OPERATORS
from samesum_bench.results import as_document, failed, from_document
from samesum_bench.task import Task, task_of

NAMES = [name for name, row in OPERATORS.items() if row.kind in LAYERS]
GRID = questions("layers", list(OPERATORS), ["float32"], [1], "normal")
RANDOM = np.random.default_rng(3)


def _task(name: str, cell: Cell) -> Task:
    assert cell.suits(OPERATORS[name])
    return task_of(OPERATORS[name], RANDOM.standard_normal(cell.shape, np.float32), cell)


def test_the_grid_has_the_shapes_of_networks_and_tables() -> None:
    places = {(question.operator, question.cell.shape, question.cell.parts) for question in GRID}
    assert {name for name, _, _ in places} == {*NAMES}
    for shape in ((16, 197, 768), (8192, 1024), (64, 4096)):
        assert places >= {(name, shape, 0) for name in ("layer_norm", "rms_norm", "l2_normalization")}
    assert places >= {("group_norm", shape, 32) for shape in ((8, 64, 56, 56), (1, 320, 64, 64))}
    assert ("global_average_pool", (32, 64, 112, 112), 0) in places
    assert places >= {("scatter_sum", (2**20, 64), count) for count in (1, 1000)}
    assert ("segment_sum", (2**24,), 1000) in places
    windows = {question.cell.window for question in GRID if question.operator == "average_pool"}
    assert windows == {(2, 2, 0), (3, 1, 1), (3, 2, 1)}
    assert len({question.key for question in GRID}) == len(GRID)


def test_other_operators_have_no_rows_there_and_lines_are_measured_elsewhere_too() -> None:
    assert not questions("layers", ["sum", "softmax"], (), [1], "normal")
    quick = {question.operator for question in questions("quick", NAMES, (), [1], "normal")}
    assert quick == {"layer_norm", "rms_norm", "l2_normalization", "batch_norm", "global_average_pool"}


@pytest.mark.parametrize("question", GRID, ids=lambda question: question.text)
def test_a_result_that_is_made_for_a_competitor_has_samesum_s_shape(question: Question) -> None:
    cell = question.cell.scaled(1024)
    assert cell.parts == question.cell.parts
    task = _task(question.operator, cell)
    own, made = np.asarray(layer_call(task)()), task.new_result()
    assert (own.shape, own.dtype) == (made.shape, made.dtype)


def test_texts_name_windows_groups_and_labels() -> None:
    assert Cell("a", (2, 3, 8, 9), (2, 3), window=(3, 2, 1)).text == "2x3x8x9 axis 2,3 windows 3x3 stride 2 padding 1"
    assert Cell("a", (2, 4, 8, 9), (1, 2, 3), parts=2).text == "2x4x8x9 axis 1,2,3 2 groups"
    assert Cell("a", (10,), (0,), parts=1).text == "10 1 label"
    keys = {Question("sum", "float32", Cell("a", (10,), (0,), parts=n), 1, "normal").key for n in range(3)}
    assert len(keys) == 3


def test_a_row_with_windows_survives_a_file() -> None:
    row = failed(replace(GRID[0], cell=Cell("a", (2, 3, 8, 9), (2, 3), window=(3, 2, 1))), {})
    assert from_document(json.loads(json.dumps(as_document(row)))) == row
    document: dict[str, Any] = json.loads(json.dumps(as_document(row)))
    del document["question"]["cell"]["window"]
    assert from_document(document).question.cell.window == (), "files of older releases have none"


def _questions(operator: str, shape: tuple[int, ...], **wish: Any) -> list[Question]:
    return chosen_questions(Wish([1], "normal", [operator], shape=shape, **wish))


def test_one_array_takes_windows_and_parts() -> None:
    (found,) = _questions("layer_norm", (6, 5))
    assert (found.cell.axes, found.cell.parts, found.cell.window) == ((1,), 0, ())
    (found,) = _questions("group_norm", (2, 64, 5, 5))
    assert (found.cell.axes, found.cell.parts) == ((1, 2, 3), 32)
    (found,) = _questions("group_norm", (2, 6, 5), parts=3)
    assert (found.cell.axes, found.cell.parts) == ((1, 2), 3)
    for given, window in (((), (2, 2, 0)), ((3,), (3, 3, 0)), ((3, 1), (3, 1, 0)), ((3, 2, 1), (3, 2, 1))):
        (found,) = _questions("max_pool", (1, 2, 9, 9), window=given)
        assert (found.cell.axes, found.cell.window) == ((2, 3), window)
    (found,) = _questions("segment_sum", (50, 3))
    assert (found.cell.axes, found.cell.parts) == ((0,), 1000)


@pytest.mark.parametrize(
    ("operator", "shape", "wish", "said"),
    [
        ("max_pool", (9, 9), {}, "max_pool needs images, whose shape has four numbers; --shape has 2"),
        ("batch_norm", (9,), {}, "batch_norm needs channels, the second axis; --shape has 1"),
        ("group_norm", (2, 6, 5), {}, "group_norm needs equal groups; --shape has 6 channels for 32 groups"),
        ("layer_norm", (6, 5), {"axes": (0,)}, "layer_norm works along axis 1; --axis names 0"),
        ("cumulative_sum", (6, 5), {"axes": (0, 1)}, "cumulative_sum works along one axis; --axis names 0, 1"),
        (
            "max_pool",
            (1, 2, 9, 9),
            {"window": (3, 1, 3)},
            "--window is 3,1,3 for images of 9 x 9; allowed are a length",
        ),
        ("max_pool", (1, 2, 9, 9), {"window": (3, 0)}, "--window is 3,0 for images of 9 x 9"),
        ("max_pool", (1, 2, 9, 9), {"window": (10,)}, "--window is 10 for images of 9 x 9"),
        ("max_pool", (1, 2, 9, 9), {"window": (3, 1, 1, 1)}, "--window is 3,1,1,1 for images of 9 x 9"),
        ("max_pool", (), {"window": (3,)}, "say how the array of --shape is reduced; there is no --shape"),
        ("segment_sum", (), {"parts": 3}, "say how the array of --shape is reduced; there is no --shape"),
    ],
)
def test_what_does_not_go_together_is_refused(
    operator: str, shape: tuple[int, ...], wish: dict[str, Any], said: str
) -> None:
    with pytest.raises(ChoiceError, match=said):
        _questions(operator, shape, **wish)


def _scaled(task: Task, change: float) -> float | None:
    """The scaled error of an answer that is `change` too large in the first output."""
    own = np.asarray(layer_call(task)())
    wrong = own.copy()
    wrong.reshape(-1)[0] += np.float32(change)
    found = Reference(task, own).error_of(wrong)
    assert found is not None
    return found.scaled


def _ulps(change: float, magnitude: float) -> float:
    return change / float(np.spacing(np.float32(magnitude)))


def test_errors_of_normalizations_are_scaled_by_the_magnitudes_of_their_terms() -> None:
    def expected(x: NDArray, line: NDArray, task: Task, channel: int) -> float:
        weight, bias = (float(each[channel]) for each in task.terms[:2])
        deviation = float(np.sqrt(np.var(line.astype(np.float64)) + EPSILON))
        return (abs(float(x)) + abs(float(np.mean(line.astype(np.float64))))) / deviation * abs(weight) + abs(bias)

    lines = _task("layer_norm", Cell("a", (3, 50), (1,)))
    assert _scaled(lines, 0.5) == pytest.approx(_ulps(0.5, expected(lines.x[0, 0], lines.x[0], lines, 0)), rel=1e-5)
    groups = _task("group_norm", Cell("a", (2, 6, 5), (1, 2), parts=3))
    of_first = expected(groups.x[0, 0, 0], groups.x[0, :2], groups, 0)
    assert _scaled(groups, 0.5) == pytest.approx(_ulps(0.5, of_first), rel=1e-5)
    batch = _task("batch_norm", Cell("a", (2, 6, 5), (0, 2)))
    weight, bias, mean, variance = (float(each[0]) for each in batch.terms)
    given = (abs(float(batch.x[0, 0, 0])) + abs(mean)) / np.sqrt(variance + EPSILON) * abs(weight) + abs(bias)
    assert _scaled(batch, 0.5) == pytest.approx(_ulps(0.5, given), rel=1e-5)


def test_errors_of_pools_and_sums_by_label_are_scaled_by_the_magnitudes_of_the_data() -> None:
    pool = _task("average_pool", Cell("a", (1, 1, 4, 4), (2, 3), window=(2, 2, 0)))
    assert _scaled(pool, 0.5) == pytest.approx(_ulps(0.5, float(np.abs(pool.x[0, 0, :2, :2]).mean())), rel=1e-5)
    whole = _task("global_average_pool", Cell("a", (1, 1, 4, 4), (2, 3)))
    assert _scaled(whole, 0.5) == pytest.approx(_ulps(0.5, float(np.abs(whole.x).mean())), rel=1e-5)
    sums = _task("scatter_sum", Cell("a", (40, 2), (0,), parts=3))
    own = float(np.abs(sums.x[sums.labels == 0, 0]).sum())
    assert _scaled(sums, 0.5) == pytest.approx(_ulps(0.5, own), rel=1e-5)
    assert _scaled(_task("max_pool", pool_cell := Cell("a", (1, 1, 4, 4), (2, 3), window=(2, 2, 0))), 0.5) is None
    assert _scaled(_task("l2_pool", pool_cell), 0.5) is None
    assert _scaled(_task("rms_norm", Cell("a", (3, 50), (1,))), 0.5) is None
