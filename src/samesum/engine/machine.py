"""What the core can tell of the machine and of its own work: the instruction set, memory's speed, the methods used; its
floating-point modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from samesum import _core
from samesum.formats.arrays import NDArray


def routes_taken(call: Callable[[], Any]) -> dict[str, int]:
    """How often each way was taken within `call`, of those that were; the ways called `method.` count results.

    Calls of other threads at the same time are counted, too.

    >>> import samesum as ss
    >>> routes_taken(lambda: ss.sum([1.5, 2.5]))
    {'reduce.direct': 1, 'tile.short_lanes': 1, 'method.double_words': 1}
    """
    before = _core.routes()
    call()
    after = _core.routes()
    return {name: count - before[name] for name, count in after.items() if count != before[name]}


def route_meanings() -> dict[str, str]:
    """What each way does, by its name, in the order in which they are tried.

    >>> route_meanings()["reduce.packed"]
    'small sets that are copied side by side'
    """
    return _core.route_meanings()


# The compiled core as a library of custom operators, which other runtimes load by its path.

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


def declare_operators(rows: Sequence[VersionRow]) -> None:
    """Tells the core which operators it is to offer; the first time counts."""
    _core.declare_operators(list(rows))


def evaluate_with(
    function: Callable[[str, str, int, dict[str, Any]], Callable[[list[NDArray | None]], NDArray]],
) -> None:
    """`function` of the domain, the name, the opset (0: an unknown one) and the attributes of a node gives the function
    of its inputs, None for one that is left out: of operators that are declared to be evaluated."""
    _core.evaluate_with(function)


def core_file() -> str:
    """The file of the compiled core. It exports `RegisterCustomOps`."""
    file = _core.__file__
    assert file is not None
    return file


FloatingPointScope = _core.FloatingPointScope
"""`with FloatingPointScope():` the calling thread rounds to nearest and keeps subnormals, as IEEE 754 says; afterwards
its modes and exception flags are what they were, after an error too. For what NumPy or Python computes: calls of the
core do so themselves."""


P = ParamSpec("P")
R = TypeVar("R")


def undisturbed(function: Callable[P, R]) -> Callable[P, R]:
    """The function in a FloatingPointScope."""

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        with FloatingPointScope():
            return function(*arguments, **options)

    return call


def instruction_set() -> str:
    """The one whose kernels run."""
    return _core.instruction_set()


def instruction_sets() -> tuple[str, ...]:
    """Those that this machine has, from the lowest to the highest."""
    return tuple(_core.instruction_sets())


def read_seconds(x: NDArray) -> float:
    """How long the pool's threads take to read `x` once."""
    return _core.read_seconds(x)


def copy_seconds(x: NDArray, out: NDArray, *, streams: bool) -> float:
    """How long the pool's threads take to read `x` and to write `out` once, both C-contiguous and of any size.

    `out` gets bytes of `x`. With `streams` they are written past the caches.
    """
    return _core.copy_seconds(x, out, streams)


def methods_used(call: Callable[[], Any]) -> dict[str, int]:
    """How many results each method of the core gave within `call`."""
    _core.reset_counters()
    call()
    return _core.counters()
