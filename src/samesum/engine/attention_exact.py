"""Attention decided in whole numbers and as many decimal places as it takes: what no bound of the core decides.

Scores are exact: products of elements as integers, the scale and the mask as fractions, or a root beside them. Keys
with the same score share one exponential. A result is a rational number only if each such group of values has the same
mean: exponentials of different algebraic numbers are linearly independent over the algebraic numbers (Lindemann and
Weierstrass). That case is decided by the means; in every other one the result is no tie, and enough digits tell its
side. (Of scores below a cap, which are not algebraic, that is not proven; no tie of them is known.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import inf, isinf, isnan, isqrt, nan
from operator import mul

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import NAN, NEGATIVE_INFINITY, POSITIVE_INFINITY, Format, quotient, taken_apart

_FIRST_DIGITS = 50
_BEYOND_ALL = 3000
"""Decimal places: no format has a value, or a boundary between two, with so many in front of its first digit."""
_SATURATED = 10000
_LEAST = Fraction(1, 10**_BEYOND_ALL)
_SPECIAL = {NAN: nan, POSITIVE_INFINITY: inf, NEGATIVE_INFINITY: -inf}


@dataclass(frozen=True, slots=True)
class Exactly:
    """Elements as whole numbers times two to one exponent; those that are not finite are floats."""

    numbers: list[int | float]
    exponent: int

    @staticmethod
    def of(x: NDArray) -> Exactly:
        """The elements of a 1-D array."""
        taken = taken_apart(x)
        parts = zip(taken.significand, taken.shift, taken.negative, taken.special, strict=True)
        numbers = [_SPECIAL[special] if special else (-s if minus else s) << up for s, up, minus, special in parts]
        return Exactly(numbers, taken.exponent)


def _fraction(number: int, exponent: int) -> Fraction:
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


@dataclass(frozen=True, slots=True)
class Formula:
    """What is made of a product: it is multiplied by `scale`, or divided by the root of `size` where that is None, and
    kept below `cap` by a hyperbolic tangent unless that is zero."""

    scale: Fraction | None
    size: int
    cap: Fraction

    @staticmethod
    def of(scale: float | None, size: int, cap: float) -> Formula:
        """A root that is a whole number is a scale, too."""
        whole = isqrt(size)
        if scale is not None:
            return Formula(Fraction(scale), size, Fraction(cap))
        return Formula(Fraction(1, whole or 1) if whole * whole == size else None, size, Fraction(cap))


@dataclass(frozen=True, slots=True)
class Score:
    """A finite score: `product` by the formula, and `added`."""

    product: Fraction
    added: Fraction
    formula: Formula

    @property
    def is_saturated(self) -> bool:
        """Whether the hyperbolic tangent is within e^-20000 of 1: beside other scores it counts as that."""
        formula = self.formula
        scale = Fraction(1, formula.size) if formula.scale is None else formula.scale**2
        return formula.cap != 0 and self.product**2 * scale > (_SATURATED * formula.cap) ** 2

    def exact(self) -> Fraction | None:
        """Its value, if that is rational."""
        if self.product == 0:
            return self.added
        if self.is_saturated:
            sign = self.product if self.formula.scale is None else self.product * self.formula.scale
            return self.added + (self.formula.cap if sign > 0 else -self.formula.cap)
        if self.formula.cap or self.formula.scale is None:
            return None
        return self.product * self.formula.scale + self.added

    def near(self, digits: int) -> tuple[Decimal, Decimal]:
        """Its value and how far that may be off, for so many digits."""
        at = _context(digits)
        exact = self.exact()
        if exact is not None:
            value = at.divide(Decimal(exact.numerator), Decimal(exact.denominator))
            return value, value.copy_abs().scaleb(2 - digits, at)
        formula, wide = self.formula, _context(digits + 4)
        scaled = _decimal(self.product * (1 if formula.scale is None else formula.scale), wide)
        if formula.scale is None:
            scaled = wide.divide(scaled, wide.sqrt(Decimal(formula.size)))
        if formula.cap:
            cap = _decimal(formula.cap, wide)
            scaled = wide.multiply(cap, _tanh(wide.divide(scaled, cap), digits + 4))
        added = _decimal(self.added, wide)
        value = wide.add(scaled, added)
        return value, wide.add(wide.add(scaled.copy_abs(), added.copy_abs()), value.copy_abs()).scaleb(2 - digits, wide)


def _tanh(x: Decimal, digits: int) -> Decimal:
    """Within a few last places: where it is small one less an exponential has as many digits more."""
    wide = _context(digits + 4 + max(0, -x.adjusted()))
    power = wide.exp(wide.multiply(Decimal(-2), x.copy_abs()))
    return (wide.divide(wide.subtract(Decimal(1), power), wide.add(Decimal(1), power))).copy_sign(x)


def _context(digits: int) -> Context:
    """Operators, `abs` among them, would round to the digits of the caller's own."""
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def _decimal(x: Fraction, at: Context) -> Decimal:
    return at.divide(Decimal(x.numerator), Decimal(x.denominator))


