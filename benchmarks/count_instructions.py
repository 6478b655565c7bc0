"""Instructions of some calls, counted by callgrind: the same on a busy machine, but for some of the interpreter's own.

`python benchmarks/count_instructions.py` needs valgrind and takes some minutes. Each count is that of 101 calls less
that of one, over 100, on one thread and the instruction set x86-64-v3, the widest that valgrind knows, which has to be
compiled (`SAMESUM_INSTRUCTION_SETS`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

DATA = """
import numpy as np, samesum as ss
from samesum import _core
ss.set_num_threads(1)
_core.set_instruction_set("x86-64-v3")
rng = np.random.default_rng(0)
def normal(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)
"""

CALLS = {
    "sum, 32 float32": ("x = normal(32)", "ss.sum(x)"),
    "sum, (6, 12, 10, 24) float32, axes (2, 3)": ("x = normal(6, 12, 10, 24)", "ss.sum(x, axis=(2, 3))"),
    "sum, 2^16 float32": ("x = normal(1 << 16)", "ss.sum(x)"),
    "sum, 2^16 float64": ("x = normal(1 << 16, dtype=np.float64)", "ss.sum(x)"),
    "sum, 2^16 float16": ("x = normal(1 << 16, dtype=np.float16)", "ss.sum(x)"),
    "sum, (256, 256) float32, axis 0": ("x = normal(256, 256)", "ss.sum(x, axis=0)"),
    "sum, (2^13, 8) float32, axis 1": ("x = normal(1 << 13, 8)", "ss.sum(x, axis=1)"),
    "l2_norm, 2^16 float32": ("x = normal(1 << 16)", "ss.l2_norm(x)"),
    "prod, 2^16 float32": ("x = 1 + normal(1 << 16) / 1024", "ss.prod(x)"),
    "max, 2^16 float32": ("x = normal(1 << 16)", "ss.max(x)"),
    "argmax, 2^16 float32": ("x = normal(1 << 16)", "ss.argmax(x)"),
    "logsumexp, 2^16 float32": ("x = normal(1 << 16)", "ss.logsumexp(x)"),
    "sum, 2^16 int8": ("x = rng.integers(-99, 99, 1 << 16, np.int8)", "ss.sum(x)"),
    "cumulative_sum, 2^16 float32": ("x = normal(1 << 16)", "ss.cumulative_sum(x)"),
    "cumulative_prod, 2^16 float32": ("x = 1 + normal(1 << 16) / 1024", "ss.cumulative_prod(x)"),
    "softmax, (64, 1024) float32, axis 1": ("x = normal(64, 1024)", "ss.onnx.Softmax(x, axis=1)"),
}


def collected(setup: str, call: str, times: int) -> int:
    """Instructions of a whole process that calls so many times."""
    code = f"{DATA}\n{setup}\nfor _ in range({times}): {call}"
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


def per_call(name: str) -> float:
    """Of one call."""
    setup, call = CALLS[name]
    return (collected(setup, call, 101) - collected(setup, call, 1)) / 100


def main() -> None:
    """Prints a table."""
    print("| call | instructions |\n|---|---:|")
    with ThreadPoolExecutor(2) as pool:
        for name, count in zip(CALLS, pool.map(per_call, CALLS), strict=True):
            print(f"| {name} | {count:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
