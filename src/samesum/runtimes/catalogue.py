"""The engines by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from samesum.runtimes.custom_engine import Custom
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino
from samesum.runtimes.own_engine import Samesum
from samesum.runtimes.reference_engine import Reference
from samesum.runtimes.runtime import Runtime

OTHERS: dict[str, Callable[[], Runtime]] = {each.name: each for each in (OnnxRuntime, OpenVino, Reference)}
"""Those of other libraries."""

ENGINES: dict[str, Callable[[], Runtime]] = {**OTHERS, Samesum.name: Samesum}


def maker(name: str) -> Callable[[], Runtime]:
    """What makes the engine of that name: one of ENGINES, or a class of the user's own as `module:Class`."""
    return ENGINES[name] if name in ENGINES else partial(Custom, name)
