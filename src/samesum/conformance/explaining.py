"""Small inputs on which engines disagree, by what they show, and what each engine gives there, run now."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.forms import Form
from samesum.conformance.running import ByModels, Contestant, Own
from samesum.errors import MissingPackage, SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import steps
from samesum.runtimes.catalogue import OTHERS, started
from samesum.runtimes.runtime import BackendError, EngineError, Trouble
from samesum.specs.lookup import CATALOGUE, FAMILY
from samesum.specs.table import Kind, Spec

_F32 = partial(np.array, dtype=np.float32)
NAN, INF = float("nan"), float("inf")
# Newer opsets of ONNX are known to few engines.
NEWEST_ONNX = 22

SUMS = ("ReduceSum", "ReduceMean", "CumSum")
PRODUCTS = ("ReduceProd", "CumProd")
EXTREMES = ("ReduceMax", "ReduceMin", "ArgMax", "ArgMin")
SOFTMAXES = ("Softmax", "SoftMax", "LogSoftmax")
LOGARITHMS = ("ReduceLogSum", "ReduceLogSumExp")
NORMS = ("ReduceL1", "ReduceL2", "ReduceSumSquare")
FLOATS = (*SUMS, *PRODUCTS, *EXTREMES, *SOFTMAXES, *LOGARITHMS, *NORMS)
INTEGERS = ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "CumSum", "CumProd")


def _of(dtype: Any, values: Any, operators: tuple[str, ...]) -> dict[str, NDArray]:
    return dict.fromkeys(operators, np.array(values, dtype))


@dataclass(frozen=True, slots=True)
class Situation:
    """What is shown, and for each operator that it concerns the data, whose last axis is reduced."""

    name: str
    shows: str
    data: Mapping[str, NDArray]


_ON_THE_WAY = {
    **_of(np.float32, [3e38, 3e38, -3e38], SUMS),
    **_of(np.float32, [1e30, 1e30, 1e-30], PRODUCTS),
    "ReduceL2": _F32([3e30, 4e30]),
    "ReduceLogSum": _F32([3e38, 3e38]),
    "ReduceLogSumExp": _F32([1000, 1000]),
    **_of(np.float32, [1000, 999], SOFTMAXES),
}
_ORDER = {
    **_of(np.float32, [1e8, 1, -1e8], SUMS),
    "ReduceL1": _F32([1e8, *[1] * 8]),
    "ReduceSumSquare": _F32([1e4, *[1] * 8]),
    "ReduceLogSum": _F32([1e8, 1, -1e8, 1]),
}
_LONG = _of(np.float16, np.ones(4096), ("ReduceSum", "ReduceMean", "ReduceL1", "ReduceSumSquare", "CumSum"))
_TIES = _of(np.float16, [1, 2**-11, 2**-24], ("ReduceSum", "CumSum"))
_ZEROS = {
    **_of(np.float32, [-0.0, -0.0], SUMS),
    **_of(np.float32, [0.0, -0.0], EXTREMES),
    **_of(np.float32, [-0.0, 1.0], PRODUCTS),
}
_LARGE = {**_of(np.int64, [2**53, 1], ("ReduceSum", "CumSum")), **_of(np.int64, [2**53 + 1, 2**53], EXTREMES)}
_EQUAL = {"ArgMax": _F32([1, 3, 3]), "Hardmax": _F32([1, 3, 3]), "ArgMin": _F32([3, 1, 1])}
_LOGICAL = _of(np.bool_, [True, False], ("ReduceLogicalAnd", "ReduceLogicalOr"))

SITUATIONS = (
    Situation("nan", "a NaN among the elements", _of(np.float32, [1, NAN, 3], FLOATS)),
    Situation("infinity", "both infinities", _of(np.float32, [INF, 1, -INF], FLOATS)),
    Situation("empty", "a set without elements", _of(np.float32, np.ones((2, 0)), FLOATS)),
    Situation("overflow", "the result fits, a step on the way does not", _ON_THE_WAY),
    Situation("order", "elements that are lost beside a large one", _ORDER),
    Situation("long", "4096 float16 ones; additions in float16 stop at 2048", _LONG),
    Situation("ties", "float16 numbers whose sum float32 rounds first", _TIES),
    Situation("zeros", "negative zeros", _ZEROS),
    Situation("subnormal", "numbers below the smallest normal one", _of(np.float32, [1e-40, 2e-40, -5e-41], SUMS)),
    Situation("wrap", "integers whose sum does not fit int32", _of(np.int32, [2**31 - 1, 1], INTEGERS)),
    Situation("int64", "integers that float64 does not hold", _LARGE),
    Situation("truncation", "a mean that is no integer", _of(np.int32, [-3, -4], ("ReduceMean", "ReduceL2"))),
    Situation("equal", "several greatest or least elements", _EQUAL),
    Situation("bool", "true and false", _LOGICAL),
)
BY_NAME: Mapping[str, Situation] = {situation.name: situation for situation in SITUATIONS}


def specs_of(operator: str) -> dict[str, tuple[Spec, ...]]:
    """By standard the versions of an operator, whose name may be in any case."""
    found: dict[str, tuple[Spec, ...]] = {}
    for spec in CATALOGUE:
        if spec.operator.name.casefold() == operator.casefold():
            found[spec.standard.name] = (*found.get(spec.standard.name, ()), spec)
    return found


def case_of(spec: Spec, situation: Situation) -> Case | None:
    """The operator on the situation's data along the last axis; None where that does not concern it or its types."""
    x = situation.data.get(spec.operator.name)
    if x is None or x.dtype.name not in spec.types:
        return None
    attributes: dict[str, Any] = {}
    for attribute in spec.attributes:
        if attribute.kind in (Kind.AXIS, Kind.AXIS_FROM_FRONT):
            attributes[attribute.name] = x.ndim - 1
        elif attribute.kind is Kind.AXES:
            attributes[attribute.name] = [x.ndim - 1]
        elif attribute.meaning == "keepdims" and spec.standard.name == "onnx":
            attributes[attribute.name] = 0
    is_scan = spec.operator.name.startswith("Cum")
    axes = np.array(x.ndim - 1 if is_scan else [x.ndim - 1], np.int64)
    result = np.dtype(spec.operator.result or x.dtype)
    inputs = (x, axes) if len(spec.inputs) > 1 else (x,)
    return Case(
        suite="explain",
        name=f"{spec.identifier}-{situation.name}",
        standard=spec.standard.name,
        operator=spec.operator.name,
        opset=spec.version.since,
        inputs=inputs,
        attributes=attributes,
        expected=np.zeros(x.shape, result),
        dtype=result,
    )


