"""What an operator has to give, in whose ulps an error is fair, how many are allowed, and the verdict of an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, unit
from samesum.testing.families import Family, Judged, Node, Order, Scale, allowance, reduction_of
from samesum.testing.figures import Figure, figure
from samesum.testing.lines import axes_of, lines
from samesum.testing.normalizations import condition, magnitudes, plan_of
from samesum.testing.products import terms_of, weights_of

Arrays = Sequence[NDArray | None]
FLIPPED = 512
"""One of so many quotients may be brought onto a tie by a rounding of float32, where the quotient itself is none."""
Compute = Callable[[Arrays], NDArray]
"""What samesum gives for the inputs of an operator; raises SamesumError where it has no answer."""


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
    """The exact answer, the magnitude in whose ulps errors are measured, and how many are allowed.

    `magnitude` None: every bit counts. Both others broadcast to the shape of `exact`.
    """

    exact: NDArray
    magnitude: NDArray | None
    allowed: NDArray | float
    flips: int = 0
    """So many results may be a step of their grid away: ties that single steps of float32 make."""
    shifts: bool = False
    """True if all results may be one step away in one direction: of a zero point that is nearly a tie."""
    places: NDArray | None = None
    """The places of the flattened answer that are judged; None: all of them."""

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
        if self.places is not None:
            return self._of_places(answer)
        found = figure(answer, self.exact, self.magnitude, self.allowed)
        if found.wrong > self.flips and self.shifts:
            by = np.clip(np.median(answer.astype(np.int64) - self.exact), -1, 1)
            shifted = figure((answer - by).astype(answer.dtype), self.exact, None, 0.0)
            found = replace(found, wrong=shifted.wrong, ulp=max(1.0, shifted.ulp))
        is_flipped = found.wrong <= self.flips and (self.magnitude is not None or found.ulp <= 1)
        return replace(found, wrong=0) if is_flipped else found

    def _of_places(self, answer: NDArray) -> Figure:
        assert self.places is not None
        found = self.part(self.places).figure(answer.reshape(-1)[self.places])
        return found.placed(self.places, answer.shape)

    def sample(self, most: int) -> Truth:
        """The same, of which no more than so many results are judged, evenly spaced."""
        if self.exact.size <= most:
            return self
        return replace(self, places=np.linspace(0, self.exact.size - 1, most).astype(np.int64))

    def part(self, places: NDArray) -> Truth:
        """Of the results at these places of the flattened answer alone."""
        exact = self.exact.reshape(-1)[places]
        flips = len(places) * self.flips // max(1, self.exact.size)
        if self.magnitude is None:
            return Truth(exact, None, 0.0, flips, self.shifts)
        magnitude, allowed = (
            np.broadcast_to(each, self.exact.shape).reshape(-1)[places] for each in (self.magnitude, self.allowed)
        )
        return Truth(exact, magnitude, allowed, flips)


def truth(
    node: Node,
    how: Judged,
    arrays: Arrays,
    compute: Compute,
    order: Order,
    length: NDArray | float | None = None,
) -> Truth:
    """What the node has to give for these inputs; raises SamesumError where samesum has no answer.

    `length` stands for the number of terms in what is allowed.
    """
    exact = compute(arrays)
    flips = exact.size // FLIPPED if how.scale is Scale.STEPS and order is Order.BLOCKS else 0
    if how.scale is Scale.EXACT or exact.dtype.name not in FORMATS:
        return Truth(exact, None, 0.0, flips, flips > 0 and _is_nearly_tied(node, arrays))
    data = arrays[0]
    assert data is not None
    axes = axes_of(node, arrays)
    magnitude = _magnitude(node, how, arrays, compute, exact, axes)
    plan = plan_of(node, arrays) if how.family is Family.NORMALIZATION else None
    if plan is not None:
        length = plan.rows.shape[1] if length is None else length
        factor = plan.back(np.broadcast_to(condition(plan)[:, None], plan.rows.shape))
        magnitude = np.maximum(magnitude, magnitudes(plan))
        return Truth(exact, magnitude, allowance(how.family, exact.dtype, length, order, factor))
    if how.family is Family.SCATTER:
        return Truth(exact, magnitude, _allowed_of_updates(node, arrays, exact, order))
    grown: NDArray | float = 1.0
    if how.family is Family.AVERAGE:
        grown = _of_signs(node, arrays, compute)
        magnitude = magnitude * grown
    if how.family is Family.ATTENTION:
        grown += _scores(node, arrays)
    if how.family is Family.RESIZED:
        grown += max(exact.shape, default=1)
    length = length_of(node, arrays, exact) if length is None else length
    return Truth(exact, magnitude, allowance(how.family, exact.dtype, length, order, grown), flips)


def _is_nearly_tied(node: Node, arrays: Arrays) -> bool:
    """True if roundings of float32 bring the zero point of a DynamicQuantizeLinear onto a tie, or away from one."""
    data = arrays[0]
    if node.operator.casefold() != "dynamicquantizelinear" or data is None or not data.size:
        return False
    low, high = min(0.0, float(data.min())), max(0.0, float(data.max()))
    zero = -low * 255 / (high - low) if high > low else 0.0
    return abs(zero - math.floor(zero) - 0.5) <= zero * 2.0**-20


def _of_signs(node: Node, arrays: Arrays, compute: Compute) -> NDArray:
    """How many times roundings of weights that cancel grow: the sum of their magnitudes over that of the weights."""
    wide = weights_of(node, arrays).astype(np.float64)
    found = np.abs(compute([np.sign(wide), wide]))
    return np.where(np.isfinite(found), np.maximum(found, 1.0), 1.0)


def _scores(node: Node, arrays: Arrays) -> float:
    """The largest magnitude that a score of an attention may have: its roundings move the weights by as much."""
    query = arrays[0]
    assert query is not None
    key = query if len(arrays) < 2 or arrays[1] is None else arrays[1]
    scale = node.attributes.get("scale") or 1 / math.sqrt(query.shape[-1])
    norms = [np.sqrt(np.square(each.astype(np.float64)).sum(axis=-1)).max(initial=0.0) for each in (query, key)]
    return abs(float(scale)) * float(norms[0] * norms[1])


def length_of(node: Node, arrays: Arrays, exact: NDArray) -> int:
    """How many elements or products make one result."""
    data, axes = arrays[0], axes_of(node, arrays)
    assert data is not None
    if (terms := terms_of(node, arrays)) is not None:
        return max(1, terms)
    return max(1, data.size // max(1, exact.size) if axes is None else math.prod(data.shape[axis] for axis in axes))


def _magnitude(
    node: Node, how: Judged, arrays: Arrays, compute: Compute, exact: NDArray, axes: tuple[int, ...] | None
) -> NDArray:
    """In whose ulps the error of each element is fair."""
    data = arrays[0]
    assert data is not None
    if how.scale is Scale.MAGNITUDES:
        return of_magnitudes(node, how, arrays, compute)
    size = np.abs(exact.astype(np.float64))
    if node.operator.casefold() == "dequantizelinear" and len(arrays) > 2 and arrays[2] is not None:
        scale = np.abs(arrays[1].astype(np.float64)) if arrays[1] is not None else 1.0
        return size + float(np.max(np.abs(arrays[2].astype(np.float64)) * scale, initial=0.0))
    if how.scale is Scale.LARGEST and data.ndim and (exact.shape == data.shape or how.family is Family.ATTENTION):
        along = tuple(range(1, exact.ndim)) if axes is None else axes
        return np.asarray(np.max(size, axis=along, keepdims=True, initial=0.0))
    if how.scale is Scale.LARGER:
        return np.maximum(size, 1.0)
    if how.scale is Scale.ARGUMENT:
        return np.maximum(size, np.abs(data.astype(np.float64)) if data.shape == size.shape else _largest(data))
    if how.family is Family.RUNNING_LOG:
        return np.maximum(size, max(1.0, _largest(data)))
    if how.scale is Scale.LOGARITHM and axes is not None:
        return of_logarithm(how.family, lines(data, axes).data, size)
    return size


def _largest(data: NDArray) -> float:
    wide = np.abs(data.astype(np.float64))
    return float(np.max(np.where(np.isfinite(wide), wide, 0.0), initial=0.0))


def of_magnitudes(node: Node, how: Judged, arrays: Arrays, compute: Compute) -> NDArray:
    """What the operator gives for the magnitudes of the data, in float64 so that nothing overflows.

    Products and attention are as near in float32, which is quicker. Of an attention the weights stay, and the
    magnitudes are those of the values.
    """
    data = arrays[0]
    assert data is not None
    negative = _NEGATIVE.get(reduction_of(node) or node.operator.casefold())
    single = np.dtype(np.float32)
    is_single = how.family in (Family.PRODUCT, Family.ATTENTION) and data.dtype.itemsize <= single.itemsize
    held = single if is_single else np.dtype(np.float64)
    found = list(arrays)
    for place, array in enumerate(arrays):
        is_number = array is not None and (array.dtype == data.dtype or array.dtype.name in FORMATS)
        if array is not None and is_number and (place == 0 or how.family is not Family.RESIZED):
            wide = array.astype(held)
            is_weight = how.family is Family.ATTENTION and place != VALUES
            found[place] = wide if is_weight else -np.abs(wide) if place == negative else np.abs(wide)
    return np.abs(compute(found))


_NEGATIVE = {"sub": 0, "subtract": 0, "batchnormalization": 3, "batchnorminference": 3}
"""Which input is subtracted."""
VALUES = 2
"""Which input of an attention is weighted."""


def of_logarithm(family: Family, rows: NDArray, size: NDArray) -> NDArray:
    """A sum of logarithm's argument moves it by its own condition; a log-sum-exp carries the error of its terms."""
    wide = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        if family is Family.LOG_SUM:
            grown = np.abs(wide).sum(axis=1) / np.abs(wide.sum(axis=1))
        else:
            grown = np.max(np.abs(np.where(np.isfinite(wide), wide, 0)), axis=1, initial=1.0)
        return np.maximum(size, np.where(np.isfinite(grown), grown, 0).reshape(size.shape))


def _allowed_of_updates(node: Node, arrays: Arrays, exact: NDArray, order: Order) -> NDArray | float:
    """What is allowed of a scatter, whose updates may all go to one place."""
    updates = arrays[1] if node.operator.casefold().startswith("embedding") else arrays[2 if len(arrays) > 2 else -1]
    count = 1 if updates is None else max(1, updates.size)
    family = Family.PROD if reduction_of(node) in ("mul", "prod") else Family.SCATTER
    return allowance(family, exact.dtype, count, order)


def class_of(found: Figure) -> Verdict:
    """The verdict that a figure alone gives."""
    if found.is_exact:
        return Verdict.RIGHT
    return Verdict.WRONG if found.wrong else Verdict.INEXACT
