"""Attention of one row in numbers of PRECISION bits: a result is found by comparison with every number it could be."""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from typing import Any

import mpmath
import numpy as np

from norm_oracle import nearest
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

PRECISION = 1600
"""Of numbers that differ from a boundary by less than 2^-1400 of their terms it is assumed that they are on it."""
_TIE = 1400

MODES = ("scaled", "capped", "masked", "weights")


_KNOWN: dict[bytes, NDArray] = {}
"""Results that other instruction sets will be asked for, too."""


def attention(q: NDArray, k: NDArray, v: NDArray, **given: Any) -> NDArray:
    """Of operands without a batch: the result, or what `mode` shows; arguments are those of the engine."""
    parts = [(x.dtype.name, x.shape, x.tobytes()) for x in (q, k, v)]
    more = [(name, x.tobytes(), x.dtype.name) if isinstance(x, np.ndarray) else (name, x) for name, x in given.items()]
    key = blake2b(repr((parts, more)).encode()).digest()
    if key not in _KNOWN:
        _KNOWN[key] = _attention(q, k, v, **given)
    return _KNOWN[key]


def _attention(
    q: NDArray,
    k: NDArray,
    v: NDArray,
    mask: NDArray | None = None,
    ends: NDArray | None = None,
    scale: float | None = None,
    cap: float = 0.0,
    mode: str | None = None,
) -> NDArray:
    with mpmath.workprec(PRECISION):
        rows = []
        for i, query in enumerate(q):
            keys = len(k) if ends is None else max(0, min(len(k), int(ends[i])))
            adds = [-np.inf if j >= keys else _added(mask, i, j) for j in range(len(k))]
            rows.append(_row(query, k, v, adds, scale, cap, mode))
    form = FORMATS[q.dtype.name]
    width = len(k) if mode else v.shape[1]
    return np.array(rows, f"u{form.width // 8}").reshape(len(q), width).view(q.dtype)


def _added(mask: NDArray | None, i: int, j: int) -> float:
    if mask is None:
        return 0.0
    if mask.dtype == np.bool_:
        return 0.0 if mask[i, j] else -np.inf
    return float(mask[i, j])


def _row(
    query: NDArray, k: NDArray, v: NDArray, adds: list[float], scale: float | None, cap: float, mode: str | None
) -> list[int]:
    form = FORMATS[query.dtype.name]
    factor = 1 / mpmath.sqrt(len(query)) if scale is None else mpmath.mpf(scale)
    scores, shown = [], []
    for key, added in zip(k, adds, strict=True):
        product = mpmath.fsum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(query, key, strict=True))
        scaled = product * factor
        capped = cap * mpmath.tanh(scaled / cap) if cap else scaled
        score = mpmath.mpf("-inf") if added == -np.inf else capped + mpmath.mpf(added)
        shown.append({"scaled": scaled, "capped": capped, "masked": score}.get(mode or ""))
        scores.append((score, abs(capped) + (abs(added) if np.isfinite(added) else 0)))
    if mode in ("scaled", "capped", "masked"):
        return [_of_number(form, x, size) for x, (_, size) in zip(shown, scores, strict=True)]
    live = [j for j, (score, _) in enumerate(scores) if score != mpmath.mpf("-inf")]
    columns = np.eye(len(k), dtype=query.dtype) if mode else v
    if any(not mpmath.isfinite(scores[j][0]) for j in live):
        return [form.nan] * columns.shape[1]
    if not live:
        return [0] * columns.shape[1]
    top = max(scores[j][0] for j in live)
    weights = [mpmath.exp(scores[j][0] - top) for j in live]
    return [_mean(form, weights, [float(columns[j, c]) for j in live]) for c in range(columns.shape[1])]


def _mean(form: Any, weights: list[Any], values: list[float]) -> int:
    special = sum(value for value in values if not np.isfinite(value))
    if special != 0:
        return form.nan if np.isnan(special) else form.infinity | (form.sign if special < 0 else 0)
    terms = [w * mpmath.mpf(value) for w, value in zip(weights, values, strict=True)]
    total, value, size = mpmath.fsum(weights), mpmath.fsum(terms), mpmath.fsum(map(abs, terms))
    return nearest(form, lambda t: _sign(value - total * _real(t), size + total * abs(_real(t))))


def _of_number(form: Any, x: Any, size: Any) -> int:
    if not mpmath.isfinite(x):
        return form.nan if mpmath.isnan(x) else form.infinity | (form.sign if x < 0 else 0)
    return nearest(form, lambda t: _sign(x - _real(t), size + abs(_real(t))))


def _real(t: Fraction) -> Any:
    return mpmath.mpf(t.numerator) / t.denominator


def _sign(difference: Any, size: Any) -> int:
    return 0 if abs(difference) <= mpmath.ldexp(size, -_TIE) else int(mpmath.sign(difference))
