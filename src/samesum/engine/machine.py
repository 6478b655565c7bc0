"""What the core can tell of the machine and of its own work: the instruction set, memory's speed, the methods used; its
floating-point modes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from samesum import _core
from samesum.formats.arrays import NDArray

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
