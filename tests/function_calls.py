"""One call or more of every function on arrays, with data that modes change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

import samesum as ss
from samesum.formats.arrays import BFLOAT16, NDArray

DTYPES = tuple(map(np.dtype, ("float16", BFLOAT16, "float32", "float64", "int32", "int64", "bool")))
BYTES = frozenset({"int8", "uint8"})
SHAPE = (2, 4, 3, 4)
Outputs = tuple[NDArray, ...]


@dataclass(frozen=True)
class Call:
    """`run(*arrays)` gives arrays."""

    name: str
    arrays: tuple[NDArray | None, ...]
    run: Callable[..., Outputs]

    def now(self) -> Outputs:
        return self.run(*self.arrays)

    def swapped(self) -> Call:
        """The call with every array in the other byte order."""
        return replace(self, arrays=tuple(None if x is None else swapped(x) for x in self.arrays))


def swapped(x: NDArray) -> NDArray:
    """The elements in the other byte order; bfloat16 has none."""
    return x if x.dtype == BFLOAT16 else x.astype(x.dtype.newbyteorder("S"))


def data(dtype: Any, shape: tuple[int, ...], seed: int = 0, is_tiny: bool = False) -> NDArray:
    """Floats near 1 with a deviation of 0.003, or tiny ones, most of them subnormal; integers that float64 rounds."""
    dtype, random = np.dtype(dtype), np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    if dtype.kind in "iu":
        return np.asarray(random.integers(1, 9, shape) * (1 if dtype.itemsize < 8 else 2**57 + 1), dtype)
    if is_tiny:
        least = float(ml_dtypes.finfo(dtype).smallest_subnormal)  # type: ignore[no-untyped-call]
        return np.asarray(random.integers(-(2 ** ml_dtypes.finfo(dtype).nmant), 2, shape) * least).astype(dtype)  # type: ignore[no-untyped-call]
    return np.asarray(1 + 3e-3 * random.standard_normal(shape)).astype(dtype)


def _scanned(name: Any, **options: Any) -> Callable[..., Any]:
    """A state that goes on: the prefixes of two chunks."""

    def run(x: NDArray) -> Outputs:
        scan = ss.Scan(name, 0, **options)
        return scan.update(x[:1]), scan.update(x[1:])

    return run


def _kept(names: Any, **options: Any) -> Callable[..., Any]:
    """The results of a state that was merged with another, and through bytes."""

    def run(x: NDArray) -> Any:
        state, other = ss.State(names, 1, **options), ss.State(names, 1, **options)
        state.update(x[:, :2])
        other.update(x[:, 2:])
        state.merge(ss.State.from_bytes(other.to_bytes()))
        return state.result()

    return run


REDUCTIONS = (
    "sum", "mean", "l1_norm", "l2_norm", "sum_square", "prod", "min", "max", "var", "std", "log_sum", "logsumexp",
    "count_nonzero", "nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd", "all", "any", "argmin",
    "argmax",
)  # fmt: skip
SEGMENTS = (
    "sum", "mean", "prod", "min", "max", "var", "std", "l1_norm", "l2_norm", "sum_square", "log_sum", "logsumexp",
)  # fmt: skip
CONVERTED = ("sum", "mean", "l2_norm", "var", "logsumexp")
STATE = ["sum", "mean", "var", "l2_norm", "prod", "min", "argmax", "log_sum", "logsumexp"]
OTHER = data("float64", SHAPE, 5)
LABELS, MASK = np.array([1, 0, 1, 2]), np.arange(96).reshape(SHAPE) % 5 > 0
Function = tuple[str, tuple[tuple[int, ...] | NDArray, ...], Callable[..., Any]]


def _reduction(name: str) -> Callable[..., Any]:
    return lambda x: getattr(ss, name)(x, 1)


def _masked(name: str) -> Callable[..., Any]:
    return lambda x, mask: getattr(ss, name)(x, 1, where=mask)


def _asked(name: str) -> Callable[..., Any]:
    return lambda x: getattr(ss, name)(x, 1, dtype=np.float32)


def _norm(order: float, **options: Any) -> Callable[..., Any]:
    return lambda x: ss.vector_norm(x, 1, ord=order, **options)


def _segments(name: Any) -> Callable[..., Any]:
    return lambda x, labels: ss.segment_reduce(x, labels, 1, reduce=name)


def _scatters(name: Any) -> Callable[..., Any]:
    return lambda x, labels, y: ss.scatter_reduce(x, 1, labels, y, name)


FUNCTIONS: dict[str, Function] = {
    **{name: ("fiub", (SHAPE,), _reduction(name)) for name in REDUCTIONS},
    **{f"masked {name}": ("fiub", (SHAPE, MASK), _masked(name)) for name in REDUCTIONS},
    **{f"{name} as float32": ("fiub", (SHAPE,), _asked(name)) for name in CONVERTED},
    **{f"segment_reduce {name}": ("fiu", (SHAPE, LABELS), _segments(name)) for name in SEGMENTS},
    **{
        f"scatter_reduce {name}": ("fiu", (SHAPE, LABELS, SHAPE), _scatters(name))
        for name in ("sum", "prod", "mean", "min")
    },
    **{f"vector_norm {order}": ("fiu", (SHAPE,), _norm(order)) for order in (0, 1, 2, 3, np.inf, -np.inf)},
    "vector_norm as float32": ("fiu", (SHAPE,), _norm(3, dtype=np.float32)),
    "reduce": ("fiu", (SHAPE,), lambda x: ss.reduce(x, STATE, 1)),
    "var with correction": ("fiu", (SHAPE,), lambda x: ss.var(x, 1, correction=0.3)),
    "average": ("f", (SHAPE,) * 2, lambda x, w: ss.average(x, 1, w)),
    "average by lines": ("f", (SHAPE, (4,)), lambda x, w: ss.average(x, -1, w)),
    "vecdot": ("fiu", (SHAPE,) * 2, lambda x, y: ss.vecdot(x, y)),
    "vecdot of two types": ("fiu", (SHAPE, OTHER), lambda x, y: ss.vecdot(x, y)),
    "vecdot as float32": ("f", (SHAPE,) * 2, lambda x, y: ss.vecdot(x, y, dtype=np.float32)),
    "matmul": ("fiu", (SHAPE, (2, 4, 4, 3)), ss.matmul),
    "tensordot": ("fiu", (SHAPE, SHAPE), lambda x, y: ss.tensordot(x, y, axes=([1, 3], [1, 3]))),
    "einsum": ("fiu", (SHAPE, SHAPE), lambda x, y: ss.einsum("abcd,ebfd->aebcf", x, y)),
    "conv": ("f", (SHAPE, (3, 4, 2, 2), (3,)), lambda x, w, b: ss.conv(x, w, b, padding=1)),
    "scaled_dot_product_attention": ("f", (SHAPE,) * 3, ss.scaled_dot_product_attention),
    "layer_norm": ("f", (SHAPE, (4,), (4,)), lambda x, w, b: ss.layer_norm(x, 4, w, b)),
    "layer_norm with weights": ("f", (SHAPE,), lambda x: ss.layer_norm(x, 4, [0.1, 2, 3, 4], np.arange(4), 0.1)),
    "rms_norm": ("f", (SHAPE, (4,)), lambda x, w: ss.rms_norm(x, 4, w)),
    "group_norm": ("f", (SHAPE, (4,), (4,)), lambda x, w, b: ss.group_norm(x, 2, w, b)),
    "softmax": ("f", (SHAPE,), ss.softmax),
    "log_softmax": ("f", (SHAPE,), ss.log_softmax),
    **{
        f"cumulative_{name}": ("fiu", (SHAPE,), lambda x, name=name: getattr(ss, f"cumulative_{name}")(x, 1))
        for name in ("sum", "prod", "min", "max")
    },
    "cumulative_logsumexp": ("f", (SHAPE,), lambda x: ss.cumulative_logsumexp(x, 1)),
    "cumulative_sum as float32": ("fiu", (SHAPE,), lambda x: ss.cumulative_sum(x, 1, dtype=np.float32)),
    **{f"Scan {name}": ("fiu", (SHAPE,), _scanned(name)) for name in ("sum", "prod", "min", "max")},
    "Scan sum as float32": ("fiu", (SHAPE,), _scanned("sum", dtype=np.float32)),
    **{
        f"initial {name}": ("f", (SHAPE,), lambda x, name=name: getattr(ss, name)(x, 1, initial=0.1))
        for name in ("sum", "prod", "min", "max")
    },
    "State": ("fiu", (SHAPE,), _kept(STATE)),
    "State as float32": ("fiu", (SHAPE,), _kept(["sum", "mean", "var"], dtype=np.float32)),
}
"""Of each function on arrays the kinds of types that it takes, its arrays or their shapes, and the call."""
EAGER = (
    "average",
    "matmul",
    "tensordot",
    "einsum",
    "conv",
    "scaled_dot_product_attention",
    "softmax",
    "log_softmax",
    "layer_norm",
    "rms_norm",
    "group_norm",
    "vector_norm 3",
    "vector_norm as",
    "masked",
    "initial",
    "Scan",
    "State",
    "scatter_reduce",
    "cumulative_logsumexp",
    "reduce",
)
"""What the names of calls begin with that are not asked of Dask arrays, or that these do not have."""
