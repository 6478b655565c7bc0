"""The attributes of a call of a standard's function, as they are bound and remembered."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from samesum.specs.bind import Operation
from samesum.specs.call import operation_of


def hashed(value: object) -> Any:
    """A list of integers as a tuple, which is remembered; what is only equal to integers is not."""
    if isinstance(value, list | tuple):
        return tuple(value) if all(type(each) is int for each in value) else list(value)
    return value


def operation_given(
    standard: str, operator: str, opset: int | None, defaults: Mapping[str, object], attributes: Mapping[str, object]
) -> Operation:
    """`operation_of` with the attributes that differ from `defaults` (others: from None): not every version has all."""
    given = {name: hashed(value) for name, value in attributes.items() if not _is(value, defaults.get(name))}
    return operation_of(standard, operator, opset, **given)


def _is(value: object, default: object) -> bool:
    if isinstance(default, int) and not isinstance(value, int | np.integer | np.bool_):
        return False  # 1.0 is no flag and no integer
    return isinstance(value, Hashable) and value == default
