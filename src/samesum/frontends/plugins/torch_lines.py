"""Scans and softmaxes of PyTorch's on the CPU by samesum."""

from __future__ import annotations

import torch

from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, LOG_SOFTMAX, SOFTMAX, Normalization, Scan
from samesum.engine.memory import normalize, scan
from samesum.frontends.plugins.torch_overrides import FLOATS, Kernel, NotHere, Override, array_of, tensor_of, with_out


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
