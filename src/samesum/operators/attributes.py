"""How an attribute's value is read: ONNX gives numbers, an IR file gives their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from samesum.errors import UnsupportedOperator
from samesum.formats.arrays import Dtype
from samesum.formats.elements import CASTABLE, IR_ELEMENTS, ONNX_ELEMENTS, Element, names


@dataclass(frozen=True, slots=True)
class Unread:
    """An attribute of a kind that no supported operator takes, such as a subgraph."""

    kind: str


_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_WORDS = {"true": True, "1": True, "false": False, "0": False}


def integer(value: object) -> int:
    """A 64-bit integer."""
    if isinstance(value, str):
        text = value.strip()
        if not _INTEGER.fullmatch(text):
            raise ValueError("not an integer")
        value = int(text)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("not an integer")
    if not -(2**63) <= value < 2**63:
        raise ValueError("beyond 64 bits")
    return value


def integers(value: object) -> tuple[int, ...]:
    """A list of integers; as text, separated by commas."""
    if isinstance(value, str):
        value = [item for item in value.split(",") if item.strip()]
    if not isinstance(value, Iterable):
        raise ValueError("not a list of integers")
    return tuple(integer(item) for item in value)


def number(value: object) -> float:
    """A real number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("not a number")
    return float(value)


def flag(value: object) -> bool:
    """True or false: 0, 1 or, as text, the words in any case."""
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise ValueError("allowed: true, false, 1, 0")
    return _WORDS[word]


def one_of(*words: str) -> Callable[[object], str]:
    """A reader of one of `words`, in any case."""

    def read(value: object) -> str:
        word = value.strip().lower() if isinstance(value, str) else ""
        if word not in words:
            raise ValueError(f"allowed: {', '.join(words)}")
        return word

    return read


def onnx_type(value: object) -> Dtype:
    """The dtype that a number of TensorProto.DataType (or, in Cast-1, its name) stands for."""
    by_name = {element.name: element for element in ONNX_ELEMENTS.values()}
    return _target(by_name.get(value.upper()) if isinstance(value, str) else ONNX_ELEMENTS.get(integer(value)))


def ir_type(value: object) -> Dtype:
    """The dtype that an element type of the IR stands for."""
    return _target(IR_ELEMENTS.get(value.strip().lower()) if isinstance(value, str) else None)


def _target(element: Element | None) -> Dtype:
    """A type to convert to: 8-bit floats and what is packed are read, never written."""
    if element is None:
        raise ValueError(f"not a known type; allowed: {names(CASTABLE)}")
    if element.dtype not in CASTABLE or element.bits < 8:
        raise UnsupportedOperator(f"conversion to {element.name} is not supported; allowed: {names(CASTABLE)}")
    return element.dtype
