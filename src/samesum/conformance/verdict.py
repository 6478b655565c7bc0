"""Whether an answer is the one that a case expects."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from samesum.conformance.case import Case
from samesum.errors import MissingPackage, SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import within
from samesum.runtimes.runtime import EngineError, Trouble

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
