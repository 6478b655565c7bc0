"""`samesum doctor`: versions, instruction set, threads, quotas and engines, as text for an issue."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from samesum import __version__
from samesum.cli.show import Exit, print_json, printable
from samesum.conformance.selftest import digests
from samesum.engine import environment
from samesum.engine.environment import CACHE_LIMIT, INSTRUCTION_SET, THREADS, get_cache_limit, get_num_threads
from samesum.engine.machine import instruction_set, instruction_sets
from samesum.errors import SITE

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
