"""Scatters of PyTorch's on the CPU that reduce, by samesum."""

from __future__ import annotations

from typing import Any

import torch

from samesum.algebra.rows import MAX, MEAN, MIN, PROD, SUM, Reduction
from samesum.engine.scattering import scatter_elements
from samesum.engine.segments import reduce_labelled
from samesum.frontends.plugins.torch_overrides import (
    FLOATS,
    INTEGERS,
    NotHere,
    Override,
    array_of,
    check,
    tensor_of,
    with_out,
)

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
