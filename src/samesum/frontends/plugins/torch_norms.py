"""Layer, group and RMS normalizations of PyTorch's on the CPU by samesum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from samesum.algebra.rows import LAYER_NORM, MEAN, RMS_NORM
from samesum.engine.memory import KEEPDIMS, Epsilon, normalize_lines, normalize_lines_with_inverse, reduce
from samesum.formats.arrays import NDArray
from samesum.frontends.plugins.torch_overrides import FLOATS, Composed, NotHere, Override, array_of, check, tensor_of

_OUTS = ("out0", "out1", "out2")
_HALVES = (torch.float16, torch.bfloat16)


def _parameter(given: torch.Tensor | None, shape: Sequence[int]) -> NDArray | None:
    if given is None:
        return None
    check(given, FLOATS)
    if tuple(given.shape) != tuple(shape):
        raise NotHere
    return array_of(given.detach())


def _inner_type(x: torch.Tensor, *parameters: torch.Tensor | None) -> torch.dtype:
    """The type of the mean and the inverse deviation: float32 where 16-bit data meet float32 parameters."""
    others = {each.dtype for each in parameters if each is not None} - {x.dtype}
    if not others:
        return x.dtype
    if (
        x.dtype not in _HALVES
        or others != {torch.float32}
        or any(e is not None and e.dtype == x.dtype for e in parameters)
    ):
        raise NotHere
    return torch.float32


def _lines(
    x: NDArray, axes: tuple[int, ...], scale: NDArray | None, bias: NDArray | None, eps: float, inner: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The result, the mean and the inverse deviation of each line, whose axes keep the length 1."""
    stash = array_of(torch.empty(0, dtype=inner)).dtype
    result, inverse = normalize_lines_with_inverse(LAYER_NORM, x, axes, Epsilon(eps), scale, bias, stash)
    mean = reduce(MEAN, x, axes, KEEPDIMS, stash)
    return tensor_of(result), tensor_of(mean), tensor_of(inverse)


def _layer_norm(
    x: torch.Tensor, normalized_shape: Sequence[int], weight: Any, bias: Any, eps: float
) -> tuple[torch.Tensor, ...]:
    axes = _last(x, normalized_shape, eps)
    inner = _inner_type(x, weight, bias)
    scale, shift = _parameter(weight, normalized_shape), _parameter(bias, normalized_shape)
    return _lines(array_of(x), axes, scale, shift, eps, inner)


def _last(x: torch.Tensor, normalized_shape: Sequence[int], eps: float) -> tuple[int, ...]:
    count = len(normalized_shape)
    if not count or tuple(x.shape[-count:]) != tuple(normalized_shape) or not 0 <= eps < float("inf"):
        raise NotHere
    check(x, FLOATS)
    return tuple(range(x.dim() - count, x.dim()))


def _group_norm(
    x: torch.Tensor, weight: Any, bias: Any, batch: int, channels: int, size: int, groups: int, eps: float
) -> tuple[torch.Tensor, ...]:
    is_whole = x.dim() >= 2 and tuple(x.shape[:2]) == (batch, channels) and x.numel() == batch * channels * size
    if not is_whole or groups < 1 or channels % groups or not 0 <= eps < float("inf"):
        raise NotHere
    check(x, FLOATS)
    inner = _inner_type(x, weight, bias)
    shape = (batch, groups, channels // groups, *x.shape[2:])
    scales = []
    for each in (weight, bias):
        found = _parameter(each, (channels,))
        scales.append(None if found is None else found.reshape(shape[1:3] + (1,) * (x.dim() - 2)))
    axes = tuple(range(2, len(shape)))
    result, mean, inverse = _lines(array_of(x).reshape(shape), axes, scales[0], scales[1], eps, inner)
    return laid_out_as(x, result.reshape(x.shape)), mean.reshape(batch, groups), inverse.reshape(batch, groups)


def laid_out_as(x: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """The result with its channels last where those of `x` are."""
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(x.dim())
    if last is None or x.is_contiguous() or not x.is_contiguous(memory_format=last):
        return result
    return result.contiguous(memory_format=last)


def _rms_norm(x: torch.Tensor, normalized_shape: Sequence[int], weight: Any, eps: float) -> torch.Tensor:
    axes = _last(x, normalized_shape, eps)
    scale = _parameter(weight, normalized_shape)
    return tensor_of(normalize_lines(RMS_NORM, array_of(x.detach()), axes, Epsilon(eps), scale))


class _RmsNorm(torch.autograd.Function):  # type: ignore[misc]
    """The result of `_rms_norm` with the gradients of the formula, made of PyTorch's operators."""

    @staticmethod
    def forward(ctx: Any, x: Any, normalized_shape: Any, weight: Any, eps: float) -> Any:
        """The exact result."""
        ctx.save_for_backward(x, weight)
        ctx.rank, ctx.eps = len(normalized_shape), eps
        return _rms_norm(x, normalized_shape, weight, eps)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """The gradients, computed in float32 for 16-bit types, as PyTorch has it."""
        x, weight = ctx.saved_tensors
        wide = torch.float64 if x.dtype == torch.float64 else torch.float32
        data, grad = x.to(wide), grad.to(wide)
        last = tuple(range(-ctx.rank, 0))
        inverse = (data.square().mean(last, keepdim=True) + ctx.eps).rsqrt()
        unit = data * inverse
        for_unit = grad if weight is None else grad * weight.to(wide)
        for_x = for_weight = None
        if ctx.needs_input_grad[0]:
            for_x = (inverse * (for_unit - unit * (for_unit * unit).mean(last, keepdim=True))).to(x.dtype)
        if ctx.needs_input_grad[2]:
            for_weight = (grad * unit).sum_to_size(weight.shape).to(weight.dtype)
        return for_x, None, for_weight, None


def _rms_arguments(x: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> tuple[Any, ...]:
    check(x, FLOATS)
    number = torch.finfo(torch.float32 if x.dtype in _HALVES else x.dtype).eps if eps is None else eps
    return x, normalized_shape, weight, number


NORMS: dict[str, tuple[Override | Composed, ...]] = {
    "layer_norm": (
        Override("native_layer_norm", _layer_norm),
        Override("native_layer_norm.out", _layer_norm, outs=_OUTS),
    ),
    "rms_norm": (Composed("rms_norm", _rms_arguments, _rms_norm, _RmsNorm),),
    "group_norm": (Override("native_group_norm", _group_norm),),
}
