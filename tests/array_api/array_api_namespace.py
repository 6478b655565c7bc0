"""NumPy's array API namespace with samesum's functions in it, as `ARRAY_API_TESTS_MODULE` wants it."""

from __future__ import annotations

from typing import Any

import numpy as np

import samesum

__array_api_version__ = np.__array_api_version__

OWN = (
    *("sum", "prod", "min", "max", "mean", "cumulative_sum", "cumulative_prod"),
    *("all", "any", "argmin", "argmax", "vecdot"),
)


def __getattr__(name: str) -> Any:
    return getattr(samesum if name in OWN else np, name)
