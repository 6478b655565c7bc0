"""Which steps write out a normalization: the patterns that exporters give, in both standards.

A pattern is read backwards from its quotient. It holds only if nothing outside needs a value on the way, if the
numbers in it are constants and if all reductions keep the same axes with length 1.
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
from samesum.graph.wiring import Wiring, both_ways, operator_of


@dataclass(frozen=True, slots=True)
class Written:
    """A normalization, and the steps that write it out; the last of them gives its result."""

    row: Norm
    data: str
    dtype: Dtype
    rank: int
    axes: tuple[int, ...]
    epsilon: Epsilon
    parts: tuple[Step, ...]
    scale: str = ""
    bias: str = ""

    @property
    def result(self) -> str:
        """The value that it gives."""
        return self.parts[-1].result


@dataclass(frozen=True, slots=True)
class _Divisor:
    """What a value is divided by: `name`, or its root; `parts` are the steps from there on."""

    name: str
    is_root: bool
    parts: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Recognizer:
    """Finds the normalizations that end at a step."""

    wiring: Wiring

    def at(self, step: Step) -> Written | None:
        """The normalization whose quotient is `step`, with the scale and the bias that follow; None if it is none."""
        for numerator, divisor in self._quotients(step):
            found = self._by_root_of_mean(numerator, divisor) or self._by_norm(numerator, divisor)
            if found is not None and self._is_closed(found):
                return self._with_affine(found)
        return None

    def _quotients(self, step: Step) -> Iterator[tuple[str, _Divisor]]:
        """The readings of a step as a quotient."""
        if operator_of(step) == "Div":
            yield step.node.inputs[0], self._divisor(step.node.inputs[1], (step,))
        elif operator_of(step) == "Mul":
            for numerator, inverse in both_ways(step):
                maker = self.wiring.makers.get(inverse)
                if maker is None:
                    continue
                if (base := self.wiring.power(inverse, -0.5)) is not None:
                    yield numerator, _Divisor(base, True, (maker, step))
                elif (base := self.wiring.inverted(inverse)) is not None:
                    yield numerator, self._divisor(base, (maker, step))

    def _divisor(self, name: str, parts: tuple[Step, ...]) -> _Divisor:
        maker = self.wiring.makers.get(name)
        under = maker.node.inputs[0] if maker and operator_of(maker) == "Sqrt" else self.wiring.power(name, 0.5)
        if under is None or maker is None:
            return _Divisor(name, False, parts)
        return _Divisor(under, True, (maker, *parts))

    def _by_root_of_mean(self, numerator: str, divisor: _Divisor) -> Written | None:
        """LayerNorm or RMSNorm: by the root of the mean of squares and a constant."""
        add = self.wiring.made(divisor.name, "Add")
        added = self.wiring.with_number(add)
        if not divisor.is_root or add is None or added is None or not 0 <= added[1] < float("inf"):
            return None
        mean = self.wiring.reduced(added[0], "ReduceMean")
        square = self.wiring.makers.get(mean.node.inputs[0]) if mean is not None else None
        if mean is None or square is None or (base := self._squared(square)) is None:
            return None
        parts = (square, mean, add, *divisor.parts)
        centred = self._centred(base)
        if centred is None:
            return self._written(RMS_NORM, base, mean, Epsilon(added[1]), parts) if base == numerator else None
        data, before = centred
        other = self._centred(numerator)
        if other is None or other[0] != data or before[0] is not other[1][0] or _axes(before[0]) != _axes(mean):
            return None
        return self._written(LAYER_NORM, data, mean, Epsilon(added[1]), (*before, *other[1], *parts))

    def _by_norm(self, numerator: str, divisor: _Divisor) -> Written | None:
        """L2 normalization: by the norm, or by the greater of the norm and a constant."""
        name, parts, least = divisor.name, divisor.parts, 0.0
        if repeated := self.wiring.spread(name, numerator):
            name, parts = repeated[-1].node.inputs[0], (*repeated, *parts)
        bounded = self._bounded(name)
        if bounded is not None:
            parts = (self.wiring.makers[name], *parts)
            name, least = bounded
        norm = self.wiring.reduced(name, "ReduceL2")
        if divisor.is_root or norm is None or norm.node.inputs[0] != numerator or not 0 <= least < float("inf"):
            return None
        if Fraction(least * least) != Fraction(least) ** 2:
            return None
        epsilon = NO_EPSILON if bounded is None else Epsilon(least * least, at_least=True)
        return self._written(L2_QUOTIENT, numerator, norm, epsilon, (norm, *parts))

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

    def _centred(self, name: str) -> tuple[str, tuple[Step, Step]] | None:
        """The value whose mean `name` has lost, and the steps of the mean and of the difference."""
        step = self.wiring.made(name, "Sub")
        mean = self.wiring.reduced(step.node.inputs[1], "ReduceMean") if step is not None else None
        if step is None or mean is None or mean.node.inputs[0] != step.node.inputs[0]:
            return None
        return step.node.inputs[0], (mean, step)

    def _written(
        self, row: Norm, data: str, reduction: Step, epsilon: Epsilon, parts: tuple[Step, ...]
    ) -> Written | None:
        fact = self.wiring.fact(data)
        if fact.dtype is None or fact.dtype not in FLOAT_DTYPES or fact.shape is None or not reduction.axes:
            return None
        steps = tuple({step.result: step for step in parts}.values())
        return Written(row, data, fact.dtype, len(fact.shape), reduction.axes, epsilon, steps)

    def _is_closed(self, found: Written) -> bool:
        """True if nothing else needs a value on the way."""
        own = {step.result for step in found.parts}
        inner = own - {found.result}
        return not inner & self.wiring.results and all(
            reader.result in own for name in inner for reader in self.wiring.readers.get(name, ())
        )

    def _with_affine(self, found: Written) -> Written:
        """The normalization with the constants that multiply its result and, for a LayerNorm, are added to it then."""
        if found.row is not L2_QUOTIENT and (after := self._follower(found, "Mul")) is not None:
            step, name = after
            found = replace(found, scale=name, parts=(*found.parts, step))
        if found.row is LAYER_NORM and (after := self._follower(found, "Add")) is not None:
            step, name = after
            found = replace(found, bias=name, parts=(*found.parts, step))
        return found

    def _follower(self, found: Written, operator: str) -> tuple[Step, str] | None:
        """The only reader of the result, if it is that operator with a constant; the name of the constant."""
        readers = self.wiring.readers.get(found.result, ())
        if len(readers) != 1 or found.result in self.wiring.results or operator_of(readers[0]) != operator:
            return None
        for name, other in both_ways(readers[0]):
            array = self.wiring.constant(other)
            if name == found.result and array is not None and array.dtype == found.dtype and array.ndim <= found.rank:
                return readers[0], other
        return None


def _axes(reduction: Step) -> frozenset[int]:
    return frozenset(reduction.axes or ())
