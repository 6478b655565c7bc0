"""Variances and normalizations of PyTorch with samesum's kernels: the same answers, gradients, types and layouts."""

from __future__ import annotations

import warnings
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from samesum.torch import exact

torch = pytest.importorskip("torch")
make_fx = pytest.importorskip("torch.fx.experimental.proxy_tensor").make_fx

F = torch.nn.functional
TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
CODES = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def made(dtype: Any = torch.float32, shape: tuple[int, ...] = (5, 12, 6), seed: int = 7) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator).to(dtype)


def assert_same(found: Any, wanted: Any, dtype: Any) -> None:
    wanted = np.asarray(wanted)
    assert found.dtype == dtype
    assert tuple(found.shape) == wanted.shape
    assert found.detach().contiguous().view(CODES[found.element_size()]).numpy().tobytes() == wanted.tobytes()


def inverse_deviations(lines: Any) -> Any:
    """1 / sqrt(variance + 1e-5) of each line in float64, from 200 bits of the exact value."""
    found = []
    for line in lines.double().tolist():
        mean = sum(map(Fraction, line)) / len(line)
        inverse = 1 / (sum((Fraction(each) - mean) ** 2 for each in line) / len(line) + Fraction(1e-5))
        found.append(float(Fraction(isqrt(int(inverse * 4**200)), 2**200)))
    return torch.tensor(found, dtype=torch.float64)


def layouts(dtype: Any) -> list[Any]:
    return [made(dtype), made(dtype, (6, 12, 5)).transpose(0, 2), made(dtype, (5, 12, 12))[:, :, ::2]]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@looped("axis", [None, 1, (0, 2)])
@looped("correction", [0, 1, 2.5])
def test_variances(dtype: Any, axis: Any, correction: float) -> None:
    for x in layouts(dtype):
        wanted = [f(x, axis=axis, correction=correction) for f in (ss.var, ss.std, ss.mean)[:2]]
        mean = ss.mean(x, axis=axis)
        with exact():
            found = [f(x, axis, correction=correction) for f in (torch.var, torch.std)]
            pairs = [f(x, axis, correction=correction) for f in (torch.var_mean, torch.std_mean)]
            kept = torch.var(x, axis, correction=correction, keepdim=True)
        for one, pair, value in zip(found, pairs, wanted, strict=True):
            assert_same(one, value, dtype)
            assert_same(pair[0], value, dtype)
            assert_same(pair[1], mean, dtype)
        assert_same(kept, ss.var(x, axis=axis, correction=correction, keepdims=True), dtype)


def test_variances_that_overflow_in_pytorch() -> None:
    x = torch.tensor([3e200, 5e200], dtype=torch.float64)
    wanted = float(ss.std(x))
    out = torch.empty((), dtype=torch.float64)
    with exact():
        assert float(x.std(correction=0)) == wanted
        assert torch.std(x, 0, correction=0, out=out) is out
        assert float(out) == wanted
        assert torch.std(x, correction=0, dim=0, keepdim=True, out=out.reshape(1)).tolist() == [wanted]
    assert torch.isinf(x.std(correction=0))


def test_variances_of_too_few_elements_are_pytorchs() -> None:
    x = made(shape=(1, 3))
    with warnings.catch_warnings(), exact():
        warnings.simplefilter("ignore")
        assert x.var(0).isnan().all()
        assert torch.var(x, correction=3).isinf()
        assert x.to(torch.complex64).var().dtype == torch.float32


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@looped("is_mixed", [False, True])
@pytest.mark.parametrize("axes", [1, 2])
def test_layer_norm(dtype: Any, is_mixed: bool, axes: int) -> None:
    inner = torch.float32 if is_mixed and dtype in TYPES[:2] else dtype
    for x in layouts(dtype):
        shape = tuple(x.shape[-axes:])
        weight, bias = made(inner, shape, 1), made(inner, shape, 2)
        last = tuple(range(-axes, 0))
        with exact():
            results = torch.native_layer_norm(x, shape, weight, bias, 1e-5)
            plain = F.layer_norm(x, shape)
            assert torch.equal(F.layer_norm(x, shape, weight, bias), results[0])
        assert_same(results[0], ss.layer_norm(x, shape, weight, bias), dtype)
        assert_same(plain, ss.layer_norm(x, shape), dtype)
        assert_same(results[1], ss.mean(x, axis=last, keepdims=True, dtype=str(inner).split(".")[1]), inner)
        lines = x.reshape(-1, x[0, 0].numel() if axes == 1 else x[0].numel())
        assert torch.equal(results[2].flatten(), inverse_deviations(lines).to(inner))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("eps", [None, 1e-6, 0.25])
