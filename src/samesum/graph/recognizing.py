"""Which steps write out a normalization: the patterns that exporters give, in both standards.

A pattern is read backwards from its quotient. It holds only if nothing outside needs a value on the way, if the
numbers in it are constants and if all reductions keep the same axes with length 1.

Conversions between float types may stand anywhere: those that keep every bit of the data before it, others on the way
and, to a shorter type, behind it, where the type of the result is what the model rounds to in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from samesum.algebra.rows import L2_QUOTIENT, LAYER_NORM, RMS_NORM, Norm
from samesum.engine.norms import NO_EPSILON, Epsilon
from samesum.formats.arrays import Dtype
from samesum.formats.elements import FLOAT_DTYPES
from samesum.graph.steps import Step
from samesum.graph.wiring import Wiring, both_ways, is_within, operator_of


@dataclass(frozen=True, slots=True)
class Written:
    """A normalization, and the steps that write it out; the last of them gives its result, of type `dtype`."""

    row: Norm
    data: str
    dtype: Dtype
    rank: int
    axes: tuple[int, ...]
    epsilon: Epsilon
    parts: tuple[Step, ...]
    scale: str = ""
    bias: str = ""
    groups: int = 0
    """If not 0, a line is all elements of so many groups of channels, which the steps make of the data."""

    @property
    def result(self) -> str:
        """The value that it gives."""
        return self.parts[-1].result


@dataclass(frozen=True, slots=True)
class _Formula:
    """What is normalized over the axes of which reduction."""

    row: Norm
    data: str
    reduction: Step
    epsilon: Epsilon


@dataclass(frozen=True, slots=True)
class _Divisor:
    """What a value is divided by: `name`, or its root."""

    name: str
    is_root: bool


@dataclass(frozen=True, slots=True)
class Recognizer:
    """Finds the normalizations that end at a step."""

    wiring: Wiring

    def at(self, step: Step) -> Written | None:
        """The normalization whose quotient is `step`, with the scale and the bias that follow; None if it is none."""
        for numerator, divisor in self._quotients(step):
            formula = self._by_root_of_mean(numerator, divisor) or self._by_norm(numerator, divisor)
            found = None if formula is None else self._written(formula, step)
            if found is not None and is_closed(found, self.wiring):
                return with_affine(found, self.wiring, has_bias=found.row is LAYER_NORM)
        return None

    def _quotients(self, step: Step) -> Iterator[tuple[str, _Divisor]]:
        """The readings of a step as a quotient."""
        if operator_of(step) == "Div":
            yield step.node.inputs[0], self._divisor(step.node.inputs[1])
        elif operator_of(step) == "Mul":
            for numerator, inverse in both_ways(step):
                if (base := self.wiring.power(inverse, -0.5)) is not None:
                    yield numerator, _Divisor(base, True)
                elif (base := self.wiring.inverted(inverse)) is not None:
                    yield numerator, self._divisor(base)

    def _divisor(self, name: str) -> _Divisor:
        root = self.wiring.made(name, "Sqrt")
        under = root.node.inputs[0] if root is not None else self.wiring.power(name, 0.5)
        return _Divisor(name, False) if under is None else _Divisor(under, True)

    def _by_root_of_mean(self, numerator: str, divisor: _Divisor) -> _Formula | None:
        """LayerNorm or RMSNorm: by the root of the mean of squares and a constant."""
        added = self.wiring.with_number(self.wiring.made(divisor.name, "Add"))
        if not divisor.is_root or added is None or not 0 <= added[1] < float("inf"):
            return None
        mean = self.wiring.reduced(added[0], "ReduceMean")
        square = self.wiring.maker(mean.node.inputs[0]) if mean is not None else None
        if mean is None or square is None or (base := self._squared(square)) is None:
            return None
        epsilon, centred = Epsilon(added[1]), self._centred(base)
        if centred is None:
            data = self.wiring.source(base)
            return _Formula(RMS_NORM, data, mean, epsilon) if data == self.wiring.source(numerator) else None
        data, first = centred
        other = self._centred(numerator)
        if other is None or other[0] != data or other[1] is not first or _axes(first) != _axes(mean):
            return None
        return _Formula(LAYER_NORM, data, mean, epsilon)

    def _by_norm(self, numerator: str, divisor: _Divisor) -> _Formula | None:
        """L2 normalization: by the norm, or by the greater of the norm and a constant."""
        name, least, data = divisor.name, 0.0, self.wiring.source(numerator)
        if (repeated := self.wiring.spread(name, numerator)) is not None:
            name = repeated
        bounded = self._bounded(name)
        if bounded is not None:
            name, least = bounded
        norm = self.wiring.reduced(name, "ReduceL2")
        is_known = norm is not None and self.wiring.source(norm.node.inputs[0]) == data
        if divisor.is_root or norm is None or not is_known or not 0 <= least < float("inf"):
            return None
        if Fraction(least * least) != Fraction(least) ** 2:
            return None
        epsilon = NO_EPSILON if bounded is None else Epsilon(least * least, at_least=True)
        return _Formula(L2_QUOTIENT, data, norm, epsilon)

    def _bounded(self, name: str) -> tuple[str, float] | None:
        """The value and the constant of which `name` is the greater."""
        if (step := self.wiring.made(name, "Max")) is not None:
            return self.wiring.with_number(step)
        step = self.wiring.made(name, "Clip")
        if step is None or len(step.node.inputs) < 2 or any(step.node.inputs[2:]):
            return None
        number = self.wiring.number(step.node.inputs[1], step.node.inputs[0])
        return None if number is None else (step.node.inputs[0], number)

    def _squared(self, step: Step) -> str | None:
        base, *others = step.node.inputs
        is_product = operator_of(step) == "Mul" and others == [base]
        return base if is_product or self.wiring.power(step.result, 2) == base else None

    def _centred(self, name: str) -> tuple[str, Step] | None:
        """The value whose mean `name` has lost, and the step of the mean."""
        step = self.wiring.made(name, "Sub")
        mean = self.wiring.reduced(step.node.inputs[1], "ReduceMean") if step is not None else None
        if step is None or mean is None:
            return None
        data, whose = (self.wiring.source(each.node.inputs[0]) for each in (step, mean))
        return (data, mean) if data == whose else None

    def _written(self, formula: _Formula, end: Step) -> Written | None:
        fact, dtype, axes = self.wiring.fact(formula.data), self.wiring.fact(end.result).dtype, formula.reduction.axes
        if fact.dtype not in FLOAT_DTYPES or dtype not in FLOAT_DTYPES or fact.shape is None or not axes:
            return None
        assert dtype is not None
        parts = self.wiring.between(formula.data, end)
        return Written(formula.row, formula.data, dtype, len(fact.shape), axes, formula.epsilon, parts)


def is_closed(found: Written, wiring: Wiring) -> bool:
    """True if nothing else needs a value on the way, and all that it needs is the data and constants."""
    own = {step.result for step in found.parts}
    inner = own - {found.result}
    read = {name for step in found.parts for name in step.node.inputs if name} - own
    return (
        not inner & wiring.results
        and all(reader.result in own for name in inner for reader in wiring.readers.get(name, ()))
        and all(wiring.source(name) == found.data or wiring.constant(name) is not None for name in read)
    )


def with_affine(found: Written, wiring: Wiring, has_bias: bool) -> Written:
    """The normalization with the constants that multiply its result and, with `has_bias`, are added to it then.

    Conversions to shorter types may stand before, between and behind.
    """
    found = _converted(found, wiring)
    if found.row is not L2_QUOTIENT and (after := _follower(found, wiring, "Mul")) is not None:
        step, name = after
        found = _converted(replace(found, scale=name, parts=(*found.parts, step)), wiring)
    if has_bias and (after := _follower(found, wiring, "Add")) is not None:
        step, name = after
        found = _converted(replace(found, bias=name, parts=(*found.parts, step)), wiring)
    return found


def only_reader(found: Written, wiring: Wiring) -> Step | None:
    """The only step that reads the result, which does not leave the graph."""
    readers = wiring.readers.get(found.result, ())
    return readers[0] if len(readers) == 1 and found.result not in wiring.results else None


def _converted(found: Written, wiring: Wiring) -> Written:
    """The normalization in the shorter type that its result is converted to."""
    while (step := only_reader(found, wiring)) is not None and wiring.is_conversion(step):
        dtype = wiring.fact(step.result).dtype
        assert dtype is not None
        if step.node.inputs[0] != found.result or not is_within(dtype, found.dtype):
            break
        found = replace(found, dtype=dtype, parts=(*found.parts, step))
    return found


def _follower(found: Written, wiring: Wiring, operator: str) -> tuple[Step, str] | None:
    """The only reader of the result, if it is that operator with a constant; the name of the constant."""
    step = only_reader(found, wiring)
    if step is None or operator_of(step) != operator:
        return None
    for name, other in both_ways(step):
        array = wiring.constant(source := wiring.source(other))
        if name == found.result and array is not None and array.dtype in FLOAT_DTYPES and array.ndim <= found.rank:
            return step, source
    return None


def _axes(reduction: Step) -> frozenset[int]:
    return frozenset(reduction.axes or ())
