"""How far an answer is from the exact one: in ulps, and in ulps of a magnitude that is fair for the operator."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray, native
from samesum.formats.rounding import is_float, scaled_error, steps, unit

BLOCK = 1 << 20


def ulp_distance(got: NDArray, expected: NDArray) -> NDArray:
    """The distance of each element in units in the last place of its type, as uint64; neighbours are 1 apart.

    Both arrays have the same shape and the same type: a float, bfloat16 among them, an integer or bool. -0 and +0 are
    equal, and so are all NaNs; a NaN is further than infinity from any number. Raises TypeError or ValueError for
    arrays that differ in type or shape.

    >>> import numpy as np
    >>> one = np.float32(1)
    >>> ulp_distance(np.float32([1, np.inf]), np.float32([1 + 2**-23, np.inf]))
    array([1, 0], dtype=uint64)
    """
    got, expected = native(np.asarray(got)), native(np.asarray(expected))
    if got.dtype != expected.dtype:
        raise TypeError(f"the arrays are {got.dtype.name} and {expected.dtype.name}; they have to be of one type")
    if got.shape != expected.shape:
        raise ValueError(f"the arrays have shapes {got.shape} and {expected.shape}; they have to be the same")
    return steps(got, expected)


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst element of an answer."""

    index: tuple[int, ...]
    got: Any
    exact: Any

    def to_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return fields(self, "index") | {"got": number(self.got), "exact": number(self.exact)}


@dataclass(frozen=True, slots=True)
class Figure:
    """How far an answer is from the exact one at most.

    `ulp` counts steps of the type, `scaled` ulps of the fair magnitude, `wrong` the elements that are further than
    allowed.
    """

    ulp: float
    scaled: float
    wrong: int
    worst: Worst | None

    @property
    def is_exact(self) -> bool:
        """True if every element is the exact one, every NaN alike."""
        return self.ulp == 0

    def placed(self, places: NDArray, shape: tuple[int, ...]) -> Figure:
        """Of results at these places of an answer of that shape: the worst has its index there."""
        if self.worst is None:
            return self
        index = tuple(int(i) for i in np.unravel_index(places[self.worst.index[0]], shape))
        return replace(self, worst=replace(self.worst, index=index))


SAME = Figure(0.0, 0.0, 0, None)


def figure(got: NDArray, exact: NDArray, magnitude: NDArray | None, allowed: NDArray | float) -> Figure:
    """The figure of an answer in the type and shape of the exact one; `magnitude` None: every bit counts."""
    flat, wanted = got.reshape(-1), exact.reshape(-1)
    scales = None if magnitude is None else np.broadcast_to(magnitude, exact.shape).reshape(-1)
    limits = np.broadcast_to(allowed, exact.shape).reshape(-1)
    ulp = scaled = 0.0
    wrong, worst = 0, -1
    for start in range(0, flat.size, BLOCK):
        part = slice(start, start + BLOCK)
        distances = _distances(flat[part], wanted[part])
        if not distances.any():
            continue
        errors = distances if scales is None else _scaled(flat[part], wanted[part], scales[part])
        wrong += int(np.count_nonzero(errors > limits[part]))
        place = int(np.argmax(errors))
        if worst < 0 or errors[place] > scaled:
            worst = start + place
        ulp, scaled = max(ulp, float(distances.max())), max(scaled, float(errors[place]))
    if worst < 0:
        return SAME
    index = tuple(int(i) for i in np.unravel_index(worst, exact.shape))
    return Figure(ulp, scaled, wrong, Worst(index, flat[worst].item(), wanted[worst].item()))


def _scaled(got: NDArray, exact: NDArray, scales: NDArray) -> NDArray:
    """Ulps of the magnitude; an infinity beside a number next to it is the number that follows the largest one."""
    top = 2.0 ** np.frexp(float(ml_dtypes.finfo(exact.dtype).max))[1]  # type: ignore[no-untyped-call]
    a, b = got.astype(np.float64), exact.astype(np.float64)
    near = (np.isinf(a) != np.isinf(b)) & (np.minimum(np.abs(a), np.abs(b)) >= top / 2) & (np.sign(a) == np.sign(b))
    errors = scaled_error(got, exact, scales)
    if not near.any() or exact.dtype.itemsize == 8:
        return errors
    off = np.abs(np.clip(a, -top, top) - np.clip(b, -top, top)) / unit(scales.astype(np.float64), exact.dtype)
    return np.where(near & np.isfinite(scales), off, errors)


def _distances(got: NDArray, exact: NDArray) -> NDArray:
    """Steps as float64, infinite where a NaN or an infinity stands against another value."""
    distances = steps(got, exact).astype(np.float64)
    if is_float(got):
        odd = (np.isfinite(got) != np.isfinite(exact)) | (np.isnan(got) != np.isnan(exact))
        odd |= np.isinf(got) & np.isinf(exact) & (got != exact)
        distances[odd] = np.inf
    return distances


def figure_text(value: float) -> str:
    """A figure with three digits, whole where it is one."""
    if math.isinf(value) or math.isnan(value):
        return "inf"
    if value == int(value) and value < 1e5:
        return str(int(value))
    return f"{value:.3g}"


def fields(each: Any, *names: str) -> dict[str, Any]:
    """Attributes by name, ready for JSON."""
    return {name: _plain(getattr(each, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return number(value) if isinstance(value, float) else value.value if isinstance(value, Enum) else value


def number(value: Any) -> Any:
    """A number that JSON can hold: NaN and infinities by name, whole floats as integers up to 2^53."""
    if isinstance(value, bool | int):
        return value
    real = float(value)
    if math.isnan(real):
        return "nan"
    if math.isinf(real):
        return "inf" if real > 0 else "-inf"
    return int(real) if real.is_integer() and abs(real) < 2**53 else real
