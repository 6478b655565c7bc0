"""The worst time an element over data made to be slow, as a multiple of that over ordinary data: a Markdown table.

python benchmarks/hostile.py [--only PATTERN] [--type float64] [--above 1] [--rounds N]

Nanoseconds of processor time an element on one thread, the least of the rounds. Each function meets each kind of data
in each shape; its row has the kind and the shape with the greatest multiple of the ordinary time in the same shape.
Kinds: huge and subnormal numbers among others, exponents over the whole range, subnormal numbers alone, pairs that
cancel around a small rest, sums in the middle of two numbers, equal elements, NaNs with any payload, infinities.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

import samesum as ss
from samesum.engine import elementwise
from samesum.engine.memory import Channels, normalize_batch
from samesum.formats.arrays import NDArray
from samesum.operators.activations import hard_sigmoid

Function = Callable[[NDArray, int], Any]
DTYPES = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
SHAPES = {"rows of 40": ((500, 40), 1), "rows of 3": ((4000, 3), 1), "rows of 5000": ((4, 5000), 1)}
SHAPES |= {"columns of 40": ((40, 500), 0), "columns of 1000": ((1000, 20), 0)}
# For functions of one element.
FLAT = {"20000 elements": ((20000,), 0)}


def ordinary(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return rng.normal(size=n).astype(dtype)


def _ends(dtype: Any) -> tuple[float, float]:
    info = ml_dtypes.finfo(dtype)
    return float(info.max), float(info.smallest_subnormal)


def huge_and_tiny(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    """A fifth of the elements at the ends of the range."""
    most, least = _ends(dtype)
    x = rng.normal(size=n)
    ends = rng.random(n) < 0.2
    x[ends] = rng.choice([most / 2, -most / 2, least, -least], ends.sum())
    return x.astype(dtype)


def any_bits(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    bits = rng.integers(0, 1 << 63, n, dtype=np.int64).astype(f"i{np.dtype(dtype).itemsize}")
    x = (bits * np.array([1, -1], bits.dtype)[rng.integers(0, 2, n)]).view(dtype)
    return np.where(np.isfinite(x), x, np.ones_like(x))


def subnormals(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return (rng.integers(-1000, 1000, n) * _ends(dtype)[1]).astype(dtype)


def tiny(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return (rng.normal(size=n) * float(ml_dtypes.finfo(dtype).smallest_normal) * 4).astype(dtype)


def huge(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return (rng.uniform(-1, 1, n) * _ends(dtype)[0]).astype(dtype)


def cancelling(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    x = np.repeat(rng.uniform(1, 2, n // 2 + 1), 2)[:n]
    x[1::2] *= -1
    x[:: max(n // 50, 7)] = 2.0 ** -rng.integers(20, 120)
    return rng.permutation(x.astype(dtype))


def cancelling_far_apart(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    x = any_bits(dtype, n, rng)
    x[1::2] = -x[: n // 2 * 2 : 2]
    x[:: max(n // 50, 7)] = 1
    return x


def ties(dtype: Any, n: int, _: np.random.Generator) -> NDArray:
    """In each three elements one and a half of its last place: sums and means are in the middle of two numbers."""
    last = float(ml_dtypes.finfo(dtype).eps)
    return np.resize([1.0, last / 2, 0.0], n).astype(dtype)


def ties_told_by_the_least(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    x = ties(dtype, n, rng)
    x[2::3] = rng.choice([-1, 1], len(x[2::3])) * np.array(_ends(dtype)[1]).astype(dtype)
    return x


def equal(dtype: Any, n: int, _: np.random.Generator) -> NDArray:
    return np.full(n, 0.1).astype(dtype)


def two_values(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return np.where(rng.random(n) < 0.5, 3.0, -3.0).astype(dtype)


def near_one(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return (1 + rng.integers(-3, 4, n) * float(ml_dtypes.finfo(dtype).eps)).astype(dtype)


def nans(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    x = ordinary(dtype, n, rng)
    bits = x.view(f"u{x.itemsize}")
    infinity = int(np.array(np.inf).astype(dtype).view(bits.dtype))
    bits[rng.random(n) < 0.2] = infinity | 1 + int(rng.integers(0, 50))
    return x


def infinities(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    x = ordinary(dtype, n, rng)
    x[rng.random(n) < 0.2] = np.inf
    return x


def far_below_zero(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    """Where exponentials are subnormal."""
    least = np.log(float(ml_dtypes.finfo(dtype).smallest_normal))
    return (least * rng.uniform(0.98, 1.05, n)).astype(dtype)


def far_angles(dtype: Any, n: int, rng: np.random.Generator) -> NDArray:
    return (rng.uniform(0.1, 1, n) * min(_ends(dtype)[0], 1e300)).astype(dtype)


KINDS = (
    *(huge_and_tiny, any_bits, subnormals, tiny, huge, cancelling, cancelling_far_apart, ties, ties_told_by_the_least),
    *(equal, two_values, near_one, nans, infinities, far_below_zero, far_angles),
)


def _weighted(x: NDArray, axis: int, value: float, term: float) -> tuple[NDArray, NDArray]:
    n = x.shape[axis]
    return np.resize([value, -value, 1.0], n).astype(x.dtype), np.full(n, term).astype(x.dtype)


def layer_norm(x: NDArray, axis: int, value: float = 0.0, term: float = 0.0, eps: float = 1e-5) -> Any:
    lines = x if axis == 1 else x.T
    weights = _weighted(x, axis, value, term) if value else ()
    return ss.layer_norm(lines, lines.shape[1], *weights, eps=eps)


def group_norm(x: NDArray, axis: int) -> Any:
    return ss.group_norm((x if axis == 1 else x.T)[:, None, :], 1)


def rms_norm(x: NDArray, axis: int) -> Any:
    lines = x if axis == 1 else x.T
    return ss.rms_norm(lines, lines.shape[1])


def batch_norm(x: NDArray, _: int) -> Any:
    scale, bias, mean, variance = np.array([[1.5, -0.3, 1e-3], [0.5, 0.0, 1.0], [0.1, 0.0, 3.0], [1.0, 2.0, 0.5]])
    rows = x.reshape(-1)[: x.size // 3 * 3].reshape(-1, 3)
    return normalize_batch(rows, Channels(1, 2, scale, bias, mean, variance, 1e-5))


def segments(x: NDArray, axis: int) -> Any:
    labels = np.arange(x.shape[axis]) * 7 % 5
    return ss.segment_reduce(x, labels, axis, 5)


def over_axis(function: Callable[..., Any], x: NDArray, axis: int) -> Any:
    return function(x, axis=axis)


def of_each(function: Callable[..., Any], x: NDArray, _: int) -> Any:
    return function(x)


SETS: dict[str, Function] = {
    **{
        name: partial(over_axis, getattr(ss, name))
        for name in (
            *(
                "sum",
                "mean",
                "l1_norm",
                "l2_norm",
                "sum_square",
                "prod",
                "log_sum",
                "logsumexp",
                "min",
                "max",
                "argmin",
            ),
            *("argmax", "any", "all", "count_nonzero", "var", "std", "nansum", "nanmean", "nanvar", "nanmin"),
            *("cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_logsumexp", "softmax", "log_softmax"),
        )
    },
    "sum, where": lambda x, axis: ss.sum(x, axis=axis, where=np.resize([True, False, True], x.shape)),
    "vector_norm of order 3": lambda x, axis: ss.vector_norm(x, axis=axis, ord=3),
    "vecdot": lambda x, axis: ss.vecdot(x, x[::-1], axis=axis),
    "segment_reduce": segments,
    "layer_norm": layer_norm,
    "layer_norm, eps 0": partial(layer_norm, eps=0.0),
    "layer_norm, weight, bias": partial(layer_norm, value=1.5, term=0.5),
    "layer_norm, a weight of half a place": partial(layer_norm, value=2.0**-24, term=1.0),
    "group_norm": group_norm,
    "rms_norm": rms_norm,
    "BatchNormalization": batch_norm,
}
ELEMENTS: dict[str, Function] = {
    **{
        name: partial(of_each, getattr(elementwise, name))
        for name in (
            *("exponential", "logarithm", "sigmoid", "tanh", "erf", "gelu", "gelu_tanh", "softplus", "sine", "cosine"),
        )
    },
    "HardSigmoid": lambda x, _: hard_sigmoid(x, 0.2, 0.5),
    "power, 2.5": lambda x, _: elementwise.power(x, np.array(2.5, x.dtype)),
    "power, -3": lambda x, _: elementwise.power(x, np.array(-3.0, x.dtype)),
    "power of itself": lambda x, _: elementwise.power(np.abs(x), x),
}


def nanoseconds(call: Callable[[], object], size: int, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
        if best > 0.2:
            break
    return best / size * 1e9


def rows(function: Function, shapes: dict[str, Any], dtype: Any, rounds: int) -> Iterator[tuple[Any, ...]]:
    """The ratio, the ordinary and the worst time of each kind and shape."""
    for where, (shape, axis) in shapes.items():
        size = int(np.prod(shape))
        rng = np.random.default_rng(1)
        usual = nanoseconds(partial(function, ordinary(dtype, size, rng).reshape(shape), axis), size, 3 * rounds)
        for kind in KINDS:
            x = kind(dtype, size, rng).reshape(shape)
            worst = nanoseconds(partial(function, x, axis), size, rounds)
            yield worst / usual, usual, worst, f"{kind.__name__.replace('_', ' ')}, {where}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="functions whose name matches")
    parser.add_argument("--type", default="", metavar="NAME", help="one type")
    parser.add_argument("--above", type=float, default=0.0, metavar="RATIO", help="rows with a greater ratio")
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    ss.set_num_threads(1)
    print("| function | type | ordinary ns | worst ns | ratio | data |\n|---|---|---:|---:|---:|---|", flush=True)
    for functions, shapes in ((SETS, SHAPES), (ELEMENTS, FLAT)):
        for name, function in functions.items():
            for dtype in (each for each in DTYPES if chosen.type in ("", np.dtype(each).name)):
                if not re.search(chosen.only, name):
                    continue
                with np.errstate(all="ignore"):
                    ratio, usual, worst, data = max(rows(function, shapes, dtype, chosen.rounds))
                if ratio >= chosen.above:
                    kind = np.dtype(dtype).name
                    print(f"| {name} | {kind} | {usual:.3g} | {worst:.4g} | {ratio:.3g} | {data} |", flush=True)


if __name__ == "__main__":
    main()
