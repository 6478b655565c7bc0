"""Binding: a row and the attributes of one node or call become an operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from samesum.errors import AttributeValueError, ModelError, UnsupportedOperator
from samesum.specs.attributes import read
from samesum.specs.row import Spec


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

    @property
    def select_last(self) -> bool:
        """True if of equal elements the last one is meant."""
        return bool(self.attributes.get("select_last"))

    @property
    def exclusive(self) -> bool:
        """True if an element is left out of its own prefix."""
        return bool(self.attributes.get("exclusive"))

    @property
    def reverse(self) -> bool:
        """True if prefixes begin at the end."""
        return bool(self.attributes.get("reverse"))


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
            values[attribute.meaning] = read(spec, attribute, given.pop(attribute.name))
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
