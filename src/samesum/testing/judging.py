"""One operator's answer beside the exact one, with what a careful computation may lose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from samesum.engine.arrays import as_array
from samesum.errors import ArgumentError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray, integer_of, native
from samesum.formats.rounding import FORMATS, unit
from samesum.frontends.arrays.calls import real_number
from samesum.testing.calls import Call, call_of, taken
from samesum.testing.families import ON_THESE_DATA, ONE_AFTER_ANOTHER, Family, Order, Scale, added, in_a_row, source
from samesum.testing.figures import Figure, Worst, fields, figure_text
from samesum.testing.lines import KEEPS_SHAPE, axes_of
from samesum.testing.products import shortened
from samesum.testing.rules import Reason, reason
from samesum.testing.rules_of_sums import FEW
from samesum.testing.truths import Arrays, Truth, Verdict, class_of

# What is wrong whatever an operator may lose: answers of zeros, answers and inputs with bits of a shorter type.

_SURE = 32.0
"""Bits that all are zero by no accident."""
_TINY = 2.0**12
"""Times the least normal number: results from there on do not vanish by an underflow on the way."""
_NEARER = 4.0
"""How many times nearer answers have to be to those of shortened inputs."""


def _zeros(answer: NDArray, part: Truth, added: NDArray | float) -> str:
    """Zeros where exact results are none that a sum comes to, or zeros alone.

    A rounding of the result never makes it zero: its terms have to, and their sum loses `added` times the magnitude at
    most. Several results that all are large beside their own ulps say it too.
    """
    exact = part.exact
    if exact.dtype.kind in "biu" or part.magnitude is None:
        return ""
    size, scale = np.abs(exact.astype(np.float64)), np.abs(part.magnitude.astype(np.float64))
    lost = (answer == 0) & np.isfinite(size) & (size >= _TINY * float(ml_dtypes.finfo(exact.dtype).tiny))  # type: ignore[no-untyped-call]
    least = 1 if not answer.any() else FEW
    several = np.count_nonzero(lost & (size >= least * unit(scale, exact.dtype))) >= FEW
    found = np.count_nonzero(lost) if several else np.count_nonzero(lost & (size > added * scale))
    return f"{found} {'result is' if found == 1 else 'results are'} zero" if found else ""


def _short_results(answer: NDArray, part: Truth) -> str:
    """Results of float32 or float64 that all are numbers of a shorter type, though the exact ones are not.

    Each result that an honest computation gives has as many random bits below those of the shorter type as its
    neighbours there are ulps of the magnitude apart; where terms cancel those are few.
    """
    exact = part.exact
    if exact.dtype.itemsize < 4 or exact.dtype.name not in FORMATS or part.magnitude is None:
        return ""
    counted = np.isfinite(answer) & np.isfinite(exact) & (answer != 0) & (exact != 0) & (answer != exact)
    left, first = np.unique(answer[counted], return_index=True)
    fine = unit(part.magnitude[counted][first], exact.dtype)
    for held in map(np.dtype, (ml_dtypes.bfloat16, np.float16, np.float32)):
        if held.itemsize < exact.dtype.itemsize and (left.astype(held).astype(left.dtype) == left).all():
            bits = np.log2(unit(left, held) / fine)
            if np.clip(bits, 0, exact.dtype.itemsize * 3).sum() >= _SURE:
                return f"every result is a {held.name}"
    return ""


def _short_inputs(answer: NDArray, exact: NDArray, arrays: Arrays, compute: Callable[[Arrays], NDArray]) -> str:
    """Products of float32 whose results are those of inputs rounded to a shorter type."""
    off = _distance(answer, exact)
    if off == 0 or exact.size < FEW or exact.dtype != np.float32:
        return ""
    made = [[(None, each)] if each is None else list(shortened(each)) for each in arrays[:2]]
    for first, second in zip(*made, strict=False):
        near = _distance(answer, compute([first[1], second[1], *arrays[2:]]))
        if near * _NEARER <= off:
            return f"inputs in {first[0]}"
    return ""


def _distance(a: NDArray, b: NDArray) -> float:
    """The root of the mean square; infinite where one is no number and the other is."""
    with np.errstate(all="ignore"):
        off = a.astype(np.float64) - b.astype(np.float64)
        off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, off)
        return float(np.sqrt(np.mean(np.square(np.where(np.isnan(off), np.inf, off)))))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer is beside the exact one.

    `verdict` is "right" (the exact results, rounded once), "inexact" (as near as a careful computation comes) or
    "wrong". `ulp` is the largest error in steps of the type, `scaled` the largest in `unit`, and `allowed` what a
    careful computation of that type, length and order may lose there in the same unit, by the bound that `source`
    names. `wrong` of the `judged` results are further off; `worst` is the one that is furthest: its index, what was
    given and what is exact. `rule` says what reproduces the answer, None where nothing does. Its text is three lines.
    """

    operator: str
    verdict: str
    ulp: float
    scaled: float
    allowed: float
    wrong: int
    judged: int
    worst: Worst | None
    rule: str | None
    unit: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        """The same for programs, ready for JSON: NaN and infinities are the strings nan, inf and -inf."""
        return fields(self, *self.__slots__) | {"worst": self.worst and self.worst.to_dict()}

    def __str__(self) -> str:
        results = f"{self.judged} {'result' if self.judged == 1 else 'results'}"
        lines = [f"{self.operator}: {self.verdict}, {self.wrong} of {results} beyond what is allowed"]
        far = f"at most {figure_text(self.scaled)} {self.unit}, allowed are {figure_text(self.allowed)}"
        if self.worst is not None:
            far += f"; the worst at {list(self.worst.index)}: got {self.worst.got!r}, exact {self.worst.exact!r}"
        return "\n".join([*lines, far, f"rule: {self.rule or 'none found'}; bound: {self.source}"])


