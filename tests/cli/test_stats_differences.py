"""`samesum stats --diff` of tensors that are read in several parts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from command import Command

from samesum.cli.show import Exit
from samesum.files.source import WINDOW


def test_a_difference_that_is_nan_is_the_greatest_one(samesum: Command, tmp_path: Path) -> None:
    """Alone, and in a part before or after one with a difference of 2."""
    a, b = np.zeros((2, WINDOW // 4 + 8), np.float32)
    a[3], b[-1] = np.nan, 2
    np.savez(tmp_path / "a.npz", before=a, after=a[::-1], alone=a[:8], none=b)
    np.savez(tmp_path / "b.npz", before=b, after=b[::-1], alone=b[:8], none=b)
    done = samesum("stats", "--diff", tmp_path / "a.npz", tmp_path / "b.npz", "--json")
    assert done.status == Exit.MISMATCH
    assert json.loads(done.out)["diff"] == [
        {"name": "before", "differ": 2, "max_abs": "nan"},
        {"name": "after", "differ": 2, "max_abs": "nan"},
        {"name": "alone", "differ": 1, "max_abs": "nan"},
    ]
