"""What users of NumPy, PyTorch, Arrow, pandas, Polars and xarray write: it is taken, or refused in words."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import case
from oracle import assert_bits

X = np.float32([[3, -1, 4], [1, 5, -9]])
REDUCTIONS: list[Any] = [
    *(ss.sum, ss.prod, ss.mean, ss.min, ss.max, ss.l1_norm, ss.l2_norm, ss.sum_square, ss.log_sum, ss.logsumexp),
    *(ss.var, ss.std, ss.nansum, ss.nanprod, ss.nanmean, ss.nanmin, ss.nanmax, ss.nanvar, ss.nanstd),
    *(ss.all, ss.any, ss.count_nonzero, ss.argmin, ss.argmax, ss.vector_norm),
]
VARIANCES: list[Any] = [ss.var, ss.std, ss.nanvar, ss.nanstd]


def booleans() -> list[tuple[Any, str]]:
    """Each boolean argument of each public function, by its default."""
    found = []
    for name in sorted(ss.__all__):
        each: Any = getattr(ss, name)
        if inspect.isfunction(each) or each in (ss.Scan, ss.State):
            parameters = inspect.signature(each).parameters.values()
            found += [(each, parameter.name) for parameter in parameters if isinstance(parameter.default, bool)]
    return found


def arguments(function: Any) -> tuple[Any, ...]:
    given = {
        ss.reduce: (X, ["sum"]),
        ss.scatter_reduce: (X, 0, [0], X[:1]),
        ss.Scan: ("sum",),
        ss.scaled_dot_product_attention: (X, X, X),
        ss.load: ("examples/onnx/opset13/reduce_sum_axes_2_3.onnx",),
    }
    return given.get(function, (X, 0))


def test_booleans_are_booleans() -> None:
    found = booleans()
    assert len(found) > 30
    for function, name in found:
        for wrong in ("no", 2, -1, 1.0, None, [], np.array(True)):
            with pytest.raises(ss.ArgumentTypeError, match=rf"^{name} is .*; True or False is needed$"):
                function(*arguments(function), **{name: wrong})
        for right in (np.True_, np.False_, 1, 0):
            given = function(*arguments(function), **{name: right})
            expected = function(*arguments(function), **{name: bool(right)})
            if isinstance(given, np.ndarray):
                assert (given.shape, given.tobytes()) == (expected.shape, expected.tobytes())


def test_booleans_of_compare_are_checked_before_the_model_is_read() -> None:
    for name in ("isolated", "effect"):
        with pytest.raises(ss.ArgumentTypeError, match=f"{name} is 'no'; True or False is needed"):
            ss.compare.compare("missing.onnx", **{name: "no"})


@pytest.mark.parametrize("wrong", ["no", 2, 1.0, 0.0, np.float32(1), None, []])
def test_flags_of_the_standards_are_booleans_0_or_1(wrong: Any) -> None:
    for call in (
        lambda: ss.onnx.ReduceSum(X, [0], keepdims=wrong),
        lambda: ss.onnx.CumSum(X, 0, reverse=wrong),
        lambda: ss.openvino.ReduceSum(X, [0], keep_dims=wrong),
    ):
        if wrong is not None:
            with pytest.raises(ss.AttributeValueError, match="allowed is"):
                call()
    for right in (True, 1, np.True_, np.int64(1)):
        assert ss.onnx.ReduceSum(X, [0], keepdims=right).shape == (1, 3)
        assert ss.openvino.ReduceSum(X, [0], keep_dims=right).shape == (1, 3)


@pytest.mark.parametrize("function", VARIANCES)
def test_ddof_is_numpy_s_name_of_correction(function: Any) -> None:
    for number in (0, 1, 0.5, 7):
        expected = function(X, 0, correction=number)
        assert function(X, 0, ddof=number).tobytes() == expected.tobytes()
    for correction in (0, 0.0, 1, np.float64(0)):
        with pytest.raises(ss.ArgumentError, match="two names of one number; give one of them"):
            function(X, correction=correction, ddof=1)
    with pytest.raises(ss.ArgumentTypeError, match="ddof is '1'; a real number is needed"):
        function(X, ddof="1")
    with pytest.raises(ss.ArgumentError, match="ddof is inf; a finite number is needed"):
        function(X, ddof=inf)


FORMS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("axis by position", lambda f, x: f(x, 0)),
    ("negative axis", lambda f, x: f(x, -1)),
    ("tuple of one axis", lambda f, x: f(x, axis=(0,))),
    ("keepdims", lambda f, x: f(x, axis=0, keepdims=True)),
    ("mask", lambda f, x: f(x, axis=0, where=np.array([[True], [True]]))),
    ("list", lambda f, x: f(x.tolist(), axis=0)),
    ("no copy of a view", lambda f, x: f(x[:, ::-1].T, 0)),
    ("scalar", lambda f, _: f(2.0)),
    ("rank 0", lambda f, _: f(np.array(2.0))),
    ("empty", lambda f, _: f(np.zeros((0, 3)), axis=1)),
    ("output", lambda f, x: f(x, axis=0, out=f(x, axis=0))),
    ("dtype", lambda f, x: f(x, axis=0, dtype=float)),
]


PREFIXES = {"cumulative_sum", "cumulative_max", "cumulative_logsumexp", "softmax"}
REFUSED = {"tuple of one axis": {"argmin", "argmax", *PREFIXES}, "scalar": PREFIXES, "rank 0": PREFIXES}
"""Which functions take no such call."""


@pytest.mark.parametrize(("form", "call"), FORMS, ids=[form for form, _ in FORMS])
def test_calls_of_every_form_give_results_or_words(form: str, call: Callable[[Any, Any], Any]) -> None:
    refused: dict[str, str] = {}
    for function in [*REDUCTIONS, ss.cumulative_sum, ss.cumulative_max, ss.cumulative_logsumexp, ss.softmax]:
        known = inspect.signature(function).parameters
        if {"keepdims": "keepdims", "mask": "where", "output": "out", "dtype": "dtype"}.get(form, "axis") not in known:
            continue
        try:
            found = call(function, X)
        except ss.SamesumError as error:
            refused[function.__name__] = str(error)
            continue
        assert isinstance(found, np.ndarray | np.generic), function
        if form in ("scalar", "rank 0") and "keepdims" in known:
            assert found.shape == (), function
    assert set(refused) == REFUSED.get(form, set())
    assert all(re.search("an axis has to be an integer; got|rank 0", said) for said in refused.values()), refused


def test_integers_are_floats_where_a_normalization_needs_them() -> None:
    for function in (ss.softmax, ss.log_softmax, lambda x: ss.layer_norm(x, 3), lambda x: ss.rms_norm(x, 3)):
        for x in ([1, 2, 3], np.int8([1, 2, 3]), np.uint64([1, 2, 3])):
            found = function(x)
            assert found.dtype == np.float64
            assert found.tobytes() == function(np.array([1.0, 2.0, 3.0])).tobytes()
    assert ss.group_norm([[1, 3]], 1).tobytes() == ss.group_norm([[1.0, 3.0]], 1).tobytes()
    assert ss.softmax([True, False]).tobytes() == ss.softmax([1.0, 0.0]).tobytes()
    with pytest.raises(ss.ArgumentError, match=r"x has an integer from 2\^53 on, which float64 may not hold"):
        ss.softmax([2**53, 1])
    with pytest.raises(ss.DtypeError, match="complex128"):
        ss.softmax([1j])


def test_dtypes_and_outputs_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    for name in ("float16", "bfloat16", "float32", "float64"):
        assert ss.sum(X, dtype=getattr(torch, name)).dtype.name == name
    assert ss.sum([1, 2], dtype=torch.int32).dtype == np.int32
    with pytest.raises(ss.DtypeError, match=r"torch\.complex64 names no dtype"):
        ss.sum(X, dtype=torch.complex64)
    x = torch.from_numpy(X)
    calls: list[tuple[Any, Any]] = [
        (lambda out: ss.sum(x, 0, out=out), torch.empty(3)),
        (lambda out: ss.sum(x, 0, out=out), torch.empty(6)[::2]),
        (lambda out: ss.max(x, 1, initial=2, out=out), torch.empty(2)),
        (lambda out: ss.var(x, 0, ddof=1, keepdims=True, out=out), torch.empty(1, 3)),
        (lambda out: ss.mean(x, out=out), torch.empty(())),
        (lambda out: ss.sum(x.bfloat16(), 0, out=out), torch.empty(3, dtype=torch.bfloat16)),
        (lambda out: ss.cumulative_sum(x, 1, out=out), torch.empty(3, 2).T),
        (lambda out: ss.cumulative_logsumexp(x, 1, out=out), torch.empty(2, 3)),
        (lambda out: ss.softmax(x, out=out), x.clone()),
        (lambda out: ss.layer_norm(x, 3, out=out), torch.empty(2, 3)),
        (lambda out: ss.group_norm(x[:, :2], 1, out=out), torch.empty(2, 2)),
        (lambda out: ss.vecdot(x, x, out=out), torch.empty(2)),
        (lambda out: ss.vector_norm(x, ord=3, axis=0, out=out), torch.empty(3)),
        (lambda out: ss.onnx.Softmax(x, out=out), torch.empty(2, 3)),
    ]
    for call, out in calls:
        expected = call(None)
        out.fill_(77)
        assert call(out) is out
        assert np.array_equal(ss.max(out, axis=()), expected)


@pytest.mark.parametrize(
    ("error", "words", "out"),
    [
        (ss.ArgumentTypeError, "out has to be a numpy.ndarray, or a tensor that shares its memory", lambda _: [1.0]),
        (ss.ArgumentTypeError, "requires a gradient", lambda torch: torch.empty(3, requires_grad=True)),
        (ss.ArgumentTypeError, "DLPack device", lambda torch: torch.empty(3, device="meta")),
        (ss.ArgumentTypeError, "a sign to be applied", lambda torch: torch.ones(3, dtype=torch.complex64).conj().imag),
        (ss.DtypeError, "out has dtype float64; the result has float32", lambda torch: torch.empty(3).double()),
        (ss.ShapeError, r"out has shape \(2,\); the result has \(3,\)", lambda torch: torch.empty(2)),
        (ss.ShapeError, "elements may share memory", lambda torch: torch.empty(1).expand(3)),
    ],
)
def test_tensors_that_cannot_receive_a_result_are_refused(error: Any, words: str, out: Callable[[Any], Any]) -> None:
    given = out(pytest.importorskip("torch"))
    with pytest.raises(error, match=words):
        ss.sum(X, 0, out=given)


def missing(package: str) -> list[Any]:
    """1, nothing, 3 as the package has it."""
    module = pytest.importorskip(package)
    if package == "pyarrow":
        chunks = module.chunked_array([[1, None], [3]])
        return [module.array([1, None, 3]), module.array([1.0, None, 3.0]), chunks]
    if package == "polars":
        return [module.Series([1, None, 3]), module.Series([1.0, None, 3.0])]
    return [module.Series([1, None, 3], dtype=dtype) for dtype in ("Int64", "Float64")]


@pytest.mark.parametrize("package", ["pyarrow", "pandas", "polars"])
def test_missing_elements_are_refused_with_what_leaves_them_out(package: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in missing(package):
            for call in (ss.sum, ss.softmax, ss.State(["sum"]).update, lambda x: ss.reduce(x, ["max"])):
                with pytest.raises(
                    ss.ArgumentTypeError, match=rf"{package} \w+ with missing elements \(1\), which have no"
                ):
                    call(x)
            fill, mask = {"pandas": ("fillna", "notna"), "pyarrow": ("fill_null", "is_valid")}.get(
                package, ("fill_null", "is_not_null")
            )
            with pytest.raises(ss.ArgumentTypeError, match=rf"x\.{fill}\(0\), with where=x\.{mask}\(\)"):
                ss.mean(x)
            filled, where = getattr(x, fill)(0), getattr(x, mask)()
            assert (ss.sum(filled, where=where), ss.mean(filled, where=where)) == (4, 2)
            assert ss.min(filled, where=where) == 1


@pytest.mark.parametrize("package", ["pyarrow", "pandas", "polars"])
def test_what_has_no_missing_elements_is_taken(package: str) -> None:
    module = pytest.importorskip(package)
    make = module.array if package == "pyarrow" else module.Series
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ss.sum(make([1.5, 2.5])) == 4
        assert ss.sum(make([1, 2])) == 3
        assert ss.all(make([True, True]))
        assert np.isnan(ss.sum(make([1.0, nan]))), "a NaN is a number here"
    if package == "pandas":
        assert ss.sum(module.Series([1, 2], dtype="Int64")) == 3


def test_names_of_axes_are_not_lost_in_silence() -> None:
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(X, dims=("row", "column"), coords={"row": [10, 20]})
    given = [x, x.variable]
    if pytest.importorskip("dask"):
        given.append(x.chunk(row=1))
    for each in given:
        for call in (ss.sum, ss.softmax, lambda x: ss.segment_reduce(x, [0, 1])):
            with pytest.raises(ss.ArgumentTypeError, match=r"whose names \('row', 'column'\) no result here has"):
                call(each)
        kept = each.reduce(ss.sum, dim="column")
        assert kept.dims == ("row",)
        assert np.asarray(kept).tolist() == [6, -3]
        assert np.asarray(ss.sum(each.data, 1)).tolist() == [6, -3]


def test_xarray_itself_keeps_the_names() -> None:
    """`reduce` of xarray takes every function with an axis: what keeps the shape keeps the coordinates too."""
    xr = pytest.importorskip("xarray")
    values = np.random.default_rng(3).standard_normal((2, 3, 4)).astype(np.float32)
    x = xr.DataArray(values, dims=("time", "row", "column"), coords={"time": [10, 20], "row": [1, 2, 3]}, name="v")
    weights = np.float32([1, 2, 3])
    given: dict[Any, dict[str, Any]] = {
        **{getattr(ss, name): {} for name in ("sum", "std", "l2_norm", "argmax", "any", "nanmean", "vector_norm")},
        **{getattr(ss, name): {} for name in ("cumulative_sum", "cumulative_max", "softmax", "log_softmax")},
        ss.var: {"correction": 1},
        ss.average: {"weights": weights},
        ss.max: {"where": values > -1, "initial": -9.0},
    }
    for function, options in given.items():
        with case(function.__name__):
            expected = np.asarray(function(values, axis=1, **options))
            found = x.reduce(function, dim="row", **options)
            whole = ("time", "row", "column")
            assert found.dims == (whole if expected.shape == x.shape else ("time", "column"))
            assert list(found.coords) == [name for name in ("time", "row") if name in found.dims]
            assert_bits(np.ascontiguousarray(found.data), np.ascontiguousarray(expected))
    assert x.reduce(ss.mean, dim=["time", "column"]).dims == ("row",)
    assert x.to_dataset().reduce(ss.sum, dim="time")["v"].dims == ("row", "column")
    if pytest.importorskip("dask"):
        lazy = x.chunk(row=2).reduce(ss.cumulative_sum, dim="row")
        assert hasattr(lazy.data, "dask")
        assert_bits(lazy.compute().data, ss.cumulative_sum(values, 1))


def test_lazy_objects_of_polars_and_arrays_of_pandas_are_told_what_to_do() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    for lazy in (polars.LazyFrame({"a": [1.0, 2.0]}), polars.col("a")):
        with pytest.raises(ss.SamesumError):
            ss.sum(lazy)
    with pytest.raises(ss.ArgumentTypeError, match=r"where=~x\.isna\(\)"):
        ss.sum(pandas.array([1, None]))
