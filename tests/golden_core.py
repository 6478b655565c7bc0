"""The golden hashes by a core without Python: `python tests/golden_core.py COMMAND ...`.

COMMAND runs `core_answers`, which may be that of another machine under an emulator.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from typing import Any

import numpy as np

import cases
import goldens
from samesum.algebra.rows import SOFTMAX, Promotion, Reduction, Scan
from samesum.engine import memory
from samesum.formats.arrays import NDArray

CODES = {"float16": 0, "bfloat16": 1, "float32": 2, "float64": 3, "int64": 7, "bool": 12}
"""The formats of the core, by name."""
REDUCE, SCAN, NORMALIZE, UNARY = range(4)
RESULTS = {Promotion.BOOLEAN: np.dtype(np.bool_), Promotion.POSITION: np.dtype(np.int64)}
"""The types of results that are no floats."""


class Core:
    """A running `core_answers`."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, operation: int, code: int, x: NDArray, dtype: np.dtype[Any], axes: tuple[int, ...]) -> NDArray:
        rows, columns = x.shape
        formats = CODES[x.dtype.name], CODES[dtype.name]
        request = struct.pack("<7i", operation, code, *formats, rows, columns, sum(1 << axis for axis in axes))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(request + np.ascontiguousarray(x).tobytes())
        self._process.stdin.flush()
        shape = [1 if operation == REDUCE and axis in axes else size for axis, size in enumerate(x.shape)]
        size = int(np.prod(shape)) * dtype.itemsize
        answer = self._process.stdout.read(size)
        if len(answer) != size:
            raise SystemExit(f"the core ended, with status {self._process.wait()}")
        return np.frombuffer(answer, np.uint8).view(dtype)

    def reduce(self, row: Reduction, x: NDArray, axes: tuple[int, ...]) -> NDArray:
        return self.ask(REDUCE, row.code, x, RESULTS.get(row.promotion, x.dtype), axes)

    def scan(self, row: Scan, x: NDArray, axis: int) -> NDArray:
        return self.ask(SCAN, row.combine, x, x.dtype, (axis,))


def differing(core: Core, dtype: np.dtype[Any]) -> list[str]:
    """The rows whose hash is another one than that of the exact algebra."""
    golden = json.loads(goldens.PATH.read_text())
    return [name for name, bits in goldens.hashes(dtype, core.reduce, core.scan).items() if golden[name] != bits]


def softmax_differs(core: Core, dtype: np.dtype[Any]) -> bool:
    """Softmax is not rounded once; its bits are those of the core that is installed here."""
    for x in goldens.inputs(dtype):
        here = memory.normalize(SOFTMAX, x, 1).reshape(-1)
        there = core.ask(NORMALIZE, SOFTMAX.code, x, x.dtype, (1,))
        if goldens.digest(iter([here])) != goldens.digest(iter([there])):
            return True
    return False


def main(command: list[str]) -> None:
    core = Core(command)
    wrong: list[str] = []
    for dtype in cases.FLOATS:
        wrong += differing(core, dtype) + ([f"softmax {dtype.name}"] if softmax_differs(core, dtype) else [])
        print(f"{dtype.name}: {len(goldens.FAMILIES)} families of data, {len(wrong)} rows wrong so far", flush=True)
    if wrong:
        raise SystemExit("other bits: " + ", ".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
