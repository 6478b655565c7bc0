"""Binding: a row and the attributes of one node or call become an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from operator import index
from typing import Any, NoReturn

import numpy as np

from samesum.errors import AttributeValueError, AxisError, ModelError, UnsupportedOperator
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.axes import axis_number
from samesum.formats.elements import CASTABLE, IR_ELEMENTS, MODEL_ELEMENTS, TARGETS, Element, names
from samesum.formats.rounding import nearest_single
from samesum.specs.table import Attribute, Kind, Spec, Standard, Unread

# How the value of an attribute is read. ONNX gives numbers, an IR file their text, a call the values of Python.


def _read(spec: Spec, attribute: Attribute, value: object) -> object:
    """The value of `attribute` that `value` says.

    Raises AxisError for what should name an axis and does not, AttributeValueError for any other value that the
    standard does not allow, UnsupportedOperator for an element type that nothing can be converted to.
    """
    said = f"{spec.identifier}: {attribute.name}"
    try:
        if isinstance(value, Unread) and attribute.kind is not Kind.GRAPH:
            raise ValueError(value)
        given = _unspelled(attribute.kind, value) if spec.standard.spells_values else value
        return _READERS[attribute.kind](spec.standard, attribute, given)
    except AxisError as error:
        raise AxisError(f"{spec.identifier}: {error}") from None
    except UnsupportedOperator as error:
        raise UnsupportedOperator(f"{said}: {error}") from None
    except (ValueError, TypeError, OverflowError):
        shown = f"a {value.kind}" if isinstance(value, Unread) else repr(value)
        raise AttributeValueError(f"{said} is {shown}; allowed is {_allowed(spec.standard, attribute)}") from None


_WORDS = {"true": True, "1": True, "false": False, "0": False}


def _unspelled(kind: Kind, value: object) -> Any:
    """What a text of an IR file stands for; anything else, and a text that stands for nothing, as it is."""
    if not isinstance(value, str):
        return value
    if kind is Kind.FLAG:
        return _WORDS.get(value.strip().lower(), value)
    if kind in (Kind.INTEGERS, Kind.AXES):
        return [_numeral(item) for item in value.split(",") if item.strip()]
    if kind in (Kind.NUMBERS, Kind.WORDS):
        items = [item.strip() for item in value.split(",") if item.strip()]
        return items if kind is Kind.WORDS else [_unspelled(Kind.NUMBER, item) for item in items]
    if kind in (Kind.INTEGER, Kind.AXIS, Kind.AXIS_FROM_FRONT):
        return _numeral(value)
    if kind in (Kind.NUMBER, Kind.EPSILON) and value.isascii() and "_" not in value:
        return float(value)
    return value


def _numeral(text: str) -> int | str:
    digits = text.strip()
    unsigned = digits[1:] if digits[:1] in ("+", "-") else digits
    return int(digits) if unsigned.isascii() and unsigned.isdigit() and len(unsigned) < 20 else text


def _flag(_: Standard, __: Attribute, value: Any) -> bool:
    number = int(value) if isinstance(value, np.bool_) else index(value)
    return bool(number) if number in (0, 1) else _refused(value)


def _integer(_: Standard, __: Attribute, value: Any) -> int:
    if isinstance(value, bool) or not -(2**63) <= index(value) < 2**63:
        _refused(value)
    return index(value)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) != 1:
        _refused(value)
    items: Iterable[Any] = value
    return items


def _number(standard: Standard, _: Attribute, value: Any) -> float:
    """In ONNX every number of an attribute is a float32."""
    number = _refused(value) if isinstance(value, bool | str | bytes) else float(value)
    return number if standard.spells_values else nearest_single(number)


def _epsilon(standard: Standard, attribute: Attribute, value: Any) -> float:
    """Its float32 value is what counts in both standards, which may be infinite where the number is not."""
    number = nearest_single(_number(standard, attribute, value))
    return number if 0 <= number < inf else _refused(value)


def _axis_from_front(_: Standard, __: Attribute, value: Any) -> int:
    axis = axis_number(value)
    if axis < 0:
        raise AxisError(f"axis {axis} counts from the end; allowed is {Kind.AXIS_FROM_FRONT.value}")
    return axis


def _word(_: Standard, attribute: Attribute, value: Any) -> str:
    word = value.strip().lower() if isinstance(value, str) else _refused(value)
    return word if word in attribute.words or not attribute.words else _refused(value)


_ONNX_NAMES = {element.name: element for element in MODEL_ELEMENTS.values()}


def _type(standard: Standard, _: Attribute, value: Any) -> Dtype:
    """A type to convert to: an element type of the IR by name, or a number of TensorProto.DataType (Cast-1: its name).

    In an IR file floats of 8 bits and what is packed are read, never written.
    """
    if standard.spells_values:
        element = IR_ELEMENTS.get(value.strip().lower())
    else:
        element = _ONNX_NAMES.get(value.upper()) if isinstance(value, str) else MODEL_ELEMENTS.get(index(value))
    if element is None:
        raise ValueError(value)
    if not _is_target(standard, element):
        allowed = CASTABLE if standard.spells_values else TARGETS
        raise UnsupportedOperator(f"conversion to {element.name} is not supported; allowed: {names(allowed)}")
    return element.own


def _refused(value: Any) -> Any:
    raise ValueError(value)


def _allowed(standard: Standard, attribute: Attribute) -> str:
    if attribute.kind is Kind.FLAG and not standard.spells_values:
        return "0 or 1"
    if attribute.kind is Kind.TYPE:
        return f"one of {_type_names(standard)}"
    return " or ".join(attribute.words) or attribute.kind.value


def _type_names(standard: Standard) -> str:
    if standard.spells_values:
        return ", ".join(name for name, element in IR_ELEMENTS.items() if _is_target(standard, element))
    elements = ((number, each) for number, each in MODEL_ELEMENTS.items() if _is_target(standard, each))
    return ", ".join(f"{number} ({each.name})" for number, each in elements)


def _is_target(standard: Standard, element: Element) -> bool:
    if standard.spells_values:
        return element.dtype.name in CASTABLE and element.bits >= 8
    return element.own.name in TARGETS


_Reader = Callable[[Standard, Attribute, Any], Any]


def _each(read: _Reader) -> _Reader:
    """A list of what is read so."""
    return lambda standard, attribute, value: tuple(read(standard, attribute, item) for item in _items(value))


def _if(holds: Callable[[Any], bool]) -> _Reader:
    """The value itself, if it is such a one."""
    return lambda _, __, value: value if holds(value) else _refused(value)


def _axis(_: Standard, __: Attribute, value: Any) -> int:
    return axis_number(value)


def _tensor(_: Standard, __: Attribute, value: Any) -> NDArray:
    return value.reshape(()) if isinstance(value, np.ndarray) and value.size == 1 else _refused(value)


_READERS: dict[Kind, _Reader] = {
    Kind.FLAG: _flag,
    Kind.INTEGER: _integer,
    Kind.INTEGERS: _each(_integer),
    Kind.NUMBER: _number,
    Kind.NUMBERS: _each(_number),
    Kind.EPSILON: _epsilon,
    Kind.AXIS: _axis,
    Kind.AXIS_FROM_FRONT: _axis_from_front,
    Kind.AXES: _each(_axis),
    Kind.WORD: _word,
    Kind.WORDS: _each(_word),
    Kind.TEXT: _if(lambda value: isinstance(value, str)),
    Kind.TYPE: _type,
    Kind.TENSOR: _tensor,
    # Its node holds the graph; here stands that it has one.
    Kind.GRAPH: _if(lambda value: isinstance(value, Unread) and value.kind == "graph"),
}


class NodeError(ModelError, AttributeValueError):
    """A node of a file has a value or a number of inputs that its operator does not allow."""


@dataclass(frozen=True, slots=True)
class Operation:
    """All that is known of a node or call before it runs."""

    spec: Spec
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """By what they mean, completed by their defaults."""

    @property
    def axes(self) -> tuple[int, ...] | None:
        """The axes that an attribute names, as they were given; None if no attribute names any."""
        return self.attributes.get("axes")

    @property
    def axis(self) -> int | None:
        """The one axis that an attribute names, as it was given."""
        return self.attributes.get("axis")

    @property
    def keepdims(self) -> bool:
        """True if reduced axes stay with length 1."""
        return bool(self.attributes.get("keepdims"))

    @property
    def noop_with_empty_axes(self) -> bool:
        """True if empty axes stand for no axis."""
        default = not self.spec.standard.empty_axes_reduce_all
        return bool(self.attributes.get("noop_with_empty_axes", default))


def bind(spec: Spec, attributes: Mapping[str, object]) -> Operation:
    """`spec` with `attributes` checked and the others at their defaults.

    Raises UnsupportedOperator for a name that the version does not have and for a value that is not supported,
    AxisError for axes that are not integers or, where the version allows none, negative, AttributeValueError for any
    other value that the standard does not allow and for an attribute that is missing.
    """
    given = dict(attributes)
    values: dict[str, object] = {}
    for attribute in spec.attributes:
        if attribute.name in given:
            values[attribute.meaning] = _read(spec, attribute, given.pop(attribute.name))
        elif attribute.required:
            raise AttributeValueError(f"{spec.identifier}: the attribute {attribute.name!r} is missing")
        else:
            values[attribute.meaning] = attribute.default
        if attribute.only is not None and values[attribute.meaning] != attribute.only:
            said = f"{spec.identifier}: {attribute.name} is {values[attribute.meaning]}"
            raise UnsupportedOperator(f"{said}; supported is {attribute.only}")
    if given:
        _refuse_names(spec, given)
    return Operation(spec, values)


def bind_node(spec: Spec, attributes: Mapping[str, object], inputs: Iterable[object]) -> Operation:
    """What `bind` gives for a node of a file, whose inputs are there if they are true.

    The errors are those of `bind`, but NodeError, which is a ModelError, in the place of AttributeValueError and for a
    missing or surplus input.
    """
    try:
        check_count(spec, inputs)
    except AttributeValueError as error:
        raise NodeError(f"{spec.identifier}: {error}") from None
    try:
        return bind(spec, attributes)
    except AttributeValueError as error:
        raise NodeError(str(error)) from None


def check_count(spec: Spec, inputs: Iterable[object]) -> None:
    """The inputs that are there (true) are enough and not too many, or AttributeValueError."""
    given = list(inputs)
    if len(given) > len(spec.inputs) and not spec.inputs[-1].repeated:
        listed = ", ".join(each.name for each in spec.inputs)
        raise AttributeValueError(f"got {len(given)} inputs; allowed are {listed}")
    given += [False] * (len(spec.inputs) - len(given))
    last = spec.inputs[-1]
    for place, there in enumerate(given):
        each = spec.inputs[place] if place < len(spec.inputs) else last
        if not there and not each.optional:
            raise AttributeValueError(f"the input {each.name} is missing")


def _refuse_names(spec: Spec, names: Iterable[str]) -> NoReturn:
    unknown = ", ".join(repr(name) for name in names)
    allowed = ", ".join(attribute.name for attribute in spec.attributes) or "none"
    raise UnsupportedOperator(f"{spec.identifier} has no attribute {unknown}; it has {allowed}")
