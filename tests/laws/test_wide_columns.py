"""More columns than a tile takes: the results are those of the same columns a few at a time."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from naming import looped

OPERATORS = ("sum", "mean", "min", "max", "prod", "l1_norm", "l2_norm", "sum_square", "log_sum", "logsumexp")
SELECTIONS = ("all", "any", "argmin", "argmax")
DTYPES = (np.int8, np.uint8, np.int16, np.uint16, np.float16, ml_dtypes.bfloat16, np.int32, np.bool_)


@pytest.fixture(autouse=True)
def threads() -> Any:
    before = ss.get_num_threads()
    yield
    ss.set_num_threads(before)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@looped("shape", [(9, 9001), (137, 4097), (2100, 8200)])
def test_wide_rows(dtype: Any, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape[1])
    x = rng.integers(0, 120, shape).astype(dtype)
    if np.dtype(dtype).name in ("int8", "int16", "int32", "float16", "bfloat16"):
        x[:, ::3] = -x[:, ::3]
    few = OPERATORS[:8] if shape[0] > 1000 else OPERATORS
    for name in (*few, *SELECTIONS) if dtype is not np.bool_ else ("all", "any", "sum", "min"):
        function = getattr(ss, name)
        ss.set_num_threads(1)
        parts = [function(np.ascontiguousarray(x[:, i : i + 500]), axis=0) for i in range(0, shape[1], 500)]
        expected = np.concatenate(parts)
        for count in (1, 2):
            ss.set_num_threads(count)
            assert function(x, axis=0).tobytes() == expected.tobytes(), (name, count)
