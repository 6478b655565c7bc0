"""The engines by name."""

from __future__ import annotations

from collections.abc import Callable

from samesum.compare.engines.engine import Engine
from samesum.compare.engines.onnxruntime_engine import OnnxRuntime
from samesum.compare.engines.openvino_engine import OpenVino
from samesum.compare.engines.reference import Reference

PEERS: dict[str, Callable[[], Engine]] = {each.name: each for each in (OnnxRuntime, OpenVino, Reference)}
"""Those beside samesum."""
