"""`where=`, NaN-skipping functions and counts of Dask arrays have the bits of one call, whatever the chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from bits import mix
from naming import looped
from oracle import assert_bits
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray

da = pytest.importorskip("dask.array")

MASKED = [
    "sum",
    "mean",
    "l1_norm",
    "l2_norm",
    "sum_square",
    "var",
    "std",
    "log_sum",
    "logsumexp",
    "prod",
    "min",
    "max",
    "all",
    "any",
]
SKIPPING = ["nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd"]
AXES = [None, 0, 1, (0, 1)]
CHUNKS = ((5, 1, 6), (4, 0, 5))


def data() -> tuple[NDArray, NDArray]:
    x = np.asarray((mix(108, 1) % 97).astype(np.float32).reshape(12, 9)) - np.float32(40)
    mask = (mix(108, 2) % 3 > 0).reshape(12, 9)
    mask[3], mask[:, 4] = True, True
    return x, mask


def same(got: Any, expected: Any, said: str = "") -> None:
    assert_bits(np.asarray(got.compute()), np.asarray(expected), said)


@pytest.mark.parametrize("axis", AXES)
@looped("name", [*MASKED, "count_nonzero"])
def test_masks_of_any_kind(name: str, axis: Any) -> None:
    x, mask = data()
    function: Any = getattr(ss, name)
    lazy = da.from_array(x, chunks=CHUNKS)
    for where in (mask, mask[3], da.from_array(mask, chunks=(7, 2))):
        got = function(lazy, axis, where=where)
        assert isinstance(got, da.Array)
        same(got, function(x, axis, where=np.asarray(where)), f"{name} {axis}")


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("last", [False, True])
def test_positions(axis: Any, last: bool) -> None:
    x, mask = data()
    lazy = da.from_array(x, chunks=CHUNKS)
    for function in (ss.argmin, ss.argmax):
        got: Any = function(lazy, axis, where=mask, select_last_index=last)
        same(got, function(x, axis, where=mask, select_last_index=last))


@looped("axis", AXES)
@pytest.mark.parametrize("name", SKIPPING)
def test_nans(name: str, axis: Any) -> None:
    x, mask = data()
    x[mix(108, 3).reshape(12, 9) % 3 == 0] = np.nan
    x[5] = np.nan
    function: Any = getattr(ss, name)
    lazy = da.from_array(x, chunks=CHUNKS)
    same(function(lazy, axis), function(x, axis))
    same(function(lazy, axis, where=mask), function(x, axis, where=mask))
    whole = np.arange(108).reshape(12, 9)
    same(function(da.from_array(whole, chunks=CHUNKS), axis), function(whole, axis))


def test_several_share_a_mask() -> None:
    x, mask = data()
    for name, got in ss.reduce(da.from_array(x, chunks=CHUNKS), ["min", "mean", "var"], axis=1, where=mask).items():
        lazy: Any = got
        function: Any = getattr(ss, name)
        same(lazy, function(x, 1, where=mask))


def test_lengths_may_be_unknown() -> None:
    x, _ = data()
    lazy = da.from_array(x, chunks=CHUNKS)
    some: Any = lazy[lazy > 0]
    same(ss.nansum(some), ss.sum(x[x > 0]))  # type: ignore[union-attr]


def test_wrong_masks_are_refused_before_anything_is_computed() -> None:
    lazy = da.zeros((4, 3), chunks=2)
    with pytest.raises(DtypeError, match="where has dtype float64; allowed is bool"):
        ss.sum(lazy, where=np.ones((4, 3)))
    with pytest.raises(ShapeError, match=r"where has shape \(4,\), which does not broadcast to \(4, 3\)"):
        ss.sum(lazy, where=np.ones(4, np.bool_))
