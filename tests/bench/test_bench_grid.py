"""The grids hold every kind of shape; the data of a cell are as its row says."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from samesum.formats.arrays import NDArray
from samesum_bench.cells import DTYPES, Cell, Question
from samesum_bench.data import DATA, draw
from samesum_bench.grid import GRIDS, LAYOUTS, array, questions
from samesum_bench.operators import OPERATORS
from samesum_bench.running import needed

FULL = questions("full", list(OPERATORS), (), [2], "normal")


def test_every_operator_is_there_with_every_type_it_takes() -> None:
    pairs = {(question.operator, question.dtype) for question in FULL}
    assert pairs == {(name, dtype) for name, row in OPERATORS.items() for dtype in DTYPES if row.takes(dtype)}
    assert ("all", "bool") in pairs
    assert not {("sum", "bool"), ("softmax", "int32")} & pairs


def test_no_question_is_asked_twice_and_each_can_be_answered() -> None:
    assert len({question.key for question in FULL}) == len(FULL)
    for question in FULL:
        operator = OPERATORS[question.operator]
        assert len(question.cell.axes) == 1 or not operator.is_along_one_axis


def test_parts_are_chosen() -> None:
    chosen = questions("quick", ["sum", "softmax"], ["int8", "float64"], [1, 2], "uniform", 1024)
    assert {(q.operator, q.dtype) for q in chosen} == {("sum", "int8"), ("sum", "float64"), ("softmax", "float64")}
    assert [q.threads for q in chosen] == sorted(q.threads for q in chosen)
    assert {q.threads for q in chosen} == {1, 2}
    assert max(q.cell.size for q in chosen) <= (1 << 26) // 1024
    assert set(GRIDS) == {"quick", "full", "shapes", "odd", "views", "sizes", "rows", "layers"}


def test_functions_of_each_element_have_a_row_an_array() -> None:
    names = ("exp", "log", "pow")
    found = questions("quick", names, (), [1], "normal")
    assert {(q.operator, q.dtype) for q in found} == {
        (name, dtype) for name in names for dtype in ("float32", "float16")
    }
    assert {q.cell.name for q in found} == {"flat", "square_axis_0", "elements_32"}
    assert [OPERATORS[name].promise for name in names] == ["0.51", "0.51", "1"]
    assert not OPERATORS["exp"].takes("int32")


def test_scaling_keeps_small_arrays() -> None:
    assert Cell("a", (8192, 100), (0,)).scaled(8) == Cell("a", (1024, 100), (0,))
    assert Cell("a", (60, 60), (0,)).scaled(1000).shape == (60, 60)
    assert Cell("a", (5, 7), (0,)).scaled(1).shape == (5, 7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_view_is_the_layout(layout: str) -> None:
    question = Question("sum", "float32", array((3, 4, 5), (1,), layout), 1, "normal")
    x = draw(question, 0)
    assert x.shape == (3, 4, 5)
    expected = {"contiguous": (80, 20, 4), "transposed": (4, 12, 48), "strided": (160, 40, 8)}
    assert x.strides == expected[layout]
    assert np.array_equal(x, draw(question, 0))
    assert not np.array_equal(x, draw(question, 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_data_make_the_operators_work(dtype: str) -> None:
    for name, operator in OPERATORS.items():
        if not operator.takes(dtype):
            continue
        x = draw(Question(name, dtype, Cell("array", (300, 7), (0,)), 1, "normal"), 0)
        assert (x.shape, x.dtype) == ((300, 7), DTYPES[dtype])
        if name == "all":
            assert (x != 0).all()
        elif name == "any":
            assert not x.any()
        elif name == "log_sum":
            assert (x >= 0).all()
        elif name in ("prod", "cumulative_prod") and "float" in dtype:
            last = np.abs(ss.prod(x, axis=0).astype(np.float64))
            assert ((last > 2.0**-14) & (last < 2.0**15)).all(), last.tolist()


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_difficult_data_are_difficult(axes: tuple[int, ...]) -> None:
    def lines(data: str, dtype: str = "float32") -> list[list[Fraction]]:
        x = draw(Question("sum", dtype, Cell("array", (40, 30), axes), 1, data), 0)
        kept = [axis for axis in (0, 1) if axis not in axes]
        rows = x.transpose([*kept, *axes]).reshape(-1, 1200 // (30 if axes == (0,) else 40 if axes == (1,) else 1))
        return [[Fraction(float(value)) for value in row] for row in rows]

    assert {len(line) for line in lines("ties")} == {{(0,): 40, (1,): 30, (0, 1): 1200}[axes]}
    for dtype, half in (("float32", 24), ("float64", 53), ("float16", 11), ("bfloat16", 8)):
        assert {sum(line) for line in lines("ties", dtype)} == {1 + Fraction(1, 2**half)}, dtype
    for line in lines("cancelling"):
        assert abs(sum(line)) * 2**30 < sum(map(abs, line))
    wide = [abs(value) for line in lines("wide") for value in line if value]
    assert max(wide) > 2**20 * min(wide)


def test_data_with_special_values() -> None:
    def drawn(data: str, dtype: str) -> NDArray:
        return draw(Question("sum", dtype, Cell("array", (400, 30), (1,)), 1, data), 0).astype(np.float64)

    for dtype in ("float64", "bfloat16"):
        assert 0.6 < np.isneginf(drawn("masked", dtype)).mean() < 0.73
        special = drawn("special", dtype)
        assert all(0 < found.mean() < 0.02 for found in (np.isnan(special), np.isposinf(special), np.isneginf(special)))
        assert not drawn("zeros", dtype).any()
        assert 45 < drawn("spread", dtype).std() < 55


def test_data_at_the_ends_of_the_range() -> None:
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        limits = ml_dtypes.finfo(DTYPES[dtype])
        least, most = float(limits.smallest_normal), float(limits.max)

        def drawn(data: str, dtype: str = dtype) -> NDArray:
            x = draw(Question("sum", dtype, Cell("array", (400, 30), (1,)), 1, data), 0)
            size = np.abs(x.astype(np.float64))
            assert np.isfinite(size).all()
            assert (x < 0).any()
            assert (x > 0).any()
            return size

        assert drawn("large").max() > most / 2
        assert drawn("subnormal").max() < least
        exponents = drawn("exponents")
        assert exponents.max() > most / 8
        assert 0 < exponents.min() < least


def test_all_data_are_tried() -> None:
    easy, hard = {"normal", "uniform"}, {"cancelling", "wide", "ties", "spread", "masked", "special", "zeros"}
    assert set(DATA) == easy | hard | {"large", "subnormal", "exponents"}


def test_the_room_for_results_counts() -> None:
    cell = Cell("array", (1000,), (0,))
    assert needed(Question("sum", "float32", cell, 1, "normal"), 5) == 4000 * 6
    assert needed(Question("cumulative_sum", "int8", cell, 1, "normal"), 5) == 1000 + 5 * 10000 + 9000
    assert needed(Question("cumulative_sum", "int64", cell, 1, "normal"), 5) == 8000 * 12
    labelled = replace(cell, parts=7)
    assert needed(Question("segment_sum", "float32", labelled, 1, "normal"), 5) == 12000 * 6, "and labels of 64 bits"
