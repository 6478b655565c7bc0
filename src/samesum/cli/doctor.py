"""`samesum doctor`: versions, instruction set, threads, quotas and engines, as text for an issue."""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from samesum import __version__
from samesum.algebra.rows import LOG_SOFTMAX, REDUCTIONS, SCANS, SOFTMAX
from samesum.cli.show import Exit, print_json, printable
from samesum.engine import elementwise, environment, memory
from samesum.engine.environment import CACHE_LIMIT, INSTRUCTION_SET, THREADS, get_cache_limit, get_num_threads
from samesum.engine.machine import instruction_set, instruction_sets
from samesum.errors import SITE, DtypeError
from samesum.formats.arrays import Dtype, NDArray

# Digests of a fixed set of calls over all reductions, scans and functions and all types: the same on every machine.
#
# The inputs are made by integer arithmetic alone. howto/reproduce.html of the site has the digests of this release.

_TYPES = (
    "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip
_SHAPE = (12, 5, 37)
_AXES: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (0, 2), (0, 1, 2))
# D. E. Knuth, MMIX; "The Art of Computer Programming", volume 2, 3.3.4.
_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407

_Call = Callable[[NDArray], Iterable[NDArray]]


def calls() -> dict[str, _Call]:
    """What is called, by name: each gives the results for one input."""
    found: dict[str, _Call] = {}
    for row in REDUCTIONS:
        found[row.name] = lambda x, row=row: (np.asarray(memory.reduce(row, x, _axes(row, axes))) for axes in _AXES)  # type: ignore[misc]
    for scan in SCANS:
        found[scan.name] = lambda x, scan=scan: (memory.scan(scan, x, axis) for axis in range(x.ndim))  # type: ignore[misc]
    for each in (SOFTMAX, LOG_SOFTMAX):
        found[each.name] = lambda x, each=each: (memory.normalize(each, x, axis) for axis in range(x.ndim))  # type: ignore[misc]
    found["exp"] = lambda x: (elementwise.exponential(x),)
    found["log"] = lambda x: (elementwise.logarithm(x),)
    found["pow"] = lambda x: (elementwise.power(x, np.ascontiguousarray(x[::-1])),)
    return found


def _axes(row: object, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Positions are of one axis or of all."""
    is_position = getattr(row, "name", "") in ("argmin", "argmax")
    return axes[:1] if is_position and len(axes) == 2 else axes


def digests(types: Iterable[str] = _TYPES) -> Mapping[str, str]:
    """The digest of each call over all types that it takes, by name, and of the inputs."""
    inputs = [x for name in types for x in _inputs_of(name)]
    found = {"inputs": _digest(inputs)}
    for name, call in calls().items():
        found[name] = _digest(_results(call, inputs))
    return found


def _results(call: _Call, inputs: Iterable[NDArray]) -> Iterator[NDArray]:
    for x in inputs:
        try:
            yield from [np.asarray(result) for result in call(x)]
        except DtypeError:
            continue


def _inputs_of(name: str) -> Iterator[NDArray]:
    """Any bits, and of floats also numbers of moderate size and no NaN."""
    dtype: Dtype = np.dtype(getattr(ml_dtypes, name, name))
    bits = _bits(dtype.itemsize, seed=_TYPES.index(name))
    if dtype == np.bool_:
        yield (bits & 1).astype(np.bool_)
        return
    yield bits.view(dtype)
    if dtype.kind not in "iu":
        highest, next_one = (np.array(1 << (8 * dtype.itemsize - k), bits.dtype) for k in (2, 3))
        yield (bits & ~highest | next_one).view(dtype)


def _bits(itemsize: int, seed: int) -> NDArray:
    state, words = seed, []
    for _ in range(int(np.prod(_SHAPE))):
        state = (state * _MULTIPLIER + _INCREMENT) % 2**64
        words.append(state >> (64 - 8 * itemsize))
    return np.array(words, f"u{itemsize}").reshape(_SHAPE)


def _digest(arrays: Iterable[NDArray]) -> str:
    """The first 16 digits of the SHA-256 of dtypes, shapes and bits in little-endian order."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(f"{array.dtype.name} {array.shape}\n".encode())
        bits = np.ascontiguousarray(array).reshape(-1)
        sha.update(bits.view(f"u{array.dtype.itemsize}").astype(f"<u{array.dtype.itemsize}").tobytes())
    return sha.hexdigest()[:16]


_PACKAGES = (
    "numpy", "ml_dtypes", "rich", "onnx", "onnxruntime", "openvino", "torch", "dask", "zarr", "safetensors",
    "matplotlib",
)  # fmt: skip
_MEMORY = Path("/proc/meminfo")
_CPUINFO = Path("/proc/cpuinfo")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_CACHE = 32 << 20


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "doctor",
        help="versions, instruction set, threads, quotas and engines: text for an issue",
        description="Prints what an issue about samesum should say of the machine and its software. No names of "
        "users, machines or folders are in it.",
        allow_abbrev=False,
    )
    said = "print digests of a fixed set of calls instead, the same on every machine; "
    parser.add_argument("--digests", action="store_true", help=f"{said}{SITE}howto/reproduce.html has this release's")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Prints the facts or the digests."""
    found = dict(digests()) if arguments.digests else facts()
    if arguments.json:
        print_json(found)
    else:
        width = max(map(len, found))
        print("\n".join(f"{name:<{width}}  {printable(_text(value))}" for name, value in found.items()))
    return Exit.FINE


def facts() -> dict[str, Any]:
    """What can be found out, by name; None where the system does not say."""
    quota = environment.quota(environment.MEMBERSHIP, environment.GROUPS)
    found: dict[str, Any] = {
        "samesum": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor_name(),
        "last level cache": last_level_cache(),
        "memory": _memory(),
        "instruction set": f"{instruction_set()} of {', '.join(instruction_sets())}",
        "threads": get_num_threads(),
        "cache limit": get_cache_limit(),
        "processors": os.cpu_count(),
        "affinity": environment.affinity(),
        "cpu quota": quota,
        "byte order": sys.byteorder,
    }
    found |= {name: os.environ[name] for name in (THREADS, INSTRUCTION_SET, CACHE_LIMIT) if name in os.environ}
    return found | {name: _version(name) for name in _PACKAGES}


def processor_name() -> str:
    """The model's name, or the kind of machine where the system does not tell it."""
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def last_level_cache() -> int:
    """Bytes of the largest cache that the first processor uses; 32 MB where the system does not tell."""
    sizes = [_bytes(path.read_text()) for path in sorted(_CACHES.glob("index*/size"))]
    return max(sizes, default=_USUAL_CACHE)


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    text = text.strip()
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def _text(value: object) -> str:
    return "-" if value is None else str(value)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _memory() -> int | None:
    """Bytes of memory."""
    if not _MEMORY.exists():
        return None
    first = _MEMORY.read_text(encoding="ascii").splitlines()[0].split()
    return int(first[1]) * 1024 if first[0] == "MemTotal:" else None
