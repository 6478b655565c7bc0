"""The compiled core as a library of custom operators, which other runtimes load by its path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from samesum import _core
from samesum.formats.arrays import NDArray

AttributeRow = tuple[str, str, list[float]]
"""The standard's word, the field of an operation that it sets, and what holds for a node without it: none if it needs
one, which flags and axes do not."""
ParameterRow = tuple[str, list[str], bool]
"""A scale or a bias: its name, its element types where they are not those of the data, whether it may be left out."""
AxesRow = tuple[list[str], int, int, bool]
"""The input that names axes: its element types, its least and greatest rank, whether it may be left out."""
VersionRow = tuple[
    str, int, int, str, int, list[str], str | None, int, bool, AxesRow | None, list[AttributeRow], list[ParameterRow],
    list[str],
]  # fmt: skip
"""Name, the opset since which it holds (0: an unknown opset), the version to register it as, kind, number of the row,
element types, that of the result if it is another, least rank, whether the axis makes a matrix, axes, attributes,
parameters, what outputs after the first one are."""


def declare(rows: Sequence[VersionRow]) -> None:
    """Tells the core which operators it is to offer; the first time counts."""
    _core.declare_operators(list(rows))


def evaluate_with(
    function: Callable[[str, str, int, dict[str, Any]], Callable[[list[NDArray | None]], NDArray]],
) -> None:
    """`function` of the domain, the name, the opset (0: an unknown one) and the attributes of a node gives the function
    of its inputs, None for one that is left out: of operators that are declared to be evaluated."""
    _core.evaluate_with(function)


def path() -> str:
    """The file of the compiled core. It exports `RegisterCustomOps`."""
    file = _core.__file__
    assert file is not None
    return file
