"""Damaged files of every format that samesum reads: each has to give tensors or an error of samesum's in words.

`python tests/fuzzing.py --cases 200000 --seed 0` runs so many; a case is named by its format and number, from which it
is made again. Damage is of three kinds: bytes anywhere, values in the places where the format has numbers and names,
and both with checksums and lengths made right again.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import re
import resource
import shutil
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import samesum
from samesum.errors import SamesumError
from samesum.files.contents import open_tensors
from samesum.stats.store import Stored, read_states, write_states
from tensor_files import drawn, gguf_bytes, safetensors_bytes, write_ir

MOST_BYTES = 1 << 22
NUMBERS = (
    -1, 0, 1, 2, 3, 7, 8, 64, 127, 128, 255, 256, 1000, 2**16, 2**31 - 1, 2**31, 2**32, 2**40, 2**53, 2**62, 2**63 - 1,
    2**63, 2**64 - 1, 2**64, 10**30,
)  # fmt: skip
TEXTS = (
    "",
    "x",
    "..",
    "../x",
    "/etc/passwd",
    "a" * 300,
    "\u0000",
    "é\u202e",
    "F32",
    "float32",
    "<f4",
    "|O",
    "nan",
    "1,2",
    "-1",
    "0x10",
    "NaN",
)
DESCRIPTIONS = (
    "<f4", ">f8", "|O", "<U3", "<f2", "|b1", "<c8", "V2", [("bfloat16", "<u2")], [("a", "<f4", (2**40,))], "", 5,
    "<f99", [("x", [("y", "O")])],
)  # fmt: skip
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


def number(rng: random.Random) -> int:
    """A number that formats are tempted to trust."""
    return rng.choice(NUMBERS) + rng.choice((0, 0, 0, 1, -1)) if rng.random() < 0.8 else rng.randrange(2**20)


def any_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, left out, repeated or cut off."""
    copy = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not copy:
            break
        at, kind = rng.randrange(len(copy)), rng.randrange(6)
        if kind < 3:
            copy[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif kind == 3:
            del copy[at:]
        elif kind == 4:
            del copy[at : at + rng.choice((1, 4, 8))]
        else:
            copy[at:at] = copy[at : at + rng.choice((1, 8, 40))] * rng.choice((1, 2, 9))
    return bytes(copy)


def any_value(value: object, rng: random.Random, depth: int = 0) -> object:
    """JSON with one value changed, at any depth."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        copy = dict(value)
        key = rng.choice(list(copy))
        if rng.random() < 0.1:
            copy[rng.choice(TEXTS)] = copy.pop(key)
        else:
            copy[key] = any_value(copy[key], rng, depth + 1)
        return copy
    if isinstance(value, list) and value and rng.random() < 0.8:
        items = list(value)
        at = rng.randrange(len(items))
        items[at] = any_value(items[at], rng, depth + 1)
        return items
    choices: tuple[object, ...] = (
        None, True, number(rng), float(number(rng)), 1.5, rng.choice(TEXTS), [], {}, [number(rng)] * 70,
        {"name": rng.choice(TEXTS)}, [[[]]],
    )  # fmt: skip
    return rng.choice(choices)


def in_json(data: bytes, rng: random.Random) -> bytes:
    """A JSON document with one to three values changed, or nested without end."""
    if rng.random() < 0.02:
        return rng.choice((b"[" * 100000, b'{"a":' * 50000, b"{}" * 3, b'{"a":1,"a":2}', b"9" * 5000))
    document = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        document = any_value(document, rng)
    return json.dumps(document).encode()


def in_safetensors(data: bytes, rng: random.Random) -> bytes:
    length = int.from_bytes(data[:8], "little")
    header, rest = in_json(data[8 : 8 + length], rng), data[8 + length :]
    claimed = len(header) if rng.random() < 0.9 else number(rng) % 2**64
    return struct.pack("<Q", claimed) + header + rest


def in_npy(data: bytes, rng: random.Random) -> bytes:
    """Another descr, order or shape in the header."""
    begin = data.index(b"{")
    end = data.index(b"}") + 1
    shape = tuple(number(rng) for _ in range(rng.choice((0, 1, 2, 3, 40))))
    descr = rng.choice(DESCRIPTIONS)
    header = {"descr": descr, "fortran_order": rng.choice((True, False, 1, None)), "shape": shape}
    if rng.random() < 0.3:
        header.pop(rng.choice(list(header)))
    text = repr(header).encode() if rng.random() < 0.9 else b"{" * rng.choice((1, 2000))
    return data[: begin - 2] + struct.pack("<H", len(text) % 2**16) + text + data[end:]


def in_npz(data: bytes, rng: random.Random) -> bytes:
    """A member damaged and packed again, or a field of the directory changed."""
    if rng.random() < 0.4:
        copy = bytearray(data)
        begin = data.index(b"PK\x01\x02")
        at, width = rng.choice(((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4)))
        copy[begin + at : begin + at + width] = (number(rng) % 2 ** (8 * width)).to_bytes(width, "little")
        return bytes(copy)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    members[name] = rng.choice((in_npy, any_bytes))(members[name], rng)
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for each, content in members.items():
            archive.writestr(each if rng.random() < 0.95 else "_" + rng.choice(TEXTS), content)
    return to.getvalue()


def in_xml(data: bytes, rng: random.Random) -> bytes:
    """Other attributes, elements doubled, nested or left out."""
    text = data.decode()
    attributes = list(re.finditer(r'="([^"]*)"', text))
    for _ in range(rng.choice((1, 2))):
        each = rng.choice(attributes)
        new = rng.choice(
            (
                str(number(rng)),
                rng.choice(TEXTS).replace("\0", ""),
                "1,1",
                "i4",
                "Const",
                f"{number(rng)},{number(rng)}",
            )
        )
        text = text[: each.start(1)] + new + text[each.end(1) :]
        attributes = list(re.finditer(r'="([^"]*)"', text))
    kind = rng.randrange(12)
    if kind == 0:
        text = text.replace("<layers>", "<layers>" * 80)
    if kind == 1:
        text = '<!DOCTYPE x [<!ENTITY a "b">]>' + text
    if kind == 2:
        text = text.replace("</net>", "")
    return text.encode("utf-8", "surrogatepass")


def in_protobuf(data: bytes, rng: random.Random) -> bytes:
    """The value of a field of the message, or of one in it, changed; lengths around it are made right again."""
    found = list(_fields(data))
    if not found:
        return any_bytes(data, rng)
    at, end, tag, kind, value = rng.choice(found)
    if kind == 2:
        choice = rng.random()
        inner = in_protobuf(value, rng) if choice < 0.7 and len(value) > 2 else any_bytes(value, rng)
        inner = b"" if choice > 0.97 else inner
        return data[:at] + _varint(tag) + _varint(len(inner)) + inner + data[end:]
    if kind == 0:
        return data[:at] + _varint(tag) + _varint(number(rng) % 2**64) + data[end:]
    return data[:at] + data[end:]


def _fields(data: bytes) -> Iterator[tuple[int, int, int, int, bytes]]:
    at = 0
    while at < len(data):
        tag, after = _read_varint(data, at)
        kind = tag & 7
        value, end = (0, after + {1: 8, 5: 4}.get(kind, 0)) if kind != 0 else _read_varint(data, after)
        if kind == 2:
            length, begin = _read_varint(data, after)
            end = begin + length
            yield at, end, tag, kind, data[begin:end]
        elif kind in (0, 1, 5):
            yield at, end, tag, kind, b""
        if kind not in (0, 1, 2, 5) or end > len(data) or end <= at:
            return
        at = end
        assert value is not None


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            break
    return value, at


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def in_gguf(data: bytes, rng: random.Random) -> bytes:
    """A number of 4 or 8 bytes at any place of the header."""
    copy = bytearray(data)
    width = rng.choice((4, 8, 8))
    at = rng.randrange(4, min(len(data), 400))
    copy[at : at + width] = (number(rng) % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(copy)


def in_state(data: bytes, rng: random.Random) -> bytes:
    """A state with its header or a section changed, and the checksum made right again."""
    length = int.from_bytes(data[12:16], "little")
    header, body = data[16 : 16 + length], data[16 + length : -32]
    if rng.random() < 0.5:
        document = any_value(json.loads(header), rng)
        header = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    else:
        body = any_bytes(body, rng)
    text = data[:12] + struct.pack("<I", len(header)) + header + body
    return text + hashlib.sha256(text).digest()


def in_states(data: bytes, rng: random.Random) -> bytes:
    """A file of states with a value changed, and the checksum made right again."""
    lines = data.splitlines()[:-1]
    at = rng.randrange(len(lines))
    if rng.random() < 0.3:
        words = lines[at].decode().split(" ")
        words[rng.randrange(len(words))] = rng.choice(
            (str(number(rng)), "none", "0x1p-99999", "nan", "-0x" + "f" * 2000 + "p9")
        )
        lines[at] = " ".join(words).encode()
    else:
        lines[at] = in_json(lines[at], rng)
    body = b"".join(line + b"\n" for line in lines)
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


def read_tensors(path: Path, max_elements: int = MOST_BYTES) -> None:
    """Every element of every tensor, whole and in boxes."""
    for tensor in open_tensors(path, max_bytes=MOST_BYTES, max_elements=max_elements).tensors:
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
    found.append(Target("gguf", 10, gguf_bytes(x), in_gguf, read_tensors, "x.gguf"))
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
    state = samesum.State(["sum", "l2", "min", "argmax", "all", "count_nonzero"], axis=0)
    state.update(np.arange(12, dtype=np.float32).reshape(4, 3))
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
    graph = onnx.helper.make_graph([], "g", [], [], [*tensors, outside])
    data = onnx.helper.make_model(graph).SerializeToString()
    model = (examples / "onnx" / "layer_norm.onnx").read_bytes()
    return [
        *found,
        Target("onnx", 12, data, in_protobuf, read_tensors, "x.onnx"),
        Target("model.onnx", 3, model, in_protobuf, read_model, "model.onnx"),
    ]


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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started = time.perf_counter()
    outcome = run(arguments.cases, arguments.seed)
    for name, count in sorted(outcome.cases.items()):
        print(f"{name:<12} {count:>7} cases, {outcome.refused[name]:>7} refused")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{sum(outcome.cases.values())} cases in {time.perf_counter() - started:.0f} s; peak {peak} MB")
    print(f"slowest: {outcome.slowest[0]:.2f} s, {outcome.slowest[1]}")
    print("\n".join(outcome.findings[:SHOWN]) or "no finding")
    return int(bool(outcome.findings))


if __name__ == "__main__":
    sys.exit(main())
