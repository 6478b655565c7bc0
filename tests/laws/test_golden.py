"""The results over fixed data are the ones checked in: the same bits on every machine, in every release."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import cases
from goldens import PATH, hashes
from samesum.engine import memory


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_the_golden_hashes(dtype: np.dtype[Any]) -> None:
    golden = {name: value for name, value in json.loads(PATH.read_text()).items() if name.endswith(f" {dtype.name}")}
    found = hashes(dtype, memory.reduce, memory.scan)
    assert found[f"input {dtype.name}"] == golden[f"input {dtype.name}"], "the inputs themselves differ"
    assert found == golden
