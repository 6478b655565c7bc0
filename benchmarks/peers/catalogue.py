"""The competitors as rows: the module to import and the adapter in front of it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from peers.task import Competitor

SAMESUM = "samesum"

PEERS = {
    "numpy": "peers.numpy_peer",
    "torch": "peers.torch_peer",
    "onnxruntime": "peers.onnxruntime_peer",
    "openvino": "peers.openvino_peer",
}
NEEDS = {"onnxruntime": ("onnx",)}


def missing(name: str) -> list[str]:
    """The packages that the peer needs and that are not installed."""
    return [package for package in (name, *NEEDS.get(name, ())) if find_spec(package) is None]


def start(name: str, threads: int) -> Competitor:
    """The competitor, with `threads` threads from now on."""
    module = "peers.samesum_peer" if name == SAMESUM else PEERS[name]
    competitor: Competitor = import_module(module).start(threads)
    return competitor