def test_rms_norm(dtype: Any, eps: float | None) -> None:
    for x in layouts(dtype):
        for shape in (x.shape[2:], x.shape[1:]):
            weight = made(dtype, shape, 1)
            number = torch.finfo(torch.float32 if dtype in TYPES[:2] else dtype).eps if eps is None else eps
            with exact():
                found, plain = F.rms_norm(x, shape, weight, eps), torch.rms_norm(x, shape, eps=eps)
                with torch.inference_mode():
                    assert torch.equal(F.rms_norm(x.clone(), shape, weight, eps), found)
            assert_same(found, ss.rms_norm(x, shape, weight, number), dtype)
            assert_same(plain, ss.rms_norm(x, shape, eps=number), dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(3, 12), (3, 12, 5), (3, 12, 4, 5)])
def test_group_norm(dtype: Any, shape: tuple[int, ...]) -> None:
    x = made(dtype, shape)
    weight, bias = made(dtype, (12,), 1), made(dtype, (12,), 2)
    with exact():
        found, mean, inverse = torch.native_group_norm(x, weight, bias, 3, 12, x[0, 0].numel(), 4, 1e-5)
        assert torch.equal(F.group_norm(x, 4, weight, bias), found)
        plain = F.group_norm(x, 4)
    assert_same(found, ss.group_norm(x, 4, weight, bias), dtype)
    assert_same(plain, ss.group_norm(x, 4), dtype)
    lines = x.reshape(12, -1)
    assert_same(mean, ss.mean(lines, axis=1).reshape(3, 4), dtype)
    assert torch.equal(inverse.flatten(), inverse_deviations(lines).to(dtype))


def test_channels_stay_last() -> None:
    x = made(shape=(2, 4, 3, 5)).to(memory_format=torch.channels_last)
    with exact():
        found = F.group_norm(x, 2)
    assert found.stride() == F.group_norm(x, 2).stride() == x.stride()
    assert_same(found, ss.group_norm(x, 2), torch.float32)


def gradients(function: Any, *tensors: Any) -> list[Any]:
    with torch.enable_grad():  # which `samesum_bench` switches off in its process
        leaves = [each.clone().requires_grad_() for each in tensors]
        result = function(*leaves)
        return list(torch.autograd.grad((result * made(result.dtype, tuple(result.shape), 9)).sum(), leaves))


