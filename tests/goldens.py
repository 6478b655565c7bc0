"""Golden hashes of results over fixed data: `python tests/goldens.py` writes them anew from the exact algebra."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cases
from oracle import exact
from samesum.algebra.rows import REDUCTIONS, SCANS, Reduction, Scan
from samesum.formats.arrays import NDArray

Reduce = Callable[[Reduction, NDArray, tuple[int, ...]], NDArray]
Cumulate = Callable[[Scan, NDArray, int], NDArray]

PATH = Path(__file__).parent / "golden" / "hashes.json"
SHAPE = (24, 171)
FAMILIES = tuple(name for name in cases.FAMILIES if name not in ("normal", "tenths", "hidden_rests"))
"""The families that only integer arithmetic makes, but for those that are younger than the hashes."""


def inputs(dtype: np.dtype[Any]) -> Iterator[NDArray]:
    for family in FAMILIES:
        yield np.stack([cases.make(family, dtype, SHAPE[1], seed) for seed in range(SHAPE[0])])


def digest(arrays: Iterator[NDArray]) -> str:
    """SHA-256 of the arrays' bits in little-endian order."""
    sha = hashlib.sha256()
    for array in arrays:
        bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
        sha.update(bits.astype(bits.dtype.newbyteorder("<")).tobytes())
    return sha.hexdigest()


def hashes(dtype: np.dtype[Any], reduce: Reduce, cumulate: Cumulate) -> dict[str, str]:
    """The hash of the inputs and of the results of each row over both axes and all, by name."""
    made = list(inputs(dtype))
    found = {f"input {dtype.name}": digest(iter(made))}
    for row in REDUCTIONS:
        results = (np.atleast_1d(reduce(row, x, axes)) for x in made for axes in ((0,), (1,), (0, 1)))
        found[f"{row.name} {dtype.name}"] = digest(results)
    for scan in SCANS:
        found[f"{scan.name} {dtype.name}"] = digest(cumulate(scan, x, axis) for x in made for axis in (0, 1))
    return found


def write() -> None:
    found: dict[str, str] = {}
    for dtype in cases.FLOATS:
        found |= hashes(dtype, exact.reduce, exact.scan)
    PATH.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    write()
