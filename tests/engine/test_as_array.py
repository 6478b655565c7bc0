"""What becomes an array, on which memory, and what is refused."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from samesum.algebra.rows import SUM
from samesum.engine.arrays import as_array, as_dtype, as_integers
from samesum.engine.memory import reduce
from samesum.errors import ArgumentTypeError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import BFLOAT16


class Holder:
    """An object with `__array__` alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Refusing:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("call x.to_dense()")


def test_a_plain_array_is_itself() -> None:
    x = np.arange(3.0)
    assert as_array(x) is x


@pytest.mark.parametrize("dtype", [">f4", ">i8", "<u2", ">f2"])
def test_byte_order_is_kept_and_the_result_is_native(dtype: str) -> None:
    x = np.array([1, 2, 250], dtype)
    assert as_array(x) is x
    total = reduce(SUM, x)
    assert total.dtype == x.dtype.newbyteorder("=")
    assert total == 253


def test_a_subclass_loses_its_class_and_keeps_its_memory(tmp_path: Any) -> None:
    np.save(tmp_path / "x.npy", np.arange(6.0))
    x = np.load(tmp_path / "x.npy", mmap_mode="r")
    array = as_array(x)
    assert type(array) is np.ndarray
    assert np.shares_memory(array, x)
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("x", "dtype", "shape"),
    [
        (1.5, "float64", ()),
        ([[1, 2], [3, 4]], "int64", (2, 2)),
        ([], "float64", (0,)),
        (np.float32(2), "float32", ()),
        (ml_dtypes.bfloat16(2), "bfloat16", ()),
        ([True, False], "bool", (2,)),
        (range(3), "int64", (3,)),
        ([2**63], "uint64", (1,)),
        (Holder(np.ones(2, np.float16)), "float16", (2,)),
        (Holder(np.ones(2, BFLOAT16)), "bfloat16", (2,)),
    ],
)
def test_numbers_sequences_and_array_holders(x: Any, dtype: str, shape: tuple[int, ...]) -> None:
    array = as_array(x)
    assert type(array) is np.ndarray
    assert (array.dtype.name, array.shape) == (dtype, shape)


@pytest.mark.parametrize("x", [None, object(), [2**64], {1: 2}, [1, None]])
def test_what_holds_no_numbers_is_refused(x: Any) -> None:
    with pytest.raises(DtypeError, match=rf"{type(x).__name__} does not hold numbers of one dtype"):
        as_array(x)


def test_ragged_sequences_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"list does not make an array: .*inhomogeneous"):
        as_array([[1], [1, 2]])


def test_an_object_that_does_not_become_an_array_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"Refusing does not make an array: call x\.to_dense\(\)"):
        as_array(Refusing())


def masked() -> Any:
    return np.ma.masked_array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize("x", [masked(), Holder(masked())], ids=["array", "holder"])
def test_a_mask_is_never_ignored(x: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"MaskedArray, whose mask would be ignored; pass x.compressed()"):
        as_array(x)


class Lazy(Holder):
    """A collection of Dask: it becomes an array if asked, of all its blocks at once."""

    def __init__(self, array: Any, graph: Any) -> None:
        super().__init__(array)
        self.graph = graph

    def __dask_graph__(self) -> Any:
        return self.graph


def test_a_dask_collection_is_never_computed_whole() -> None:
    with pytest.raises(ArgumentTypeError, match=r"got a lazy \w+ Lazy, .* computed whole, .* pass x.compute"):
        as_array(Lazy(np.ones(2), {"x": 1}))
    assert as_array(Lazy(np.ones(2), None)).tolist() == [1, 1], "as xarray's objects without blocks are"


def test_a_dask_array_is_never_computed_whole() -> None:
    da = pytest.importorskip("dask.array")
    x = da.ones((4, 4), chunks=2)
    for function in (as_array, ss.onnx.ReduceSum, ss.onnx.Softmax, ss.State(["sum"]).update):
        with pytest.raises(ArgumentTypeError, match=r"got a lazy dask Array, which would be computed whole"):
            function(x)
    assert ss.sum(x.compute()) == 16


@pytest.mark.parametrize(
    ("axes", "expected"),
    [(1, np.int64(1)), ([], []), ([0, -1], [0, -1]), ((2,), [2]), (range(2), [0, 1]), ([np.int8(3)], [3])],
)
def test_python_integers_become_int64(axes: Any, expected: Any) -> None:
    array = as_integers(axes)
    assert array.dtype == np.int64
    assert array.tolist() == np.array(expected, np.int64).tolist()
    assert array.ndim == np.ndim(expected)


def test_integer_arrays_keep_their_type() -> None:
    axes = np.array([[1]], np.uint8)
    assert as_integers(axes) is axes
    assert as_integers(np.int32(1)).dtype == np.int32


@pytest.mark.parametrize("axes", [[1.0], ["a"], [None], [[1]], True, [True], [2**63], -(2**63) - 1])
def test_sequences_of_anything_else_are_refused(axes: Any) -> None:
    with pytest.raises(AxisError, match=r"an axis has to be an integer"):
        as_integers(axes)


def test_dtypes_are_numpy_s_or_refused() -> None:
    assert as_dtype(None) is None
    assert as_dtype("float32") == np.float32
    assert as_dtype(ml_dtypes.bfloat16) == BFLOAT16
    with pytest.raises(DtypeError, match=r"'float33' names no dtype"):
        as_dtype("float33")