CALLS = {
    "var": lambda x: x.var(1),
    "std": lambda x: x.std((0, 2)),
    "var_mean": lambda x: torch.stack(torch.var_mean(x, 1)),
    "layer_norm": lambda x: F.layer_norm(x, (6,), x[0, 0], x[1, 1]),
    "rms_norm": lambda x: F.rms_norm(x, (12, 6), x[0]),
    "rms_norm without weight": lambda x: F.rms_norm(x, (6,)),
    "group_norm": lambda x: F.group_norm(x, 3, x[0, :, 0], x[1, :, 1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name: str) -> None:
    x = made(torch.float64)
    before = gradients(CALLS[name], x)
    with torch.enable_grad(), exact():
        after = gradients(CALLS[name], x)
        leaf = made(torch.float64).requires_grad_()
        result = CALLS[name](leaf)
        assert result.requires_grad
        assert torch.equal(result, CALLS[name](leaf.detach()))
    assert torch.allclose(before[0], after[0], rtol=1e-9, atol=1e-11)


def test_gradients_of_rms_norm_are_those_of_the_formula() -> None:
    x, weight = made(torch.float64, (2, 3, 4)).requires_grad_(), made(torch.float64, (4,), 1).requires_grad_()
    with torch.enable_grad(), exact():
        assert torch.autograd.gradcheck(lambda a, b: F.rms_norm(a, (4,), b, 0.1), (x, weight))
        assert torch.autograd.gradgradcheck(lambda a, b: F.rms_norm(a, (4,), b, 0.1), (x, weight))
        assert torch.autograd.gradcheck(lambda b: F.rms_norm(x.detach(), (4,), b), (weight,))
    for dtype in TYPES[:2]:
        halves = made(dtype, (4, 8)), made(dtype, (8,), 1)
        before = gradients(lambda a, b: F.rms_norm(a, (8,), b), *halves)
        with exact():
            after = gradients(lambda a, b: F.rms_norm(a, (8,), b), *halves)
        for one, other in zip(before, after, strict=True):
            assert one.dtype == other.dtype == dtype
            assert torch.allclose(one.float(), other.float(), atol=0.05)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # by torch.func.jvp
def test_transforms_see_what_rms_norm_is_composed_of() -> None:
    x = made(torch.float64, (3, 8))

    def call(y: Any) -> Any:
        return F.rms_norm(y, (8,))

    plain = call(x)
    with torch.enable_grad(), exact():
        assert torch.allclose(torch.vmap(call)(x), plain)
        gradient = torch.func.grad(lambda y: call(y).sum())(x)
        value, tangent = torch.func.jvp(call, (x,), (x,))
        traced = make_fx(call)(x)
        with torch.autograd.forward_ad.dual_level():
            dual = call(torch.autograd.forward_ad.make_dual(x, x))
            assert torch.equal(torch.autograd.forward_ad.unpack_dual(dual).tangent, tangent)
    assert torch.allclose(gradient, torch.func.grad(lambda y: call(y).sum())(x))
    assert torch.allclose(value, plain)
    assert "mean" in traced.code
    assert torch.allclose(traced(x), plain)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.rms_norm(x, (6,), eps=-1.0),
        lambda x: F.rms_norm(x[:0], (6,)),
        lambda x: F.rms_norm(x.to(torch.complex64), (6,)).real,
        lambda x: F.layer_norm(x[:0], (6,)),
        lambda x: F.group_norm(x[:0], 3),
    ],
)
def test_what_samesum_does_not_have_is_pytorchs(call: Any) -> None:
    before = call(made())
    with exact():
        assert torch.equal(call(made()).isnan(), before.isnan())


def test_errors_are_pytorchs() -> None:
    with exact():
        with pytest.raises(RuntimeError, match="normalized_shape"):
            F.layer_norm(made(), (7,))
        with pytest.raises(RuntimeError, match="normalized_shape"):
            F.rms_norm(made(), (7,))
        with pytest.raises(RuntimeError, match="mixed dtype"):
            F.layer_norm(made(torch.float64), (6,), made(torch.float32, (6,)))
        with pytest.raises(IndexError, match="out of range"):
            made().var(3)
        with pytest.raises(RuntimeError, match="divisible"):
            F.group_norm(made(), 5)


def test_names_choose() -> None:
    before = torch._C._dispatch_dump("aten::rms_norm")
    with exact(["var", "layer_norm"]):
        assert torch._C._dispatch_dump("aten::rms_norm") == before
        assert torch.tensor([3e200, 5e200], dtype=torch.float64).var(correction=0).isinf()
        assert F.layer_norm(torch.tensor([3e30, 5e30]), (2,)).tolist() == [-1, 1]
    with exact(["rms_norm"]):
        assert F.rms_norm(torch.tensor([3e30, 3e30]), (2,)).tolist() == [1, 1]
    assert torch._C._dispatch_dump("aten::rms_norm") == before
