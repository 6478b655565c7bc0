"""Writes the models and data of this folder again: `python examples/make_examples.py`.

Needs `pip install "samesum[compare]"`. With `--check` it writes nothing: every model that is here runs on samesum, on
OpenVINO and, if it is an ONNX model, on ONNX Runtime, and a table says how many ulps their outputs lie apart.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from samesum.errors import MissingPackage
from samesum.runtimes.runtime import require

FOLDER = Path(__file__).resolve().parent
PACKAGES = ("onnx", "onnxruntime", "openvino")


def model_files() -> Iterator[tuple[str, bytes]]:
    """Every model file that does not take OpenVINO to write: path in this folder, contents."""
    from making import ir, normalisations, onnx_layers

    yield from ir.files()
    yield from onnx_layers.files()
    yield from normalisations.onnx_files()


def write(folder: Path) -> None:
    """Writes everything below `folder`."""
    from making import data, normalisations

    for name, contents in model_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents)
    (folder / "data").mkdir(exist_ok=True)
    for name, array in data.arrays().items():
        np.save(folder / "data" / name, array)
    normalisations.write_ir(folder / "openvino")


def input_of(name: str) -> np.ndarray:
    """The data file that a model of this folder is meant for."""
    for part, file in (("cum_sum", "cum_sum_x.npy"), ("l2_normalize", "activations_large.npy")):
        if part in name:
            return np.load(FOLDER / "data" / file)
    return np.load(FOLDER / "data" / "activations.npy")


def check() -> bool:
    """Prints the table; true if every model gives one shape and type everywhere, and values that differ by rounding."""
    from making.checking import findings, table

    found = list(findings(FOLDER, input_of))
    print(table(found))
    return all(finding.is_near for finding in found)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the examples again, or check them.")
    parser.add_argument("--check", action="store_true", help="compare samesum with ONNX Runtime and OpenVINO instead")
    arguments = parser.parse_args()
    try:
        for package in PACKAGES:
            require(package, "make_examples.py")
    except MissingPackage as error:
        print(f"make_examples.py: error: {error}", file=sys.stderr)
        return 6
    if arguments.check:
        return 0 if check() else 1
    write(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
