"""One case: an operator on inputs, what has to come out, and how near; and whether an answer is that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import MissingPackage, SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import within
from samesum.runtimes.runtime import EngineError, Trouble


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far an element may be from the one expected: `absolute + relative * |expected|`.

    `half_unit` allows half a unit of a 16-bit type on top, for values that were written down before they were
    rounded to it. All zero: the same bits, where every NaN is the same.
    """

    relative: float = 0.0
    absolute: float = 0.0
    half_unit: bool = False

    @property
    def is_exact(self) -> bool:
        """True if the bits have to be equal."""
        return not (self.relative or self.absolute or self.half_unit)

    def allowed(self, expected: NDArray, dtype: np.dtype[Any]) -> NDArray:
        """The distance allowed at each element of `expected`, whose values are those of an answer of type `dtype`."""
        size = np.abs(np.where(np.isfinite(expected), expected, 0).astype(np.float64))
        room = self.absolute + self.relative * size
        if self.half_unit and dtype.itemsize == 2:
            room += np.ldexp(np.sign(size), np.frexp(size)[1] - ml_dtypes.finfo(dtype).nmant - 2)  # type: ignore[no-untyped-call]
        return np.asarray(room)


EXACT = Tolerance()


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model that a suite brings along: its bytes, and its inputs by name."""

    content: bytes = field(repr=False)
    feeds: Mapping[str, NDArray] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """`expected` is an array, or the class of the error that samesum raises; other engines may raise any.

    The values of `expected` may stand there in a wider type than `dtype`, that of the answer, so that they are
    those of the source. `model` is set where the suite has a model of its own.
    """

    suite: str
    name: str
    standard: str
    operator: str
    opset: int
    inputs: tuple[NDArray | None, ...] = field(repr=False)
    attributes: Mapping[str, Any]
    expected: NDArray | type[Exception] = field(repr=False)
    dtype: np.dtype[Any] | None = None
    tolerance: Tolerance = EXACT
    says: str = ""
    """A pattern of samesum's error message."""
    held: frozenset[int] = frozenset()
    """The positions of the inputs that a model holds as constants."""
    model: OnnxModel | None = None
    is_one_call: bool = True
    """False where the model spells the operator out in others, so that there is nothing to call."""
    correction: str = ""
    """Why `expected` is not what the source says."""

    @property
    def title(self) -> str:
        """The name that is unique among all suites."""
        return f"{self.suite}/{self.name}"

    @property
    def answer(self) -> NDArray | None:
        """`expected` in the type of the answer, None where an error is expected."""
        return self.expected.astype(self.dtype) if isinstance(self.expected, np.ndarray) else None

    @property
    def axes_positions(self) -> frozenset[int]:
        """The positions of the inputs that say where: all given but the data."""
        return frozenset(i for i, array in enumerate(self.inputs) if i and array is not None)


# Messages of engines are cut here; some hold whole stack traces.
LONGEST = 300


class Outcome(IntEnum):
    """From the best to the worst."""

    PASSED = 0
    NOT_SUPPORTED = 1
    """The engine says that it does not have the operator, the version or the type."""
    REFUSED = 2
    """The engine raises an error of its own where there is an answer."""
    FAILED = 3
    """Another answer, one where an error is due, a mistake in the engine's own code, or the end of its process."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out, and if it is not what was expected, what it was instead."""

    outcome: Outcome
    message: str = ""


PASSED = Verdict(Outcome.PASSED)


def judged(case: Case, give: Callable[[], NDArray], ulps: int = 0) -> Verdict:
    """The verdict on what `give` returns or raises.

    An answer whose elements are at most `ulps` steps of its type away passes as well.
    """
    try:
        answer = give()
    except MissingPackage:
        raise
    except Exception as error:
        return _on_error(case, error)
    if not isinstance(case.expected, np.ndarray):
        return Verdict(Outcome.FAILED, f"expected an error, got {_shown(answer)}")
    message = difference(case, answer, ulps)
    return Verdict(Outcome.FAILED, message) if message else PASSED


_OUTCOMES = {
    Trouble.NOT_SUPPORTED: Outcome.NOT_SUPPORTED,
    Trouble.REFUSED: Outcome.REFUSED,
    Trouble.BROKEN: Outcome.FAILED,
    Trouble.ENDED: Outcome.FAILED,
}


def _on_error(case: Case, error: Exception) -> Verdict:
    outcome, message = _outcome(error), _message(error)
    if isinstance(case.expected, np.ndarray):
        return Verdict(outcome, message)
    if _is_due(case.expected, case.says, error):
        return PASSED
    return Verdict(outcome, f"expected {case.expected.__name__} ({case.says}), got {message}")


def _outcome(error: Exception) -> Outcome:
    if isinstance(error, EngineError):
        return _OUTCOMES[error.trouble]
    return Outcome.NOT_SUPPORTED if isinstance(error, NotImplementedError) else Outcome.REFUSED


def _is_due(expected: type[Exception], says: str, error: Exception) -> bool:
    """samesum has to raise the error itself. Of another engine any error will do that does not end it, but for what it
    says of everything that it does not have."""
    if isinstance(error, SamesumError):
        return isinstance(error, expected) and re.search(says, str(error)) is not None
    if isinstance(error, EngineError) and error.trouble is Trouble.ENDED:
        return False
    return _outcome(error) is not Outcome.NOT_SUPPORTED


def _message(error: Exception) -> str:
    kind = "" if isinstance(error, EngineError) else f"{type(error).__name__}: "
    return f"{kind}{' '.join(str(error).split())}"[:LONGEST]


def difference(case: Case, answer: Any, ulps: int = 0) -> str:
    """How the answer differs from the expected one; nothing if it does not, within the tolerance or `ulps` steps."""
    expected = case.expected
    assert isinstance(expected, np.ndarray)
    if not isinstance(answer, np.ndarray):
        return f"expected an array, got {type(answer).__name__}"
    if answer.dtype != case.dtype:
        return f"expected {case.dtype}, got {answer.dtype}"
    if answer.shape != expected.shape:
        return f"expected shape {list(expected.shape)}, got {list(answer.shape)}"
    wrong = _wrong(case, answer, expected)
    if ulps and case.answer is not None:
        wrong &= ~within(answer, case.answer, ulps)
    if not wrong.any():
        return ""
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    found = f"expected {expected[first]!r}, got {answer[first]!r}"
    return f"{int(wrong.sum())} of {answer.size} differ, first at {list(first)}: {found}"


def _wrong(case: Case, answer: NDArray, expected: NDArray) -> NDArray:
    if answer.dtype.kind in "iub":
        return np.asarray(answer != expected)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        wide, literal = answer.astype(np.float64), expected.astype(np.float64)
    both_nan = np.isnan(wide) & np.isnan(literal)
    if case.tolerance.is_exact:
        return np.asarray(~(both_nan | ((wide == literal) & (np.signbit(wide) == np.signbit(literal)))))
    finite = np.isfinite(literal) & np.isfinite(wide)
    room = case.tolerance.allowed(expected, answer.dtype)
    off = np.abs(np.where(finite, wide, 0) - np.where(finite, literal, 0)) > room
    return np.asarray(np.where(finite, off, ~((wide == literal) | both_nan)))


def _shown(answer: Any) -> str:
    if not isinstance(answer, np.ndarray):
        return type(answer).__name__
    values = " ".join(np.array2string(answer, threshold=8).split())
    return f"{answer.dtype} {list(answer.shape)} {values}"[:LONGEST]