def judge(
    operator: str, got: Any, *inputs: Any, rows: int | None = None, seed: int = 0, **attributes: Any
) -> Judgement:
    """How right `got` is as the answer of an operator for these inputs and attributes.

    `operator` is a function on arrays by its name ("sum", "softmax", "layer_norm", "vecdot", ...), called as it is in
    `samesum`, or an operator of a standard ("onnx.LayerNormalization", "openvino.MVN", "onnx.Exp", ...) with its inputs
    in the standard's order, its attributes and `opset`. `got` has the shape and the dtype of the exact answer. Arrays
    are NumPy's, with ml_dtypes' types, or tensors of PyTorch, those of a GPU copied. `rows` judges that many results,
    for softmax and norms lines, drawn by `seed`.

    Integers, booleans, extremes and positions have to be exact. Of floats a careful computation is allowed to lose what
    `Judgement.allowed` says: roundings in any order, in the type of the data or, for 16-bit floats, in float32. Wrong
    whatever is allowed are zeros alone, results that all are numbers of a shorter type, and products of shortened
    inputs (TF32).

    Raises ArgumentError for an operator that is not known and for an answer without results, ShapeError and DtypeError
    where `got` does not have the shape or the type of the exact answer, and what the operator raises for inputs that do
    not fit.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((1000, 4), dtype=np.float32)
    >>> judge("sum", x.sum(axis=0), x, axis=0).verdict
    'inexact'
    >>> found = judge("sum", x.astype(np.float16).sum(axis=0).astype(np.float32), x, axis=0)
    >>> found.verdict, found.wrong, found.rule
    ('wrong', 4, 'every result is a float16')
    """
    call = call_of(operator, inputs, attributes)
    with np.errstate(all="ignore"):
        found = call.truth()
        answer = _fitting(call, got, found)
        places = _drawn(call, found, rows, seed)
        return _judged(call, answer, found, places)


def assert_fair(
    operator: str,
    got: Any,
    *inputs: Any,
    max_scaled: float | None = None,
    rows: int | None = None,
    seed: int = 0,
    **attributes: Any,
) -> None:
    """Raises AssertionError with the judgement as its text where `judge` finds `got` wrong.

    `max_scaled` is a limit of one's own, in the unit of `Judgement.scaled`: an answer that is further off fails too.

    >>> import numpy as np
    >>> assert_fair("mean", np.float32(2), np.float32([1, 2, 3]))
    """
    limit = None if max_scaled is None else real_number("max_scaled", max_scaled)
    if limit is not None and not limit >= 0:
        raise ArgumentError(f"max_scaled is {max_scaled!r}; allowed are numbers from 0 on, or None")
    found = judge(operator, got, *inputs, rows=rows, seed=seed, **attributes)
    if found.verdict == Verdict.WRONG.value:
        raise AssertionError(str(found))
    if limit is not None and found.scaled > limit:
        raise AssertionError(f"{found}\nfurther off than max_scaled={max_scaled}")


def _fitting(call: Call, got: Any, found: Truth) -> NDArray:
    """`got` as an array of the exact answer's type and shape."""
    answer, exact = native(as_array(taken(got))), found.exact
    if answer.shape != exact.shape:
        raise ShapeError(f"{call.title}: the answer has shape {answer.shape}; for these inputs it is {exact.shape}")
    if answer.dtype != exact.dtype:
        raise DtypeError(f"{call.title}: the answer is {answer.dtype.name}; for these inputs it is {exact.dtype.name}")
    return answer


