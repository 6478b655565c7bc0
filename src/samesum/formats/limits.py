"""What no honest model exceeds; checked in Python integers before anything is allocated."""

from __future__ import annotations

import math
from collections.abc import Sequence

from samesum.errors import ShapeError

MAX_ELEMENTS = 2**40
MAX_RANK = 64
"""NumPy's own limit."""


def excess(shape: Sequence[int | None]) -> str:
    """Why a shape is refused ("": it is not), counting unknown dims as one."""
    if len(shape) > MAX_RANK:
        return f"{len(shape)} dims; at most {MAX_RANK} are allowed"
    known = [1 if dim is None else dim for dim in shape]
    if known and min(known) < 0:
        return f"a negative dim in {list(shape)}"
    if math.prod([dim or 1 for dim in known]) > MAX_ELEMENTS:
        return f"shape {list(shape)} has more than 2^40 elements"
    return ""


def checked(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape, within the limits."""
    if reason := excess(shape):
        raise ShapeError(reason)
    return tuple(shape)


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast, within the limits; NumPy's own search ends at 32 dims."""
    result = [1] * max(map(len, shapes))
    for shape in shapes:
        for place, dim in enumerate(shape, len(result) - len(shape)):
            if dim not in (1, result[place]):
                if result[place] != 1:
                    raise ShapeError(f"the shapes {' and '.join(map(str, shapes))} do not broadcast together")
                result[place] = dim
    return checked(result)
