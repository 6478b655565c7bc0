"""Reductions of PyTorch's on the CPU by samesum."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import torch

from samesum.algebra.rows import L1_NORM, L2_NORM, LOGSUMEXP, MAX, MEAN, MIN, PROD, STD, SUM, VAR, Reduction
from samesum.engine.memory import KEEPDIMS, reduce, reduce_corrected_by_code
from samesum.frontends.arrays.vector_norms import vector_norm
from samesum.frontends.plugins.torch_overrides import FLOATS, Kernel, NotHere, Override, array_of, tensor_of, with_out


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


def _sum(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    return _total(SUM, x, dim, keepdim, dtype)


def _mean(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    if (dtype or x.dtype) not in FLOATS:
        raise NotHere
    return _reduced(MEAN, x.to(dtype or x.dtype), dim, keepdim)


def _prod(x: torch.Tensor, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    return _total(PROD, x, None, False, dtype)


def _prod_along(x: torch.Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    return _total(PROD, x, dim, keepdim, dtype)


def _amin(x: torch.Tensor, dim: Any = (), keepdim: bool = False) -> torch.Tensor:
    return _reduced(MIN, x, dim, keepdim)


def _amax(x: torch.Tensor, dim: Any = (), keepdim: bool = False) -> torch.Tensor:
    return _reduced(MAX, x, dim, keepdim)


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
    "sum": with_out("sum.dim_IntList", "sum.IntList_out", _sum, True),
    "mean": with_out("mean.dim", "mean.out", _mean, True),
    "amin": with_out("amin", "amin.out", _amin),
    "amax": with_out("amax", "amax.out", _amax),
    "prod": (Override("prod", _prod), *with_out("prod.dim_int", "prod.int_out", _prod_along, True)),
    "var": _spread_overrides("var", VAR),
    "std": _spread_overrides("std", STD),
    "norm": (
        *with_out("linalg_vector_norm", "linalg_vector_norm.out", _norm),
        *with_out("norm.ScalarOpt_dim", "norm.out", _norm),
    ),
    "logsumexp": with_out("logsumexp", "logsumexp.out", _logsumexp),
}
