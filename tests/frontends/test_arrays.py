"""The array api: signatures, promotion, axes, `out`, and what is refused."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from samesum.errors import ArgumentTypeError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import BFLOAT16, NDArray

Function = Callable[..., NDArray]

FLOATS = [np.dtype(np.float16), BFLOAT16, np.dtype(np.float32), np.dtype(np.float64)]
SIGNED = [np.dtype(f"int{width}") for width in (8, 16, 32, 64)]
UNSIGNED = [np.dtype(f"uint{width}") for width in (8, 16, 32, 64)]

SUMS = [ss.sum, ss.l1_norm, ss.l2_norm, ss.sum_square]
EXTREMES = [ss.min, ss.max]
PRODUCTS = [ss.prod]
LOGICAL = [ss.all, ss.any]
LOGARITHMS = [ss.log_sum, ss.logsumexp]
TYPED = [*SUMS, *PRODUCTS, ss.mean, *LOGARITHMS, *EXTREMES]
REDUCTIONS = [*TYPED, *LOGICAL]
SCANS = [ss.cumulative_sum, ss.cumulative_prod]

MASKED_KEYWORDS: dict[str, Any] = {"axis": None, "keepdims": False, "out": None, "where": None, "split_every": None}
SCAN_KEYWORDS: dict[str, Any] = dict.fromkeys(("axis", "dtype", "out"))
SCAN_KEYWORDS |= dict.fromkeys(("include_initial", "exclusive", "reverse"), False)


def named(functions: list[Function]) -> Any:
    return pytest.mark.parametrize("function", functions, ids=lambda function: function.__name__)


@looped(
    "function, keywords",
    [
        *((each, {"dtype": None, **MASKED_KEYWORDS}) for each in (*SUMS[1:], ss.mean, *LOGARITHMS)),
        *((each, {"dtype": None, "initial": None, **MASKED_KEYWORDS}) for each in (ss.sum, ss.prod)),
        *((each, {"dtype": None, "correction": 0.0, "ddof": None, **MASKED_KEYWORDS}) for each in (ss.var, ss.std)),
        *((each, {"initial": None, **MASKED_KEYWORDS}) for each in EXTREMES),
        *((each, MASKED_KEYWORDS) for each in LOGICAL),
        (ss.cumulative_sum, SCAN_KEYWORDS),
        (ss.cumulative_prod, SCAN_KEYWORDS),
    ],
)
def test_one_array_an_axis_and_keywords(function: Function, keywords: dict[str, Any]) -> None:
    x, axis, *rest = inspect.signature(function).parameters.values()
    assert (x.name, x.kind) == ("x", inspect.Parameter.POSITIONAL_ONLY)
    assert (axis.name, axis.kind) == ("axis", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert {each.kind for each in rest} == {inspect.Parameter.KEYWORD_ONLY}
    assert {each.name: each.default for each in (axis, *rest)} == keywords


@named([*REDUCTIONS, *SCANS])
def test_the_axis_may_be_positional(function: Function) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert function(x, 1).tolist() == function(x, axis=1).tolist()


@looped("dtype", [*FLOATS, np.dtype(np.int32)])
@named(REDUCTIONS)
def test_results_of_rank_0_are_scalars(function: Function, dtype: np.dtype[Any]) -> None:
    """Of all axes, of rank 0 and in `reduce`; not into `out`, and not with axes that stay."""
    x = np.ones((2, 3), dtype)
    for result in (function(x), function(x, (0, 1)), function(x[0, 0], ())):
        assert isinstance(result, np.generic)
        assert {result: 1}[result] == 1
    assert isinstance(function(x, keepdims=True), np.ndarray)
    out = np.empty((), function(x).dtype)
    assert function(x, out=out) is out
    assert isinstance(ss.reduce(x, [function.__name__])[function.__name__], np.generic)


def test_scalars_are_what_python_and_its_libraries_take() -> None:
    total = ss.sum(np.array([0.1] * 10))
    assert round(total, 2) == 1.0
    assert json.dumps({"total": total}) == '{"total": 1.0}'
    assert ss.all([1, 1]) is np.True_
    before = total
    total += 1
    assert (before, total) == (1.0, 2.0)


@looped("dtype", FLOATS)
@named([*TYPED, *SCANS])
def test_floats_keep_their_type(function: Function, dtype: np.dtype[Any]) -> None:
    assert function(np.ones(3, dtype)).dtype == dtype


@looped("dtype", [*SIGNED, *UNSIGNED])
@named([ss.sum, ss.l1_norm, ss.sum_square, *PRODUCTS, *SCANS])
def test_sums_and_products_of_integers_widen(function: Function, dtype: np.dtype[Any]) -> None:
    result = function(np.array([3, 4], dtype))
    expected = {"sum": 7, "l1_norm": 7, "sum_square": 25, "cumulative_sum": [3, 7]}
    expected |= {"prod": 12, "cumulative_prod": [3, 12]}
    assert result.dtype == (np.uint64 if dtype.kind == "u" else np.int64)
    assert result.tolist() == expected[function.__name__]


@looped("dtype", ["int8", "uint16", "int64", "float16", "bfloat16", "float32", "float64"])
@named([ss.sum, ss.prod, *SCANS])
def test_integers_go_to_any_type_asked_for(function: Function, dtype: str) -> None:
    wanted = BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)
    result = function(np.array([1, 2, 3], np.int32), dtype=wanted)
    assert result.dtype == wanted
    assert result.ravel()[-1] == 6


@pytest.mark.parametrize("function", [ss.sum, ss.cumulative_sum])
def test_sums_to_other_types_are_rounded_once(function: Function) -> None:
    x = np.array([1, 2**-11, 2**-30])
    assert function(x, dtype=np.float16).ravel()[-1] == np.float16(1.0009765625)
    y = np.array([2**62, 2**38, 1])
    assert function(y, dtype=np.float32).ravel()[-1] == np.float32(2**62 + 2**39)


@named([ss.sum, ss.prod, *SCANS])
def test_other_types_are_refused(function: Function) -> None:
    with pytest.raises(DtypeError):
        function(np.ones(3, np.float32), dtype=np.int64)
    with pytest.raises(DtypeError):
        function(np.ones(3, np.float32), dtype=np.complex64)
    with pytest.raises(DtypeError, match=r"'float33' names no dtype"):
        function(np.ones(3, np.float32), dtype="float33")


@named([*REDUCTIONS, *SCANS])
@looped("x", [np.ones(2, complex), np.array(["a"]), np.array([None]), np.zeros(2, "M8[s]")])
def test_arrays_of_no_real_numbers_are_refused(function: Function, x: NDArray) -> None:
    with pytest.raises(DtypeError):
        function(x)


@named(REDUCTIONS)
@looped("axis", [None, 0, 1, 2, -1, -3, (0, 2), (2, 0), [1, -1], (), np.int64(1), (0, 1, 2)])
@looped("keepdims", [False, True])
def test_axes_and_keepdims_give_numpy_s_shape(function: Function, axis: Any, keepdims: bool) -> None:
    x = np.ones((2, 3, 4), np.float32)
    result = function(x, axis=axis, keepdims=keepdims)
    assert isinstance(result, np.ndarray if result.ndim else np.generic)
    assert result.shape == np.sum(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims).shape


@named(REDUCTIONS)
@looped("axis", [3, -4, (0, 0), (1, -2), (0, 3), 2**70, -(2**70)])
def test_wrong_axes_are_refused(function: Function, axis: Any) -> None:
    with pytest.raises(AxisError):
        function(np.ones((2, 3, 4)), axis=axis)


@named(REDUCTIONS)
@looped("axis", [1.0, "1", (0, 1.5), (None,), object()])
def test_axes_that_are_no_integers_are_refused(function: Function, axis: Any) -> None:
    with pytest.raises(AxisError):
        function(np.ones((2, 3, 4)), axis=axis)


@named(REDUCTIONS)
def test_rank_0_has_no_axes(function: Function) -> None:
    x = np.array(3.0)
    assert function(x).shape == function(x, axis=()).shape == ()
    with pytest.raises(AxisError):
        function(x, axis=0)


@named([*REDUCTIONS, *SCANS])
def test_out_receives_the_result(function: Function) -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    expected = function(x, axis=0)
    out = np.full_like(expected, 99)
    assert function(x, axis=0, out=out) is out
    assert np.array_equal(out, expected)


@named([*REDUCTIONS, *SCANS])
def test_out_of_another_shape_or_kind_is_refused_and_untouched(function: Function) -> None:
    x = np.ones((2, 2), np.float32)
    out = np.full(5, 99, function(x, axis=0).dtype)
    with pytest.raises(ShapeError):
        function(x, axis=0, out=out)
    assert out.tolist() == np.full(5, 99, out.dtype).tolist()
    with pytest.raises((DtypeError, TypeError)):
        function(x, axis=0, out=[0, 0])


@named([*REDUCTIONS, *SCANS])
@looped("x", [[1, 2, 3], (1, 2, 3), range(1, 4), memoryview(np.array([1, 2, 3]))])
def test_anything_that_makes_an_array_is_one(function: Function, x: Any) -> None:
    expected = function(np.array([1, 2, 3]))
    result = function(x)
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


@named([*REDUCTIONS, *SCANS])
def test_masked_arrays_are_refused(function: Function) -> None:
    with pytest.raises(ArgumentTypeError, match=r"whose mask would be ignored"):
        function(np.ma.masked_array([1.0, 2.0], mask=[True, False]))


@named([*TYPED, *SCANS])
def test_torch_bfloat16_gives_bfloat16(function: Function) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([3.0, 4.0], dtype=torch.bfloat16)
    result = function(x)
    assert result.dtype == BFLOAT16
    assert result.tolist() == function(np.array([3.0, 4.0], BFLOAT16)).tolist()
