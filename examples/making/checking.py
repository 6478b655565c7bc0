"""Every example on the engines that read its format, beside samesum: how far their outputs lie apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

import samesum
from samesum.formats.rounding import Distance, distance, scaled_error

FAR = 1e-4
"""Of the largest output: more than this is no matter of rounding any more."""

ENGINES = ("ONNX Runtime", "OpenVINO")
MEANING = f"""
A figure is the largest distance of an engine's output from samesum's in ulps,
the steps between neighbouring float32 numbers; in parentheses it is in ulps of
the largest output. OpenVINO computes in float32 here, and reads both formats.

reduce_* and cum_sum* are single operators, whose exact results samesum rounds
once: the figure is the error of the engine. layer_norm and l2_normalize are
chains of operators, and samesum rounds each of their results once: the figure
is how far two ways of rounding lie apart, and it is large where an output is
near zero.

The check fails where shapes or types differ, or values by more than {FAR:g} of
the largest."""


@dataclass(frozen=True)
class Finding:
    """One output of one example on one engine; `found` is None where shape or type differ."""

    example: Path
    output: str
    engine: str
    found: Distance | None
    of_largest: float
    is_near: bool

    @property
    def text(self) -> str:
        """The figure."""
        if self.found is None:
            return "another shape or type"
        if not self.found.differing:
            return "0"
        worst = "NaN" if self.found.worst is None else f"{self.found.worst:.0f}"
        return f"{worst} ({self.of_largest:.2g})"


def findings(folder: Path, input_of: Callable[[str], np.ndarray]) -> Iterator[Finding]:
    """Of every model below `folder`: .onnx on ONNX Runtime and OpenVINO, .xml on OpenVINO."""
    for model in sorted([*folder.rglob("*.xml"), *folder.rglob("*.onnx")]):
        x = input_of(model.name)
        own = samesum.load(model).run(x)
        for engine in ENGINES if model.suffix == ".onnx" else ENGINES[1:]:
            for (name, ours), theirs in zip(own.items(), RUN[engine](model, x), strict=True):
                yield compared(model.relative_to(folder), name, engine, ours, theirs)


def compared(example: Path, output: str, engine: str, ours: np.ndarray, theirs: np.ndarray) -> Finding:
    """The finding of one output."""
    if (theirs.shape, theirs.dtype) != (ours.shape, ours.dtype):
        return Finding(example, output, engine, None, float("inf"), False)
    largest = np.max(np.abs(ours), initial=0)
    of_largest = float(np.max(scaled_error(theirs, ours, np.full_like(ours, largest)), initial=0))
    is_near = bool(np.max(np.abs(theirs - ours), initial=0) <= FAR * largest)
    return Finding(example, output, engine, distance(theirs, ours), of_largest, is_near)


def on_openvino(model: Path, x: np.ndarray) -> list[np.ndarray]:
    """OpenVINO's outputs."""
    import openvino

    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    found = compiled([x])
    return [np.array(found[k]) for k in range(len(compiled.outputs))]


def on_onnxruntime(model: Path, x: np.ndarray) -> list[np.ndarray]:
    """ONNX Runtime's outputs."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x})


RUN = dict(zip(ENGINES, (on_onnxruntime, on_openvino), strict=True))


def table(found: list[Finding]) -> str:
    """The findings of each folder under headings, and what they mean."""
    releases = f"samesum {samesum.__version__}, " + ", ".join(
        f"{name} {version(name)}" for name in ("onnxruntime", "openvino")
    )
    figures = {(each.example, each.output, each.engine): each.text for each in found}
    outputs = dict.fromkeys((each.example, each.output) for each in found)
    lines = [
        (example.stem, output, *(figures.get((example, output, engine), "-") for engine in ENGINES))
        for example, output in outputs
    ]
    headings = ("example", "output", *(f"{engine}, ulps" for engine in ENGINES))
    sizes = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
    text, folder = [f"Differences from samesum: {releases}"], None
    for (example, _), line in zip(outputs, lines, strict=True):
        if example.parent != folder:
            folder = example.parent
            text += ["", str(folder), _aligned(headings, sizes), _aligned(["-" * size for size in sizes], sizes)]
        text.append(_aligned(line, sizes))
    return "\n".join([*text, MEANING])


def _aligned(line: Sequence[str], sizes: Sequence[int]) -> str:
    return "  " + "  ".join(text.ljust(size) for text, size in zip(line, sizes, strict=True)).rstrip()
