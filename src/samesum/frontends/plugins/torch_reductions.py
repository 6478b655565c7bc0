"""Reductions of PyTorch's on the CPU by samesum."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import torch

from samesum.algebra.rows import (
    CUMULATIVE_PROD,
    CUMULATIVE_SUM,
    L1_NORM,
    L2_NORM,
    LOG_SOFTMAX,
    LOGSUMEXP,
    MAX,
    MEAN,
    MIN,
    PROD,
    SOFTMAX,
    STD,
    SUM,
    VAR,
    Normalization,
    Reduction,
    Scan,
)
from samesum.engine.memory import KEEPDIMS, normalize, reduce, reduce_corrected_by_code, scan
from samesum.engine.segments import reduce_labelled, scatter_elements
from samesum.frontends.arrays.dots import vector_norm
from samesum.frontends.plugins.torch_overrides import (
    FLOATS,
    INTEGERS,
    Kernel,
    NotHere,
    Override,
    array_of,
    check,
    tensor_of,
    with_out,
)

# Scans and softmaxes of PyTorch's on the CPU by samesum.


def _scanned(row: Scan) -> Kernel:
    def compute(x: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> torch.Tensor:
        wanted = dtype if dtype is not None else x.dtype if x.dtype in FLOATS else torch.int64
        if x.dim() == 0 or (wanted not in FLOATS and (x.dtype in FLOATS or wanted != torch.int64)):
            raise NotHere
        return tensor_of(scan(row, array_of(x.to(wanted)), dim))

    return compute


def _normalized(row: Normalization) -> Kernel:
    def compute(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
        if x.dim() == 0 or half_to_float or x.dtype not in FLOATS:
            raise NotHere
        return tensor_of(normalize(row, array_of(x), dim))

    return compute


def _scan_overrides(name: str, row: Scan) -> tuple[Override, ...]:
    compute = _scanned(row)
    return *with_out(name, f"{name}.out", compute, True), Override(f"{name}_", compute, True)


LINES: dict[str, tuple[Override, ...]] = {
    "cumsum": _scan_overrides("cumsum", CUMULATIVE_SUM),
    "cumprod": _scan_overrides("cumprod", CUMULATIVE_PROD),
    "softmax": with_out("_softmax", "_softmax.out", _normalized(SOFTMAX)),
    "log_softmax": with_out("_log_softmax", "_log_softmax.out", _normalized(LOG_SOFTMAX)),
}


# Scatters of PyTorch's on the CPU that reduce, by samesum.

_ROWS = {"sum": SUM, "prod": PROD, "mean": MEAN, "amax": MAX, "amin": MIN}


def _checked(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor) -> int:
    """The axis from the front. What PyTorch refuses is left to it."""
    check(index, (torch.int32, torch.int64))
    check(source, FLOATS + INTEGERS)
    is_known = source.dtype == x.dtype and x.dtype != torch.bool and -x.dim() <= dim < x.dim()
    if not is_known or int(index.min()) < 0 or int(index.max()) >= x.shape[dim]:
        raise NotHere
    rank: int = x.dim()
    return dim % rank


def _scattered(
    row: Reduction, x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, include_self: bool
) -> torch.Tensor:
    axis = _checked(x, dim, index, source)
    sizes = list(zip(x.shape, index.shape, source.shape, strict=False))
    is_part = index.dim() == x.dim() == source.dim() and all(
        places <= given and (places <= own or i == axis) for i, (own, places, given) in enumerate(sizes)
    )
    if not is_part or (row is MEAN and x.dtype not in FLOATS):
        raise NotHere
    part = source.detach()[tuple(slice(0, size) for size in index.shape)]
    return tensor_of(scatter_elements(array_of(x), axis, array_of(index), array_of(part), row, include_self))


def _scatter_add(x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    return _scattered(SUM, x, dim, index, src, True)


def _scatter_reduce(
    x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, reduce: str, *, include_self: bool = True
) -> torch.Tensor:
    if reduce not in _ROWS:
        raise NotHere
    return _scattered(_ROWS[reduce], x, dim, index, src, include_self)


def _index_add(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *, alpha: Any = 1) -> torch.Tensor:
    axis = _checked(x, dim, index, source)
    shape = (*x.shape[:axis], index.numel(), *x.shape[axis + 1 :])
    if alpha != 1 or index.dim() != 1 or tuple(source.shape) != shape:
        raise NotHere
    result = x.clone(memory_format=torch.contiguous_format)
    reduce_labelled(SUM, array_of(source.detach()), axis, array_of(index), array_of(result), initial=array_of(x))
    return result


SCATTERS: dict[str, tuple[Override, ...]] = {
    "scatter_add": (*with_out("scatter_add", "scatter_add.out", _scatter_add), Override("scatter_add_", _scatter_add)),
    "scatter_reduce": (
        *with_out("scatter_reduce.two", "scatter_reduce.two_out", _scatter_reduce),
        Override("scatter_reduce_.two", _scatter_reduce),
    ),
    "index_add": (*with_out("index_add", "index_add.out", _index_add), Override("index_add_", _index_add)),
}


def _dims(x: torch.Tensor, dim: Sequence[int] | int | None) -> tuple[int, ...] | None:
    """The axes as the core takes them; to PyTorch none are all, and a scalar has one."""
    dims = (dim,) if isinstance(dim, int) else tuple(dim or ())
    if x.dim() == 0 and all(each in (0, -1) for each in dims):
        return None
    return dims or None


def _reduced(row: Reduction, x: torch.Tensor, dim: Sequence[int] | int | None, keepdim: bool) -> torch.Tensor:
    return tensor_of(reduce(row, array_of(x), _dims(x, dim), KEEPDIMS if keepdim else 0))


def _total(row: Reduction, x: torch.Tensor, dim: Any, keepdim: bool, dtype: torch.dtype | None) -> torch.Tensor:
    """Integers are added up in int64 unless another type is asked for; PyTorch converts before it adds up."""
    wanted = dtype if dtype is not None else x.dtype if x.dtype in FLOATS else torch.int64
    if wanted not in FLOATS and (x.dtype in FLOATS or wanted != torch.int64):
        raise NotHere
    return _reduced(row, x.to(wanted), dim, keepdim)


def _totalled(row: Reduction) -> Kernel:
    def compute(
        x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
    ) -> torch.Tensor:
        return _total(row, x, dim, keepdim, dtype)

    return compute


def _mean(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    if (dtype or x.dtype) not in FLOATS:
        raise NotHere
    return _reduced(MEAN, x.to(dtype or x.dtype), dim, keepdim)


def _along(row: Reduction) -> Kernel:
    return lambda x, dim=(), keepdim=False: _reduced(row, x, dim, keepdim)


def _norm(x: torch.Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False, **named: Any) -> torch.Tensor:
    """The orders that samesum does not have raise an error of its own, and are left to PyTorch as well."""
    if x.dtype not in FLOATS or named.get("dtype") not in (None, x.dtype):
        raise NotHere
    order = 2.0 if p is None else float(p)
    row = {2.0: L2_NORM, 1.0: L1_NORM}.get(order)
    if row is not None:
        return _reduced(row, x, dim, keepdim)
    result = vector_norm(array_of(x), axis=_dims(x, dim), keepdims=keepdim, ord=order)
    return tensor_of(np.asarray(result))


def _logsumexp(x: torch.Tensor, dim: Any, keepdim: bool = False) -> torch.Tensor:
    if x.dtype not in FLOATS:
        raise NotHere
    return _reduced(LOGSUMEXP, x, dim, keepdim)


def _spread(row: Reduction) -> Kernel:
    """The variance or its root. Where N - correction is not positive the answer, and a warning, are PyTorch's."""

    def compute(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> torch.Tensor:
        number = 1.0 if correction is None else float(correction)
        dims = _dims(x, dim)
        count = x.numel() if dims is None else prod(x.shape[each] for each in dims)
        if x.dtype not in FLOATS or not count - number > 0:
            raise NotHere
        flags = KEEPDIMS if keepdim else 0
        return tensor_of(reduce_corrected_by_code(row.code, array_of(x), dims, flags, None, None, number))

    return compute


def _with_mean(compute: Kernel) -> Kernel:
    def both(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        return compute(x, dim, correction=correction, keepdim=keepdim), _reduced(MEAN, x, dim, keepdim)

    return both


def _spread_overrides(name: str, row: Reduction) -> tuple[Override, ...]:
    compute = _spread(row)
    return (
        *with_out(f"{name}.correction", f"{name}.correction_out", compute),
        Override(f"{name}_mean.correction", _with_mean(compute)),
    )


REDUCTIONS: dict[str, tuple[Override, ...]] = {
    "sum": with_out("sum.dim_IntList", "sum.IntList_out", _totalled(SUM), True),
    "mean": with_out("mean.dim", "mean.out", _mean, True),
    "amin": with_out("amin", "amin.out", _along(MIN)),
    "amax": with_out("amax", "amax.out", _along(MAX)),
    "prod": (Override("prod", _totalled(PROD)), *with_out("prod.dim_int", "prod.int_out", _totalled(PROD), True)),
    "var": _spread_overrides("var", VAR),
    "std": _spread_overrides("std", STD),
    "norm": (
        *with_out("linalg_vector_norm", "linalg_vector_norm.out", _norm),
        *with_out("norm.ScalarOpt_dim", "norm.out", _norm),
    ),
    "logsumexp": with_out("logsumexp", "logsumexp.out", _logsumexp),
}
