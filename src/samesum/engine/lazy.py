"""Calls on lazy collections: they become graphs elsewhere, by a function that this room is told once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from samesum import _core
from samesum.formats.arrays import NDArray

_makers: list[Callable[..., Any]] = []


def defer_with(make: Callable[..., Any]) -> None:
    """Calls of the core and of `deferred` on what may be lazy ask `make(function, *arguments)` first."""
    _core.defer_with(lambda function, x, *arguments: make(function, (x,), *arguments))
    _makers[:] = [make]


def deferred(function: str, operands: tuple[object, ...], *arguments: Any) -> NDArray | None:
    """What a call gives of which an operand is lazy; None if the call is to be done now."""
    for each in operands:
        if type(each) is not np.ndarray and hasattr(each, "__dask_graph__") and _makers:
            later: NDArray | None = _makers[0](function, operands, *arguments)
            return later
    return None
