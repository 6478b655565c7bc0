"""A node's exact answer by samesum, and the figures and the verdict of an engine's answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from samesum.compare.families import Family, Judged, Scale, reduction_of
from samesum.compare.figures import Figure, figure
from samesum.compare.graph import Graph, Node
from samesum.compare.lines import axes_of, lines
from samesum.compare.normalizations import condition, plan_of
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS
from samesum.formats.ulps import unit
from samesum.runtimes.own_engine import Samesum
from samesum.runtimes.runtime import run

Arrays = Sequence[NDArray | None]

CAREFUL = 8.0
"""Ulps of the fair magnitude that any careful way of computing keeps, beside those that grow with the length."""


class Verdict(Enum):
    """What an engine's answer is, from the best to the worst.

    >>> Verdict("wrong") is Verdict.WRONG
    True
    """

    RIGHT = "right"
    """The correctly rounded one."""
    NO_OPINION = "no opinion"
    """samesum does not have the operator, or there is nothing to judge by."""
    INEXACT = "inexact"
    """As near as a careful computation in that type comes."""
    REFUSED = "refused"
    """The engine gives no answer."""
    WRONG = "wrong"
    """Further away than a careful computation in that type comes, or another kind of value."""


ORDER = tuple(Verdict)


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A node's exact answer, the magnitude in whose ulps errors are measured, and how many are allowed."""

    exact: NDArray
    magnitude: NDArray | None
    allowed: float

    @property
    def room(self) -> NDArray:
        """How far each element may be from the exact one; -1 where every bit counts."""
        if self.magnitude is None:
            return np.full(self.exact.shape, -1.0)
        return np.broadcast_to(self.allowed * unit(self.magnitude, self.exact.dtype), self.exact.shape)

    def figure(self, answer: NDArray) -> Figure:
        """How far the answer is; one of another type or shape is infinitely far."""
        if answer.dtype != self.exact.dtype or answer.shape != self.exact.shape:
            return Figure(math.inf, math.inf, self.exact.size, None)
        return figure(answer, self.exact, self.magnitude, self.allowed)


def truth(graph: Graph, node: Node, how: Judged, arrays: Arrays) -> Truth:
    """What the node has to give for these inputs; raises SamesumError where samesum has no answer."""
    exact = _computed(graph, node, arrays)
    if how.scale is Scale.EXACT or exact.dtype.name not in FORMATS:
        return Truth(exact, None, 0.0)
    data = arrays[0]
    assert data is not None
    axes = axes_of(node, arrays)
    magnitude = _magnitude(graph, node, how, arrays, exact, axes)
    plan = plan_of(node, arrays) if how.family is Family.NORMALIZATION else None
    if plan is not None:
        length = plan.rows.shape[1]
        return Truth(exact, magnitude, (CAREFUL + math.log2(length)) * condition(plan))
    if how.family is Family.SCATTER:
        return Truth(exact, magnitude, _allowed_of_updates(node, arrays))
    if how.family is Family.ATTENTION:
        return Truth(exact, magnitude, _allowed_of_attention(arrays))
    if how.family is Family.PRODUCT:
        return Truth(exact, magnitude, CAREFUL + math.log2(_terms(arrays, exact)))
    return Truth(exact, magnitude, _allowed(how.family, data, exact, axes))


def _computed(graph: Graph, node: Node, arrays: Arrays) -> NDArray:
    """What samesum gives for the node."""
    alone = graph.alone(node, arrays)
    return run(Samesum(), alone.model, alone.feeds, [alone.wanted])[alone.wanted]