def usual(specs: tuple[Spec, ...]) -> Spec:
    """The newest version that engines know."""
    known = [spec for spec in specs if spec.standard.name != "onnx" or spec.version.since <= NEWEST_ONNX]
    return (known or list(specs))[-1]


# Operators whose answers samesum does not promise to round correctly: one ulp is no difference.
ROUNDED_TWICE = frozenset({*SOFTMAXES, *LOGARITHMS})
# Seconds for one answer of another engine.
PATIENCE = 60.0
# Elements of an answer; of longer ones the last are shown.
SHOWN = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What one engine made of a case; it differs by value, by dtype, by shape, or by an answer where there is none."""

    engine: str
    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """A situation in one standard, and the answers in the order of the engines; samesum's is the first."""

    spec: Spec
    situation: Situation
    data: NDArray
    answers: tuple[Answer, ...]


def explain(operator: str, situations: Iterable[Situation], engines: Sequence[Contestant]) -> Iterator[Explained]:
    """The operator in both standards in each of the situations that concern it."""
    for situation in situations:
        for specs in specs_of(operator).values():
            spec = usual(specs)
            case = case_of(spec, situation)
            if case is not None:
                yield Explained(spec, situation, situation.data[spec.operator.name], tuple(_answers(case, engines)))


def matrix(engines: Sequence[Contestant]) -> Iterator[Explained]:
    """Every operator in every situation."""
    for operator in dict.fromkeys(spec.operator.name.casefold() for spec in FAMILY):
        yield from explain(operator, SITUATIONS, engines)


def contestants() -> list[Contestant]:
    """samesum, then the engines whose packages are here, each in a process of its own.

    Warns of one that does not start and leaves it out.
    """
    found: list[Contestant] = [Own(frozenset({Form.CALL}))]
    for name in OTHERS:
        try:
            found.append(ByModels(started(name, PATIENCE)))
        except MissingPackage:
            continue
        except BackendError as error:
            warnings.warn(f"{error}; {name} is left out", stacklevel=2)
    return found


def _answers(case: Case, engines: Sequence[Contestant]) -> Iterator[Answer]:
    own: NDArray | str = ""
    ulps = 1 if case.operator in ROUNDED_TWICE else 0
    for engine in engines:
        forms = engine.forms(case)
        if not forms:
            continue
        given = _given(engine, case, forms[0])
        own = given if engine is engines[0] else own
        yield Answer(engine.name, _text(own, given), not _same(own, given, ulps))


def _text(own: NDArray | str, given: NDArray | str) -> str:
    """What an engine gave, with its dtype where that is not samesum's."""
    if isinstance(given, str):
        return given
    another = not isinstance(own, str) and own.dtype != given.dtype
    return f"{given.dtype.name} {text_of(given)}" if another else text_of(given)


def _given(engine: Contestant, case: Case, form: Form) -> NDArray | str:
    try:
        return engine.answer(case, form)
    except SamesumError:
        return "error"
    except EngineError as error:
        return {Trouble.NOT_SUPPORTED: "not supported", Trouble.ENDED: "crash"}.get(error.trouble, "error")


def _same(own: NDArray | str, given: NDArray | str, ulps: int) -> bool:
    if isinstance(own, str) or isinstance(given, str):
        return isinstance(own, str) and isinstance(given, str) and own == given
    if own.dtype != given.dtype or own.shape != given.shape:
        return False
    if own.dtype.kind != "f":
        return own.tobytes() == given.tobytes()
    nans = np.isnan(own)
    if not np.array_equal(nans, np.isnan(given)):
        return False
    own, given = own[~nans], given[~nans]
    signs = np.array_equal(np.signbit(own), np.signbit(given))
    return signs and not (steps(own, given) > ulps).any()


def text_of(array: NDArray) -> str:
    """The values, each with the fewest digits that identify it in its own type.

    >>> text_of(np.float32([[1, 2.5], [3e38, np.inf]]))
    '[[1, 2.5], [3e+38, inf]]'
    >>> text_of(np.arange(9))
    '[..., 5, 6, 7, 8]'
    """
    if array.ndim == 0:
        return _number(array) if array.dtype.kind == "f" else str(array[()])
    dots = "..., " if len(array) > SHOWN else ""
    return f"[{dots}{', '.join(text_of(np.asarray(part)) for part in array[-SHOWN:])}]"


def _number(array: Any) -> str:
    number, size = array[()], abs(float(array))
    if not np.isfinite(size) or size == 0 or 1e-4 <= size < 1e7:
        return np.format_float_positional(number, trim="-")
    return np.format_float_scientific(number, trim="-", exp_digits=1)
