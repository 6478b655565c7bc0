"""What is kept of a named tensor, how records of one name join, and the digest of all."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from samesum.errors import AttributeValueError
from samesum.stats.exact import Exact
from samesum.stats.figures import Figure, figures
from samesum.stats.histogram import Histogram
from samesum.stats.texts import state_text

UNKNOWN = "unknown"
"""The hash of bytes that nobody knows."""


@dataclass(frozen=True, slots=True)
class Record:
    """The exact states of a tensor: one, or one for each set that is kept, in C order.

    `shape` and `file` are None for what was joined from several. A tensor whose elements are not decoded has no states;
    `hashes` are the SHA-256 of its bytes, sorted, one for each that was joined.
    """

    name: str
    file: str | None
    dtype: str
    shape: tuple[int, ...] | None
    kept: tuple[int, ...] | None
    """The lengths of the axes that are kept; None where all were reduced."""
    states: tuple[Exact, ...]
    histogram: Histogram | None = None
    hashes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The elements that were read."""
        return sum(state.count for state in self.states)

    @property
    def is_partial(self) -> bool:
        """Whether elements are missing: the run that read them was interrupted."""
        return self.shape is not None and not self.hashes and self.count < math.prod(self.shape)

    @property
    def is_covered(self) -> bool:
        """Whether a digest tells this tensor from another one."""
        return UNKNOWN not in self.hashes

    @property
    def is_integer(self) -> bool:
        """Whether sums are exact integers."""
        return self.dtype.startswith(("int", "uint", "bool"))

    def figures(self) -> list[dict[str, Figure]]:
        """The figures of each set."""
        return [figures(state, self.is_integer) for state in self.states]

    def canonical(self) -> str:
        """What the digest covers: no file, no shape along the reduced axes."""
        fields: list[object] = [self.name, self.dtype, self.kept, [state_text(state) for state in self.states]]
        if self.hashes:
            fields = [self.name, self.dtype, self.hashes]
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=True)


def joined(records: Iterable[Record]) -> list[Record]:
    """One record for each name, in the order of the first ones.

    Raises AttributeValueError for records of one name and different types or kept lengths.
    """
    found: dict[str, Record] = {}
    for each in records:
        before = found.get(each.name)
        found[each.name] = each if before is None else _merged(before, each)
    return list(found.values())


def _merged(a: Record, b: Record) -> Record:
    if (a.dtype, a.kept, len(a.states)) != (b.dtype, b.kept, len(b.states)):
        raise AttributeValueError(
            f"{a.name!r} is {a.dtype} with {a.kept} kept and {b.dtype} with {b.kept} kept; one name has one type"
        )
    states = tuple(x.merged(y) for x, y in zip(a.states, b.states, strict=True))
    histogram = None
    if a.histogram is not None and b.histogram is not None:
        histogram = Histogram(a.histogram.most, a.histogram.exponent, a.histogram.first, a.histogram.counts)
        histogram.merge(b.histogram)
    file = a.file if a.file == b.file else None
    hashes = tuple(sorted(a.hashes + b.hashes))
    return replace(a, file=file, shape=None, states=states, histogram=histogram, hashes=hashes)


def digest(records: Sequence[Record]) -> str:
    """SHA-256 of names, types and exact states, the same however the tensors were cut, stored or ordered."""
    groups: dict[tuple[str, str, object], Record] = {}
    for each in records:
        key = (each.name, each.dtype, each.kept)
        groups[key] = _merged(groups[key], each) if key in groups else each
    lines = sorted(each.canonical() for each in groups.values())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
