"""Updates of a scatter that are lost when threads write to one place at the same time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, unit
from samesum.testing.families import CAREFUL, Node, reduction_of

_BY_PLACE = ("scatternd", "scatterndupdate")
_BY_ELEMENT = ("scatterelements", "scatterelementsupdate")


def loses_updates(node: Node, arrays: Sequence[NDArray | None], answers: Sequence[NDArray]) -> bool:
    """True if answers of a scatter that adds lie further apart than any order of its additions brings them.

    Rounding errors of n additions walk as far as the root of n ulps of the sum of magnitudes.
    """
    data, indices, updates = (*arrays, None, None, None)[:3]
    if data is None or indices is None or updates is None or reduction_of(node) not in ("add", "sum"):
        return False
    if any(each.shape != data.shape or each.dtype != data.dtype for each in answers):
        return False
    values = np.array([each.astype(np.float64) for each in answers])
    apart = values.max(axis=0) - values.min(axis=0)
    if data.dtype.name not in FORMATS:
        return bool(apart.any())
    places = places_of(node, arrays)
    if places is None:
        return False
    total, count = np.abs(data.astype(np.float64)), np.ones(data.shape)
    np.add.at(total, places, np.abs(updates.astype(np.float64)))
    np.add.at(count, places, np.ones(updates.shape))
    return bool((apart > (CAREFUL + np.sqrt(count)) * unit(total, data.dtype)).any())


def added_in_order(node: Node, arrays: Sequence[NDArray | None]) -> NDArray | None:
    """What one addition after the other in the type of the data gives; None for what is no scatter that adds."""
    data, _, updates = (*arrays, None, None, None)[:3]
    places = places_of(node, arrays)
    if data is None or updates is None or places is None or reduction_of(node) not in ("add", "sum"):
        return None
    total = data.copy()
    np.add.at(total, places, updates)
    return total


def places_of(node: Node, arrays: Sequence[NDArray | None]) -> tuple[NDArray, ...] | None:
    """Where the updates go, as an index of NumPy; None for what is no scatter."""
    operator, indices = node.operator.casefold(), arrays[1] if len(arrays) > 1 else None
    if indices is None or operator not in (*_BY_PLACE, *_BY_ELEMENT):
        return None
    if operator in _BY_PLACE:
        return tuple(np.moveaxis(indices, -1, 0))
    given = arrays[3] if len(arrays) > 3 else None
    axis = int(node.attributes.get("axis", 0)) if given is None else int(given.reshape(-1)[0])
    grid: list[NDArray] = list(np.indices(indices.shape))
    grid[axis] = indices
    return tuple(grid)
