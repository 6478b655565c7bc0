"""Damaged files of every format that samesum reads: each has to give tensors or an error of samesum's in words.

`python tests/fuzzing.py --cases 200000 --seed 0` runs so many; a case is named by its format and number, from which it
is made again. Damage is of three kinds: bytes anywhere, values in the places where the format has numbers and names,
and both with checksums and lengths made right again.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import samesum
from damage import any_bytes, in_gguf, in_json, in_npy, in_npz, in_protobuf, in_safetensors, in_state, in_states, in_xml
from samesum.errors import SamesumError
from samesum.files.contents import open_tensors
from samesum.stats.store import Stored, read_states, write_states
from tensor_files import drawn, gguf_bytes, gguf_of, safetensors_bytes, write_ir

MOST_BYTES = 1 << 22
SHOWN = 200


@dataclass(frozen=True)
class Target:
    """A format: its valid bytes, how structure is damaged, and how a file is read. `share` of 100 cases are of it."""

    name: str
    share: int
    seed: bytes
    damage: Callable[[bytes, random.Random], bytes]
    read: Callable[[Path], None]
    place: str


def read_tensors(path: Path, max_elements: int = MOST_BYTES) -> None:
    """Every element of every tensor, whole and in boxes, and every byte of what is not decoded."""
    contents = open_tensors(path, max_bytes=MOST_BYTES, max_elements=max_elements)
    for tensor in (*contents.tensors, *(each.stored for each in contents.skipped if each.stored)):
        for is_flat in (True, False):
            for box in tensor.boxes(is_flat, 1 << 16):
                assert box.array.dtype == tensor.element.dtype


def read_state(path: Path) -> None:
    samesum.State.from_bytes(path.read_bytes()).result()


def read_model(path: Path) -> None:
    samesum.load(path)


def targets(folder: Path) -> list[Target]:
    """All formats whose packages are here; valid files lie in the folder, as damaged ones do."""
    x = {"a": drawn("float32", (3, 4)), "b": drawn("bfloat16", (5,)), "c": drawn("int8", (2, 2))}
    plain = {"a": x["a"], "c": x["c"]}
    found = [_npy(folder, x["a"]), _npz(folder, plain)]
    found.append(Target("safetensors", 16, safetensors_bytes(x), in_safetensors, read_tensors, "x.safetensors"))
    (folder / "s.safetensors").write_bytes(safetensors_bytes(x))
    index = json.dumps({"metadata": {}, "weight_map": dict.fromkeys(x, "s.safetensors")}).encode()
    found.append(Target("index", 5, index, in_json, read_tensors, "x.safetensors.index.json"))
    ir = write_ir(folder / "x.xml", x).read_bytes()
    found.append(Target("ir", 10, ir, in_xml, read_tensors, "x.xml"))
    found.append(Target("gguf", 7, gguf_bytes(x), in_gguf, read_tensors, "x.gguf"))
    blocks = gguf_of({"q": (8, (2, 32), bytes(68)), "a": (0, (2,), bytes(8)), "later": (99, (5,), bytes(7))})
    found.append(Target("gguf blocks", 3, blocks, in_gguf, read_tensors, "q.gguf"))
    found.append(Target("state", 10, _state(), in_state, read_state, "x.state"))
    found.append(Target("states", 10, _states(folder), in_states, read_states, "x.states"))  # type: ignore[arg-type]
    return [*found, *_models(folder, plain), *_zarr(folder)]


def _npy(folder: Path, x: np.ndarray) -> Target:
    np.save(folder / "x.npy", x)
    return Target("npy", 10, (folder / "x.npy").read_bytes(), in_npy, read_tensors, "x.npy")


def _npz(folder: Path, arrays: dict[str, np.ndarray]) -> Target:
    np.savez_compressed(folder / "x.npz", **arrays)
    return Target("npz", 8, (folder / "x.npz").read_bytes(), in_npz, read_tensors, "x.npz")


def _state() -> bytes:
    state = samesum.State(["sum", "l2", "min", "argmax", "all", "count_nonzero", "logsumexp"], axis=0)
    state.update(np.arange(120, dtype=np.float32).reshape(40, 3))
    return state.to_bytes()


def _states(folder: Path) -> bytes:
    from samesum.stats.measuring import measured
    from samesum.stats.pattern import Pattern

    tensor = open_tensors(folder / "x.npy").tensors[0]
    write_states(folder / "x.states", Stored(Pattern((0,)), (), (measured(tensor, Pattern((0,)), has_histogram=True),)))
    return (folder / "x.states").read_bytes()


def _models(folder: Path, arrays: dict[str, np.ndarray]) -> list[Target]:
    examples = Path(__file__).resolve().parent.parent / "examples"
    shutil.copy(examples / "openvino" / "layer_norm.bin", folder / "model.bin")
    ir = (examples / "openvino" / "layer_norm.xml").read_bytes()
    found = [Target("model.xml", 3, ir, in_xml, read_model, "model.xml")]
    try:
        import onnx
    except ImportError:
        return found
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    tensors.append(onnx.helper.make_tensor("t", onnx.TensorProto.INT64, [3], [1, -2, 300]))
    outside = onnx.numpy_helper.from_array(arrays["a"], "e")
    onnx.external_data_helper.set_external_data(outside, "x.bin", 0, arrays["a"].nbytes)
    outside.ClearField("raw_data")
    graph = onnx.helper.make_graph(_nodes(onnx, tensors[0]), "g", [], [], [*tensors, outside])
    data = onnx.helper.make_model(graph).SerializeToString()
    model = (examples / "onnx" / "layer_norm.onnx").read_bytes()
    return [
        *found,
        Target("onnx", 12, data, in_protobuf, read_tensors, "x.onnx"),
        Target("model.onnx", 3, model, in_protobuf, read_model, "model.onnx"),
    ]


def _nodes(onnx: Any, tensor: Any) -> list[Any]:
    """Constants of several forms, and one in a body."""
    helper = onnx.helper
    body = helper.make_graph([helper.make_node("Constant", [], ["c"], value_ints=[1, 2])], "b", [], [], [tensor])
    at = onnx.numpy_helper.from_array(np.array([1]), "at")
    values: tuple[dict[str, object], ...] = (
        {"value": tensor},
        {"value_floats": [1.0, 2.0]},
        {"value_strings": ["x"]},
        {"sparse_value": helper.make_sparse_tensor(onnx.numpy_helper.from_array(np.float32([1]), "v"), at, [4])},
    )
    constants = [helper.make_node("Constant", [], [f"c{i}"], **value) for i, value in enumerate(values)]
    return [*constants, helper.make_node("Loop", ["", ""], ["y"], body=body)]


def _zarr(folder: Path) -> list[Target]:
    try:
        import zarr
    except ImportError:
        return []
    found = []
    for version, node in ((2, ".zarray"), (3, "zarr.json")):
        array = zarr.create_array(
            folder / f"{version}.zarr", shape=(4, 3), chunks=(2, 2), dtype="f4", zarr_format=version
        )
        array[:] = np.ones((4, 3), np.float32)
        data = (folder / f"{version}.zarr" / node).read_bytes()

        def read(path: Path) -> None:
            read_tensors(path.parent, max_elements=1 << 11)  # a chunk may be one element

        found.append(Target(f"zarr {version}", 2, data, in_json, read, f"{version}.zarr/{node}"))
    return found


@dataclass
class Outcome:
    """What all cases came to."""

    cases: Counter[str]
    refused: Counter[str]
    findings: list[str]
    slowest: tuple[float, str] = (0.0, "")


def run(cases: int, seed: int, only: str | None = None) -> Outcome:
    """So many cases, each from its own number."""
    outcome = Outcome(Counter(), Counter(), [])
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = targets(Path(name))
        weights = [target.share for target in made]
        for case in range(seed, seed + cases):
            rng = random.Random(case)
            target = rng.choices(made, weights)[0]
            if only is None or target.name == only:
                _try(target, Path(name), rng, f"{target.name} {case}", outcome)
    return outcome


def _try(target: Target, folder: Path, rng: random.Random, label: str, outcome: Outcome) -> None:
    damage = target.damage if rng.random() < 0.7 else any_bytes
    content = damage(target.seed, rng)
    if rng.random() < 0.1:
        content = any_bytes(content, rng)
    path = folder / target.place
    path.unlink(missing_ok=True)  # some file systems flush what is written over
    path.write_bytes(content)
    started = time.perf_counter()
    outcome.cases[target.name] += 1
    try:
        target.read(path)
    except SamesumError as error:
        outcome.refused[target.name] += 1
        if not str(error).strip():
            outcome.findings.append(f"{label}: {type(error).__name__} without words")
    except FileNotFoundError:
        outcome.refused[target.name] += 1
    except Exception as error:
        outcome.findings.append(f"{label}: {type(error).__name__}: {str(error)[:100]}")
    outcome.slowest = max(outcome.slowest, (time.perf_counter() - started, label))


def _peak() -> str:
    """The greatest resident memory, where the system says it in kilobytes."""
    if sys.platform != "linux":
        return ""
    import resource

    return f"; peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started = time.perf_counter()
    outcome = run(arguments.cases, arguments.seed)
    for name, count in sorted(outcome.cases.items()):
        print(f"{name:<12} {count:>7} cases, {outcome.refused[name]:>7} refused")
    print(f"{sum(outcome.cases.values())} cases in {time.perf_counter() - started:.0f} s{_peak()}")
    print(f"slowest: {outcome.slowest[0]:.2f} s, {outcome.slowest[1]}")
    print("\n".join(outcome.findings[:SHOWN]) or "no finding")
    return int(bool(outcome.findings))


if __name__ == "__main__":
    sys.exit(main())