def _drawn(call: Call, found: Truth, rows: int | None, seed: int) -> NDArray:
    """The places of the flattened answer that are judged."""
    exact = found.exact
    everything = np.arange(exact.size)
    if not exact.size:
        raise ArgumentError(
            f"{call.title}: there are no results, so nothing is judged; the answer's shape is {exact.shape}"
        )
    if (start := integer_of("seed", seed)) < 0:
        raise ArgumentError(f"seed is {seed!r}; allowed are integers from 0 on")
    if rows is None:
        return everything
    count = integer_of("rows", rows)
    if count < 1:
        raise ArgumentError(f"rows is {rows!r}; allowed are integers from 1 on, or None for all")
    kept = _line_axes(call, exact) if call.how.family in KEEPS_SHAPE else ()
    order = [axis for axis in range(exact.ndim) if axis not in kept]
    lines = np.transpose(everything.reshape(exact.shape), [*order, *kept])
    lines = lines.reshape(-1, int(np.prod([exact.shape[axis] for axis in kept], dtype=np.int64)))
    chosen = np.random.default_rng(start).permutation(len(lines))[:count]
    return np.sort(lines[np.sort(chosen)].reshape(-1))


def _line_axes(call: Call, exact: NDArray) -> Sequence[int]:
    axes = axes_of(call.node, call.arrays)
    return tuple(range(1, exact.ndim)) if axes is None else tuple(sorted(axes))


def _judged(call: Call, answer: NDArray, found: Truth, places: NDArray) -> Judgement:
    part = found.part(places)
    got = answer.reshape(-1)[places]
    figure = part.figure(got)
    bound = source(call.how.family, Order.ANY)
    said, fault = Reason(), ""
    if not figure.is_exact:
        fault = _fault(call, answer, found, got, part, figure)
        said = Reason(fault) if fault else _reason(call, answer, found)
        fault = said.words if said.is_fault else fault
    if figure.wrong and said.is_order:
        held = in_a_row(found.exact.dtype, call.length(found.exact))
        part = Truth(part.exact, part.magnitude, np.maximum(part.allowed, held))
        figure, bound = part.figure(got), ONE_AFTER_ANOTHER
    elif figure.wrong and part.magnitude is not None and (wider := call.on_these_data(found)) is not None:
        part, bound = wider.part(places), ON_THESE_DATA
        figure = part.figure(got)
    verdict = Verdict.WRONG if fault else class_of(figure)
    wrong = max(figure.wrong, int(np.count_nonzero(got != part.exact))) if fault else figure.wrong
    return Judgement(
        f"{call.title} {answer.dtype.name} {list(answer.shape)}",
        verdict.value,
        figure.ulp,
        figure.scaled,
        _allowed(part, figure),
        wrong,
        len(places),
        figure.placed(places, answer.shape).worst,
        said.words or None,
        _unit(part, call.how.scale),
        "every bit counts" if part.magnitude is None else bound,
    )


def _unit(part: Truth, scale: Scale) -> str:
    """What errors are counted in; those of floats on a grid in ulps."""
    if part.magnitude is None:
        return Scale.EXACT.value
    return str((Scale.RESULT if scale is Scale.STEPS else scale).value)


def _reason(call: Call, answer: NDArray, found: Truth) -> Reason:
    if words := _as_numpy(call, answer):
        return Reason(words, True)
    return reason(call.node, call.how.family, call.asked, answer, found.exact)


_UFUNCS = {Family.SUM: np.add, Family.PROD: np.multiply}


def _as_numpy(call: Call, answer: NDArray) -> str:
    """NumPy's order depends on how the array lies in memory."""
    data, axes = call.asked[0], None if call.asked[0] is None else axes_of(call.node, call.asked)
    fold = _UFUNCS.get(call.how.family)
    if fold is None or data is None or axes is None or data.dtype != answer.dtype or data.size == 0:
        return ""
    made = fold.reduce(data, axis=axes, dtype=data.dtype)
    return f"in NumPy's order in {data.dtype.name}" if np.array_equal(made.reshape(-1), answer.reshape(-1)) else ""


def _fault(call: Call, answer: NDArray, found: Truth, got: NDArray, part: Truth, figure: Figure) -> str:
    """What is wrong whatever is allowed, "" if nothing is."""
    if part.magnitude is None:
        return ""
    family, exact = call.how.family, found.exact
    is_sum = call.how.scale is Scale.MAGNITUDES
    is_variance = family is Family.VARIANCE  # of few bits if the data are, and never 0 where an element differs
    lost = added(family, exact.dtype, call.length(exact)) if is_sum else 0.0 if is_variance else np.inf
    words = _short_results(got, part) if figure.wrong or not is_variance else ""
    words = words or (_zeros(got, part, lost) if is_sum or is_variance or not got.any() else "")
    if (
        not words and family in (Family.PRODUCT, Family.AVERAGE) and figure.scaled >= 1
    ):  # bits that inputs lack are further off
        words = _short_inputs(answer, exact, call.arrays, call.compute)
    return words


def _allowed(part: Truth, figure: Figure) -> float:
    """What is allowed of the worst result, or of the one that is allowed most."""
    limits = np.broadcast_to(part.allowed, part.exact.shape)
    if figure.worst is not None:
        return float(limits[figure.worst.index])
    return float(limits.max(initial=0.0))
