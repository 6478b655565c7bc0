"""Products of PyTorch's on the CPU by samesum, and all kernels that are replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from samesum.engine.attention import attention
from samesum.engine.contractions import NOTHING, Added, matmul
from samesum.engine.convolutions import Taps, convolve, plain_taps, transposed_taps, windows
from samesum.formats.arrays import NDArray, broadcast
from samesum.frontends.plugins.torch_norms import NORMS, laid_out_as
from samesum.frontends.plugins.torch_overrides import (
    FLOATS,
    Composed,
    Kernel,
    NotHere,
    Override,
    array_of,
    check,
    tensor_of,
    with_out,
)
from samesum.frontends.plugins.torch_reductions import LINES, REDUCTIONS, SCATTERS

# Scaled dot product attention of PyTorch's on the CPU by samesum.

_TYPES = (torch.float16, torch.bfloat16, torch.float32)
"""float64, which takes milliseconds a query, stays PyTorch's."""
_Call = tuple[bool, float | None, bool]
"""Whether it is causal, the scale, and whether heads of keys serve several of queries."""


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, call: _Call) -> Any:
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
    def forward(ctx: Any, q: Any, k: Any, v: Any, mask: Any, call: _Call) -> Any:
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


def _attention_arguments(
    q: Any,
    k: Any,
    v: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Any, ...]:
    if dropout_p:
        raise NotHere
    return q, k, v, attn_mask, (is_causal, scale, enable_gqa)


def _arrays(*tensors: torch.Tensor | None) -> list[NDArray]:
    """The memory of dense tensors of one float type; raises NotHere for others. None is left out."""
    given = [each for each in tensors if each is not None]
    for each in given:
        check(each, FLOATS)
        if each.dtype != given[0].dtype:
            raise NotHere
    return [array_of(each.detach()) for each in given]


def _ranks(a: torch.Tensor, b: torch.Tensor, first: int, second: int) -> None:
    if (a.dim(), b.dim()) != (first, second) or (first == 3 and a.shape[0] != b.shape[0]):
        raise NotHere  # what PyTorch refuses, it refuses in its own words


def _product(first: int, second: int) -> Kernel:
    """The product of two tensors of these ranks."""

    def compute(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        _ranks(a, b, first, second)
        x, y = _arrays(a, b)
        return tensor_of(matmul(x, y, x.dtype))

    return compute


def _added(first: int, second: int) -> Kernel:
    """alpha times that product and beta times a tensor that broadcasts to it, which counts for nothing if beta is 0."""

    def compute(term: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1) -> torch.Tensor:
        _ranks(a, b, first, second)
        x, y = _arrays(a, b)
        (z,) = _arrays(term)
        if z.dtype != x.dtype or any(isinstance(each, complex) for each in (alpha, beta)):
            raise NotHere
        shape = (*a.shape[:-1], *(b.shape[-1:] if second > 1 else ()))
        if term.dim() > len(shape) or any(n not in (1, m) for n, m in zip(z.shape[::-1], shape[::-1], strict=False)):
            raise NotHere
        return tensor_of(matmul(x, y, x.dtype, Added(None if beta == 0 else z, float(alpha), float(beta))))

    return compute


def _linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    if weight.dim() != 2 or x.dim() < 1 or (bias is not None and bias.dim() != 1):
        raise NotHere
    a, w, *others = _arrays(x, weight, bias)
    if others and others[0].shape != w.shape[:1]:
        raise NotHere
    return tensor_of(matmul(a, w.T, a.dtype, Added(others[0]) if others else NOTHING))


class _Linear(torch.autograd.Function):  # type: ignore[misc]
    """The result of `_linear` with gradients that are products again."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, bias: Any) -> Any:
        """The exact result."""
        ctx.save_for_backward(x, weight)
        return _linear(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Those of the formula."""
        x, weight = ctx.saved_tensors
        rows = grad.reshape(-1, grad.shape[-1])
        for_x = torch.matmul(grad, weight) if ctx.needs_input_grad[0] else None
        for_weight = rows.t().mm(x.reshape(-1, x.shape[-1])) if ctx.needs_input_grad[1] else None
        return for_x, for_weight, rows.sum(0) if ctx.needs_input_grad[2] else None


def _linear_arguments(x: Any, weight: Any, bias: Any = None) -> tuple[Any, ...]:
    check(x, FLOATS)
    return x, weight, bias


def _convolution(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> torch.Tensor:
    spatial = x.dim() - 2
    data, kernel, *others = _arrays(x, weight, bias)
    lead = weight.shape[0] // max(groups, 1)
    is_whole = spatial in (1, 2, 3) and weight.dim() == x.dim() and groups > 0 and lead * groups == weight.shape[0]
    if not is_whole or x.shape[1] != (weight.shape[0] if transposed else weight.shape[1] * groups):
        raise NotHere
    weights = kernel.reshape(groups, lead, *kernel.shape[1:])
    weights = weights.swapaxes(1, 2) if transposed else weights
    numbers = [list(each) * (spatial if len(each) == 1 else 1) for each in (stride, padding, dilation, output_padding)]
    if any(len(each) != spatial for each in numbers) or (others and others[0].shape != (groups * weights.shape[1],)):
        raise NotHere
    axes: list[list[Taps]] = []
    for size, length, s, p, d, extra in zip(x.shape[2:], weight.shape[2:], *numbers, strict=True):
        if min(s, d) < 1 or p < 0 or extra < 0 or (transposed and extra >= max(s, d)):
            raise NotHere
        reach = d * (length - 1) + 1
        outputs = (size - 1) * s + reach + extra - 2 * p if transposed else (size + 2 * p - reach) // s + 1
        if outputs < 1:
            raise NotHere
        axes.append((transposed_taps if transposed else plain_taps)(length, outputs, s, d, p))
    term = others[0].reshape(groups, -1, *(1,) * spatial) if others else None
    grouped = data.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    found = convolve(grouped, weights, windows(axes, grouped.shape, weights.shape[1]), term, data.dtype)
    return laid_out_as(x, tensor_of(found.reshape(x.shape[0], -1, *found.shape[3:])))


def _with_in_place(name: str, compute: Kernel) -> tuple[Override, ...]:
    return *with_out(name, f"{name}.out", compute), Override(f"{name}_", compute)


_PRODUCTS: dict[str, tuple[Override | Composed, ...]] = {
    "mm": with_out("mm", "mm.out", _product(2, 2)),
    "bmm": with_out("bmm", "bmm.out", _product(3, 3)),
    "dot": with_out("dot", "dot.out", _product(1, 1)),
    "addmm": _with_in_place("addmm", _added(2, 2)),
    "addmv": _with_in_place("addmv", _added(2, 1)),
    "baddbmm": _with_in_place("baddbmm", _added(3, 3)),
    "linear": (Composed("linear", _linear_arguments, _linear, _Linear),),
    "convolution": (Override("convolution", _convolution),),
    "scaled_dot_product_attention": (
        Composed("scaled_dot_product_attention", _attention_arguments, _attention, _Attention),
    ),
}

OVERRIDES: Mapping[str, Sequence[Override | Composed]] = {**REDUCTIONS, **LINES, **NORMS, **SCATTERS, **_PRODUCTS}
"""By the name that PyTorch's users know, the overloads that their calls reach."""
