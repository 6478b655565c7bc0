"""The float32 next to a double, found in whole numbers, against what the processor gives in its default mode."""

from __future__ import annotations

import math

import numpy as np
import pytest

from modes import each_mode, in_mode, needs_mxcsr
from samesum.formats.rounding import BYTES, FORMATS, Format, nearest_single
from samesum.specs.bind import bind
from samesum.specs.lookup import lookup

EDGES = [0.0, 5e-324, 2.0**-150, math.nextafter(2.0**-150, 1), 2.0**-149, 1.5 * 2.0**-149, 2.0**-126, 1 + 2.0**-24]
EDGES += [
    1 + 3 * 2.0**-24,
    math.nextafter(1 + 2.0**-24, 2),
    0.1,
    1e-5,
    2.0**128 - 2.0**103,
    2.0**128,
    math.inf,
    math.nan,
]
EDGES += [math.nextafter(2.0**128 - 2.0**103, 0), 1.7e308]


def drawn() -> list[float]:
    """The edges, doubles of every exponent, and ties of float32."""
    random = np.random.default_rng(1)
    anything = random.integers(0, 2**64, 3000, np.uint64).view(np.float64)
    near = np.ldexp(random.uniform(1, 2, 3000), random.integers(-155, 130, 3000))
    ties = np.ldexp(random.integers(2**24, 2**25, 1000) + 0.0, random.integers(-175, 104, 1000))
    return [sign * each for each in [*EDGES, *anything.tolist(), *near.tolist(), *ties.tolist()] for sign in (1, -1)]


def bits(numbers: list[float]) -> list[int]:
    found = np.array(numbers)
    return np.where(np.isnan(found), np.nan, found).view(np.uint64).tolist()


def test_it_is_the_nearest_one() -> None:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        wanted = np.array(drawn()).astype(np.float32).astype(np.float64).tolist()
    assert bits(list(map(nearest_single, drawn()))) == bits(wanted)


@needs_mxcsr
@each_mode
def test_no_mode_reaches_it(mode: str) -> None:
    given = drawn()[::20]
    wanted = bits(list(map(nearest_single, given)))
    with in_mode(mode):
        found = list(map(nearest_single, given))
    assert bits(found) == wanted


@pytest.mark.parametrize("form", [*BYTES.values(), FORMATS["float16"], FORMATS["bfloat16"]], ids=lambda form: form.name)
def test_what_is_taken_apart_is_put_together(form: Format) -> None:
    finite = 0
    for code in range(1 << form.width):
        parts = form.taken_apart(code)
        if parts is not None and parts[0]:
            assert form.nearest(*parts) == code
            finite += 1
    zeros = 1 + form.has_negative_zero
    others = 2 << (form.precision - 1) if form.has_infinity else 1 + form.has_negative_zero
    assert finite == (1 << form.width) - zeros - others


def test_numbers_of_onnx_are_float32_and_those_of_openvino_stay() -> None:
    assert dict(bind(lookup("onnx", "HardSigmoid", 6), {"alpha": 0.1, "beta": 0.7}).attributes) == {
        "alpha": float(np.float32(0.1)),
        "beta": float(np.float32(0.7)),
    }
    assert bind(lookup("openvino", "Clamp", 1), {"min": 0.1, "max": "0.7"}).attributes == {"min": 0.1, "max": 0.7}
    for standard, operator, name in (("onnx", "LayerNormalization", "epsilon"), ("openvino", "MVN", "eps")):
        given = {name: 1e-5} | ({} if standard == "onnx" else {"eps_mode": "inside_sqrt", "normalize_variance": True})
        assert bind(lookup(standard, operator), given).attributes[name] == float(np.float32(1e-5))
