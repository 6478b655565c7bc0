"""The benchmark runs on tiny arrays and reports what it promises; no time is asserted."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samesum.algebra import exact
from samesum.algebra.rounding import FORMATS
from samesum.algebra.rows import L1_NORM, SUM

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
FIGURES = {"seconds", "median_seconds", "gbs", "distance"}
DTYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in FORMATS}
KEYS = {
    "operator",
    "dtype",
    "cell",
    "bytes",
    "bandwidth_gbs",
    "figures",
    "of_bandwidth",
    "best_peer",
    "to_best_peer",
    "verdict",
    "tiers",
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / "compare.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def accuracy(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The benchmark's module of that name; the scripts' modules are gone again after the test."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(BENCHMARKS)
    import accuracy

    yield accuracy
    for name in set(sys.modules) - before:
        if str(BENCHMARKS) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_rows_come_out_of_a_tiny_run(tmp_path: Path) -> None:
    choice = ["--op", "sum,min,cumulative_sum", "--dtype", "float32,bfloat16,int8", "--shape", "columns_of_8,page"]
    scale = ["--scale", "4096", "--repeats", "2", "--against", "numpy", "--threads", "1"]
    done = run(*choice, *scale, "--json", str(tmp_path / "all.json"), "--markdown", str(tmp_path / "table.md"))
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "all.json").read_text())
    assert set(document) == {"machine", "settings", "rows"}
    assert set(document["machine"]["versions"]) == {"samesum", "numpy"}
    assert document["machine"]["threads"] == 1
    asked = [(row["cell"]["name"], row["dtype"], row["operator"]) for row in document["rows"]]
    types = ("float32", "bfloat16", "int8")
    assert asked == [
        *(("columns_of_8", dtype, operator) for dtype in types for operator in ("sum", "min", "cumulative_sum")),
        *(("page", dtype, operator) for dtype in types for operator in ("sum", "min")),
    ]
    for row in document["rows"]:
        check_row(row)
    table = (tmp_path / "table.md").read_text()
    assert table.count("\n| ") == len(asked) + 2, table
    assert "[15/15]" in done.stderr
    assert "columns_of_8" in done.stdout


def check_row(row: dict[str, Any]) -> None:
    assert set(row) == KEYS
    assert set(row["figures"]) == {"samesum", "numpy"}
    assert row["best_peer"] == "numpy"
    assert (row["bandwidth_gbs"] is None) == (row["of_bandwidth"] is None) == row["cell"]["is_small"]
    for figure in row["figures"].values():
        assert set(figure) == FIGURES
        assert len(figure["seconds"]) == 2
        assert all(seconds > 0 for seconds in figure["seconds"])
    assert row["figures"]["samesum"]["distance"]["differing"] == 0
    if row["operator"] == "min":
        assert row["verdict"] is None
        assert row["figures"]["numpy"]["distance"]["differing"] == 0
    else:
        assert row["verdict"] == {"checked": 8, "wrong": 0}


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_every_array_of_the_grid_is_exact(tmp_path: Path, distribution: str) -> None:
    """Views in another order and with steps too, without peers."""
    report = tmp_path / "all.json"
    chosen = ["--op", "sum,mean,l1_norm,l2_norm,cumulative_sum", "--dtype", "float16,float64,uint8"]
    done = run(
        *chosen,
        "--scale",
        "16384",
        "--repeats",
        "1",
        "--against=",
        "--distribution",
        distribution,
        "--json",
        str(report),
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(report.read_text())["rows"]
    assert {len(row["cell"]["shape"]) for row in rows} == {1, 2, 3, 4}
    checked = [row["verdict"]["checked"] for row in rows if row["operator"] != "l2_norm"]
    assert min(checked) >= 1
    assert all(row["best_peer"] is None and row["to_best_peer"] is None for row in rows)


def test_what_is_not_known_is_refused_with_what_is() -> None:
    done = run("--op", "sum,median")
    assert done.returncode == 2
    assert "'median' is not known; allowed are sum, mean" in done.stderr


@pytest.mark.parametrize("name", FORMATS)
def test_distances_count_neighbours(accuracy: ModuleType, name: str) -> None:
    dtype = DTYPES[name]
    one = np.ones(3, dtype)
    bits = one.view(f"u{dtype.itemsize}").copy()
    bits[1] += 3
    bits[2] -= 1
    found = accuracy.distance(bits.view(dtype), one)
    assert (found.outputs, found.differing, found.worst) == (3, 2, 3.0)
    zeros = np.array([-0.0, 0.0], dtype)
    assert accuracy.distance(zeros, zeros[::-1].copy()).differing == 0
    smallest = np.array([FORMATS[name].sign | 1, 1], f"u{dtype.itemsize}").view(dtype)
    assert accuracy.distance(smallest, smallest[::-1].copy()).worst == 2.0
    with_nan = np.array([np.nan, 1.0], dtype)
    assert accuracy.distance(with_nan, with_nan).differing == 0
    assert accuracy.distance(with_nan, np.ones(2, dtype)).worst == math.inf


def test_distances_of_integers_are_differences(accuracy: ModuleType) -> None:
    far = accuracy.distance(np.array([-(2**63)]), np.array([2**63 - 1]))
    assert far.worst == float(2**64 - 1)
    assert accuracy.distance(np.array([200], np.uint8), np.array([3], np.uint8)).worst == 197.0


@pytest.mark.parametrize("row", [SUM, L1_NORM], ids=lambda row: row.name)
@pytest.mark.parametrize("name", FORMATS)
def test_the_sum_by_exponents_is_the_exact_one(accuracy: ModuleType, name: str, row: Any) -> None:
    dtype = DTYPES[name]
    bits = np.random.default_rng(1).integers(0, 256, 600 * dtype.itemsize, np.uint8).view(f"u{dtype.itemsize}")
    infinity = bits.dtype.type(FORMATS[name].infinity)
    x = bits[bits & infinity != infinity].view(dtype)
    assert x.size > 500
    found = accuracy.exact_state(row, x)
    assert found == exact.collect(row, exact.states(row, x))
