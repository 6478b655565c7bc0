"""Attention of one row in numbers of PRECISION bits: a result is found by comparison with every number it could be."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import mpmath
import numpy as np

import cases
from oracle.rounding import target_of
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

PRECISION = 1600
"""Of numbers that differ from a boundary by less than 2^-1400 of their terms it is assumed that they are on it."""
_TIE = 1400

_DTYPES = {dtype.name: dtype for dtype in cases.FLOATS}
MODES = ("scaled", "capped", "masked", "weights")


_KNOWN: dict[bytes, dict[str | None, NDArray]] = {}
"""Results that other instruction sets will be asked for, too."""


def attention(q: NDArray, k: NDArray, v: NDArray, *, mode: str | None = None, **given: Any) -> NDArray:
    """Of operands without a batch: the result, or what `mode` shows; arguments are those of the engine."""
    parts = [(x.dtype.name, x.shape, x.tobytes()) for x in (q, k, v)]
    more = [(name, x.tobytes(), x.dtype.name) if isinstance(x, np.ndarray) else (name, x) for name, x in given.items()]
    key = blake2b(repr((parts, more)).encode()).digest()
    if key not in _KNOWN:
        _KNOWN[key] = _attention(q, k, v, **given)
    return _KNOWN[key][mode]


def _attention(
    q: NDArray,
    k: NDArray,
    v: NDArray,
    mask: NDArray | None = None,
    ends: NDArray | None = None,
    scale: float | None = None,
    cap: float = 0.0,
) -> dict[str | None, NDArray]:
    rows: dict[str | None, list[list[int]]] = {mode: [] for mode in (None, *MODES)}
    with mpmath.workprec(PRECISION):
        for i, query in enumerate(q):
            keys = len(k) if ends is None else max(0, min(len(k), int(ends[i])))
            adds = [-np.inf if j >= keys else _added(mask, i, j) for j in range(len(k))]
            for mode, row in _row(query, k, v, adds, scale, cap).items():
                rows[mode].append(row)
    kind = f"u{q.dtype.itemsize}"
    widths = dict.fromkeys(MODES, len(k)) | {None: v.shape[1]}
    return {mode: np.array(row, kind).reshape(len(q), widths[mode]).view(q.dtype) for mode, row in rows.items()}


def _added(mask: NDArray | None, i: int, j: int) -> float:
    if mask is None:
        return 0.0
    if mask.dtype == np.bool_:
        return 0.0 if mask[i, j] else -np.inf
    return float(mask[i, j])


def _row(
    query: NDArray, k: NDArray, v: NDArray, adds: list[float], scale: float | None, cap: float
) -> dict[str | None, list[int]]:
    form = FORMATS[query.dtype.name]
    factor = 1 / mpmath.sqrt(len(query)) if scale is None else mpmath.mpf(scale)
    scores = []
    found: dict[str | None, list[int]] = {mode: [] for mode in (None, *MODES)}
    for key, added in zip(k, adds, strict=True):
        product = mpmath.fsum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(query, key, strict=True))
        scaled = product * factor
        capped = cap * mpmath.tanh(scaled / cap) if cap else scaled
        score = mpmath.mpf("-inf") if added == -np.inf else capped + mpmath.mpf(added)
        size = abs(capped) + (abs(added) if np.isfinite(added) else 0)
        for mode, x in (("scaled", scaled), ("capped", capped), ("masked", score)):
            found[mode].append(_of_number(form, x, abs(scaled) if mode == "scaled" else size))
        scores.append(score)
    live = [j for j, score in enumerate(scores) if score != mpmath.mpf("-inf")]
    if not live or any(not mpmath.isfinite(scores[j]) for j in live):
        nothing = form.nan if live else 0
        return found | {None: [nothing] * v.shape[1], "weights": [nothing] * len(k)}
    top = max(scores[j] for j in live)
    weights = {j: mpmath.exp(scores[j] - top) for j in live}
    total = mpmath.fsum(weights.values())
    shares = [weights[j] / total if j in weights else mpmath.mpf(0) for j in range(len(k))]
    found["weights"] = [_rounded(form, share, share) for share in shares]
    found[None] = [_mean(form, list(weights.values()), [float(v[j, c]) for j in live]) for c in range(v.shape[1])]
    return found


def _mean(form: Any, weights: list[Any], values: list[float]) -> int:
    special = sum(value for value in values if not np.isfinite(value))
    if special != 0:
        return form.nan if np.isnan(special) else form.infinity | (form.sign if special < 0 else 0)
    terms = [w * mpmath.mpf(value) for w, value in zip(weights, values, strict=True)]
    total = mpmath.fsum(weights)
    return _rounded(form, mpmath.fsum(terms) / total, mpmath.fsum(map(abs, terms)) / total)


def _of_number(form: Any, x: Any, size: Any) -> int:
    if not mpmath.isfinite(x):
        return form.nan if mpmath.isnan(x) else form.infinity | (form.sign if x < 0 else 0)
    return _rounded(form, x, size)


def _rounded(form: Any, x: Any, size: Any) -> int:
    """The bits of a number whose terms come to `size`; next to a boundary it is that."""
    target, off = target_of(_DTYPES[form.name]), mpmath.ldexp(size, -_TIE)
    assert target is not None
    low, high = (target.nearest(*_parts(x + by * off)) for by in (-1, 1))
    if low == high:
        return low
    with mpmath.workprec(PRECISION - 600):
        return target.nearest(*_parts(mpmath.mpf(0) if abs(x) <= off else +x))


def _parts(x: Any) -> tuple[int, int]:
    """The number times a power of two."""
    sign, significand, exponent, _ = x._mpf_
    return (-int(significand) if sign else int(significand)), int(exponent)
