"""The results of a state: of which type they are, and from which measures they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from samesum.errors import ShapeError
from samesum.formats.arrays import Dtype, Result
from samesum.frontends.arrays.byte_moments import byte_moments
from samesum.frontends.arrays.measure import Measure, is_byte_float
from samesum.frontends.arrays.several import reduce
from samesum.frontends.arrays.state_names import MEASURES, MOMENTS, SUMS, WITH_POSITION, WITHOUT_EMPTY


def result_types(names: Sequence[str], dtype: Dtype, asked: Dtype | None) -> dict[str, Dtype]:
    """The dtype of each result for elements of `dtype`. Raises as `reduce` does for those that it refuses."""
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
            return byte_moments(MOMENTS[name], measure.totals, squares.totals, correction, dtype, counts.values)
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
