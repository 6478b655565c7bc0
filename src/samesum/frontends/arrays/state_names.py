"""The names of what a state can keep, and which measures they are made of."""

from __future__ import annotations

from typing import Literal

from samesum.algebra.pieces import Finalize

StateName = Literal[
    "sum", "mean", "l1_norm", "l1", "l2_norm", "l2", "sum_square", "min", "max", "argmin", "argmax", "all", "any",
    "count_nonzero",
]  # fmt: skip

SUMS: dict[str, tuple[str, Finalize]] = {
    "sum": ("sum", Finalize.ITSELF),
    "mean": ("sum", Finalize.OVER_COUNT),
    "l1_norm": ("magnitude", Finalize.ITSELF),
    "l1": ("magnitude", Finalize.ITSELF),
    "l2_norm": ("square", Finalize.ROOT),
    "l2": ("square", Finalize.ROOT),
    "sum_square": ("square", Finalize.ITSELF),
}
MEASURES = {name: key for name, (key, _) in SUMS.items()} | {
    "min": "min",
    "max": "max",
    "argmin": "argmin",
    "argmax": "argmax",
    "all": "all",
    "any": "any",
    "count_nonzero": "nonzero",
}
WITH_POSITION = ("argmin", "argmax")
WITHOUT_EMPTY = ("min", "max", *WITH_POSITION)
