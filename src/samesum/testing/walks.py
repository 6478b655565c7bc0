"""What one addition after the other loses on the very data: roundings of equal or evenly spaced terms do not walk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.rounding import FORMATS
from samesum.frontends.arrays.reductions import sum as exactly
from samesum.testing.families import CHAINS, Family, Node, held_in
from samesum.testing.lines import answers_shape, axes_of, lines
from samesum.testing.products import Arrays, conspires, terms, terms_of, weighted
from samesum.testing.rules_of_sums import one_by_one

MARGIN = 4.0
"""How many times as much another order of the additions may lose."""
MOST = 1 << 24
"""Elements of which no more are added once again."""


def _exponentials(rows: NDArray) -> NDArray:
    return np.asarray(np.exp(rows - rows.max(axis=1, keepdims=True, initial=-np.inf)))


def _squared_deviations(rows: NDArray) -> NDArray:
    return np.asarray(np.square(rows - rows.mean(axis=1, keepdims=True)))


def _cubes(rows: NDArray) -> NDArray:
    return np.asarray(np.abs(rows) ** 3)


_TERMS: dict[Family, tuple[Callable[[NDArray], NDArray], ...]] = {
    **dict.fromkeys((Family.SUM, Family.MEAN, Family.L1, Family.LOG_SUM), (np.array,)),
    **dict.fromkeys((Family.L2, Family.SUM_SQUARE), (np.square,)),
    **dict.fromkeys((Family.VARIANCE, Family.NORMALIZATION), (np.array, np.square, _squared_deviations)),
    **dict.fromkeys((Family.LOGSUMEXP, Family.SOFTMAX, Family.LOG_SOFTMAX), (_exponentials,)),
    Family.NORM: (np.array, np.square, _cubes),
}
"""What is added, computed in float64."""


def lost_length(node: Node, family: Family, arrays: Arrays, dtype: Dtype, shape: tuple[int, ...]) -> NDArray | None:
    """The length of which roundings that walk lose as much as those of these data, for each result of `shape`.

    None where it is not known: no lines of sums, too many elements, or so many that a running sum may stand still.
    """
    data, held = arrays[0], held_in(family, dtype)
    assert data is not None
    products = terms(node, arrays) if family is Family.PRODUCT else None
    if products is not None and products.size and products.shape[1] < 2 ** FORMATS[held.name].precision:
        return np.asarray(CHAINS * np.square(MARGIN * _lost(products.astype(np.float64), held).max() / 2))
    if family is Family.PRODUCT:
        count = terms_of(node, arrays) or 1
        is_bounded = conspires(arrays) and count < 2 ** FORMATS[held.name].precision
        return np.asarray(CHAINS * (count / 2.0) ** 2) if is_bounded else None
    if family is Family.AVERAGE:
        parts = [] if data.size > MOST else weighted(node, arrays)
        if not all(0 < part.shape[1] < 2 ** FORMATS[held.name].precision for part in parts) or not parts:
            return None
        lost = sum(_lost(part.astype(np.float64), held) for part in parts)
        return np.asarray(np.square(MARGIN * lost / 2)).reshape(shape)
    axes, made = axes_of(node, arrays), _TERMS.get(family)
    if axes is None or made is None or data.size > MOST or data.size == 0:
        return None
    rows = lines(data, axes).data.astype(np.float64)
    if rows.shape[1] >= 2 ** FORMATS[held.name].precision:
        return None
    lost = np.max([_lost(make(rows), held) for make in made], axis=0)
    if family is Family.VARIANCE and held == np.float64:  # what Welford's way loses is no sum of the data
        lost = np.maximum(lost, rows.shape[1] / MARGIN)
    return np.asarray(np.square(MARGIN * lost / 2)).reshape(answers_shape(data.shape, axes, shape))


def _lost(terms: NDArray, held: Dtype) -> NDArray:
    """Ulps of the sum of magnitudes that a running sum of each line loses."""
    given = terms.astype(held)
    total, wide = one_by_one(np.add, given).astype(np.float64), given.astype(np.float64)
    lost = np.abs(total - exactly(wide, axis=1)) / np.abs(wide).sum(axis=1) * 2.0 ** FORMATS[held.name].precision
    return np.where(np.isfinite(lost), lost, 0.0)
