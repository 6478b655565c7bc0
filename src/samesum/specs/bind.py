"""Binding: a row and the attributes of one node or call become an operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, NoReturn

from samesum.errors import AttributeValueError, AxisError, UnsupportedOperator
from samesum.specs.row import Attribute, Kind, Spec


@dataclass(frozen=True, slots=True)
class Operation:
    """All that is known of a node or call before it runs; what a standard does not have is False or None."""

    spec: Spec
    axes: tuple[int, ...] | None = None
    """The axes that an attribute names, as they were given; None if no attribute names any."""
    keepdims: bool = False
    noop_with_empty_axes: bool = False
    axis: int | None = None
    """The one axis that an attribute names, as it was given."""
    select_last: bool = False
    exclusive: bool = False
    reverse: bool = False


def bind(spec: Spec, attributes: Mapping[str, object]) -> Operation:
    """`spec` with `attributes` checked and the others at their defaults.

    Raises UnsupportedOperator for a name that the version does not have, AxisError for axes that are
    not integers or, where the version allows none, negative, AttributeValueError for any other value that the standard
    does not allow.
    """
    fields: dict[str, Any] = {"noop_with_empty_axes": not spec.standard.empty_axes_reduce_all}
    given = dict(attributes)
    for attribute in spec.attributes:
        if attribute.name in given:
            fields[attribute.meaning] = _READERS[attribute.kind](spec, attribute, given.pop(attribute.name))
        else:
            fields[attribute.meaning] = attribute.default
    if given:
        _refuse_names(spec, given)
    return Operation(spec, **fields)


def _flag(spec: Spec, attribute: Attribute, value: object) -> bool:
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if number not in (0, 1):
        _refuse_value(spec, attribute, value)
    return bool(number)


_WORDS = {"true": True, "1": True, "false": False, "0": False}


def _boolean(spec: Spec, attribute: Attribute, value: object) -> bool:
    """An IR file spells booleans as words, in any case."""
    if not isinstance(value, str):
        return _flag(spec, attribute, value)
    word = value.strip().lower()
    if word not in _WORDS:
        _refuse_value(spec, attribute, value)
    return _WORDS[word]


def _integers(spec: Spec, attribute: Attribute, value: object) -> tuple[int, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) != 1:
        _refuse_value(spec, attribute, value)
    axes = []
    for axis in value:
        try:
            axes.append(_index(axis))
        except TypeError:
            raise AxisError(f"{spec.identifier}: {attribute.name} holds {axis!r}, which is not an integer") from None
    return tuple(axes)


def _integer(spec: Spec, attribute: Attribute, value: object) -> int:
    try:
        return _index(value)
    except TypeError:
        raise AxisError(f"{spec.identifier}: {attribute.name} is {value!r}, which is not an integer") from None


def _index(value: object) -> int:
    """TypeError for what names no axis, True and False among it."""
    if isinstance(value, bool):
        raise TypeError(value)
    return index(value)  # type: ignore[arg-type]


def _numeral(spec: Spec, attribute: Attribute, value: object) -> int:
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,19}\s*", value, re.ASCII):
        return int(value)
    return _integer(spec, attribute, value)


def _natural(spec: Spec, attribute: Attribute, value: object) -> int:
    number = _numeral(spec, attribute, value)
    if number < 0:
        raise AxisError(f"{spec.identifier}: {attribute.name} is {number}; allowed is {attribute.kind.value}")
    return number


_READERS: dict[Kind, Callable[[Spec, Attribute, object], object]] = {
    Kind.FLAG: _flag,
    Kind.BOOLEAN: _boolean,
    Kind.INTEGERS: _integers,
    Kind.INTEGER: _integer,
    Kind.NUMERAL: _numeral,
    Kind.NATURAL: _natural,
}


def _refuse_value(spec: Spec, attribute: Attribute, value: object) -> NoReturn:
    raise AttributeValueError(f"{spec.identifier}: {attribute.name} is {value!r}; allowed is {attribute.kind.value}")


def _refuse_names(spec: Spec, names: Iterable[str]) -> NoReturn:
    unknown = ", ".join(repr(name) for name in names)
    allowed = ", ".join(attribute.name for attribute in spec.attributes)
    raise UnsupportedOperator(f"{spec.identifier} has no attribute {unknown}; it has {allowed}")
