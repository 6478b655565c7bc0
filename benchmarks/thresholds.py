"""Measures what the thresholds of core/select decide; writes benchmarks/results/thresholds.md.

Needs a core with thresholds that can be set: `cmake -S . -B build/tuning -G Ninja -DSAMESUM_TUNING=ON`,
`cmake --build build/tuning --target _core`, and its `_core*.so` in src/samesum.
"""

from __future__ import annotations

import argparse
import datetime as dt
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np

import samesum as ss
from samesum import _core
from samesum.engine import elementwise
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of
from samesum_bench.machine import this_machine
from threshold_calls import CALLS, FIXED, HALVED_ONLY
from threshold_headers import read

TABLE = Path(__file__).parent / "results" / "thresholds.md"
SELECT = Path(__file__).parents[1] / "core" / "select"
RANDOM = np.random.default_rng(36)


def normal(*shape: int, t: str = "f4") -> np.ndarray:
    """Normal numbers of a type; `bf16` is bfloat16."""
    x = RANDOM.standard_normal(shape)
    return x.astype(ml_dtypes.bfloat16) if t == "bf16" else (x * (1 if t[0] == "f" else 50)).astype(t)


def ties(*shape: int) -> np.ndarray:
    """Float32 numbers of which most sums and products lie halfway between two of them."""
    return (1 + RANDOM.integers(0, 2, shape) * 2.0**-12).astype("f4")


def ends(*shape: int) -> np.ndarray:
    """Float64 numbers over all exponents."""
    return np.ldexp(RANDOM.standard_normal(shape), RANDOM.integers(-1000, 1000, shape))


def labels(rows: int, segments: int) -> np.ndarray:
    """A segment for each row."""
    return RANDOM.integers(0, segments, rows)


def state(x: np.ndarray) -> object:
    """A state of sums that takes in an array."""
    return ss.State(["sum"]).update(x)


def batch_norm(*inputs: np.ndarray) -> object:
    """What a node of a model calls: there is no function."""
    return apply(operation_of("onnx", "BatchNormalization", None), inputs)


def prepared(text: str) -> Callable[[], object]:
    """The call of a text, with its arrays made once."""
    arrays: dict[str, np.ndarray] = {}

    def kept(make: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        def of(*shape: int, **kind: str) -> np.ndarray:
            key = f"{make.__name__}{shape}{kind}"
            if key not in arrays:
                arrays[key] = make(*shape, **kind)
            return arrays[key]

        return of

    names = {
        "ss": ss,
        "a": kept(normal),
        "ties": kept(ties),
        "ends": kept(ends),
        "labels": kept(labels),
        "state": state,
        "exp": elementwise.exponential,
        "batch_norm": batch_norm,
    }
    code = compile(text, text, "eval")
    return lambda: eval(code, names)


def seconds(call: Callable[[], object], least: float) -> float:
    """The shortest time of one call in as many as take `least` seconds, three at least."""
    best, spent, calls = float("inf"), 0.0, 0
    while spent < least or calls < 3:
        begin = time.perf_counter()
        call()
        taken = time.perf_counter() - begin
        best, spent, calls = min(best, taken), spent + taken, calls + 1
    return best


def ratio(name: str, other: int, text: str, patience: float) -> float:
    """How many times as long the call takes with the other value; the median of five turns."""
    call = prepared(text)
    call()
    ratios = []
    for _ in range(5):
        _core.set_threshold(name, other)
        there = seconds(call, patience)
        _core.set_threshold("", 0)
        ratios.append(there / seconds(call, patience))
    return statistics.median(ratios)


def measured(name: str, value: int, patience: float) -> tuple[str, str]:
    """The ratios with half and with twice the threshold: below it and above it, where the call has a size."""
    text = CALLS[name]
    below, above = text.replace("{n}", str(max(value * 7 // 10, 1))), text.replace("{n}", str(value * 14 // 10))
    half = f"{ratio(name, max(value // 2, 1), below, patience):.2f}"
    if name in HALVED_ONLY:
        return half, ""
    return half, f"{ratio(name, 2 * value, above, patience):.2f}"


def main() -> None:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patience", type=float, default=0.01, help="seconds of each reading")
    parser.add_argument("--only", nargs="*", help="names of thresholds; the other rows of the table stay")
    options = parser.parse_args()
    rows = known_rows() if options.only else {}
    for name, (value, unit) in read(SELECT).items():
        if options.only and name not in options.only:
            continue
        call = FIXED[name] if name in FIXED else f"`{CALLS[name]}`"
        half, twice = ("", "") if name in FIXED else measured(name, value, options.patience)
        rows[name] = f"| {name} | {value} | {unit} | {half} | {twice} | {call} |"
        print(rows[name], flush=True)
    here = this_machine()
    cache = f"{here.last_level_cache >> 20} MB of last-level cache"
    machine = f"{here.cpu}, {ss.get_num_threads()} threads, {here.instruction_set}, {cache}"
    today = dt.datetime.now(tz=dt.UTC).date()
    head = HEAD.format(machine=machine, date=today, patience=options.patience)
    TABLE.write_text(head + "\n".join(rows[name] for name in read(SELECT)) + "\n", encoding="utf-8")


def known_rows() -> dict[str, str]:
    """The rows of the table, by threshold."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}


HEAD = """# What the thresholds of core/select decide

{machine}, {date}: `python benchmarks/thresholds.py --patience {patience}`. Written by the command.

*half* is how many times as long the call takes with half the threshold, *twice* with twice of it: medians of five
turns. Where the call has a size `{{n}}`, it is 0.7 of the threshold for the first and 1.4 of it for the second, so that
both numbers compare the two ways next to the threshold: above 1 the way that is taken is the faster one. 1.00 twice is
a threshold that costs nothing in this call. Readings of the same build differ by 0.05 and more with two threads.

| threshold | value | unit | half | twice | call |
|---|---:|---|---:|---:|---|
"""

if __name__ == "__main__":
    main()
