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
    """The current ones are all there; those of a release, in a file of its version, are a part of them."""
    found = hashes(dtype, memory.reduce, memory.scan)
    for path in (PATH, *PATH.parent.glob("[0-9]*.json")):
        golden = {name: bits for name, bits in json.loads(path.read_text()).items() if name.endswith(f" {dtype.name}")}
        assert found[f"input {dtype.name}"] == golden[f"input {dtype.name}"], f"the inputs of {path.name} differ"
        assert {name: bits for name, bits in found.items() if name in golden or path == PATH} == golden, path.name
