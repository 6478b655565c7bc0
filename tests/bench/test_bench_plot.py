"""Pictures say what was measured, where and when, and show an error beside every speed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_reports import report, row

from samesum_bench import plots
from samesum_bench.plots import OFF, WRONG, bars, hatch_of, plot
from samesum_bench.results import failed

pytest.importorskip("matplotlib")


def _axes() -> Any:
    from matplotlib.figure import Figure as Picture

    return Picture().subplots()


def test_one_picture_says_everything(tmp_path: Path) -> None:
    """In an SVG each text stands in a comment before its outlines."""
    path = tmp_path / "speed.svg"
    assert plot(report([row(), row("mean")]), path) == [path]
    text = path.read_text()
    for said in (
        "samesum_bench: sum, mean",
        "A Processor, cache 32 MB, x86-64-v4; threads: 2",
        "Python 3.11.7; samesum 1.2.3, numpy 2.4.6; 2026-11-25",
        "load average 0.50 at the start; right before the readings others kept 1.0 of 2 processors busy",
        "2x1048576 axis 1",
        "4.19 GB/s ±0%, exact",
        "8.39 GB/s ±0%, error 750",
        "A longer bar is faster; every array has its own scale. GB/s: more is better.",
        "wrong by more than 16 ulps",
        "limit: plain pass",
    ):
        assert said in text, said


def test_many_rows_are_a_picture_for_each_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "MOST_BARS", 3)
    path = tmp_path / "speed.png"
    gone = failed(row("prod").question, {"samesum": "ended"})
    drawn = plot(report([row(), row("mean"), gone]), path)
    assert drawn == [tmp_path / "speed-sum.png", tmp_path / "speed-mean.png"]
    assert all(each.read_bytes().startswith(b"\x89PNG") for each in drawn)
    assert plot(report([row(), row()]), path) == [path]
    assert plot(report([gone]), path) == []


def test_sizes_and_lengths_are_curves(tmp_path: Path) -> None:
    rows = [row(name=name, size=size) for name in ("warm", "cold", "rows") for size in (64, 4096)]
    path = tmp_path / "speed.svg"
    assert plot(report(rows), path) == [path]
    text = path.read_text()
    assert "microseconds a call (lower is better)" in text
    assert "GB/s (higher is better)" in text


def test_an_answer_that_is_off_is_hatched() -> None:
    assert [hatch_of(row(worst=worst), "numpy") for worst in (1.0, 16.0, 17.0, None)] == [OFF, OFF, WRONG, WRONG]
    assert hatch_of(row(), "samesum") is None
    assert hatch_of(row(scaled=0.5), "numpy") == OFF, "it cancels"


def test_every_array_has_its_own_scale_and_its_own_limit() -> None:
    axes = _axes()
    bars(axes, [row(), replace(row(size=64), passes=())])
    assert [patch.get_width() for patch in axes.patches] == [0.5, 1.0, 0.5, 1.0]
    (limit,) = axes.lines
    assert list(limit.get_xdata()) == [1.0, 1.0]
    low, high = sorted(limit.get_ydata())
    assert low < 0 < 1 < high < 2, "beside the two bars of its row alone"


def test_the_slowest_bar_is_seen() -> None:
    axes, fast = _axes(), row().figures["samesum"]
    slow = replace(fast, seconds=1e3, readings=(1e3,))
    bars(axes, [replace(row(), figures={"samesum": fast, "numpy": slow}, passes=())])
    assert [patch.get_width() for patch in axes.patches] == [1.0, 0.004]
