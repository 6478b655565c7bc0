"""Writes the models and data of this folder again: `python examples/make_examples.py`.

Needs `pip install "samesum[compare]"`. With `--check` it writes nothing: every model that is here runs on its own
standard's engine (ONNX Runtime or OpenVINO) and on samesum, and the largest difference of each is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from making import data, ir, normalisations, onnx_layers

FOLDER = Path(__file__).resolve().parent


def model_files() -> Iterator[tuple[str, bytes]]:
    """Every model file that does not take OpenVINO to write: path in this folder, contents."""
    yield from ir.files()
    yield from onnx_layers.files()
    yield from normalisations.onnx_files()


def write(folder: Path) -> None:
    """Writes everything below `folder`."""
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


def run_elsewhere(model: Path, x: np.ndarray) -> np.ndarray:
    """The model's only output from the engine of its own standard."""
    if model.suffix == ".xml":
        import openvino

        return np.array(openvino.Core().compile_model(model, "CPU")([x])[0])
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x})[0]


def check() -> bool:
    """True if every model gives one shape and dtype in both engines, and values that differ by rounding alone."""
    import samesum

    good = True
    for model in sorted([*FOLDER.rglob("*.xml"), *FOLDER.rglob("*.onnx")]):
        x = input_of(model.name)
        theirs, (ours,) = run_elsewhere(model, x), samesum.load(model).run(x).values()
        same = theirs.shape == ours.shape and theirs.dtype == ours.dtype
        gap = float(np.max(np.abs(theirs - ours)) / np.max(np.abs(ours))) if same else float("inf")
        good &= gap < 1e-4
        print(f"{gap:9.1e}  {model.relative_to(FOLDER)}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the examples again, or check them.")
    parser.add_argument("--check", action="store_true", help="run every model on its own engine and on samesum")
    if parser.parse_args().check:
        return 0 if check() else 1
    write(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
