"""Calls of the standards' functions, bound once for each operator, opset and attributes: every step counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from samesum.algebra.rows import HARDMAX, Normalization
from samesum.engine.arrays import as_array
from samesum.engine.memory import normalize_by_code
from samesum.errors import AxisError, SamesumError
from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.operators.apply import apply
from samesum.specs.bind import Operation
from samesum.specs.lookup import operation_of


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


def arrays(*given: ArrayLike | None) -> list[NDArray | None]:
    """Inputs as arrays; None for one that is left out."""
    return [None if each is None else as_array(each) for each in given]


_Call = Callable[[Any, Out | None], NDArray]


def normalize(
    standard: str, operator: str, opset: int | None, axis: int | None, x: ArrayLike, out: Out | None = None
) -> NDArray:
    """What `apply` gives for this operator and `x`, and the same errors; `axis` None is the standard's default."""
    try:
        call = _bound(standard, operator, opset, axis)
    except TypeError:  # a value without a hash
        call = _bound.__wrapped__(standard, operator, opset, axis)
    return call(x, out)


@lru_cache(maxsize=256, typed=True)
def _bound(standard: str, operator: str, opset: int | None, axis: int | None) -> _Call:
    """The call as a function of `x` and `out`."""
    operation = operation_of(standard, operator, opset, **({} if axis is None else {"axis": axis}))
    spec = operation.spec
    if isinstance(axis, str):  # an IR file spells an axis so, a call does not
        raise AxisError(f"{spec.identifier}: an axis has to be an integer; got {axis!r}")

    def checked(x: ArrayLike, out: Out | None) -> NDArray:
        return apply(operation, (as_array(x),), out)

    if spec.row is HARDMAX or spec.version.as_matrix:
        return checked
    assert isinstance(spec.row, Normalization)
    code, along = spec.row.code, operation.attributes["axis"]
    dtypes = frozenset(map(np.dtype, spec.types))

    def straight(x: ArrayLike, out: Out | None) -> NDArray:
        # What `apply` would check, in fewer steps; what it refuses is left to it.
        if type(x) is np.ndarray and out is None and x.ndim and x.dtype in dtypes:
            try:
                return normalize_by_code(code, x, along)
            except SamesumError:
                pass
        return checked(x, out)

    return straight
