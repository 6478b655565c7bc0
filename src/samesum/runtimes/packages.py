"""Packages that only some suites and engines need."""

from __future__ import annotations

from importlib.util import find_spec

from samesum.errors import MissingPackage

EXTRAS = {"onnx": "onnx", "onnxruntime": "compare", "openvino": "compare", "matplotlib": "plot"}


def is_installed(package: str) -> bool:
    """True if `package` can be imported."""
    return find_spec(package) is not None


def require(package: str, purpose: str) -> None:
    """Raises MissingPackage where `package`, which `purpose` needs, is not installed."""
    if not is_installed(package):
        source = f'"samesum[{EXTRAS[package]}]"' if package in EXTRAS else package
        raise MissingPackage(f"{purpose} needs the package {package}, which is not installed; pip install {source}")
