"""How far an answer is from the exact one, and whether samesum's own answer is the exact one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from peers.task import NDArray, Task
from samesum.algebra import exact
from samesum.algebra.rounding import FORMATS, Format
from samesum.algebra.rows import REDUCTIONS, SCANS, SUM, Reduction
from samesum.engine import memory

BLOCK = 1 << 20
SAMPLE_OUTPUTS = 8
SAMPLE_ELEMENTS = 1 << 20
ROWS = {row.name: row for row in REDUCTIONS}
SCAN_ROWS = {row.name: row for row in SCANS}
SUMS = {"sum": SUM, "mean": ROWS["mean"], "l1_norm": ROWS["l1_norm"], "cumulative_sum": SUM}


@dataclass(frozen=True, slots=True)
class Distance:
    """How many outputs differ from the reference, and by how many steps of their format at most.

    `worst` is infinite where a NaN stands against a number.
    """

    outputs: int
    differing: int
    worst: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many outputs were compared with the exact sum, and how many were not its nearest neighbour."""

    checked: int
    wrong: int


def reference(task: Task, own: NDArray, dtype: np.dtype[Any]) -> NDArray | None:
    """The correctly rounded answer in the type that a peer answers in; None if the two cannot be compared."""
    if dtype == own.dtype:
        return own
    if dtype == task.x.dtype:
        if task.is_scan:
            return memory.scan(SCAN_ROWS[task.operator], task.x, task.axes[0])
        return memory.reduce(ROWS[task.operator], task.x, task.axes)
    same_width = dtype.kind in "iu" and own.dtype.kind in "iu" and dtype.itemsize == own.dtype.itemsize
    return own.view(dtype) if same_width else None


def distance(got: NDArray, expected: NDArray) -> Distance:
    """In steps of the output's format: neighbouring floats, or integers, are 1 apart; -0 and +0 are equal."""
    differing, worst = 0, 0.0
    flat, wanted = got.reshape(-1), expected.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        a, b = flat[start : start + BLOCK], wanted[start : start + BLOCK]
        steps = _steps(a, b)
        differing += int(np.count_nonzero(steps))
        worst = max(worst, float(steps.max()))
        if a.dtype.name in FORMATS and not np.array_equal(np.isnan(a), np.isnan(b)):
            worst = math.inf
    return Distance(flat.size, differing, worst)


def _steps(a: NDArray, b: NDArray) -> NDArray:
    """Unsigned distances, so that the whole range of a 64-bit type fits."""
    a, b = _ordinals(a), _ordinals(b)
    wide = np.int64 if a.dtype.kind == "i" else np.uint64
    low, high = np.minimum(a, b).astype(wide), np.maximum(a, b).astype(wide)
    return high.view(np.uint64) - low.view(np.uint64)


def _ordinals(x: NDArray) -> NDArray:
    """Signed integers in the order of the floats, both zeros at 0 and all NaNs at one place; integers stay."""
    form = FORMATS.get(x.dtype.name)
    if form is None:
        return x
    bits = x.view(f"i{x.dtype.itemsize}").astype(np.int64)
    lowest = -form.sign
    keys = np.where(bits < 0, lowest - bits, bits)
    return np.where(np.isnan(x), form.nan, keys)


def verify(task: Task, own: NDArray, seed: int) -> Verdict | None:
    """A sample of samesum's outputs against exact sums; None for operators that are no sums."""
    row = SUMS.get(task.operator)
    if row is None:
        return None
    generator = np.random.default_rng(seed)
    checked = wrong = elements = 0
    while not checked or (checked < SAMPLE_OUTPUTS and elements + task.count <= SAMPLE_ELEMENTS):
        at = tuple(int(generator.integers(n)) for n in own.shape)
        members = _members(task, at)
        bits = exact.finalize(row, exact_state(row, members), task.x.dtype, own.dtype)
        wrong += bits != int(own[at].view(f"u{own.dtype.itemsize}"))
        checked += 1
        elements += members.size
    return Verdict(checked, wrong)


def _members(task: Task, at: tuple[int, ...]) -> NDArray:
    """The elements whose sum is the output at `at`."""
    if task.is_scan:
        axis = task.axes[0]
        line: tuple[Any, ...] = (*at[:axis], slice(0, at[axis] + 1), *at[axis + 1 :])
    else:
        kept = iter(at)
        line = tuple(slice(None) if axis in task.axes else next(kept) for axis in range(task.x.ndim))
    members: NDArray = task.x[line]
    return members


def exact_state(row: Reduction, x: NDArray) -> exact.State:
    """The exact sum of finite numbers (of their magnitudes, as `row` says), by exponents and in integers."""
    form = FORMATS.get(x.dtype.name)
    total = 0
    flat = x.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        block = np.abs(block) if row.name == "l1_norm" else block
        total += int(block.sum(dtype=np.int64)) if form is None else _units(form, block)
    return exact.State(total, 0, flat.size)


def _units(form: Format, block: NDArray) -> int:
    """The sum in multiples of the smallest subnormal: halves of the significands are summed for each exponent.

    A half has at most 27 bits and a block 2**20 elements, so that float64 counts them without rounding.
    """
    bits = np.ascontiguousarray(block).view(f"u{block.dtype.itemsize}").astype(np.uint64)
    fraction_bits = form.precision - 1
    field = ((bits & np.uint64(form.sign - 1)) >> np.uint64(fraction_bits)).astype(np.int64)
    significand = bits & np.uint64((1 << fraction_bits) - 1)
    significand |= (field != 0).astype(np.uint64) << np.uint64(fraction_bits)
    sign = np.where(bits & np.uint64(form.sign), -1.0, 1.0)
    total = 0
    for half, shift in ((significand & np.uint64(0x3FFFFFF), 0), (significand >> np.uint64(26), 26)):
        sums = np.bincount(field, half.astype(np.float64) * sign)
        total += sum(int(sums[e]) << (max(e, 1) - 1 + shift) for e in np.flatnonzero(sums).tolist())
    return total
