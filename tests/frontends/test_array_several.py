"""Several reductions by name: which names there are, what each gives, and what is refused."""

from __future__ import annotations

import inspect
from typing import Any, get_args

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from naming import looped
from oracle import assert_bits
from samesum.algebra.rows import REDUCTIONS
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ShapeError
from samesum.frontends.arrays.reductions import Name

NAMES = ["count_nonzero", *(row.name for row in REDUCTIONS), "l1", "l2"]
FUNCTIONS = {name: getattr(ss, {"l1": "l1_norm", "l2": "l2_norm"}.get(name, name)) for name in NAMES}
X = np.array([[3, 1, 3], [0, 5, 0]])


def test_the_signature() -> None:
    assert str(inspect.signature(ss.reduce)) == (
        "(x: ArrayLike, names: Sequence[Name] | Sequence[str], /, axis: Axes = None, *, "
        "dtype: DTypeLike | None = None, keepdims: bool = False, where: ArrayLike | None = None, "
        "split_every: SplitEvery | None = None) -> dict[str, Any]"
    )


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", ml_dtypes.bfloat16, "float64"])
@looped("axis", [None, 0, -1])
@looped("keepdims", [False, True])
def test_each_result_is_that_of_its_function(dtype: Any, axis: Any, keepdims: bool) -> None:
    x = X.astype(dtype)
    results = ss.reduce(x, NAMES, axis=axis, keepdims=keepdims)
    assert list(results) == NAMES
    for name, got in results.items():
        assert_bits(got, FUNCTIONS[name](x, axis=axis, keepdims=keepdims), name)


def test_the_order_asked_for_is_kept_and_a_name_given_twice_counts_once() -> None:
    assert list(ss.reduce(X, ("max", "min", "max"))) == ["max", "min"]
    assert ss.reduce(X, []) == {}
    assert ss.reduce(X, ["count_nonzero"], axis=1)["count_nonzero"].tolist() == [3, 1]
    with pytest.raises(AxisError):
        ss.reduce(X, [], axis=2)


def test_several_axes_are_for_reductions_that_have_them() -> None:
    results = ss.reduce(X, ["min", "sum"], axis=(0, 1))
    assert (results["min"].tolist(), results["sum"].tolist()) == (0, 12)
    with pytest.raises(AxisError, match=r"an axis has to be an integer; got \(0, 1\)"):
        ss.reduce(X, ["min", "argmin"], axis=(0, 1))


@pytest.mark.parametrize("names", [["median"], ["sum", "norm"], [None], ["Sum"]])
def test_unknown_names_are_refused_with_the_allowed_ones(names: Any) -> None:
    with pytest.raises(ArgumentError, match=f"{names[-1]!r} is no reduction; allowed are all, any, argmax.*sum"):
        ss.reduce(X, names)


@pytest.mark.parametrize("names", ["sum", None, {"sum": 1}])
def test_names_are_a_list(names: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="a list or tuple of them is needed"):
        ss.reduce(X, names)


def test_the_errors_are_those_of_the_functions() -> None:
    with pytest.raises(ShapeError, match="no minimum of an empty set"):
        ss.reduce(X[:0], ["sum", "min"])
    with pytest.raises(ShapeError, match="no position of a maximum of an empty set"):
        ss.reduce(X[:0], ["sum", "argmax"])
    with pytest.raises(AxisError, match="axis 2 is out of range for rank 2"):
        ss.reduce(X, ["sum", "min"], axis=2)
    with pytest.raises(DtypeError, match="complex128"):
        ss.reduce(X + 1j, ["sum"])
    with pytest.raises(DtypeError, match="float8_e5m2 is accepted by sum"):
        ss.reduce(X.astype(ml_dtypes.float8_e5m2), ["sum", "prod"])


def test_anything_array_like_is_taken() -> None:
    assert ss.reduce([[1.0, 2.0], [3.0, 4.0]], ["sum", "max"], axis=0)["sum"].tolist() == [4.0, 6.0]


def test_the_names_of_annotations_are_all_of_them() -> None:
    assert set(get_args(Name)) == set(NAMES)
