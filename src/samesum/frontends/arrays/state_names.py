"""The names of what a state can keep, and which measures they are made of."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from samesum.algebra.pieces import Finalize

StateName = Literal[
    "sum", "mean", "l1_norm", "l1", "l2_norm", "l2", "sum_square", "var", "std", "rms", "log_sum", "logsumexp",
    "prod", "min", "max", "argmin", "argmax", "all", "any", "count_nonzero",
]  # fmt: skip


class Moment(IntEnum):
    """What the sums of the elements and of their squares give together, as the core numbers it."""

    VARIANCE = 0
    DEVIATION = 1
    ROOT_MEAN_SQUARE = 2


SUMS: dict[str, tuple[str, Finalize]] = {
    "sum": ("sum", Finalize.ITSELF),
    "mean": ("sum", Finalize.OVER_COUNT),
    "l1_norm": ("magnitude", Finalize.ITSELF),
    "l1": ("magnitude", Finalize.ITSELF),
    "l2_norm": ("square", Finalize.ROOT),
    "l2": ("square", Finalize.ROOT),
    "sum_square": ("square", Finalize.ITSELF),
    "log_sum": ("sum", Finalize.LOGARITHM),
}
MOMENTS = {"var": Moment.VARIANCE, "std": Moment.DEVIATION, "rms": Moment.ROOT_MEAN_SQUARE}
CORRECTED = ("var", "std")
MEASURES: dict[str, tuple[str, ...]] = {
    **{name: (key,) for name, (key, _) in SUMS.items()},
    **dict.fromkeys(MOMENTS, ("sum", "square")),
    "logsumexp": ("exponential",),
    "prod": ("product",),
    "min": ("min",),
    "max": ("max",),
    "argmin": ("argmin",),
    "argmax": ("argmax",),
    "all": ("all",),
    "any": ("any",),
    "count_nonzero": ("nonzero",),
}
WITH_POSITION = ("argmin", "argmax")
WITHOUT_EMPTY = ("min", "max", *WITH_POSITION)
