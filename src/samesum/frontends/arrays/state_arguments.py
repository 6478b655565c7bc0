"""What a state is given, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.axes import integer_of
from samesum.frontends.arrays.numbers import real_number
from samesum.frontends.arrays.state_names import MEASURES

_MOST_CORRECTION = 2**40
_CORRECTION_PARTS = 2**8


def checked_names(names: Any) -> tuple[str, ...]:
    """The names, each of them once. Raises DtypeError for what is no list, AttributeValueError for another name."""
    if not isinstance(names, list | tuple):
        raise DtypeError(f"the names are {names!r}; a list or tuple of them is needed, such as ['min', 'l2']")
    for name in names:
        if not isinstance(name, str) or name not in MEASURES:
            raise AttributeValueError(f"{name!r} has no exact state of bounded size; allowed are {', '.join(MEASURES)}")
    return tuple(dict.fromkeys(names))


def checked_correction(correction: Any) -> float:
    """`correction` if every divisor `count - correction` is exact. Raises DtypeError and AttributeValueError."""
    if isinstance(correction, bool | np.bool_) or not isinstance(correction, int | float | np.integer | np.floating):
        raise DtypeError(f"the correction is {correction!r}; a number is needed")
    value = real_number("the correction", correction) + 0.0
    if not abs(value) < _MOST_CORRECTION or value * _CORRECTION_PARTS % 1 != 0:
        raise AttributeValueError(
            f"the correction is {correction}; allowed are multiples of 2^-8 below 2^40 in magnitude"
        )
    return value


def integers(axis: Any) -> tuple[int, ...]:
    """The axes as they were given, as integers."""
    if isinstance(axis, Sequence) and not isinstance(axis, str):
        return tuple(integer_of(each) for each in axis)
    return (integer_of(axis),)


def mask_for(where: ArrayLike, shape: tuple[int, ...]) -> NDArray:
    mask = as_array(where)
    if mask.dtype != np.bool_:
        raise DtypeError(f"where has dtype {mask.dtype.name}; allowed is bool")
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ShapeError(f"where has shape {list(mask.shape)}, which does not broadcast to {list(shape)}") from None
