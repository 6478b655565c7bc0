"""Scaled dot product attention of PyTorch's on the CPU by samesum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from samesum.engine.attention import attention
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.limits import broadcast
from samesum.frontends.plugins.torch_norms import is_transformed
from samesum.frontends.plugins.torch_overrides import Kernel, NotHere, array_of, check, tensor_of

_TYPES = (torch.float16, torch.bfloat16, torch.float32)
"""float64, which takes milliseconds a query, stays PyTorch's."""
Call = tuple[bool, float | None, bool]
"""Whether it is causal, the scale, and whether heads of keys serve several of queries."""


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, call: Call) -> Any:
    is_causal, scale, is_grouped = call
    for each in (q, k, v):
        check(each, _TYPES)
        if each.dtype != q.dtype or each.dim() < 2 + is_grouped:
            raise NotHere
    if mask is not None:
        check(mask, (q.dtype, torch.float32, torch.bool))
        scores = (*broadcast(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
        if is_causal or mask.dim() < 2 or broadcast(scores, mask.shape) != scores:
            raise NotHere
    query, key, value = (array_of(each.detach()) for each in (q, k, v))
    added = None if mask is None else array_of(mask.detach())
    ends = np.arange(1, q.shape[-2] + 1) if is_causal else None
    if not is_grouped or q.shape[-3] == k.shape[-3]:
        return tensor_of(attention(query, key, value, added, ends, scale)[0])
    if added is not None:
        raise NotHere
    result = attention(*_groups(query, key, value), None, ends, scale)[0]
    return tensor_of(result.reshape(*result.shape[:-4], q.shape[-3], *result.shape[-2:]))


def _groups(query: NDArray, key: NDArray, value: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Heads of queries in groups, each with the one head of keys that serves it."""
    heads, groups = query.shape[-3], key.shape[-3]
    if groups == 0 or heads % groups or value.shape[-3] != groups:
        raise NotHere
    split = query.reshape(*query.shape[:-3], groups, heads // groups, *query.shape[-2:])
    return split, key[..., None, :, :], value[..., None, :, :]


class _Attention(torch.autograd.Function):  # type: ignore[misc]
    """The exact result, with the gradients of PyTorch's own formula, computed in float32 for 16-bit types."""

    @staticmethod
    def forward(ctx: Any, q: Any, k: Any, v: Any, mask: Any, call: Call) -> Any:
        """The exact result."""
        ctx.save_for_backward(q, k, v, mask)
        ctx.call = call
        return _attention(q, k, v, mask, call)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Those of the formula, made of PyTorch's operators."""
        is_causal, scale, is_grouped = ctx.call
        needed = ctx.needs_input_grad[:4]
        with torch.enable_grad():
            tensors = [
                None if x is None else x.detach().to(x.dtype if x.dtype == torch.bool else torch.float32)
                for x in ctx.saved_tensors
            ]
            wanted = [
                x.requires_grad_() for x, is_needed in zip(tensors, needed, strict=True) if x is not None and is_needed
            ]
            found = torch.ops.aten._scaled_dot_product_attention_math(
                *tensors, 0.0, is_causal, None, scale=scale, enable_gqa=is_grouped
            )[0]
            grads = iter(torch.autograd.grad(found, wanted, grad.to(torch.float32)))
        given = zip(ctx.saved_tensors, needed, strict=True)
        return *(next(grads).to(x.dtype) if is_needed else None for x, is_needed in given), None


@dataclass(frozen=True, slots=True)
class _AttentionOverride:
    """PyTorch chooses among kernels of its own, which round between the steps."""

    overload: str = "scaled_dot_product_attention"

    def kernels(self) -> Iterator[tuple[str, Kernel]]:
        """One for a call whose gradients are asked for, one for others."""
        before = torch.library.get_kernel(f"aten::{self.overload}", "CPU")

        def run(
            keys: Any,
            q: Any,
            k: Any,
            v: Any,
            attn_mask: Any = None,
            dropout_p: float = 0.0,
            is_causal: bool = False,
            *,
            scale: float | None = None,
            enable_gqa: bool = False,
        ) -> Any:
            call = (is_causal, scale, enable_gqa)
            try:
                if is_transformed(keys) or dropout_p:
                    raise NotHere
                if torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in (q, k, v, attn_mask)):
                    return _Attention.apply(q, k, v, attn_mask, call)
                return _attention(q, k, v, attn_mask, call)
            except (NotHere, SamesumError):
                named = {"scale": scale, "enable_gqa": enable_gqa}
                return before.call_boxed(keys, q, k, v, attn_mask, dropout_p, is_causal, **named)

        yield "CPU", run
        yield "AutogradCPU", run


ATTENTION: dict[str, tuple[_AttentionOverride, ...]] = {"scaled_dot_product_attention": (_AttentionOverride(),)}
