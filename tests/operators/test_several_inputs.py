"""Sum, Mean, Max and Min of several arrays against the exact algebra, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from naming import looped
from oracle import assert_bits, exact
from samesum.algebra.rows import MAX, MEAN, MIN, SUM
from samesum.formats.arrays import NDArray

ROWS = {"Sum": SUM, "Mean": MEAN, "Max": MAX, "Min": MIN}
FAMILIES = ("normal", "integers", "cancelling", "wide", "specials", "zeros", "near_overflow", "subnormals")
SHAPES = ((2, 1, 3), (2, 3), (1,), (2, 2, 1), ())
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def arrays(dtype: Any, count: int) -> list[NDArray]:
    shapes = [SHAPES[i % len(SHAPES)] for i in range(count)]
    return [
        cases.make(FAMILIES[i % len(FAMILIES)], dtype, int(np.prod(shape)), i).reshape(shape)
        for i, shape in enumerate(shapes)
    ]


def expected(name: str, given: list[NDArray]) -> NDArray:
    return exact.reduce(ROWS[name], np.stack(np.broadcast_arrays(*given)), (0,))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("name", ROWS)
def test_every_number_of_inputs(name: str, dtype: Any) -> None:
    for count in (1, 2, 3, 5, 65, 600):
        given = arrays(dtype, count)
        assert_bits(getattr(ss.onnx, name)(*given), expected(name, given), f"{count} inputs")


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("name", ROWS)
def test_the_order_and_the_layout_of_the_inputs_change_no_bit(name: str, dtype: Any) -> None:
    given = arrays(dtype, 4)
    function = getattr(ss.onnx, name)
    views = [np.repeat(each, 2, -1)[..., ::2] if each.ndim else each for each in given]
    assert_bits(function(*given[::-1]), function(*given))
    assert_bits(function(*views), function(*given))
    columns = [np.asfortranarray(np.broadcast_to(each, (2, 2, 3))) for each in given]
    assert_bits(function(*columns), function(*given))


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
def test_extremes_of_integers(dtype: Any) -> None:
    given = [cases.integer_data(dtype, 40, seed).reshape(2, 20) for seed in range(3)]
    given.append(given[0][:1, :1])
    for name in ("Max", "Min"):
        assert_bits(getattr(ss.onnx, name)(*given), expected(name, given))


@pytest.mark.usefixtures("restored_threads")
@each_float
def test_large_arrays_on_threads(dtype: Any) -> None:
    given = [cases.make("normal", dtype, 300_001, seed) for seed in range(3)]
    for name in ROWS:
        results = []
        for threads in (1, 2, 5):
            ss.set_num_threads(threads)
            results.append(getattr(ss.onnx, name)(*given))
        for each in results:
            assert_bits(each, results[0], name)
        some = slice(0, None, 30001)
        assert_bits(results[0][some].copy(), expected(name, [each[some] for each in given]), name)


def test_wrong_inputs_are_refused() -> None:
    x = np.float32([1, 2])
    with pytest.raises(ss.ShapeError, match="broadcast"):
        ss.onnx.Sum(x, np.float32([1, 2, 3]))
    with pytest.raises(ss.AttributeValueError, match="data_0 is missing"):
        ss.onnx.Sum()
    with pytest.raises(ss.DtypeError, match="float64"):
        ss.onnx.Mean(x, np.float64([1, 2]))
    with pytest.raises(ss.DtypeError, match="float"):
        ss.onnx.Sum(np.int32([1]), np.int32([2]))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("name", ROWS)
def test_many_inputs_of_many_places(name: str, dtype: Any) -> None:
    """More than are gathered at a time, of which the last ones are fewer, as they lie and apart."""
    given = [cases.make(FAMILIES[i % len(FAMILIES)], dtype, 39, i).reshape(3, 13) for i in range(530)]
    reference = expected(name, given)
    assert_bits(getattr(ss.onnx, name)(*given), reference)
    assert_bits(getattr(ss.onnx, name)(*[np.asfortranarray(each) for each in given]), reference)
