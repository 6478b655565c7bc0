"""A call for each way of the core that takes it: a layout, a type, and numbers that a method can or cannot decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import samesum as ss
from samesum import _core, onnx
from samesum.engine import elementwise, memory


def random(*shape: int) -> np.random.Generator:
    """The same numbers for a shape, whatever was drawn before."""
    return np.random.default_rng(shape)


def normal(*shape: int, dtype: Any = "f4") -> np.ndarray[Any, Any]:
    """Normal numbers of a type; those of integers have a deviation of 50."""
    x = random(*shape).standard_normal(shape)
    return (x if "float" in np.dtype(dtype).name else 50 * x).astype(dtype)


def ties(*shape: int, dtype: Any = "f4") -> np.ndarray[Any, Any]:
    """Numbers whose sums and products are mostly halfway between two of the type, to begin with."""
    return (1 + random(*shape).integers(0, 2, shape) * float(ml_dtypes.finfo(dtype).eps)).astype(dtype)


def spread(*shape: int, width: int = 300) -> np.ndarray[Any, Any]:
    """Float64 numbers of either sign over 2^-width to 2^width."""
    return np.ldexp(random(*shape).standard_normal(shape), random(*shape, 1).integers(-width, width, shape))


def rows_of(first: list[float], n: int = 400, width: int = 100, dtype: Any = "f4") -> np.ndarray[Any, Any]:
    """Rows that begin with these numbers and go on with zeros."""
    x = np.zeros((n, width), dtype)
    x[:, : len(first)] = first
    return x


def factors(first: list[float], width: int, dtype: Any) -> np.ndarray[Any, Any]:
    """Rows of these factors, and ones."""
    return np.concatenate([np.full((40, len(first)), first), np.ones((40, width - len(first)))], axis=1).astype(dtype)


def batch_norm(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """With axis 1 as the axis of channels."""
    ones = np.ones(x.shape[1])
    return memory.normalize_batch(x, memory.Channels(1, 2, ones, 2 * ones, ones, ones, 0.0))


ABOVE_A_TIE = [1, 2.0**-24, 2.0**-90]
"""A sum in float32 that pairs of float64 tell from the tie below it."""
BELOW_A_TIE = [1 + 2.0**-52, 1 - 2.0**-52, 1 + 2.0**-52, 1.5]
"""A product in float64 that triples of it tell from the tie above it."""


def next_to_ties(n: int) -> np.ndarray[Any, Any]:
    """Rows whose sums only the superaccumulator tells from a tie: a pair of float64 loses the last number."""
    x = np.zeros((n, 320), "f4")
    x[:, ::64] = [1, 2.0**-24, 2.0**-70, 2.0**-149, -(2.0**-70)]
    return x


X, D, H, B = normal(400, 300), normal(400, 300, dtype="f8"), normal(400, 300, dtype="f2"), ties(300, 400)
I8, I32, I64 = (normal(400, 300, dtype=kind) for kind in ("i1", "i4", "i8"))
E5 = normal(400, 300).astype(ml_dtypes.float8_e5m2)
LONG = normal(3, 100_000)

Call = Callable[[], object]


def below_one(power: float) -> np.ndarray[Any, Any]:
    """Rows whose sums of exponentials are e^power above 1."""
    return np.repeat([[0.0, power]], 20, axis=0)


REDUCTIONS: dict[str, Call] = {
    "reduce.lone_positions": lambda: ss.argmax(X[:, :1], axis=1),
    "reduce.mirrored": lambda: ss.argmax(X[::-1, ::-1], axis=None),
    "reduce.two_stages": lambda: ss.argmax(X.T, axis=None),
    "reduce.reordered": lambda: ss.sum(normal(50, 60, 5).transpose(2, 1, 0), axis=1),
    "tile.columns": lambda: ss.sum(normal(50, 60, 5).transpose(2, 1, 0), axis=1),
    "reduce.groups": lambda: ss.sum(normal(100, 5, 3), axis=1),
    "tile.whole_sets": lambda: ss.sum(normal(100, 5, 3), axis=1),
    "method.short_sets": lambda: ss.sum(normal(100, 5, 3), axis=1),
    "reduce.packed": lambda: ss.sum(normal(50, 32, 32)[:, 3:13, 3:13], axis=2),
    "tile.whole_sets_transposed": lambda: ss.sum(normal(50, 32, 32)[:, 3:13, 3:13], axis=2),
    "reduce.pieces": lambda: ss.sum(LONG),
    "tile.one_run": lambda: ss.sum(LONG),
    "reduce.turns_of_results": lambda: ss.reduce(X, ["sum", "max"], axis=1),
    "tile.one_run_gathered": lambda: ss.sum(LONG[:, ::2], axis=1),
    "reduce.direct": lambda: ss.sum(X, axis=1),
    "tile.short_lanes": lambda: ss.sum(X, axis=1),
    "method.lanes_usual": lambda: ss.sum(X, axis=1),
    "tile.runs": lambda: ss.sum(normal(8, 5, 40, 40), axis=(0, 2, 3)),
    "tile.runs_packed": lambda: ss.sum(normal(8, 5, 10, 7)[..., :5], axis=(0, 2, 3)),
    "tile.columns_folded": lambda: ss.sum(normal(4000, 9), axis=0),
    "tile.columns_gathered": lambda: ss.sum(X[:, ::2], axis=0),
    "retry.lanes": lambda: ss.sum(rows_of(ABOVE_A_TIE), axis=1),
    "retry.tile": lambda: ss.sum(np.ascontiguousarray(rows_of(ABOVE_A_TIE).T), axis=0),
    "method.exact_sums": lambda: ss.sum(next_to_ties(40), axis=1),
    "method.lanes_few": lambda: ss.sum(ties(400, 60), axis=1),
    "method.lanes_singles": lambda: ss.l2_norm(H, axis=1),
    "method.special_elements": lambda: ss.sum_square(np.zeros((60, 90)), axis=1),
    "method.double_words": lambda: ss.sum(spread(60, 100), axis=1),
    "method.wrapping_sums": lambda: ss.sum(I32, axis=1),
    "method.split_integers": lambda: ss.mean(I64 << 45, axis=1),
    "method.exact_integers": lambda: onnx.ReduceLogSum(np.abs(I64) << 45, axes=[1], opset=13),
    "method.exponentials": lambda: ss.logsumexp(X, axis=1),
    "method.exponential_words": lambda: ss.logsumexp(D, axis=1),
    "tile.columns_transposed": lambda: ss.logsumexp(np.zeros((50, 64), "f4"), axis=1),
    "method.exact_exponentials": lambda: ss.logsumexp(below_one(-1000), axis=1),
    "method.wrapping_products": lambda: ss.prod(I32, axis=1),
    "method.products": lambda: ss.prod(X, axis=1),
    "method.exact_products": lambda: ss.prod(factors([1.5, 1 + 2.0**-23], 100, "f4"), axis=1),
    "method.extremes": lambda: ss.max(X, axis=1),
    "method.positions": lambda: ss.argmin(X, axis=1),
    "method.truths": lambda: ss.all(X > -9, axis=1),
    "method.byte_sums": lambda: ss.sum(E5, axis=1),
    "method.byte_extremes": lambda: ss.max(E5, axis=1),
    "method.variance_lanes": lambda: ss.var(X, axis=1),
    "method.variance_words": lambda: ss.var(D, axis=1),
    "method.exact_variances": lambda: ss.var(E5, axis=1),
}

SCANS: dict[str, Call] = {
    "scan.groups": lambda: ss.cumulative_sum(normal(100, 20, 3), axis=1),
    "scan.side_by_side": lambda: ss.cumulative_sum(normal(100, 20, 3)[:, ::-1], axis=1, include_initial=True),
    "scan.packed": lambda: ss.cumulative_sum(normal(50, 32, 32)[:, 3:13, 3:13], axis=2),
    "scan.short_plain": lambda: ss.cumulative_sum(normal(4000, 12), axis=1),
    "scan.short_transposed": lambda: ss.cumulative_sum(normal(4000, 12), axis=1, include_initial=True),
    "scan.few_rows": lambda: ss.cumulative_sum(normal(5, 4000), axis=0),
    "scan.tall_columns": lambda: ss.cumulative_sum(X, axis=0),
    "scan.columns": lambda: ss.cumulative_sum(normal(100, 4000), axis=0),
    "scan.columns_gathered": lambda: ss.cumulative_sum(normal(100, 4000)[:, ::2], axis=0),
    "scan.chunks": lambda: ss.cumulative_sum(normal(40000, 2), axis=0),
    "scan.rows": lambda: ss.cumulative_sum(normal(300), axis=0),
    "scan.streamed": lambda: ss.cumulative_sum(normal(1100, 4096), axis=1),
    "scan.repaired_products": lambda: ss.cumulative_prod(factors([1.5, 1 + 2.0**-52], 60, "f8"), axis=1),
    "scan.repaired_near_products": lambda: ss.cumulative_prod(factors([1.0] * 70 + BELOW_A_TIE, 300, "f8"), axis=1),
    "scan.repaired_sums": lambda: ss.cumulative_sum(next_to_ties(40), axis=1),
    "scan.parts": lambda: ss.cumulative_prod(1 + normal(1 << 17) * 2.0**-10, axis=0),
}

NORMALIZATIONS: dict[str, Call] = {
    "softmax.groups": lambda: ss.softmax(normal(100, 20, 3), axis=1),
    "softmax.packed": lambda: ss.softmax(normal(50, 32, 32)[:, 3:13, 3:13], axis=2),
    "softmax.transposed": lambda: ss.softmax(normal(4000, 7), axis=1),
    "softmax.rows": lambda: ss.softmax(X, axis=1),
    "softmax.rows_streamed": lambda: ss.softmax(normal(1100, 4096), axis=1),
    "softmax.columns": lambda: ss.softmax(X, axis=0),
    "softmax.columns_copied": lambda: ss.softmax(normal(200, 400)[:, ::2], axis=0),
    "softmax.gathered": lambda: ss.softmax(normal(200, 400)[:, ::2], axis=1),
    "softmax.long": lambda: ss.softmax(normal(5, 40000), axis=1),
    "softmax.long_gathered": lambda: ss.softmax(normal(40000, 3), axis=0),
    "softmax.below": lambda: ss.softmax(normal(1, 40000) + 900, axis=1),
    "norm.rows": lambda: onnx.LayerNormalization(X, np.ones(300, "f4")),
    "norm.gathered": lambda: onnx.LayerNormalization(X[:, ::2], np.ones(150, "f4")),
    "norm.batch_runs": lambda: batch_norm(normal(2, 3, 400)),
    "norm.batch_rows": lambda: batch_norm(normal(400, 3)),
    "norm.batch_columns": lambda: batch_norm(normal(400, 3, dtype="f8")),
    "elementwise.direct": lambda: elementwise.exponential(X),
    "elementwise.gathered": lambda: elementwise.exponential(X[:, ::2]),
    "elementwise.combined": lambda: elementwise.combined(bytes((elementwise.Arithmetic.ADD, 0, 0, 0)), [X]),
}


def of_ones(bias: float, epsilon: float) -> object:
    """Lines of 1 and -1 normalized, with a bias."""
    x = np.tile(np.array([1, -1], "f4"), (3, 50))
    return onnx.LayerNormalization(x, np.ones(100, "f4"), np.full(100, bias, "f4"), epsilon=epsilon)


def labelled(x: np.ndarray[Any, np.dtype[Any]], count: int) -> object:
    """Sums of rows with labels in no order."""
    return ss.segment_reduce(x, random(len(x)).integers(0, count, len(x)), 0, count)


def kept(x: np.ndarray[Any, np.dtype[Any]]) -> object:
    state = ss.State(["sum"], axis=1)
    state.update(x)
    return state.result()


IMAGE = normal(1, 4, 32, 32)


def products(a: np.ndarray[Any, np.dtype[Any]], b: np.ndarray[Any, np.dtype[Any]]) -> None:
    _core.contract(a, b, None, np.empty((len(a), len(b)), a.dtype), 0, 1, 1, 1, 1.0, 0.0)


def cancelling(n: int) -> tuple[np.ndarray[Any, np.dtype[Any]], np.ndarray[Any, np.dtype[Any]]]:
    """Rows whose products cancel but for a little."""
    a, nearly = normal(n, 50), 1 + random(n, 51).integers(-4, 5, (n, 50)) * 2.0**-23
    return np.hstack([a, -a]), np.hstack([a, (a * nearly).astype("f4")])


PAIRS: dict[str, Call] = {
    "contraction.winograd": lambda: ss.conv(normal(1, 8, 16, 16), normal(16, 8, 3, 3), padding=1),
    "contraction.twice": lambda: products(*cancelling(40)),
    "contraction.double_words": lambda: products(normal(4, 50, dtype="f8"), normal(4, 50, dtype="f8")),
    "contraction.exact": lambda: products(
        rows_of([1, 2.0**-24, 2.0**-60, 2.0**-130, -(2.0**-60)], 4, 9, "f4"), np.ones((4, 9), "f4")
    ),
    "dot.rows": lambda: ss.vecdot(X, X),
    "dot.columns": lambda: ss.vecdot(X, X, axis=0),
    "dot.columns_folded": lambda: ss.vecdot(normal(4000, 9), normal(4000, 9), axis=0),
    "dot.exact": lambda: ss.vecdot(rows_of([1, 2.0**-53], dtype="f8"), np.ones((400, 100))),
    "attention.words": lambda: ss.scaled_dot_product_attention(
        np.zeros((1, 2), "f"), np.ones((2, 2), "f"), np.float32([[1], [1 + 2.0**-23]])
    ),
    "scan.whole_lines": lambda: ss.cumulative_max(X, axis=1),
    "scan.exponentials": lambda: ss.cumulative_logsumexp(X, axis=0),
    "scan.exponential_parts": lambda: ss.cumulative_logsumexp(LONG[:, :2000], axis=1),
    "scan.repaired_exponential_words": lambda: ss.cumulative_logsumexp(
        random(1, 400_000).normal(0, 1, (1, 400_000)), axis=1
    ),
    "scan.repaired_exponentials": lambda: ss.cumulative_logsumexp(below_one(-1000), axis=1),
    "norm.words": lambda: of_ones(2.0**-24, 2.0**-60),
    "norm.exact": lambda: of_ones(2.0**-24, 0.0),
}

PLACES: dict[str, Call] = {
    "mask.without_nan": lambda: ss.nansum(X, axis=0),
    "mask.filled": lambda: ss.sum(normal(4, 600), axis=1, where=normal(4, 600) > 0),
    "mask.picked": lambda: ss.var(normal(4, 600), axis=1, where=normal(4, 600) > 0),
    "segment.by_label": lambda: labelled(normal(3000), 10),
    "segment.uncertain": lambda: labelled(np.resize(np.array(ABOVE_A_TIE, "f4"), 3), 1),
    "segment.in_order": lambda: labelled(X.astype("f8"), 10),
    "segment.pieces": lambda: labelled(normal(20_000, 64).astype("f8"), 2),
    "window.rows": lambda: onnx.AveragePool(IMAGE, kernel_shape=[3, 3]),
    "window.gathered": lambda: onnx.AveragePool(IMAGE.astype("f8"), kernel_shape=[3, 3]),
    "window.terms": lambda: onnx.Sum(X, X, X),
    "state.kept_blocks": lambda: kept(X),
    "state.exact_blocks": lambda: kept(spread(20, 3000, width=900)),
}

CALLS = REDUCTIONS | SCANS | NORMALIZATIONS | PAIRS | PLACES
"""By the way that each takes, on every instruction set."""
