"""Whether a question fits into memory with everybody's results."""

from __future__ import annotations

from pathlib import Path

from samesum.bench.cells import DTYPES, Question
from samesum.bench.operators import OPERATORS, Kind

_MEMINFO = Path("/proc/meminfo")
_WIDEST = 8


def needed(question: Question, competitors: int) -> int:
    """Bytes for the data, and for each competitor a copy of them and its results, of scans of integers in two types.

    The limit writes to results of its own.
    """
    itemsize = DTYPES[question.dtype].itemsize
    operator = OPERATORS[question.operator]
    data = question.cell.size * itemsize * (2 if operator.kind is Kind.PAIRS else 1)
    if operator.kind is Kind.LABELS:
        data += question.cell.shape[0] * _WIDEST
    widens = "float" not in question.dtype and itemsize < _WIDEST
    element = _WIDEST + itemsize if widens else itemsize
    result = question.cell.size * element if operator.writes_much else 0
    return data * question.cell.step + competitors * (data + result) + result


def available() -> int | None:
    """Bytes that can be had without swapping; None where the system does not tell."""
    if not _MEMINFO.exists():
        return None
    for line in _MEMINFO.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None
