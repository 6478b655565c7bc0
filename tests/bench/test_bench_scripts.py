"""The scripts beside the benchmark program import what there is."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[each.stem for each in SCRIPTS])
def test_a_script_finds_what_it_imports(script: Path) -> None:
    try:
        runpy.run_path(str(script), run_name="imported")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("samesum", "samesum_bench"):
            raise
        pytest.skip(f"{error.name} is not installed")
