"""The engines by name."""

from __future__ import annotations

from collections.abc import Callable

from samesum.conformance.engines.engine import Engine
from samesum.conformance.engines.onnxruntime_engine import OnnxRuntime
from samesum.conformance.engines.openvino_engine import OpenVino
from samesum.conformance.engines.reference import Reference

PEERS: dict[str, Callable[[], Engine]] = {each.name: each for each in (OnnxRuntime, OpenVino, Reference)}
"""Those beside samesum."""
