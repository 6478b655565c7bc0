"""Digests of a fixed set of calls over all reductions, scans and functions and all types: the same on every machine.

The inputs are made by integer arithmetic alone. howto/reproduce.html of the site has the digests of this release.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping

import ml_dtypes
import numpy as np

from samesum.algebra.rows import LOG_SOFTMAX, REDUCTIONS, SCANS, SOFTMAX
from samesum.engine import elementwise, memory
from samesum.errors import DtypeError
from samesum.formats.arrays import Dtype, NDArray

TYPES = (
    "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip
SHAPE = (12, 5, 37)
_AXES: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (0, 2), (0, 1, 2))
# D. E. Knuth, MMIX; "The Art of Computer Programming", volume 2, 3.3.4.
_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407

Call = Callable[[NDArray], Iterable[NDArray]]


def calls() -> dict[str, Call]:
    """What is called, by name: each gives the results for one input."""
    found: dict[str, Call] = {}
    for row in REDUCTIONS:
        found[row.name] = lambda x, row=row: (np.asarray(memory.reduce(row, x, _axes(row, axes))) for axes in _AXES)  # type: ignore[misc]
    for scan in SCANS:
        found[scan.name] = lambda x, scan=scan: (memory.scan(scan, x, axis) for axis in range(x.ndim))  # type: ignore[misc]
    for each in (SOFTMAX, LOG_SOFTMAX):
        found[each.name] = lambda x, each=each: (memory.normalize(each, x, axis) for axis in range(x.ndim))  # type: ignore[misc]
    found["exp"] = lambda x: (elementwise.exponential(x),)
    found["log"] = lambda x: (elementwise.logarithm(x),)
    found["pow"] = lambda x: (elementwise.power(x, np.ascontiguousarray(x[::-1])),)
    return found


def _axes(row: object, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Positions are of one axis or of all."""
    is_position = getattr(row, "name", "") in ("argmin", "argmax")
    return axes[:1] if is_position and len(axes) == 2 else axes


def digests(types: Iterable[str] = TYPES) -> Mapping[str, str]:
    """The digest of each call over all types that it takes, by name, and of the inputs."""
    inputs = [x for name in types for x in inputs_of(name)]
    found = {"inputs": _digest(inputs)}
    for name, call in calls().items():
        found[name] = _digest(_results(call, inputs))
    return found


def _results(call: Call, inputs: Iterable[NDArray]) -> Iterator[NDArray]:
    for x in inputs:
        try:
            yield from [np.asarray(result) for result in call(x)]
        except DtypeError:
            continue


def inputs_of(name: str) -> Iterator[NDArray]:
    """Any bits, and of floats also numbers of moderate size and no NaN."""
    dtype: Dtype = np.dtype(getattr(ml_dtypes, name, name))
    bits = _bits(dtype.itemsize, seed=TYPES.index(name))
    if dtype == np.bool_:
        yield (bits & 1).astype(np.bool_)
        return
    yield bits.view(dtype)
    if dtype.kind not in "iu":
        highest, next_one = (np.array(1 << (8 * dtype.itemsize - k), bits.dtype) for k in (2, 3))
        yield (bits & ~highest | next_one).view(dtype)


def _bits(itemsize: int, seed: int) -> NDArray:
    state, words = seed, []
    for _ in range(int(np.prod(SHAPE))):
        state = (state * _MULTIPLIER + _INCREMENT) % 2**64
        words.append(state >> (64 - 8 * itemsize))
    return np.array(words, f"u{itemsize}").reshape(SHAPE)


def _digest(arrays: Iterable[NDArray]) -> str:
    """The first 16 digits of the SHA-256 of dtypes, shapes and bits in little-endian order."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(f"{array.dtype.name} {array.shape}\n".encode())
        bits = np.ascontiguousarray(array).reshape(-1)
        sha.update(bits.view(f"u{array.dtype.itemsize}").astype(f"<u{array.dtype.itemsize}").tobytes())
    return sha.hexdigest()[:16]
