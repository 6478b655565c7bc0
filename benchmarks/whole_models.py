"""Whole models: samesum beside ONNX Runtime, how near, how fast, and whose bits depend on the batch and on threads.

python benchmarks/whole_models.py [FOLDER...] [--packages FOLDER] [--rounds N]

Runs every .onnx file of the folders, and those that the packages magika, rapidocr-onnxruntime, silero-vad and
basic-pitch contain, installed or unpacked in the folder `--packages`. Each model gets made-up data for one item and for
four, of which the first is that one; where the file fixes the batch, for its items and the same ones in reverse. Prints
a Markdown table: the processor time of a run on one thread, the largest difference from ONNX Runtime over the largest
value, the hash of the first item's outputs, in how many of the ways of running (batches, one and two threads) it is
the same, and how many of ONNX Runtime's numbers differ between them.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime

import samesum as ss

Feeds = dict[str, np.ndarray]
Outputs = list[np.ndarray]
Run = Callable[[Feeds], Outputs]
PACKAGES = ("magika", "rapidocr_onnxruntime", "silero_vad", "basic_pitch")
# Heights and widths of the images of the models of PP-OCR.
SIZES = {"det": (160, 320), "rec": (48, 320), "cls": (48, 192)}
# Tokens of a text; samples of 16 kHz that silero takes at once; words that token models know.
LENGTH, SAMPLES, WORDS = 48, 576, 500
ITEMS = 4


class Given:
    """What a model's inputs are given: for each its type, and its shape with None for the batch."""

    def __init__(self, path: Path, session: onnxruntime.InferenceSession) -> None:
        sizes = next((size for name, size in SIZES.items() if f"_{name}_" in path.name), ())
        self.inputs = {each.name: (each.type, self.shape(each.shape, sizes)) for each in session.get_inputs()}
        self.is_audio = "silero" in path.name
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

    @staticmethod
    def shape(said: Sequence[object], sizes: Sequence[int]) -> tuple[int | None, ...]:
        """A fixed shape but for the batch, which comes first."""
        rest = list(sizes) if len(said) == 4 else []
        free = [d if isinstance(d, int) and d > 0 else LENGTH for d in said[1:]]
        if rest:
            free[1:] = rest
        first = said[:1]
        return (*(d if isinstance(d, int) and d > 0 else None for d in first), *free)

    def items(self, count: int) -> Feeds:
        """Feeds of so many items, the first ones always the same."""
        return {name: self.made(name, kind, shape, count) for name, (kind, shape) in self.inputs.items()}

    def made(self, name: str, kind: str, shape: tuple[int | None, ...], count: int) -> np.ndarray:
        if not shape:
            return np.array(16000, np.int64)
        axis = shape.index(None) if None in shape else None
        one = tuple(1 if d is None else d for d in shape)
        rounds = 1 if axis is None else count
        made = [self.one(name, kind, one, seed) for seed in range(rounds)]
        return made[0] if axis is None else np.concatenate(made, axis)

    def one(self, name: str, kind: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        if "int" in kind:
            if "mask" in name:
                return np.ones(shape, np.int64)
            dtype = np.int32 if "int32" in kind else np.int64
            return random.integers(0, 1 if "type" in name else 256, shape).astype(dtype)
        if self.is_audio and name != "input":
            return np.zeros(shape, np.float32)
        scale = 0.1 if self.is_audio or len(shape) == 3 else 1.0
        dtype = np.float16 if "float16" in kind else np.float32
        return (scale * random.standard_normal(shape)).astype(dtype)


def first_of(outputs: Outputs, one: Outputs) -> Outputs:
    """The part of each output that belongs to the first item: along the axis that is longer than in `one`."""
    found = []
    for many, single in zip(outputs, one, strict=True):
        cut = tuple(slice(n) for n in single.shape)
        found.append(np.ascontiguousarray(many[cut]))
    return found


def hashed(outputs: Outputs) -> str:
    """Twelve digits of the SHA-256 of all numbers."""
    digest = hashlib.sha256()
    for each in outputs:
        digest.update(each.tobytes())
    return digest.hexdigest()[:12]


def own(path: Path) -> Callable[[int], Run]:
    """samesum's run on so many threads."""
    model = ss.load(path)

    def on(threads: int) -> Run:
        def run(feeds: Feeds) -> Outputs:
            ss.set_num_threads(threads)
            return list(model.run(feeds).values())

        return run

    return on


def theirs(path: Path) -> Callable[[int], Run]:
    """ONNX Runtime's."""

    def on(threads: int) -> Run:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 4
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return lambda feeds: session.run(None, feeds)

    return on


def ways(on: Callable[[int], Run], given: Given) -> Iterator[Outputs]:
    """The outputs of the first item, alone on one thread first, then in all ways."""
    one = given.items(1)
    alone = on(1)(one)
    yield alone
    yield on(2)(one)
    if given.has_batch:
        many = given.items(ITEMS)
        for threads in (1, 2):
            yield first_of(on(threads)(many), alone)
        return
    back = {
        name: each[::-1] if each.ndim and each.shape[0] == alone[0].shape[0] > 1 else each for name, each in one.items()
    }
    if any(back[name] is not one[name] for name in one) and not given.is_audio:
        yield [
            np.ascontiguousarray(each[::-1]) for each in on(1)({n: np.ascontiguousarray(x) for n, x in back.items()})
        ]


def differing(made: Sequence[Outputs]) -> int:
    """The largest number of elements that have other bits than the first time."""
    first = made[0]
    return max(
        sum(
            int(np.count_nonzero(a.view(f"u{a.itemsize}") != b.view(f"u{b.itemsize}")))
            for a, b in zip(first, other, strict=True)
        )
        for other in made[1:]
    )


def processor_time(runs: Sequence[Run], feeds: Feeds, rounds: int) -> list[float]:
    """The median of each, in milliseconds; they run in turns."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, found in zip(runs, times, strict=True):
            begin = time.process_time()
            run(feeds)
            found.append(1e3 * (time.process_time() - begin))
    return [statistics.median(each) for each in times]


def distance(found: Outputs, wanted: Outputs) -> float:
    """The largest difference over the largest finite value, of all outputs."""
    worst = 0.0
    for a, b in zip(found, wanted, strict=True):
        x, y = a.astype(np.float64), b.astype(np.float64)
        finite = np.isfinite(y)
        if finite.any():
            worst = max(worst, float(np.abs(x - y)[finite].max() / max(np.abs(y[finite]).max(), 1e-300)))
    return worst


def row(path: Path, rounds: int) -> str:
    """One line of the table, or why there is none."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = Given(path, session)
    feeds = given.items(1)
    try:
        mine = own(path)
    except ss.errors.SamesumError as error:
        return f"| {path.name} | {str(error)[:100]} |"
    here, there = list(ways(mine, given)), list(ways(theirs(path), given))
    times = processor_time([theirs(path)(1), mine(1)], feeds, rounds)
    hashes = [hashed(each) for each in here]
    same, numbers = hashes.count(hashes[0]), sum(each.size for each in there[0])
    ratio, near = times[1] / times[0], distance(here[0], there[0])
    batches = "batch 1, 4" if given.has_batch else "rows reversed" if len(here) > 2 else "-"
    return (
        f"| {path.name} | {times[0]:.2f} | {times[1]:.2f} | {ratio:.1f} | {near:.1e} "
        f"| {hashes[0]} | {same} of {len(here)} | {differing(there)} of {numbers} | {batches} |"
    )


def files(folders: Sequence[Path], packages: Path | None) -> list[Path]:
    """All models, those of the packages first."""
    roots = [packages] if packages else []
    if packages is None:
        specs = [find_spec(name) for name in PACKAGES]
        roots = [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return [path for root in (*roots, *folders) for path in sorted(root.rglob("*.onnx"))]


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--packages", type=Path, help="where the packages are unpacked (default: where they are installed)"
    )
    parser.add_argument("--rounds", type=int, default=9, help="readings of each run (default 9)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    paths = files(arguments.folders, arguments.packages)
    if not paths:
        sys.exit("no .onnx files found: install the packages, or name a folder")
    print(
        "| model | ONNX Runtime ms | samesum ms | ratio | difference | hash | same | ONNX Runtime's differ | batches |"
    )
    print("|---|---:|---:|---:|---:|---|---:|---:|---|")
    for path in paths:
        print(row(path, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
