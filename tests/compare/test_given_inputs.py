"""Inputs that a caller gives are held to the model's signature before any engine runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samesum.compare.graph import Input
from samesum.compare.reading import checked
from samesum.errors import AttributeValueError, DtypeError, ShapeError

INPUTS = [Input("x", np.dtype(np.float32), (None, 3)), Input("n", np.dtype(np.int64), ()), Input("any", None, None)]
GOOD = {"x": np.ones((2, 3), np.float32), "n": np.int64(4), "any": [1.5]}


def test_what_fits_becomes_arrays_in_the_order_of_the_inputs() -> None:
    found = checked(INPUTS, dict(reversed(GOOD.items())))
    assert list(found) == ["x", "n", "any"]
    assert found["x"] is GOOD["x"]
    assert (found["n"].shape, found["any"].tolist()) == ((), [1.5])


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"q": 1}, AttributeValueError, "the model has no input 'q'; its inputs are x, n, any"),
        ({"x": None}, AttributeValueError, "the input 'x' is not given; the inputs are x, n, any"),
        ({"x": np.ones((2, 3))}, DtypeError, r"'x' is float32 \[\?, 3\]; got float64 \[2, 3\]"),
        ({"x": np.ones((2, 4), np.float32)}, ShapeError, r"'x' is float32 \[\?, 3\]; got float32 \[2, 4\]"),
        ({"n": np.array([4])}, ShapeError, r"'n' is int64 \[\]; got int64 \[1\]"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], error: type[Exception], says: str) -> None:
    given = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(error, match=says):
        checked(INPUTS, given)
