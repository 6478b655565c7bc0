"""Kernels for PyTorch's operators on the CPU: samesum's results, or the kernel's that was there before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
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
    SUM,
    Normalization,
    Reduction,
    Scan,
)
from samesum.engine.memory import KEEPDIMS, normalize, reduce, scan
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray

Kernel = Callable[..., torch.Tensor]

_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool)


class NotHere(Exception):
    """What is asked for is left to PyTorch's own kernel."""


@dataclass(frozen=True, slots=True)
class Override:
    """An overload of an aten operator, and what it is to compute: `compute(x, ...)` with the overload's arguments.

    It raises NotHere for arguments that it does not serve.
    """

    overload: str
    compute: Kernel
    takes_dtype: bool = False

    def kernel(self) -> Kernel:
        """What PyTorch is to call: the set of dispatch keys comes first, and a tensor to write to may come last."""
        before = torch.library.get_kernel(f"aten::{self.overload}", "CPU")

        def run(keys: Any, x: torch.Tensor, *arguments: Any, **named: Any) -> torch.Tensor:
            try:
                result = self._result(x, arguments, dict(named))
            except (NotHere, SamesumError):
                theirs: torch.Tensor = before.call_boxed(keys, x, *arguments, **named)
                return theirs
            out = x if self.overload.endswith("_") else named.get("out")
            return result if out is None else _written(result, out)

        return run

    def _result(self, x: torch.Tensor, arguments: tuple[Any, ...], named: dict[str, Any]) -> torch.Tensor:
        out = x if self.overload.endswith("_") else named.pop("out", None)
        if x.dtype not in _FLOATS + _INTEGERS or x.numel() == 0 or x.layout != torch.strided:
            raise NotHere
        if out is not None and self.takes_dtype and named.get("dtype") is None:
            named["dtype"] = out.dtype
        result = self.compute(x.detach(), *arguments, **named)
        if out is not None and (out.dtype != result.dtype or out.shape != result.shape):
            raise NotHere
        return result


def _written(result: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    out.copy_(result)
    return out


def _array(x: torch.Tensor) -> NDArray:
    """The same memory. NumPy has no bfloat16 of its own."""
    if x.dtype == torch.bfloat16:
        halves: NDArray = x.view(torch.int16).numpy()
        return halves.view(ml_dtypes.bfloat16)
    array: NDArray = x.numpy()
    return array


def _tensor(array: NDArray) -> torch.Tensor:
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _dims(x: torch.Tensor, dim: Sequence[int] | int | None) -> tuple[int, ...] | None:
    """The axes as the core takes them; to PyTorch none are all, and a scalar has one."""
    dims = (dim,) if isinstance(dim, int) else tuple(dim or ())
    if x.dim() == 0 and all(each in (0, -1) for each in dims):
        return None
    return dims or None


def _reduced(row: Reduction, x: torch.Tensor, dim: Sequence[int] | int | None, keepdim: bool) -> torch.Tensor:
    return _tensor(reduce(row, _array(x), _dims(x, dim), KEEPDIMS if keepdim else 0))


def _total(row: Reduction, x: torch.Tensor, dim: Any, keepdim: bool, dtype: torch.dtype | None) -> torch.Tensor:
    """Integers are added up in int64 unless another type is asked for; PyTorch converts before it adds up."""
    wanted = dtype if dtype is not None else x.dtype if x.dtype in _FLOATS else torch.int64
    if wanted not in _FLOATS and (x.dtype in _FLOATS or wanted != torch.int64):
        raise NotHere
    return _reduced(row, x.to(wanted), dim, keepdim)


def _sum(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    return _total(SUM, x, dim, keepdim, dtype)


def _mean(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    if (dtype or x.dtype) not in _FLOATS:
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
    row = {None: L2_NORM, 2.0: L2_NORM, 1.0: L1_NORM}.get(None if p is None else float(p))
    if row is None or x.dtype not in _FLOATS or named.get("dtype") not in (None, x.dtype):
        raise NotHere
    return _reduced(row, x, dim, keepdim)


def _logsumexp(x: torch.Tensor, dim: Any, keepdim: bool = False) -> torch.Tensor:
    if x.dtype not in _FLOATS:
        raise NotHere
    return _reduced(LOGSUMEXP, x, dim, keepdim)


def _scanned(row: Scan) -> Kernel:
    def compute(x: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> torch.Tensor:
        wanted = dtype if dtype is not None else x.dtype if x.dtype in _FLOATS else torch.int64
        if x.dim() == 0 or (wanted not in _FLOATS and (x.dtype in _FLOATS or wanted != torch.int64)):
            raise NotHere
        return _tensor(scan(row, _array(x.to(wanted)), dim))

    return compute


def _normalized(row: Normalization) -> Kernel:
    def compute(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
        if x.dim() == 0 or half_to_float or x.dtype not in _FLOATS:
            raise NotHere
        return _tensor(normalize(row, _array(x), dim))

    return compute


def _with_out(overload: str, out: str, compute: Kernel, takes_dtype: bool = False) -> tuple[Override, ...]:
    return Override(overload, compute), Override(out, compute, takes_dtype)


def _scan_overrides(name: str, row: Scan) -> tuple[Override, ...]:
    compute = _scanned(row)
    return *_with_out(name, f"{name}.out", compute, True), Override(f"{name}_", compute, True)


OVERRIDES: dict[str, tuple[Override, ...]] = {
    "sum": _with_out("sum.dim_IntList", "sum.IntList_out", _sum, True),
    "mean": _with_out("mean.dim", "mean.out", _mean, True),
    "amin": _with_out("amin", "amin.out", _amin),
    "amax": _with_out("amax", "amax.out", _amax),
    "prod": (Override("prod", _prod), *_with_out("prod.dim_int", "prod.int_out", _prod_along, True)),
    "norm": (
        *_with_out("linalg_vector_norm", "linalg_vector_norm.out", _norm),
        *_with_out("norm.ScalarOpt_dim", "norm.out", _norm),
    ),
    "cumsum": _scan_overrides("cumsum", CUMULATIVE_SUM),
    "cumprod": _scan_overrides("cumprod", CUMULATIVE_PROD),
    "logsumexp": _with_out("logsumexp", "logsumexp.out", _logsumexp),
    "softmax": _with_out("_softmax", "_softmax.out", _normalized(SOFTMAX)),
    "log_softmax": _with_out("_log_softmax", "_log_softmax.out", _normalized(LOG_SOFTMAX)),
}
"""By the name that PyTorch's users know, the overloads that their calls reach."""
