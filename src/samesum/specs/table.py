"""The catalogue of operators: what operators.txt says, whose first lines say how it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from samesum.algebra import rows
from samesum.formats import elements
from samesum.formats.arrays import MAX_RANK
from samesum.specs.row import Attribute, EmptySet, Input, Kind, Made, Operator, Signature, Standard, Version

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
        each = getattr(elements, name.upper(), frozenset({name}))
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
