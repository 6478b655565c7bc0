"""What users import says of itself the module from which they import it: in `help`, in pickles and in documentation."""

from __future__ import annotations

from types import FunctionType
from typing import TypeVar

T = TypeVar("T")


def public(module: str, each: T) -> T:
    """`each` itself, which is of `module` from now on if it is a function or a class."""
    if isinstance(each, FunctionType | type):
        each.__module__ = module
    return each


def publish(names: dict[str, object]) -> None:
    """The functions and classes of a module's `__all__` are of that module; `names` are all of its names."""
    module = names["__name__"]
    wanted = names["__all__"]
    assert isinstance(module, str)
    assert isinstance(wanted, list)
    for name in wanted:
        public(module, names.get(name))
