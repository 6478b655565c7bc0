"""The results of a state: of which type they are, and from which measures they come; and a state as bytes."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from samesum.engine.totals import decoded_with_flags
from samesum.errors import ModelError, ShapeError, UnsafeModelError
from samesum.formats.arrays import Dtype, NDArray, Result, excess
from samesum.formats.rounding import BYTES, FORMATS, quotient, root
from samesum.frontends.arrays.measure import Measure, is_byte_float
from samesum.frontends.arrays.reductions import reduce
from samesum.frontends.arrays.state_names import MEASURES, MOMENTS, SUMS, WITH_POSITION, WITHOUT_EMPTY, Moment

# Variances, deviations and root mean squares in floats of eight bits, which the core rounds no moments to.

_LOWEST_BIT, _UNIT = -2176, FORMATS["float32"].unit
_NAN = 2


def _byte_moments(kind: Moment, sums: Any, squares: Any, correction: float, dtype: Dtype, counts: NDArray) -> Result:
    """The moments from exact sums of elements and of their squares, each rounded once."""
    totals = [decoded_with_flags(each.encoded()) for each in (sums, squares)]
    given = zip(counts.reshape(-1).tolist(), *totals, strict=True)
    bits = [_bits(kind, correction, dtype, *each) for each in given]
    moments = np.array(bits, np.uint8).view(dtype).reshape(counts.shape)
    found: Result = moments[()]
    return found


def _bits(
    kind: Moment, correction: float, dtype: Dtype, count: int, total: tuple[int, int, int], square: tuple[int, int, int]
) -> int:
    form = BYTES[dtype.name]
    special = total[2] | square[2]
    if kind is Moment.ROOT_MEAN_SQUARE:  # the deviation from zero
        if square[2] and not square[2] & _NAN:
            return form.infinity if form.has_infinity else form.nan
        total, correction = (0, 0, 0), 0.0
    divisor = count - Fraction(correction)
    if special or not count or divisor <= 0:
        return form.nan
    spread = count * _units(square, 2 * _UNIT) - _units(total, _UNIT) ** 2
    value, exponent = Fraction(spread) / (count * divisor), 2 * _UNIT
    if not value:
        return 0
    if kind is Moment.VARIANCE:
        return form.nearest(*quotient(value.numerator, exponent, value.denominator))
    # The root of p / q is that of p q over q.
    number, exponent = root(value.numerator * value.denominator << 256, exponent - 256)
    return form.nearest(*quotient(number, exponent, value.denominator))


def _units(total: tuple[int, int, int], unit: int) -> int:
    number, shift, _ = total
    return number << shift >> unit - _LOWEST_BIT


def result_types(names: Sequence[str], dtype: Dtype, asked: Dtype | None) -> dict[str, Dtype]:
    """The dtype of each result for elements of `dtype`. Raises as `reduce` does for those that it refuses."""
    return _result_types(tuple(names), dtype, asked).copy()


@lru_cache(1024)
def _result_types(names: tuple[str, ...], dtype: Dtype, asked: Dtype | None) -> dict[str, Dtype]:
    twins: dict[str, Any] = {name: "mean" if name in MOMENTS else name for name in names if name != "count_nonzero"}
    found = reduce(np.zeros(1, dtype), [*twins.values()], dtype=asked)
    types = {name: np.asarray(found[twin]).dtype for name, twin in twins.items()}
    return {name: types.get(name, np.dtype(np.int64)) for name in names}


def result_of(name: str, dtype: Dtype, measures: Mapping[str, Measure], correction: float, described: str) -> Result:
    """One result, of this dtype. Raises ShapeError for the extreme of a set without an element."""
    key = MEASURES[name][0]
    measure: Any = measures[key]
    counts: Any = measures["count"]
    result: Result
    if name in SUMS:
        result = measure.totals.rounded(int(SUMS[name][1]), dtype, counts.values)
    elif name in MOMENTS:
        squares: Any = measures["square"]
        if is_byte_float(dtype):
            return _byte_moments(MOMENTS[name], measure.totals, squares.totals, correction, dtype, counts.values)
        result = measure.totals.rounded_moments(squares.totals, int(MOMENTS[name]), correction, dtype, counts.values)
    elif key in ("product", "exponential"):
        result = measure.result(dtype)
    else:
        result = _kept_values(name, measure, described)
    return result


def _kept_values(name: str, measure: Any, described: str) -> Result:
    if name in WITHOUT_EMPTY and not measure.seen.all():
        raise ShapeError(f"no {name} of an empty set: {described}, and a set without an element")
    values = measure.positions if name in WITH_POSITION else measure.values
    return values.copy()[()]  # type: ignore[no-any-return]


# A state or a scan as bytes: a header, what is kept, and a checksum. The site says what each byte means (states.html).
#
# The bytes depend on the elements alone, not on how they were cut, merged, or on which machine.


MAGIC = b"samestat"
VERSION = 1
_MAX_HEADER = 1 << 16
_CHECKSUM = hashlib.sha256
_CHECKSUM_BYTES = 32
_FIXED = len(MAGIC) + 8
_KEYS = {"axis", "dtype", "end", "kept", "names", "rank", "result"}
_CORRECTION, _EXCLUSIVE = "correction", "exclusive"


@dataclass(frozen=True, slots=True)
class Header:
    """What a state is of. `dtype` is None before the first chunk, `rank` and `correction` where they do not matter."""

    names: tuple[str, ...]
    axis: tuple[int, ...] | None
    result: str | None
    dtype: str | None
    rank: int | None
    kept: tuple[int, ...]
    end: int
    correction: float | None = None
    exclusive: bool | None = None
    """Of a scan: whether each element is left out of its own prefix."""


def packed(header: Header, sections: Sequence[bytes]) -> bytes:
    """The bytes of a state."""
    text = _text(header)
    body = MAGIC + VERSION.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    body += b"".join(len(each).to_bytes(8, "little") + each for each in sections)
    return body + _CHECKSUM(body).digest()


def unpacked(data: bytes) -> tuple[Header, list[bytes]]:
    """The header and the sections. Raises ModelError for what is no state, damaged, or of a later version."""
    if data[: len(MAGIC)] != MAGIC or len(data) < _FIXED + _CHECKSUM_BYTES:
        raise ModelError(f"the data is no state: {len(data)} bytes that start with {data[: len(MAGIC)]!r}")
    version = int.from_bytes(data[8:12], "little")
    if version != VERSION:
        raise ModelError(f"the state has format version {version}; this samesum reads version {VERSION}")
    body = data[:-_CHECKSUM_BYTES]
    if _CHECKSUM(body).digest() != data[-_CHECKSUM_BYTES:]:
        raise ModelError("the state is damaged: its checksum is another one")
    length = int.from_bytes(data[12:16], "little")
    if length > _MAX_HEADER or _FIXED + length > len(body):
        raise UnsafeModelError(f"the state's header claims {length} bytes; at most {_MAX_HEADER} are allowed")
    header = _header(body[_FIXED : _FIXED + length])
    return header, _sections(body, _FIXED + length)


def _sections(body: bytes, at: int) -> list[bytes]:
    sections = []
    while at < len(body):
        size = int.from_bytes(body[at : at + 8], "little")
        at += 8
        if size > len(body) - at:
            raise ModelError(f"the state is truncated: a section of {size} bytes, of which {len(body) - at} are there")
        sections.append(body[at : at + size])
        at += size
    return sections


def _text(header: Header) -> bytes:
    fields = {key: value for key, value in asdict(header).items() if value is not None or key in _KEYS}
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _header(text: bytes) -> Header:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or fields.keys() - {_CORRECTION, _EXCLUSIVE} != _KEYS or not _is_typed(fields):
        raise ModelError(f"the state's header is {text[:60]!r}")
    given: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    header = Header(**given)
    if reason := excess(header.kept):
        raise UnsafeModelError(f"the state's header: {reason}")
    if _text(header) != text:
        raise ModelError(f"the state's header is not in its canonical form: {text[:60]!r}")
    return header


def _is_typed(fields: Mapping[str, Any]) -> bool:
    def integers(value: Any, least: int = 0) -> bool:
        return isinstance(value, list) and all(type(each) is int and each >= least for each in value)

    return (
        isinstance(fields["names"], list)
        and all(isinstance(name, str) for name in fields["names"])
        and (fields["axis"] is None or integers(fields["axis"], -64))
        and integers(fields["kept"])
        and all(fields[key] is None or isinstance(fields[key], str) for key in ("dtype", "result"))
        and (fields["rank"] is None or (type(fields["rank"]) is int and 0 <= fields["rank"] <= 64))
        and type(fields["end"]) is int
        and 0 <= fields["end"] < 2**63
        and type(fields.get(_CORRECTION, 0.0)) is float
        and type(fields.get(_EXCLUSIVE, False)) is bool
    )


def is_consistent(header: Header) -> bool:
    """Whether the lengths that are kept, the axes and the rank belong together; without a chunk there are none."""
    if header.dtype is None or header.axis is None:
        return header.rank is None and header.kept == () and (header.dtype is not None or header.end == 0)
    axes = header.axis
    return (
        header.rank == len(axes) + len(header.kept)
        and list(axes) == sorted(set(axes))
        and all(0 <= axis < header.rank for axis in axes)
    )


def dtype_named(name: str | None) -> Dtype | None:
    """The dtype of a header; ModelError for a name of none."""
    if name is None:
        return None
    try:
        dtype = np.dtype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)
    except TypeError:
        dtype = np.dtype(object)
    if (dtype.kind in "OSUMmVc" and not hasattr(ml_dtypes, name)) or dtype.name != name:
        raise ModelError(f"the state is of dtype {name[:40]!r}, which is not supported")
    return dtype


def outputs_fit(header: Header, sections: Sequence[bytes], wanted: int) -> bool:
    """Whether there are as many sections, the first of which has 8 bytes for each output."""
    return len(sections) == wanted and (wanted == 0 or len(sections[0]) == 8 * math.prod(header.kept))
