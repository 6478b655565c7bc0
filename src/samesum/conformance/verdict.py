"""Whether an answer is the one that a case expects."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from samesum.conformance.case import Case
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray

LONGEST = 300
"""Messages of engines are cut here; some hold whole stack traces."""


class Outcome(IntEnum):
    """From the best to the worst."""

    PASSED = 0
    NOT_SUPPORTED = 1
    """The engine says that it does not have the operator, the version or the type."""
    REFUSED = 2
    """The engine raises another error where there is an answer."""
    FAILED = 3
    """The answer is another one, or there is one where an error is due."""


class NotSupported(Exception):
    """An engine says that it does not have what the case asks for; the message is the engine's."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out, and if it is not what was expected, what it was instead."""

    outcome: Outcome
    message: str = ""


PASSED = Verdict(Outcome.PASSED)


def judged(case: Case, give: Callable[[], NDArray]) -> Verdict:
    """The verdict on what `give` returns or raises."""
    try:
        answer = give()
    except Exception as error:
        return _on_error(case, error)
    if not isinstance(case.expected, np.ndarray):
        return Verdict(Outcome.FAILED, f"expected an error, got {_shown(answer)}")
    message = difference(case, answer)
    return Verdict(Outcome.FAILED, message) if message else PASSED


def _on_error(case: Case, error: Exception) -> Verdict:
    message = f"{type(error).__name__}: {' '.join(str(error).split())}"[:LONGEST]
    not_supported = isinstance(error, NotSupported | NotImplementedError)
    if isinstance(case.expected, np.ndarray):
        return Verdict(Outcome.NOT_SUPPORTED if not_supported else Outcome.REFUSED, message)
    if isinstance(error, SamesumError):
        is_due = isinstance(error, case.expected) and re.search(case.says, str(error)) is not None
    else:
        is_due = not not_supported or issubclass(case.expected, NotImplementedError)
    if is_due:
        return PASSED
    found = f"expected {case.expected.__name__} ({case.says}), got {message}"
    return Verdict(Outcome.NOT_SUPPORTED if not_supported else Outcome.REFUSED, found)


def difference(case: Case, answer: Any) -> str:
    """How the answer differs from the expected one; nothing if it does not, within the tolerance."""
    expected = case.expected
    assert isinstance(expected, np.ndarray)
    if not isinstance(answer, np.ndarray):
        return f"expected an array, got {type(answer).__name__}"
    if answer.dtype != case.dtype:
        return f"expected {case.dtype}, got {answer.dtype}"
    if answer.shape != expected.shape:
        return f"expected shape {list(expected.shape)}, got {list(answer.shape)}"
    wrong = _wrong(case, answer, expected)
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
    return f"{answer.dtype} {list(answer.shape)} {np.array2string(answer, threshold=8)}"[:LONGEST]
