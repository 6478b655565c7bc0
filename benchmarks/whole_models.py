"""Whole models: whose bits depend on batches, padding and threads, how near each engine is, and what it costs.

python benchmarks/whole_models.py [FOLDER...] [--packages FOLDER] [--rounds N] [--only TEXT...]

Runs every .onnx file of the folders, and those that the packages magika, rapidocr-onnxruntime, silero-vad and
basic-pitch contain, installed or unpacked in the folder `--packages`. Each model gets eight items of made-up data in
batches of 1, 4 and 8 on one and two threads, sentences of different lengths padded to the longest of a batch and once
more to 128 tokens; samesum does it with each instruction set. A file that fixes the batch is run as it is. Prints three
Markdown tables: the hash of samesum's outputs, and how many numbers of each engine have other bits in one of these ways
than item by item on one thread; the error of each against a run in float64; times beside ONNX Runtime. minilm.onnx,
which `export_models.py --sentences` writes, is run by PyTorch, too.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import openvino
import torch

import samesum as ss
from export_models import Sentences
from samesum import _core

Feeds = dict[str, np.ndarray]
Outputs = list[np.ndarray]
Run = Callable[[Feeds], Outputs]
Engine = Callable[[int], Run]
PACKAGES = ("magika", "rapidocr_onnxruntime", "silero_vad", "basic_pitch")
# Heights and widths of the images of the models of PP-OCR.
SIZES = {"det": (160, 320), "rec": (48, 320), "cls": (48, 192)}
# Tokens of a text of fixed length; samples of 16 kHz that silero takes at once; tokens that padding goes up to.
LENGTH, SAMPLES, PADDED = 48, 576, 128
ITEMS, BATCHES, THREADS = 8, (1, 4, 8), (1, 2)


class Given:
    """What a model's inputs are given: for each its type, and its shape with None for the batch."""

    def __init__(self, path: Path, session: onnxruntime.InferenceSession) -> None:
        sizes = next((size for name, size in SIZES.items() if f"_{name}_" in path.name), ())
        self.inputs = {each.name: (each.type, self.shape(each.shape, sizes)) for each in session.get_inputs()}
        self.is_audio, self.is_text = "silero" in path.name, {"tokens", "mask"} == set(self.inputs)
        if self.is_audio:
            self.inputs["input"] = ("tensor(float)", (None, SAMPLES))
            self.inputs |= {
                name: (kind, (shape[0], None, *shape[2:]))
                for name, (kind, shape) in self.inputs.items()
                if len(shape) == 3
            }
        if "sequence" in path.name:  # its batch is the time
            self.inputs["input"] = ("tensor(float)", (ITEMS, SAMPLES))
            self.inputs |= {name: (kind, (1, 1, 128)) for name, (kind, _) in self.inputs.items() if name in "hc"}
        fixed = any(isinstance(each.shape[0], int) for each in session.get_inputs() if each.shape and not self.is_audio)
        self.has_batch = not fixed and any(None in shape for _, shape in self.inputs.values())
        if "openvino" in path.name:
            self.has_batch = False
        self.axes: list[int] = []
        if self.has_batch:
            one, two = (session.run(None, self.items(range(n))) for n in (1, 2))
            self.axes = [
                next(i for i, (n, m) in enumerate(zip(a.shape, b.shape, strict=True)) if n != m)
                for a, b in zip(one, two, strict=True)
            ]

    @staticmethod
    def shape(said: Sequence[object], sizes: Sequence[int]) -> tuple[int | None, ...]:
        """A fixed shape but for the batch, which comes first."""
        free = [d if isinstance(d, int) and d > 0 else LENGTH for d in said[1:]]
        if len(said) == 4 and sizes:
            free[1:] = sizes
        return (*(d if isinstance(d, int) and d > 0 else None for d in said[:1]), *free)

    def items(self, which: range, padded: int = 0) -> Feeds:
        """Feeds of these items; each is always the same. Texts are padded to the longest, or further."""
        if not self.is_text:
            return {name: self.made(name, kind, shape, which) for name, (kind, shape) in self.inputs.items()}
        lengths = [11 + 37 * i % 50 for i in which]
        feeds = {name: np.zeros((len(which), max(*lengths, padded)), np.int64) for name in ("tokens", "mask")}
        for row, (item, length) in enumerate(zip(which, lengths, strict=True)):
            feeds["tokens"][row, :length] = np.random.default_rng(item).integers(0, 30522, length)
            feeds["mask"][row, :length] = 1
        return feeds

    def made(self, name: str, kind: str, shape: tuple[int | None, ...], which: range) -> np.ndarray:
        if not shape:
            return np.array(16000, np.int64)
        axis = shape.index(None) if None in shape else None
        one = tuple(1 if d is None else d for d in shape)
        if axis is None:
            return self.one(name, kind, one, 0)
        return np.concatenate([self.one(name, kind, one, seed) for seed in which], axis)

    def one(self, name: str, kind: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        if "int" in kind:
            dtype = np.int32 if "int32" in kind else np.int64
            return random.integers(0, 1 if "type" in name else 256, shape).astype(dtype)
        if self.is_audio and name != "input":
            return np.zeros(shape, np.float32)
        scale = 0.1 if self.is_audio or len(shape) == 3 else 1.0
        return (scale * random.standard_normal(shape)).astype(np.float16 if "float16" in kind else np.float32)

    def ways(self) -> list[tuple[int, int]]:
        """Batches, and how far texts are padded: item by item first."""
        return [(n, 0) for n in BATCHES if self.has_batch or n == 1] + [(1, PADDED)] * self.is_text

    def outputs(self, run: Run, batch: int, padded: int) -> Outputs:
        """What a model gives for all items in such batches."""
        if not self.has_batch:
            return run(self.items(range(1)))
        parts = [run(self.items(range(i, i + batch), padded)) for i in range(0, ITEMS, batch)]
        return [np.concatenate(each, axis) for each, axis in zip(zip(*parts, strict=True), self.axes, strict=True)]


def own(path: Path, instruction_set: str) -> Engine:
    """samesum with an instruction set."""
    _core.set_instruction_set(instruction_set)
    model = ss.load(path)

    def on(threads: int) -> Run:
        def run(feeds: Feeds) -> Outputs:
            ss.set_num_threads(threads)
            return list(model.run(feeds).values())

        return run

    return on


def by_pytorch(path: Path) -> tuple[Engine, Run]:
    """The module that was exported, in float32 on so many threads and in float64."""
    single, double = (Sentences().eval() for _ in range(2))
    for each in (single, double):
        each.load_state_dict(torch.load(path.with_suffix(".pt"), weights_only=True))
    double.double()

    def run(module: Sentences, feeds: Feeds) -> Outputs:
        with torch.inference_mode():
            return [module(*(torch.from_numpy(feeds[name]) for name in ("tokens", "mask"))).numpy()]

    def on(threads: int) -> Run:
        def with_threads(feeds: Feeds) -> Outputs:
            torch.set_num_threads(threads)
            return run(single, feeds)

        return with_threads

    return on, lambda feeds: run(double, feeds)


def by_onnxruntime(path: Path) -> Engine:
    """ONNX Runtime."""

    def on(threads: int) -> Run:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 4
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return lambda feeds: session.run(None, feeds)

    return on


def by_openvino(path: Path) -> Engine:
    """OpenVINO, in float32."""
    core = openvino.Core()

    def on(threads: int) -> Run:
        said = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
        compiled = core.compile_model(path, "CPU", said)
        return lambda feeds: [np.array(each) for each in compiled(feeds).values()]

    return on


def widened(graph: onnx.GraphProto) -> None:
    """Makes float64 of all float32 of a graph but for the scales of Resize."""
    kept = {name for node in graph.node if node.op_type in ("Resize", "Upsample") for name in node.input[1:]}

    def wide(tensor: onnx.TensorProto) -> None:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            values = onnx.numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))

    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR and not kept & set(node.output):
                wide(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == onnx.TensorProto.FLOAT:
                attribute.i = onnx.TensorProto.DOUBLE
            if attribute.type == onnx.AttributeProto.GRAPH:
                widened(attribute.g)
    for tensor in graph.initializer:
        if tensor.name not in kept:
            wide(tensor)
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            value.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE


def in_float64(path: Path) -> Run:
    """samesum with all weights and data in float64."""
    model = onnx.load(path)
    widened(model.graph)
    wider = ss.load(model.SerializeToString())

    def run(feeds: Feeds) -> Outputs:
        wide = {name: x.astype(np.float64) if x.dtype == np.float32 else x for name, x in feeds.items()}
        ss.set_num_threads(max(THREADS))
        return list(wider.run(wide).values())

    return run


def differing(made: Sequence[Outputs]) -> int:
    """How many numbers have other bits than the first time in one of the others."""
    kinds = [f"u{each.itemsize}" for each in made[0]]
    changed = [np.zeros(each.shape, bool) for each in made[0]]
    for other in made[1:]:
        for found, a, b, kind in zip(changed, made[0], other, kinds, strict=True):
            found |= a.view(kind) != b.view(kind)
    return sum(int(each.sum()) for each in changed)


def error(found: Outputs, wanted: Outputs) -> float:
    """The root of the mean square of what the largest output lacks, over that of its values."""
    a, b = max(zip(found, wanted, strict=True), key=lambda pair: pair[0].size)
    return float(np.linalg.norm((a - b).ravel()) / np.linalg.norm(b.ravel()))


def milliseconds(runs: Sequence[Run], feeds: Feeds, threads: int, rounds: int) -> list[float]:
    """The least time of each: they run in turns, on one thread in processor time."""
    clock, least = time.process_time if threads == 1 else time.perf_counter, [float("inf")] * len(runs)
    for _ in range(rounds):
        for i, run in enumerate(runs):
            time.sleep(0.01)  # threads of the other one have stopped spinning
            begin = clock()
            run(feeds)
            least[i] = min(least[i], 1e3 * (clock() - begin))
    return least


def tried(engine: Engine, given: Given) -> list[Outputs] | str:
    """The outputs in all ways, or why there are none."""
    try:
        return [given.outputs(run, *way) for run in map(engine, THREADS) for way in given.ways()]
    except Exception as error:
        return str(error)


def rows(path: Path, rounds: int) -> tuple[str, str, str]:
    """A line of each table."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given, sets = Given(path, session), _core.instruction_sets()
    sets = [name for name in sets if "64" in name] or sets
    mine: list[Outputs] = []
    for name in sets:
        made = tried(own(path, name), given)
        if isinstance(made, str):
            return f"| {path.name} | {made[:100]} |", "", ""
        mine += made
    exact, engines = in_float64(path), {"ONNX Runtime": by_onnxruntime(path), "OpenVINO": by_openvino(path)}
    others: dict[str, list[Outputs] | str] = {"PyTorch": "not exported"}
    if path.with_suffix(".pt").is_file():
        engines["PyTorch"], exact = by_pytorch(path)
    others |= {name: tried(engine, given) for name, engine in engines.items()}
    wanted, size = given.outputs(exact, 1, 0), sum(each.size for each in mine[0])
    digest = hashlib.sha256(b"".join(each.tobytes() for each in mine[0])).hexdigest()[:12]
    names = ("PyTorch", "ONNX Runtime", "OpenVINO")
    for name in names:
        if isinstance(others[name], str) and name in engines:
            print(f"{path.name}: {name}: {others[name]}"[:600], file=sys.stderr)
    changed = [f"{differing(made)}" if not isinstance(made := others[name], str) else "-" for name in names]
    errors = [f"{error(made[0], wanted):.1e}" if not isinstance(made := others[name], str) else "-" for name in names]
    first = f"| {path.name} | {len(mine)} | `{digest}` | {size} | {differing(mine)} | {' | '.join(changed)} |"
    second = f"| {path.name} | {error(mine[0], wanted):.1e} | {' | '.join(errors)} |"
    measured = []
    mine_now = own(path, sets[-1])
    for batch in (1, ITEMS)[: 1 + given.has_batch]:
        for threads in THREADS:
            runs = [engine(threads) for engine in (engines["ONNX Runtime"], mine_now)]
            there, here = milliseconds(runs, given.items(range(batch)), threads, rounds)
            measured.append(f"{there:.2f} / {here:.2f} = {here / there:.1f}")
    return first, second, f"| {path.name} | {' | '.join(measured)} |"


def files(folders: Sequence[Path], packages: Path | None) -> list[Path]:
    """All models, those of the packages first."""
    roots = [packages] if packages else []
    if packages is None:
        specs = [find_spec(name) for name in PACKAGES]
        roots = [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return [path for root in (*roots, *folders) for path in sorted(root.rglob("*.onnx"))]


HEADS = (
    "| model | ways | hash | numbers | samesum's change | PyTorch's | ONNX Runtime's | OpenVINO's |\n"
    "|---|---:|---|---:|---:|---:|---:|---:|",
    "| model | samesum | PyTorch | ONNX Runtime | OpenVINO |\n|---|---:|---:|---:|---:|",
    f"| model | 1, one thread | 1, two threads | {ITEMS}, one thread | {ITEMS}, two threads |\n"
    "|---|---:|---:|---:|---:|",
)


def main() -> None:
    """The tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--packages", type=Path, help="where the packages are unpacked (default: where they are installed)"
    )
    parser.add_argument("--rounds", type=int, default=9, help="readings of each run (default 9)")
    parser.add_argument("--only", nargs="*", default=[""], help="models whose path contains one of these texts")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    paths = files(arguments.folders, arguments.packages)
    paths = [path for path in paths if any(text in str(path) for text in arguments.only)]
    if not paths:
        sys.exit("no .onnx files found: install the packages, or name a folder")
    found = []
    for path in paths:
        found.append(rows(path, arguments.rounds))
        print("\n".join(found[-1]), flush=True, file=sys.stderr)
    for head, lines in zip(HEADS, zip(*found, strict=True), strict=True):
        print(head, *filter(None, lines), "", sep="\n")


if __name__ == "__main__":
    main()