def _magnitude(
    graph: Graph, node: Node, how: Judged, arrays: Arrays, exact: NDArray, axes: tuple[int, ...] | None
) -> NDArray:
    """In whose ulps the error of each element is fair."""
    data = arrays[0]
    assert data is not None
    if how.scale is Scale.MAGNITUDES:
        return _of_magnitudes(graph, node, arrays, how.family is Family.PRODUCT)
    size = np.abs(exact.astype(np.float64))
    if how.scale is Scale.LARGEST and data.ndim and (exact.shape == data.shape or how.family is Family.ATTENTION):
        along = tuple(range(1, exact.ndim)) if axes is None else axes
        return np.asarray(np.max(size, axis=along, keepdims=True, initial=0.0))
    if how.scale is Scale.LOGARITHM and axes is not None:
        return _of_logarithm(how.family, lines(data, axes).data, size)
    return size


def _of_magnitudes(graph: Graph, node: Node, arrays: Arrays, in_own_type: bool) -> NDArray:
    """What the operator gives for the magnitudes of the data, in float64 so that nothing overflows.

    Products, which take much longer in float64, stay in their own type.
    """
    data = arrays[0]
    assert data is not None
    kind = data.dtype if in_own_type else np.dtype(np.float64)
    wide = [
        np.abs(array).astype(kind) if array is not None and array.dtype == data.dtype else array for array in arrays
    ]
    if reduction_of(node) == "sub" and wide[0] is not None:
        wide[0] = -wide[0]
    return np.abs(_computed(graph, node, wide))


def _of_logarithm(family: Family, rows: NDArray, size: NDArray) -> NDArray:
    """A sum of logarithm's argument moves it by its own condition; a log-sum-exp carries the error of its terms."""
    wide = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        if family is Family.LOG_SUM:
            condition = np.abs(wide).sum(axis=1) / np.abs(wide.sum(axis=1))
        else:
            condition = np.max(np.abs(np.where(np.isfinite(wide), wide, 0)), axis=1, initial=0.0)
        return np.maximum(size, np.where(np.isfinite(condition), condition, 0).reshape(size.shape))


def _allowed(family: Family, data: NDArray, exact: NDArray, axes: tuple[int, ...] | None) -> float:
    """What a careful computation in the type of the data may be off by, in ulps of the fair magnitude.

    Additions in blocks or pairs lose less than an ulp for each doubling of the length; a product cannot but round at
    each factor, and a running sum is allowed what a walk of its roundings comes to.
    """
    length = max(1, data.size // max(1, exact.size) if axes is None else math.prod(data.shape[axis] for axis in axes))
    if family in (Family.PROD, Family.CUMULATIVE_PROD):
        return CAREFUL + length
    if family is Family.CUMULATIVE_SUM:
        return CAREFUL + math.sqrt(length)
    return CAREFUL + math.log2(length)


def _terms(arrays: Arrays, exact: NDArray) -> float:
    """About how many products one element of the result adds up: of matrices exactly so many."""
    sizes = [array.size for array in arrays[:2] if array is not None]
    return math.sqrt(max(1.0, math.prod(sizes) / max(1, exact.size)))


def _allowed_of_attention(arrays: Arrays) -> float:
    """An exponential carries the error of its score, an ulp of what the largest query and key come to."""
    query, key = arrays[0], arrays[1] if len(arrays) > 1 and arrays[1] is not None else arrays[0]
    assert query is not None
    assert key is not None
    norms = [float(np.linalg.norm(x.astype(np.float64), axis=-1).max(initial=0.0)) for x in (query, key)]
    score = norms[0] * norms[1] / math.sqrt(max(1, query.shape[-1]))
    return CAREFUL + math.log2(max(2, key.size // max(1, key.shape[-1]))) + (score if math.isfinite(score) else 0.0)


def _allowed_of_updates(node: Node, arrays: Arrays) -> float:
    """What is allowed of a scatter, whose updates may all go to one place."""
    updates = arrays[1] if node.operator.casefold().startswith("embedding") else arrays[2]
    count = 1 if updates is None else max(1, updates.size)
    return CAREFUL + (count if reduction_of(node) in ("mul", "prod") else math.log2(count))


def class_of(found: Figure) -> Verdict:
    """The verdict that a figure alone gives."""
    if found.is_exact:
        return Verdict.RIGHT
    return Verdict.WRONG if found.wrong else Verdict.INEXACT
