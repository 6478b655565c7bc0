"""Rules about normalizations: squares that overflow, a variance by subtraction, moments in a shorter type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.testing.node import Node
from samesum.testing.normalizations import Moments, Plan, plan_of, two_passes
from samesum.testing.rule import agrees


def of_normalization(node: Node, arrays: Sequence[NDArray | None], answer: NDArray, exact: NDArray) -> str:
    """The way to the moments that gives the engine's answer within a few ulps and not the exact one, "" if none."""
    plan = plan_of(node, arrays)
    if plan is None or plan.rows.dtype == np.float64:
        return ""
    single = np.dtype(np.float32)
    types = (single,) if plan.rows.dtype == single else (plan.rows.dtype, single)
    with np.errstate(all="ignore"):
        for held in types:
            for name, moments in _ways(held):
                made = plan.answer(moments)
                if agrees(_by_lines(answer), _by_lines(made), answer.dtype) and not agrees(
                    _by_lines(exact), _by_lines(made), answer.dtype
                ):
                    return name if name else _of_two_passes(plan, held)
    return ""


def _by_lines(array: NDArray) -> NDArray:
    return array.reshape(len(array) if array.ndim > 1 else 1, -1)


def _ways(held: Dtype) -> list[tuple[str, Moments]]:
    return [
        ("", partial(_two_passes, held)),
        (f"variance as E[x^2] - E[x]^2 in {held.name}", partial(_by_subtraction, held)),
    ]


def _of_two_passes(plan: Plan, held: Dtype) -> str:
    """Two passes in a type are a mistake where its squares leave its range."""
    square, wide = _two_passes(held, plan.rows, plan.centred)[1], two_passes(plan.rows, plan.centred)[1]
    leaves = (~np.isfinite(square) & np.isfinite(wide)) | ((square == 0) & (wide > 0))
    return f"squares in {held.name} that overflow or underflow" if leaves.any() else f"moments in {held.name}"


def _two_passes(held: Dtype, rows: NDArray, centred: bool) -> tuple[NDArray, NDArray]:
    short = rows.astype(held)
    mean = _mean(short) if centred else np.zeros(len(short), held)
    return mean, _mean(np.square(short - mean[:, None]))


def _by_subtraction(held: Dtype, rows: NDArray, centred: bool) -> tuple[NDArray, NDArray]:
    short = rows.astype(held)
    mean = _mean(short) if centred else np.zeros(len(short), held)
    return mean, _mean(np.square(short)) - np.square(mean)


def _mean(rows: NDArray) -> NDArray:
    total = np.add.reduce(rows, axis=1, dtype=rows.dtype)
    return np.asarray(total.astype(np.float64) / rows.shape[1]).astype(rows.dtype)
