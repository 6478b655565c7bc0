"""A node at which an engine is wrong, as a model of its own with a script that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from samesum.compare.graph import Graph
from samesum.compare.observing import needed
from samesum.compare.onnx_graph import number_of
from samesum.compare.results import EngineFacts, EngineFinding
from samesum.files.opening import replacing_folder
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.runtimes.runtime import Feeds, Format
from samesum.testing.families import Node
from samesum.testing.truths import Arrays, Truth


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """An engine that is wrong at a node for these inputs; `feeds` are those of the whole model."""

    graph: Graph
    node: Node
    arrays: Arrays
    truth: Truth
    engine: str
    facts: EngineFacts
    finding: EngineFinding
    feeds: Feeds = field(default_factory=dict)

    @property
    def needs_model(self) -> bool:
        """True if a model of the node alone is not wrong, so that the whole one has to be run."""
        alone = self.finding.alone
        is_kept = bool(self.feeds) and all(each.dtype.kind in "biufc" for each in self.feeds.values())
        return is_kept and alone is not None and not alone.wrong


_RUN = {
    "onnxruntime": """import onnxruntime
session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
got = session.run(None, {session.get_inputs()[0].name: x})[0]""",
    "openvino": """import openvino
core = openvino.Core()
compiled = core.compile_model("MODEL", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
got = compiled(openvino.Tensor(x))[0]""",
    "reference": """import onnx.reference
evaluator = onnx.reference.ReferenceEvaluator("model.onnx")
got = evaluator.run(None, {evaluator.input_names[0]: x})[0]""",
}

_RUN_WHOLE = {
    "onnxruntime": """import onnxruntime
session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
got = session.run([VALUE], inputs)[0]""",
    "openvino": """import openvino
core = openvino.Core()
compiled = core.compile_model("MODEL", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
got = compiled(inputs)[compiled.output(VALUE)]""",
    "reference": """import onnx.reference
got = onnx.reference.ReferenceEvaluator("model.onnx").run([VALUE], inputs)[0]""",
}

_SCRIPT = '''"""HEAD"""
import numpy as np

GIVEN, exact, allowed = LOADED, np.load("exact.npy"), np.load("allowed.npy")
RUN
'''
_DISTANCES = """with np.errstate(all="ignore"):
    off = np.abs(got.astype(np.float64) - exact.astype(np.float64))
differs = (got != exact) & ((got == got) | (exact == exact))
beyond = differs & ~(off <= allowed)
print("elements beyond what is allowed:", int(beyond.sum()), "of", int(differs.sum()), "that differ")
print("the worst at", list(PLACE), "got", got[PLACE].item(), "exact", exact[PLACE].item())
"""
_KINDS = 'print("gives", got.dtype, got.shape, "instead of", exact.dtype, exact.shape)\n'


def save(folder: Path, case: Case) -> Path:
    """Writes the node's model, its input, the exact answer and a script to a folder in `folder`, and returns that.

    Its name is the engine's and the node's. It is written whole or not at all; what was there before is replaced.
    Raises OSError.
    """
    target = folder / _plain(f"{case.engine}-{case.node.operator}-{case.node.name}")
    with replacing_folder(target) as work:
        _write(work, case)
    return target


def _write(work: Path, case: Case) -> None:
    np.save(work / "exact.npy", _written(case.truth.exact))
    np.save(work / "allowed.npy", case.truth.room)
    if case.needs_model:
        _write_whole(work, case)
    else:
        _write_alone(work, case)


def _write_whole(work: Path, case: Case) -> None:
    """The whole model with the node's values as outputs, and its inputs."""
    model = case.graph.exposed(needed(case.graph, case.node, case.feeds))
    is_onnx = model.format is Format.ONNX
    (work / ("model.onnx" if is_onnx else "model.xml")).write_bytes(model.content)
    if not is_onnx:
        (work / "model.bin").write_bytes(model.weights)
    given: dict[str, Any] = dict(case.feeds)
    np.savez(work / "inputs.npz", **given)
    run = _RUN_WHOLE.get(case.engine) or _own(case.engine, "model, inputs, [VALUE])[VALUE]")
    _write_script(work, case, run.replace("VALUE", repr(case.node.result)), "inputs", 'dict(np.load("inputs.npz"))')


def _write_script(work: Path, case: Case, run: str, given: str, loaded: str) -> None:
    figure = case.finding.shown
    worst = None if figure is None else figure.worst
    script = _SCRIPT.replace("HEAD", _head(case)).replace("GIVEN", given).replace("LOADED", loaded).replace("RUN", run)
    script += _KINDS if worst is None else _DISTANCES.replace("PLACE", repr(worst.index))
    name = "model.onnx" if (work / "model.onnx").exists() else "model.xml"
    (work / "reproduce.py").write_text(script.replace("MODEL", name), "utf-8")


def _write_alone(work: Path, case: Case) -> None:
    alone = case.graph.alone(case.node, case.arrays)
    is_onnx = alone.model.format is Format.ONNX
    if is_onnx:
        (work / "model.onnx").write_bytes(_with_shape(alone.model.content, case.truth.exact))
    else:
        (work / "model.xml").write_bytes(alone.model.content)
        (work / "model.bin").write_bytes(alone.model.weights)
    (data,) = alone.feeds.values()
    np.save(work / "input.npy", _written(data))
    run = _RUN.get(case.engine) or _own(case.engine, "model, {model.graph.input[0].name: x}, [name])[name]")
    _write_script(work, case, run, "x", 'np.load("input.npy")')


_OWN = """import importlib, onnx  # run with the folder of MODULE in PYTHONPATH
engine = importlib.import_module("MODULE").CLASS()
model = onnx.load("model.onnx")
name = model.graph.output[0].name
got = engine.run(ASKED"""


def _own(engine: str, asked: str) -> str:
    """How a class of the user's own is run."""
    module, _, name = engine.partition(":")
    return _OWN.replace("MODULE", module).replace("CLASS", name or module).replace("ASKED", asked)


def _with_shape(content: bytes, exact: NDArray) -> bytes:
    """The model with the type and the shape of its output, which ONNX's checker asks for."""
    import onnx

    proto = onnx.load_model_from_string(content)
    tensor = proto.graph.output[0].type.tensor_type
    tensor.elem_type, shape = number_of(exact.dtype), tensor.shape
    for size in exact.shape:
        shape.dim.add().dim_value = size
    if not exact.shape:
        shape.SetInParent()
    return bytes(proto.SerializeToString())


def _head(case: Case) -> str:
    """What the script shows, in the first line of its docstring."""
    node, found = case.node, case.finding
    engine = f"{case.engine} {case.facts.version}".rstrip()
    said = f"{node.operator} in opset {node.opset}: {engine} is {found.verdict.value}"
    if found.reason:
        said += f" ({found.reason})"
    if not case.needs_model and (found.alone is None or not found.alone.wrong):
        said += "; inside its model, not alone as it is run here"
    return said.replace("\\", "/").replace('"', "'") + "."


def _plain(name: str) -> str:
    """The name without what file systems do not like, at most 100 characters of it."""
    return re.sub(r"[^\w.-]+", "_", name)[:100]


def _written(array: NDArray) -> NDArray:
    """NumPy's format has no name for bfloat16; its values are float32 in the file."""
    return array.astype(np.float32) if array.dtype == BFLOAT16 else array