class Row:
    """The scores of one query: `products` with the keys by their exponent, and what the mask adds."""

    def __init__(
        self, query: Exactly, keys: Sequence[Exactly], added: Sequence[Fraction | float], formula: Formula
    ) -> None:
        self.formula = formula
        self.products = [_product(query, key) for key in keys]
        self.scores = [self._score(product, more) for product, more in zip(self.products, added, strict=True)]
        self.live = [j for j, score in enumerate(self.scores) if score != -inf]
        self.is_undefined = any(isinstance(self.scores[j], float) for j in self.live)
        self._groups: dict[object, list[int]] = {}
        if not self.is_undefined:
            for j in self.live:
                score = self.scores[j]
                assert isinstance(score, Score)
                exact = score.exact()
                self._groups.setdefault(score if exact is None else exact, []).append(j)
        self.members = list(self._groups.values())
        self._known: dict[tuple[int, int], tuple[list[Decimal], Decimal]] = {}
        self._whole: dict[int, tuple[list[int], int]] = {}

    def _score(self, product: Fraction | float, added: Fraction | float) -> Score | float:
        """-inf for a key that is left out."""
        if added == -inf:
            return -inf
        scaled = self.scaled(product)
        if isinstance(scaled, float):
            return scaled + (added if isinstance(added, float) else 0)
        if isinstance(added, float):
            return added
        return Score(scaled.product, scaled.added + added, self.formula)

    def scaled(self, product: Fraction | float, is_capped: bool = True) -> Score | float:
        """The product by the formula; a float if that is not finite."""
        formula = self.formula if is_capped else Formula(self.formula.scale, self.formula.size, Fraction(0))
        if isinstance(product, Fraction):
            return Score(product, Fraction(0), formula)
        sign = 1 if formula.scale is None else (formula.scale > 0) - (formula.scale < 0)
        found = product * sign
        if formula.cap and not isnan(found):
            return Score(Fraction(0), formula.cap if found > 0 else -formula.cap, formula)
        return found

    def average(self, values: Exactly, form: Format) -> int:
        """The bits of the mean of the values by the exponentials of the scores."""
        if self.is_undefined:
            return form.nan
        special = [values.numbers[j] for j in self.live if isinstance(values.numbers[j], float)]
        if special:
            return _bits_of_special(sum(special), form)
        if not self.live:
            return 0
        sums = [sum(int(values.numbers[j]) for j in group) for group in self.members]
        counts = [len(group) for group in self.members]
        if all(total * counts[0] == sums[0] * count for total, count in zip(sums, counts, strict=True)):
            return _quotient(sums[0], counts[0], values.exponent, form)
        return self._between(sums, counts, values.exponent, form)

    def share(self, key: int, form: Format) -> int:
        """The bits of one weight over the sum of all."""
        return self.average(Exactly([int(j == key) for j in range(len(self.scores))], 0), form)

    def _between(self, sums: Sequence[int], counts: Sequence[int], exponent: int, form: Format) -> int:
        """Of an irrational result: both ends of an interval have these bits, or one boundary lies between them."""
        digits = _FIRST_DIGITS
        while True:
            weights, off = self._whole_weights(digits)
            total = sum(map(mul, weights, counts))
            value, error = sum(map(mul, weights, sums)), off * sum(map(abs, sums))
            room = off * sum(counts)
            ends = (value - error, total + room), (value + error, total - room)
            low, high = (
                _quotient(*(end if end[0] > 0 else (end[0], 2 * total - end[1])), exponent, form) for end in ends
            )
            if low == high:
                return low
            if _place(high, form) - _place(low, form) == 1:
                boundary = _boundary(low, high, form) / _fraction(1, exponent)
                return high if self._is_above(sums, counts, boundary) else low
            digits *= 2

    def _whole_weights(self, digits: int) -> tuple[list[int], int]:
        """The weights of all groups in units of 2^-(3 digits) of the greatest, and how far each may be off."""
        if digits not in self._whole:
            weights, off = self._weights(range(len(self.members)), digits)
            at, unit = _context(2 * digits), Decimal(1 << 3 * digits)
            self._whole[digits] = [int(at.multiply(w, unit)) for w in weights], int(at.multiply(off, unit)) + 2
        return self._whole[digits]

    def _is_above(self, sums: Sequence[int], counts: Sequence[int], boundary: Fraction) -> bool:
        """Whether the result is above a rational number, which it is not."""
        above = [s * boundary.denominator - n * boundary.numerator for s, n in zip(sums, counts, strict=True)]
        groups = [g for g, number in enumerate(above) if number]
        digits = _FIRST_DIGITS
        while True:
            weights, off = self._weights(groups, digits)
            at = _context(digits)
            terms = [at.multiply(w, Decimal(above[g])) for w, g in zip(weights, groups, strict=True)]
            total, size = Decimal(0), Decimal(0)
            for term in terms:
                total, size = at.add(total, term), at.add(size, term.copy_abs())
            if total.copy_abs() > at.multiply(size, at.add(off, Decimal(len(terms)).scaleb(2 - digits))):
                return total > 0
            digits *= 2

    def _weights(self, groups: Sequence[int], digits: int) -> tuple[list[Decimal], Decimal]:
        """Exponentials of the groups' scores below the greatest of them, and their relative error at most."""
        key = (digits, hash(tuple(groups)))
        if key not in self._known:
            scores = [self.scores[self.members[g][0]] for g in groups]
            rough = [score.near(20)[0] for score in scores if isinstance(score, Score)]
            more = digits + max(0, *(x.adjusted() for x in rough)) + 3
            known = [score.near(more) for score in scores if isinstance(score, Score)]
            at, top = _context(more), max(x for x, _ in known)
            off = 3 * max(error for _, error in known) + Decimal(1).scaleb(3 - digits)
            self._known[key] = [_context(digits).exp(at.subtract(x, top)) for x, _ in known], off
        return self._known[key]


