"""Engines for the tests: one that is right, and ones with a fault each, by ONNX's own evaluator."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from samesum.onnx import reference_ops

Array = np.ndarray[Any, Any]
Feeds = dict[str, Array]


class Right:
    """samesum's reductions, the evaluator's everything else."""

    ops: ClassVar[list[type[OpRun]]] = []

    def run(self, model: Any, feeds: Feeds, wanted: list[str]) -> Feeds:
        own = {each.__name__ for each in self.ops}
        ops = [*(each for each in reference_ops() if each.__name__ not in own), *self.ops]
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(model, new_ops=ops).run(wanted, feeds)
        return dict(zip(wanted, map(np.asarray, found), strict=True))


class ReduceSum(OpRun):
    """A sum whose fault is in `total`."""

    op_domain = ""

    def _run(self, x: Array, axes: Array | None = None, keepdims: int = 1, **_: Any) -> tuple[Array]:
        where = tuple(range(x.ndim)) if axes is None or axes.size == 0 else tuple(int(axis) for axis in axes)
        return (np.asarray(self.total(x, where, bool(keepdims))).astype(x.dtype),)

    @staticmethod
    def total(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        raise NotImplementedError


def sum_op(total: Any) -> type[OpRun]:
    return type("ReduceSum", (ReduceSum,), {"total": staticmethod(total)})


def _without_last(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    cut = [slice(None)] * x.ndim
    cut[axes[-1]] = slice(0, -1)
    return x[tuple(cut)].astype(np.float64).sum(axes, keepdims=keepdims)


def _in_float16(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    (axis,) = axes
    total = np.add.accumulate(x.astype(np.float16), axis, np.float16).take([-1], axis)
    return total if keepdims else total.squeeze(axis)


def _one_by_one(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    (axis,) = axes
    total = np.add.accumulate(x, axis, x.dtype).take([-1], axis)
    return total if keepdims else total.squeeze(axis)


CALLS = [0]


def _another_each_time(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    CALLS[0] += 1
    return x.astype(np.float64).sum(axes, keepdims=keepdims) * (1 + 1e-3 * (CALLS[0] % 7))


class DropsOne(Right):
    ops: ClassVar = [sum_op(_without_last)]


class SumsInHalf(Right):
    ops: ClassVar = [sum_op(_in_float16)]


class OneByOne(Right):
    ops: ClassVar = [sum_op(_one_by_one)]


class Changes(Right):
    ops: ClassVar = [sum_op(_another_each_time)]


class Refuses:
    def run(self, model: Any, feeds: Feeds, wanted: list[str]) -> Feeds:
        raise NotImplementedError("nothing at all")


class RefusesExposed(Right):
    """Runs models of at most one output."""

    def run(self, model: Any, feeds: Feeds, wanted: list[str]) -> Feeds:
        if len(model.graph.output) > 1:
            raise RuntimeError("one output, please")
        return super().run(model, feeds, wanted)


def scatter_op(apply: Any) -> type[OpRun]:
    """A ScatterND that adds, by `apply(data, places, updates)`."""

    def run(self: OpRun, x: Array, indices: Array, updates: Array, **_: Any) -> tuple[Array]:  # noqa: ARG001
        return (apply(x, tuple(np.moveaxis(indices, -1, 0)), updates),)

    return type("ScatterND", (OpRun,), {"op_domain": "", "_run": run})


def _added(x: Array, places: tuple[Array, ...], updates: Array) -> Array:
    total = x.copy()
    np.add.at(total, places, updates)
    return total


def _lost(x: Array, places: tuple[Array, ...], updates: Array) -> Array:
    """Each time other updates, as when threads read one value and both write theirs."""
    CALLS[0] += 1
    kept = np.arange(len(updates)) % (3 + CALLS[0] % 5) > 0
    return _added(x, tuple(each[kept] for each in places), updates[kept])


def _in_another_order(x: Array, places: tuple[Array, ...], updates: Array) -> Array:
    CALLS[0] += 1
    turn = CALLS[0] % len(updates)
    return _added(x, tuple(np.roll(each, turn, 0) for each in places), np.roll(updates, turn, 0))


class Scatters(Right):
    ops: ClassVar = [scatter_op(_added)]


class LosesUpdates(Right):
    ops: ClassVar = [scatter_op(_lost)]


class ScattersInAnotherOrder(Right):
    ops: ClassVar = [scatter_op(_in_another_order)]
