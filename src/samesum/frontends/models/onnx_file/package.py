"""The onnx package, which only some calls need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from samesum.errors import MissingPackage


def onnx_package(purpose: str, module: str = "onnx") -> Any:
    """The package, or one of its modules; MissingPackage says what `purpose` needs and what brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackage(
            f'{purpose} needs the onnx package, which is not installed; pip install "samesum[onnx]" ({error})',
            name="onnx",
        ) from None
