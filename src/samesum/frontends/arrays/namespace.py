"""What the array API standard's inspection asks of a namespace: dtypes, devices and what arrays can do."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.errors import ArgumentError
from samesum.formats.arrays import Dtype

_SIGNED, _UNSIGNED = (tuple(f"{kind}{bits}" for bits in (8, 16, 32, 64)) for kind in ("int", "uint"))
_REAL = ("float32", "float64")
_KINDS = {
    "bool": ("bool",),
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": (*_SIGNED, *_UNSIGNED),
    "real floating": _REAL,
    "complex floating": (),
    "numeric": (*_SIGNED, *_UNSIGNED, *_REAL),
}


class NamespaceInfo:
    """The answers of the inspection; arrays are NumPy's, and there are no complex numbers."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """What the arrays can do."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Where arrays are."""
        return "cpu"

    def devices(self) -> list[str]:
        """All places where arrays can be."""
        return ["cpu"]

    def default_dtypes(self, *, device: str | None = None) -> dict[str, Dtype]:
        """The dtypes of lists of numbers by kind. Raises ArgumentError for another device than "cpu"."""
        _check(device)
        return {"real floating": np.dtype(np.float64), "integral": np.dtype(np.int64), "indexing": np.dtype(np.int64)}

    def dtypes(self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Dtype]:
        """The standard's dtypes by name, of a kind, of several, or all. Raises ArgumentError for what is no kind."""
        _check(device)
        asked = kind if isinstance(kind, tuple) else ("bool", "numeric") if kind is None else (kind,)
        for each in asked:
            if each not in _KINDS:
                raise ArgumentError(f"there is no kind {each!r} of dtypes; allowed are {', '.join(_KINDS)}")
        return {name: np.dtype(name) for each in asked for name in _KINDS[each]}


def _check(device: object) -> None:
    if device not in (None, "cpu"):
        raise ArgumentError(f"there is no device {device!r}; allowed is 'cpu'")


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807
    """What the array API standard's inspection asks: `capabilities`, `devices`, `dtypes` and their defaults.

    Arrays are NumPy's. float16, bfloat16 and the floats of 8 bits, which the functions take too, are none of the
    standard's dtypes. Source: the Python array API standard 2024.12, Inspection.

    >>> __array_namespace_info__().dtypes(kind="real floating")
    {'float32': dtype('float32'), 'float64': dtype('float64')}
    """
    return NamespaceInfo()
