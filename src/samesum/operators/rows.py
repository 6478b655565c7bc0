"""What a row of the operators around the family is made of, and how its attributes are read and its inputs checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from samesum.errors import DtypeError, ModelError
from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.formats.elements import names
from samesum.operators.attributes import Unread

Attributes = Mapping[str, Any]
Inputs = Sequence[NDArray | None]


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value before it is computed; `value` only where it is small and constant."""

    dtype: Dtype | None = None
    shape: Shape | None = None
    value: NDArray | None = None


UNKNOWN = Fact()
Facts = Sequence[Fact | None]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: how it is read from either standard's spelling, and what its absence means."""

    name: str
    read: Callable[[object], object]
    default: object = None
    required: bool = False


class Cut(Enum):
    """Which parts of its inputs an operator needs for a part of its result."""

    NONE = 0
    """The whole inputs."""
    EACH = 1
    """The same part of every input; they broadcast."""
    FIRST = 2
    """The same part of the first input, and the others as they are: one element each, or only their type."""


@dataclass(frozen=True, slots=True)
class Row:
    """One version of one operator: the function that computes it, and the one that foretells dtype and shape."""

    standard: str
    operator: str
    since: int
    run: Callable[[Attributes, Inputs], NDArray]
    infer: Callable[[Attributes, Facts], Fact]
    types: frozenset[Dtype] | None
    """T, what the leading inputs may be; None: anything."""
    arity: tuple[int, int] = (1, 1)
    attributes: tuple[Attribute, ...] = field(default=())
    same: int = 99
    """How many leading inputs share T; the others are the function's business."""
    cut: Cut = Cut.NONE
    is_light: bool = False
    """Computing an element again costs no more than reading it."""

    @property
    def title(self) -> str:
        """The operator and its version, as messages and plans show it."""
        return f"{self.standard}.{self.operator}-{self.since}"


def read_attributes(row: Row, attributes: Attributes) -> Attributes:
    """The attributes of a node, read and completed by the row's defaults."""
    given = dict(attributes)
    values: dict[str, object] = {}
    for attribute in row.attributes:
        if attribute.name in given:
            values[attribute.name] = _read(row, attribute, given.pop(attribute.name))
        elif attribute.required:
            raise ModelError(f"{row.title}: attribute {attribute.name!r} is missing")
        else:
            values[attribute.name] = attribute.default
    if given:
        allowed = ", ".join(attribute.name for attribute in row.attributes) or "none"
        raise ModelError(f"{row.title}: unknown attribute {', '.join(map(repr, given))}; allowed: {allowed}")
    return values


def _read(row: Row, attribute: Attribute, value: object) -> object:
    try:
        if isinstance(value, Unread):
            raise ValueError(f"a {value.kind}")
        return attribute.read(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ModelError(f"{row.title}: attribute {attribute.name!r} is {value!r}: {error}") from None


def check_count(row: Row, count: int) -> None:
    """The number of inputs fits the row, or ModelError."""
    least, most = row.arity
    if not least <= count <= most:
        allowed = f"{least}" if least == most else f"{least} to {most}"
        raise ModelError(f"{row.title} has {count} inputs; allowed: {allowed}")


def check_inputs(row: Row, inputs: Inputs) -> None:
    """The required inputs are there and the leading ones share one of the row's types, or an error."""
    for position in range(row.arity[0]):
        if inputs[position] is None:
            raise ModelError(f"{row.title}: input {position} is missing")
    found = [array.dtype for array in inputs[: row.same] if array is not None]
    if row.types is not None and found and found[0] not in row.types:
        raise DtypeError(f"{row.title} does not take {found[0].name}; allowed: {names(row.types)}")
    if any(dtype != found[0] for dtype in found):
        listed = " and ".join(dtype.name for dtype in found)
        raise DtypeError(f"{row.title} was given {listed}; its inputs must have one type")
