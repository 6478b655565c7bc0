"""What a row of a standard is made of, and the catalogue of all rows. Element types carry their NumPy names in both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from samesum.algebra import rows
from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.formats import elements
from samesum.formats.arrays import MAX_RANK


class Kind(Enum):
    """Which values an attribute may have, as a refusal says it."""

    FLAG = "true or false"
    INTEGER = "an integer"
    INTEGERS = "a list of integers"
    NUMBER = "a number"
    NUMBERS = "a list of numbers"
    EPSILON = "a finite number from 0 on"
    AXIS = "an integer that names an axis"
    AXIS_FROM_FRONT = "an integer from 0 on"
    AXES = "a list of axes"
    WORD = "a word"
    WORDS = "a list of words"
    TEXT = "a text"
    TYPE = "an element type"
    TENSOR = "a tensor of one element"
    GRAPH = "a graph"


class EmptySet(Enum):
    """What reducing no elements gives."""

    IDENTITY = "the identity of the combine, finalized"
    UNDEFINED = "NaN, and an error where the type has none"
    ZERO = "zero"
    LOWEST_FINITE = "the lowest finite value of the type"


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: `name` is the standard's word, `meaning` the one under which a bound operation has its value."""

    name: str
    kind: Kind
    default: object = None
    meaning: str = ""
    """The name itself unless it says something else."""
    required: bool = False
    words: tuple[str, ...] = ()
    """The words that are allowed, in lower case; none: any word."""
    only: object = None
    """The one value that is supported, where the standard allows others."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "meaning", self.meaning or self.name)


@dataclass(frozen=True, slots=True)
class Unread:
    """The value of an attribute that is not read with it: a graph, or of a kind that no supported operator takes."""

    kind: str


@dataclass(frozen=True, slots=True)
class Input:
    """One input; `types` None stands for T, the element types of the version, of which all such inputs have one."""

    name: str
    types: frozenset[str] | None = None
    min_rank: int = 0
    max_rank: int = MAX_RANK
    optional: bool = False
    repeated: bool = False
    """True for a last input that may be there any number of times; not zero times unless it is optional."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs in order and the attributes, as one or more versions share them."""

    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """What one version of an operator says."""

    since: int
    types: frozenset[str]
    signature: Signature
    as_matrix: bool = False
    """True if `axis` splits the data into a matrix, whose rows are what is normalized."""


class Made(Enum):
    """What is made of reductions."""

    NORMALIZATION = "normalization"
    POOL = "pool"
    SCATTER = "scatter"
    PRODUCT = "product"


@dataclass(frozen=True, slots=True)
class Operator:
    """All versions of one operator, oldest first, and what they have in common."""

    name: str
    versions: tuple[Version, ...]
    row: Reduction | Scan | Normalization | None = None
    """What the operator stands for in the algebra; None for the operators around the family."""
    empty_set: EmptySet = EmptySet.IDENTITY
    result: str | None = None
    """The element type of the result where it is not T."""
    holds_graphs: bool = False
    """True if it runs graphs that its node holds: branches, bodies."""
    made: Made | None = None
    """What it is, if it is made of reductions."""

    @property
    def is_of_reductions(self) -> bool:
        """True if it stands on a row of the algebra or is made of such."""
        return self.row is not None or self.made is not None


@dataclass(frozen=True, slots=True)
class Standard:
    """One standard: its operators and what holds for each of them."""

    name: str
    newest_opset: int
    operators: tuple[Operator, ...]
    empty_axes_reduce_all: bool
    """True if empty axes stand for all axes where no attribute says otherwise."""
    scalars_have_an_axis: bool
    """True if a rank-0 input accepts axis 0 (or -1), as if it had rank 1."""
    minds_case: bool
    """True if operator names are matched letter for letter."""
    spells_values: bool
    """True if a file spells the values of attributes as text."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One version of one operator of one standard: the row that a question finds."""

    standard: Standard
    operator: Operator
    version: Version
    identifier: str = field(init=False)
    """The name that messages and plans use: `onnx.ReduceSum-13`."""
    row: Reduction | Scan | Normalization | None = field(init=False)
    """What the operator stands for in the algebra."""
    types: frozenset[str] = field(init=False)
    """T, the element types of the data and, where the operator says nothing else, of the result."""
    inputs: tuple[Input, ...] = field(init=False)
    """In the standard's order; the first one is the data."""
    attributes: tuple[Attribute, ...] = field(init=False)
    """Those that the version knows."""

    def __post_init__(self) -> None:
        identifier = f"{self.standard.name}.{self.operator.name}-{self.version.since}"
        object.__setattr__(self, "identifier", identifier)
        object.__setattr__(self, "row", self.operator.row)
        object.__setattr__(self, "types", self.version.types)
        object.__setattr__(self, "inputs", self.version.signature.inputs)
        object.__setattr__(self, "attributes", self.version.signature.attributes)


# The table as it is written: operators.txt, whose first lines say how.

_NAME = re.compile(r"\$(\w+)")
_DEFINED = re.compile(r"(\w+) = (.*)")
_TYPE = re.compile(r"([+-]?)(\w+)")
_INPUT = re.compile(r"(\w+)(?::([\w+-]+))?(?:\[(\d*)(\.\.)?(\d*)\])?(\??)(\*?)")
_ATTRIBUTE = re.compile(r"([\w-]+)(?:>(\w+))?:(\w+)(!?)(?:=([^=(]*))?(?:==(\w+))?(?:\((.*)\))?")

_WORDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "row": lambda text: {"row": vars(rows)[text]},
    "empty": lambda text: {"empty_set": EmptySet[text.upper()]},
    "result": lambda text: {"result": text},
    "made": lambda text: {"made": Made(text)},
    "graphs": lambda _: {"holds_graphs": True},
}
_VALUES: dict[Kind, Callable[[str], object]] = {
    Kind.FLAG: lambda text: bool(int(text)),
    **dict.fromkeys((Kind.INTEGER, Kind.AXIS, Kind.AXIS_FROM_FRONT), int),
    **dict.fromkeys((Kind.NUMBER, Kind.EPSILON), float),
    Kind.WORD: str,
    Kind.WORDS: lambda text: tuple(text.split(",")),
    **dict.fromkeys((Kind.INTEGERS, Kind.AXES), lambda text: tuple(map(int, filter(None, text.split(","))))),
    Kind.TYPE: np.dtype,
}
"""How a default is read."""


def _lines() -> Iterator[str]:
    """Each operator's line, and those in brackets that name a standard."""
    text = Path(__file__).with_name("operators.txt").read_text(encoding="utf-8")
    defined: dict[str, str] = {}
    said = (each for each in text.replace("\n  ", " ").splitlines() if each and not each.startswith("#"))
    for each in said:
        line = _NAME.sub(lambda found: defined[found[1]], each)
        if definition := _DEFINED.fullmatch(line):
            defined[definition[1]] = definition[2]
        else:
            yield line


def _read() -> dict[str, tuple[Operator, ...]]:
    """The operators of each standard."""
    found: dict[str, list[Operator]] = {}
    standard = ""
    for line in _lines():
        if line.startswith("["):
            standard = line[1:-1]
        else:
            found.setdefault(standard, []).extend(_operators(*line.split(" | ")))
    return {name: tuple(operators) for name, operators in found.items()}


def _operators(title: str, versions: str, inputs: str, attributes: str = "") -> Iterator[Operator]:
    names, *words = title.split()
    facts: dict[str, Any] = {}
    for word in words:
        key, _, text = word.partition("=")
        facts |= _WORDS[key](text)
    said = tuple(each for group in versions.split() for each in _versions(group, inputs, attributes))
    for name in names.split(","):
        yield Operator(name, said, **facts)


def _versions(group: str, inputs: str, attributes: str) -> Iterator[Version]:
    """Those of one set of types, such as `1,6:floats`."""
    numbers, _, text = group.partition(":")
    types, _, matrix = text.partition("/")
    for since in map(int, numbers.split(",")):
        signature = Signature(_there(_input, inputs, since), _there(_attribute, attributes, since))
        yield Version(since, _types(types), signature, matrix == "matrix")


def _there(read: Callable[[str], Any], column: str, since: int) -> tuple[Any, ...]:
    """What the column says of the inputs or attributes that this version has."""
    parts = [each.partition("@") for each in column.split()]
    return tuple(read(text) for text, _, when in parts if _holds(when, since))


def _holds(when: str, since: int) -> bool:
    first, _, end = when.partition("-")
    return int(first or 0) <= since and (not end or since < int(end))


@cache
def _types(text: str) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for sign, name in _TYPE.findall(text):
        each = getattr(elements, name.upper(), elements.ALL & {name})
        assert each, f"{name} in {text}: no type has this name, and no set of them"
        found = found - each if sign == "-" else found | each
    return found


@cache
def _input(text: str) -> Input:
    found = _INPUT.fullmatch(text)
    assert found is not None, text
    name, types, least, dots, most, optional, repeated = found.groups()
    highest = MAX_RANK if least is None or (dots and not most) else int(most if dots else least)
    return Input(
        name, None if types is None else _types(types), int(least or 0), highest, bool(optional), bool(repeated)
    )


@cache
def _attribute(text: str) -> Attribute:
    found = _ATTRIBUTE.fullmatch(text)
    assert found is not None, text
    name, meaning, word, required, default, only, words = found.groups()
    kind = Kind[word.upper()]
    value, one = (None if each is None else _VALUES[kind](each) for each in (default, only))
    allowed = () if words is None else tuple(words.split("|"))
    return Attribute(name, kind, value, meaning or "", bool(required), allowed, one)


_OPERATORS = _read()

ONNX = Standard(
    "onnx",
    newest_opset=28,
    operators=_OPERATORS["onnx"],
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
    spells_values=False,
)
"""The domain ai.onnx."""
OF_ONNX_RUNTIME = ("SimplifiedLayerNormalization",)
"""What ONNX Runtime alone has in that domain."""
MEAN_VARIANCE_EPSILON = 9.999999717180685e-10
"""What MeanVarianceNormalization adds to the deviation: the float32 next to 1e-9, as its function body has it."""

OPENVINO = Standard(
    "openvino",
    newest_opset=16,
    operators=_OPERATORS["openvino"],
    empty_axes_reduce_all=False,
    scalars_have_an_axis=True,
    minds_case=False,
    spells_values=True,
)

MICROSOFT = Standard(
    "com.microsoft",
    newest_opset=1,
    operators=_OPERATORS["com.microsoft"],
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
    spells_values=False,
)
"""ONNX Runtime's domain."""
