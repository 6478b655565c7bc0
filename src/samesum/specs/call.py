"""A call by name: looked up and bound, and remembered, since calls repeat."""

from __future__ import annotations

from functools import lru_cache

from samesum.specs.bind import Operation, bind
from samesum.specs.lookup import lookup
from samesum.specs.row import Spec


def spec_of(standard: str, operator: str, opset: int | None, /) -> Spec:
    """What `lookup` gives, and the same errors."""
    try:
        return _remembered_spec(standard, operator, opset)
    except TypeError:  # an opset without a hash
        return lookup(standard, operator, opset)


def operation_of(standard: str, operator: str, opset: int | None, /, **attributes: object) -> Operation:
    """What `bind(lookup(standard, operator, opset), attributes)` gives, and the same errors."""
    try:
        return _remembered(standard, operator, opset, **attributes)
    except TypeError:  # a value without a hash
        return bind(lookup(standard, operator, opset), attributes)


@lru_cache(maxsize=256, typed=True)
def _remembered_spec(standard: str, operator: str, opset: int | None, /) -> Spec:
    return lookup(standard, operator, opset)


@lru_cache(maxsize=256, typed=True)
def _remembered(standard: str, operator: str, opset: int | None, /, **attributes: object) -> Operation:
    return bind(lookup(standard, operator, opset), attributes)
