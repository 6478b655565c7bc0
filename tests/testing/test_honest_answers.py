"""Honest answers of NumPy and PyTorch, in their own precision, are never wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from answers import FEW, NUMPY_TYPES, SHAPES, drawn, fair, wrong

import samesum as ss
from naming import case
from samesum.testing import judge


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_numpy_is_never_wrong(dtype: Any, shapes: tuple[tuple[int, ...], ...]) -> None:
    named = {"sum": np.sum, "mean": np.mean, "max": np.max, "argmin": np.argmin, "all": np.all}
    if dtype is not np.float16:  # NumPy's float16 squares overflow
        named |= {"var": np.var, "std": np.std, "vector_norm": lambda x, axis: np.linalg.norm(x, axis=axis)}
        named |= {"l2_norm": lambda x, axis: np.sqrt((x * x).sum(axis=axis)), "cumulative_sum": np.cumsum}
    for shape in shapes:
        for kind, wide in drawn(shape):
            x = wide.astype(dtype)
            for axis in range(len(shape)):
                for name, function in named.items():
                    with case(name, kind, shape, axis), np.errstate(all="ignore"):
                        fair(judge(name, function(x, axis=axis), x, axis=axis))


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_pytorch_is_never_wrong(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    for shape in shapes:
        for kind, wide in drawn(shape):
            x = torch.tensor(wide).to(getattr(torch, name))
            w, size = x.new_ones(shape[-1]) * 1.25, shape[-1]
            for axis in range(len(shape)):
                with case(name, kind, shape, axis):
                    fair(judge("sum", x.sum(axis), x, axis=axis))
                    fair(judge("mean", x.mean(axis), x, axis=axis))
                    fair(judge("var", x.var(axis), x, axis=axis, correction=1))
                    fair(judge("vector_norm", torch.linalg.vector_norm(x, dim=axis), x, axis=axis))
                    fair(judge("softmax", x.softmax(axis), x, axis=axis))
                    fair(judge("log_softmax", x.log_softmax(axis), x, axis=axis))
                    fair(judge("logsumexp", x.logsumexp(axis), x, axis=axis))
                    fair(judge("cumulative_sum", x.cumsum(axis), x, axis=axis))
            with case(name, kind, shape):
                fair(judge("layer_norm", functional.layer_norm(x, (size,), w, w), x, size, w, w))
                fair(judge("rms_norm", functional.rms_norm(x, (size,), w, eps=1e-6), x, size, w, eps=1e-6))
                fair(judge("vecdot", torch.linalg.vecdot(x, x.flip(0)), x, x.flip(0)))


def test_products_of_numpy_and_pytorch_are_never_wrong() -> None:
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    for m, n, k in ((13, 7, 200), (1, 24, 1500)):
        for kind, wide in drawn((m + n, k)):
            for name in ("float16", "bfloat16", "float32"):
                a, b = torch.tensor(wide).to(getattr(torch, name)).split([m, n])
                with case(kind, name, m, n, k), np.errstate(all="ignore"):
                    fair(judge("matmul", a @ b.T, a, b.T))
                    fair(judge("einsum", torch.einsum("ik,jk->ij", a, b), "ik,jk->ij", a, b))
                    fair(judge("tensordot", torch.tensordot(a, b, dims=([1], [1])), a, b, axes=([1], [1])))
                    if name != "bfloat16":
                        fair(judge("onnx.MatMul", a.numpy() @ b.T.numpy(), a, b.T))
    generator = torch.Generator().manual_seed(3)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x, w, c = (torch.randn(s, generator=generator).to(dtype) for s in ((2, 6, 9, 10), (9, 6, 3, 3), (9,)))
        with case(dtype):
            fair(judge("conv", functional.conv2d(x, w, c, padding=1), x, w, c, padding=1))
            wrong(judge("conv", functional.conv2d(x, w, padding=1), x, w, c, padding=1))
            wrong(judge("conv", functional.conv2d(x, w.flip(3), c, padding=1), x, w, c, padding=1))


def test_attention_of_pytorch_is_never_wrong() -> None:
    torch = pytest.importorskip("torch")
    attend = torch.nn.functional.scaled_dot_product_attention
    name = "scaled_dot_product_attention"
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for scale in (1.0, 5.0):
            q, k, v = (torch.randn((2, 9, 8), generator=torch.Generator().manual_seed(i)).to(dtype) for i in range(3))
            with case(dtype, scale):
                fair(judge(name, attend(q * scale, k * scale, v), q * scale, k * scale, v))
                fair(judge(name, attend(q, k, v, is_causal=True), q, k, v, is_causal=True))
                wrong(judge(name, attend(q, k, v), q, k, v, is_causal=True))


def test_scatters_of_pytorch_are_never_wrong() -> None:
    torch = pytest.importorskip("torch")
    for name in ("float16", "bfloat16", "float32"):
        x = torch.rand((300, 7), generator=torch.Generator().manual_seed(1)).to(getattr(torch, name))
        index = torch.arange(2100).reshape(300, 7) % 5
        start = torch.zeros((5, 7), dtype=x.dtype)
        with case(name):
            fair(judge("scatter_reduce", start.scatter_add(0, index, x), start, 0, index, x))
            fair(judge("scatter_reduce", start.scatter_reduce(0, index, x, "amax"), start, 0, index, x, "max"))
            fair(judge("segment_reduce", np.asarray(ss.segment_reduce(x, index[:, 0])), x, index[:, 0]))


def test_one_addition_after_the_other_has_a_bound_of_its_own() -> None:
    """Equal terms lose more than roundings that walk do, and no more than n roundings."""
    x = np.full((20000, 3), 0.1, np.float32)
    found = judge("sum", x.sum(axis=0), x, axis=0)
    fair(found)
    assert found.rule == "in NumPy's order in float32"
    assert 2 * np.sqrt(20000) < found.scaled < found.allowed
    assert "one addition after the other" in found.source


def test_variances_of_data_with_a_coarse_step_are_not_wrong() -> None:
    """Deviations from a rounded mean that are integers make variances with few bits."""
    x = (1e7 + 3 * np.random.default_rng(11).standard_normal((4, 60))).astype(np.float32)
    got = np.var(x, axis=0)
    assert (got.astype(np.float16) == got).all()
    fair(judge("var", got, x, axis=0))
    wrong(judge("var", np.zeros_like(got), x, axis=0))


def test_variances_by_welford_in_float64_are_not_wrong() -> None:
    for ramp in (np.arange(20000) * 0.1, 1 + np.arange(1000) * 1e-7):
        mean = total = 0.0
        for count, each in enumerate(ramp.tolist(), 1):
            before = each - mean
            mean += before / count
            total += before * (each - mean)
        fair(judge("var", np.float64(total / len(ramp)), ramp))
        wrong(judge("var", np.var(ramp.astype(np.float32)).astype(np.float64), ramp))


def test_weighted_means_of_numpy_are_never_wrong() -> None:
    """Weights that cancel make roundings grow; float16, in which NumPy stays, overflows on the way of large data."""
    random = np.random.default_rng(14)
    for dtype in NUMPY_TYPES:
        for shape in FEW:
            for kind, wide in drawn(shape):
                if dtype is np.float16 and kind == "about a hundred":
                    continue
                x = wide.astype(dtype)
                for axis in (0, 1, None):
                    lengths = shape if axis is None else shape[axis]
                    for weights in (random.random(lengths), np.full(lengths, 0.1), random.random(lengths) - 0.2):
                        w = weights.astype(dtype)
                        with case(kind, np.dtype(dtype).name, shape, axis):
                            fair(judge("average", np.average(x, axis, w).astype(dtype), x, axis, w))
                    fair(judge("average", np.average(x, axis).astype(dtype), x, axis))