def _product(query: Exactly, key: Exactly) -> Fraction | float:
    pairs = list(zip(query.numbers, key.numbers, strict=True))
    special = [float(_sign(a)) * float(_sign(b)) for a, b in pairs if isinstance(a, float) or isinstance(b, float)]
    if special:
        return sum(special)
    return _fraction(int(sum(map(mul, query.numbers, key.numbers))), query.exponent + key.exponent)


def _sign(x: int | float) -> int | float:
    return x if isinstance(x, float) else (x > 0) - (x < 0)


def _rounded(x: Fraction, form: Format) -> int:
    return _quotient(x.numerator, x.denominator, 0, form)


def _quotient(number: int, divisor: int, exponent: int, form: Format) -> int:
    return form.nearest(*quotient(number, exponent, divisor)) if number else 0


def rounded_score(score: Score | float, form: Format) -> int:
    """The bits of a score: rational, or told apart from every boundary by enough digits."""
    if isinstance(score, float):
        return _bits_of_special(score, form)
    exact = score.exact()
    if exact is not None:
        inside = (1 if exact < score.added else -1) if score.is_saturated else 0
        return _rounded(exact + inside * _LEAST, form)
    digits = _FIRST_DIGITS
    while True:
        value, error = map(Fraction, score.near(digits))
        low, high = (_rounded(end, form) for end in (value - error, value + error))
        if low == high:
            return low
        digits *= 2


def _bits_of_special(x: float, form: Format) -> int:
    return form.infinity | (form.sign if x < 0 else 0) if isinf(x) else form.nan


def _place(code: int, form: Format) -> int:
    """The codes in the order of their numbers, -0 before +0."""
    return -(code ^ form.sign) - 1 if code & form.sign else code


def _boundary(low: int, high: int, form: Format) -> Fraction:
    """What is rounded down below and up above it: the middle of two numbers, the one beyond the largest included."""

    def number(code: int) -> Fraction:
        size = code & ~form.sign
        field, fraction = size >> (form.precision - 1), size & ((1 << (form.precision - 1)) - 1)
        value = _fraction(fraction | ((field > 0) << (form.precision - 1)), form.unit + max(field, 1) - 1)
        return -value if code & form.sign else value

    return (number(low) + number(high)) / 2
