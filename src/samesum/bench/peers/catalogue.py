"""The competitors as rows: how each is made for a number of threads, and which packages it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import samesum
from samesum.bench.peers.numkong_peer import NumKong
from samesum.bench.peers.numpy_peer import NumPy
from samesum.bench.peers.onnxruntime_peer import OnnxRuntime
from samesum.bench.peers.openvino_peer import OpenVino
from samesum.bench.peers.torch_peer import Torch
from samesum.bench.task import Competitor
from samesum.runtimes.packages import is_installed

SAMESUM = "samesum"


@dataclass(frozen=True, slots=True)
class Peer:
    """A library to measure; `make` imports it."""

    make: Callable[[int], Competitor]
    needs: tuple[str, ...]


PEERS = {
    "numpy": Peer(NumPy, ("numpy",)),
    "torch": Peer(Torch, ("torch",)),
    "onnxruntime": Peer(OnnxRuntime, ("onnxruntime", "onnx")),
    "openvino": Peer(OpenVino, ("openvino",)),
    "numkong": Peer(NumKong, ("numkong",)),
}
"""Those beside samesum."""


def installed() -> list[str]:
    """The peers whose packages are here."""
    return [name for name, peer in PEERS.items() if all(map(is_installed, peer.needs))]


def versions(names: list[str]) -> dict[str, str]:
    """The releases of samesum and of the peers named."""
    return {SAMESUM: samesum.__version__} | {name: version(name) for name in names}
