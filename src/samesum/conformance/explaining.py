"""What each engine gives in a situation, run now: one line for each standard, engine and situation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.contestants import ByModels, Contestant, Own
from samesum.conformance.forms import Form
from samesum.conformance.situations import LOGARITHMS, SITUATIONS, SOFTMAXES, Situation, case_of, specs_of, usual
from samesum.errors import MissingPackage, SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.ulps import steps
from samesum.runtimes.catalogue import OTHERS
from samesum.runtimes.custom_engine import BackendError
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import EngineError, Trouble
from samesum.specs.lookup import FAMILY
from samesum.specs.row import Spec

ROUNDED_TWICE = frozenset({*SOFTMAXES, *LOGARITHMS})
"""Operators whose answers samesum does not promise to round correctly: one ulp is no difference."""
PATIENCE = 60.0
"""Seconds for one answer of another engine."""
SHOWN = 4
"""Elements of an answer; of longer ones the last are shown."""


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
    for name, make in OTHERS.items():
        try:
            make()
            found.append(ByModels(Remote(make, PATIENCE).start(name)))
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
        yield Answer(engine.name, given if isinstance(given, str) else text_of(given), not _same(own, given, ulps))


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
