"""The tree of errors. Each is also a built-in, so callers can catch what they already know.

A message says what was asked, what was found and what is allowed, with values.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import Any

SITE = "https://samesum.readthedocs.io/en/stable/"
"""Where the pages are that messages name."""


class SamesumError(Exception):
    """The root of every error that samesum raises on purpose."""


class AxisError(SamesumError, ValueError, IndexError):
    """An axis is out of range, repeated or not an integer."""


class DtypeError(SamesumError, TypeError):
    """A dtype is not supported by this operator or this version of it."""


class ShapeError(SamesumError, ValueError):
    """A shape does not fit: of an input, of `out`, or an empty set where a value is needed."""


class ArgumentError(SamesumError, ValueError):
    """An argument has an allowed type and a value that is not allowed, or does not go with another argument."""


class ArgumentTypeError(SamesumError, TypeError):
    """An argument is of a type that is not taken, or is an object whose elements cannot be read."""


class AttributeValueError(ArgumentError):
    """An attribute or an input of a standard's operator has an allowed type and a value that is not allowed."""


class UnsupportedOperator(SamesumError, NotImplementedError):
    """A model or a call names an operator, a version or an attribute that is not implemented.

    `operators` counts the nodes of each operator of a model that is not supported; it is empty for a call.
    """

    def __init__(self, message: str = "", operators: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.operators = dict(operators or {})

    def __reduce__(self) -> tuple[type[UnsupportedOperator], tuple[object, ...]]:
        return type(self), (*self.args, self.operators)


class ModelError(SamesumError, ValueError):
    """A file is not what its format says."""


class UnsafeModelError(ModelError):
    """A model file asks for something a model has no business asking for."""


class MissingPackage(SamesumError, ImportError):
    """A package that is needed for what was asked is not installed."""


_EXTRAS = {
    "onnx": "onnx", "onnxruntime": "compare", "openvino": "compare", "torch": "torch", "zarr": "files",
    "matplotlib": "plot",
}  # fmt: skip
"""Which extra brings a package."""


def missing(package: str, purpose: str, why: str = "") -> MissingPackage:
    """The error where `package`, which `purpose` needs, is not installed."""
    source = f'"samesum[{_EXTRAS[package]}]"' if package in _EXTRAS else package
    text = f"{purpose} needs the package {package}, which is not installed; pip install {source}"
    return MissingPackage(f"{text} ({why})" if why else text, name=package)


def imported(package: str, purpose: str, module: str = "") -> Any:
    """The package, or one of its modules; MissingPackage says what `purpose` needs and what brings it."""
    try:
        return import_module(module or package)
    except ImportError as error:
        raise missing(package, purpose, str(error)) from None


class during:  # noqa: N801 - it reads as a word: `with during(node):`
    """Errors of samesum and MemoryError that leave the block begin with what failed.

    `what` becomes text when an error leaves, so that it may name what was being done at that moment.
    """

    __slots__ = ("_what",)

    def __init__(self, what: object) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        if isinstance(error, SamesumError | MemoryError):
            told = saying(self._what, error)
            if told is not error:
                raise told from None


def saying(what: object, error: SamesumError | MemoryError) -> Exception:
    """The error with `what` and a colon before its text: itself, or a MemoryError in the place of another."""
    if isinstance(error, SamesumError):
        text = f"{what}: {error}"
        error.args = (text, *error.args[1:])
        if isinstance(error, ImportError):
            error.msg = text  # its text is not that of its arguments
        return error
    # NumPy makes the text of its MemoryError from other arguments, so that it cannot be changed in place.
    return MemoryError(f"{what}: {_shortage(error)}")


_SHORTAGE = "not enough memory"


def _shortage(error: MemoryError) -> str:
    told = str(error)
    if told in ("", "std::bad_alloc"):
        return _SHORTAGE
    return told if _SHORTAGE in told else f"{_SHORTAGE}: {told}"
