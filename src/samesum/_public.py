"""What users import says of itself the module from which they import it: in `help`, in pickles and in documentation."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import TypeVar

T = TypeVar("T")


class _Shown(str):
    """An annotation that `help` shows as it stands in the source, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def public(module: str, each: T) -> T:
    """`each` itself, which is of `module` from now on if it is a function or a class, with signatures to be read."""
    if isinstance(each, FunctionType | type):
        each.__module__ = module
        members = vars(each).values() if isinstance(each, type) else [each]
        for member in members:
            function = getattr(member, "fget" if isinstance(member, property) else "__func__", member)
            if isinstance(function, FunctionType):
                said = function.__annotations__.items()
                shown = {name: _Shown(it) if isinstance(it, str) else it for name, it in said}
                for layer in _layers(function):
                    layer.__annotations__ = shown
    return each


def _layers(function: FunctionType) -> Iterator[FunctionType]:
    """The function and what it wraps, of which `inspect` shows the innermost one."""
    while isinstance(function, FunctionType):
        yield function
        function = getattr(function, "__wrapped__", None)  # type: ignore[assignment]


def publish(names: dict[str, object]) -> None:
    """The functions and classes of a module's `__all__` are of that module; `names` are all of its names."""
    module = names["__name__"]
    wanted = names["__all__"]
    assert isinstance(module, str)
    assert isinstance(wanted, list)
    for name in wanted:
        public(module, names.get(name))
