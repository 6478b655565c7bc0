"""Many drawn lines: normalizations of the narrow formats beside long double, which leaves one in 2^30 in doubt."""

import ml_dtypes
import numpy as np
import pytest

import samesum as ss

LONG = np.longdouble
ROUNDS = 60
ELEMENTS = 300_000


def rounded_to_odd(x):
    """In float32, so that rounding again to a format of 16 bits rounds once."""
    nearest = x.astype(np.float32)
    rest = x - nearest.astype(LONG)
    bits = nearest.view(np.int32)
    away = np.where((rest > 0) == (nearest > 0), 1, -1).astype(np.int32)
    return np.where((rest != 0) & (bits & 1 == 0), bits + away, bits).view(np.float32)


def rounded(x, dtype):
    return x.astype(np.float32) if dtype == np.float32 else rounded_to_odd(x).astype(dtype)


def expected(x, eps):
    """The lines normalized about their means, and by their squares alone."""
    centred = x - x.mean(1, keepdims=True)
    centred -= centred.mean(1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(1, keepdims=True) + eps)
    return centred / deviation, x / np.sqrt((x * x).mean(1, keepdims=True) + eps)


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(LONG).nmant < 63, reason="long double has no more bits than double")
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_fifty_million_results_of_each_format_are_the_nearest(dtype):
    rng = np.random.default_rng(2026)
    count = 0
    for _ in range(ROUNDS):
        n = int(rng.choice([3, 17, 64, 100, 768, 1024, 4096]))
        x = (rng.standard_normal((ELEMENTS // n, n)) + rng.choice([0, 1, 30, 1000])).astype(dtype)
        weight, bias = (rng.standard_normal(n).astype(dtype) for _ in range(2))
        centred, by_squares = expected(x.astype(LONG), LONG(1e-5))
        for found, exact in (
            (ss.layer_norm(x, n, weight, bias), centred * weight.astype(LONG) + bias.astype(LONG)),
            (ss.layer_norm(x, n), centred),
            (ss.rms_norm(x, n, weight, eps=1e-5), by_squares * weight.astype(LONG)),
        ):
            np.testing.assert_array_equal(found, rounded(exact, dtype))
            count += found.size
    assert count > 50_000_000
