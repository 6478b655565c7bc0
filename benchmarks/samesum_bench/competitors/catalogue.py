"""The competitors as rows: how each is made for a number of threads, and which packages it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import samesum
from samesum.runtimes.runtime import is_installed
from samesum_bench.competitors.with_numkong import NumKong
from samesum_bench.competitors.with_numpy import NumPy
from samesum_bench.competitors.with_onnxruntime import OnnxRuntime
from samesum_bench.competitors.with_openvino import OpenVino
from samesum_bench.competitors.with_torch import Torch
from samesum_bench.task import Competitor

SAMESUM = "samesum"


@dataclass(frozen=True, slots=True)
class Library:
    """A library to measure; `make` imports it."""

    make: Callable[[int], Competitor]
    needs: tuple[str, ...]


# Those beside samesum.
COMPETITORS = {
    "numpy": Library(NumPy, ("numpy",)),
    "torch": Library(Torch, ("torch",)),
    "onnxruntime": Library(OnnxRuntime, ("onnxruntime", "onnx")),
    "openvino": Library(OpenVino, ("openvino",)),
    "numkong": Library(NumKong, ("numkong",)),
}


def installed() -> list[str]:
    """The competitors whose packages are here."""
    return [name for name, library in COMPETITORS.items() if all(map(is_installed, library.needs))]


def versions(names: list[str]) -> dict[str, str]:
    """The releases of samesum and of the competitors named."""
    return {SAMESUM: samesum.__version__} | {name: version(name) for name in names}
