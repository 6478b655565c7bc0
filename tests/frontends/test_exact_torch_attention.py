"""PyTorch's attention within `torch.exact`: samesum's bits, and gradients as ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from naming import case
from oracle import assert_bits

torch = pytest.importorskip("torch")

attend = torch.nn.functional.scaled_dot_product_attention
NAME = ["scaled_dot_product_attention"]


def drawn(*shape: int, dtype: Any = torch.float32, seed: int = 1) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def array(x: Any) -> Any:
    return x.view(torch.int16).numpy().view(ml_dtypes.bfloat16) if x.dtype == torch.bfloat16 else x.numpy()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_the_bits_are_those_of_the_function(dtype: Any) -> None:
    q, k, v = drawn(2, 3, 5, 8, dtype=dtype), drawn(2, 3, 9, 8, dtype=dtype), drawn(2, 3, 9, 4, dtype=dtype, seed=2)
    mask = drawn(5, 9, dtype=dtype, seed=3)
    for given in ({}, {"attn_mask": mask}, {"attn_mask": mask > 0}, {"is_causal": True}, {"scale": 0.5}):
        with case(*given), ss.torch.exact(NAME):
            found = attend(q, k, v, **given)
        arrays = {name: array(x) if isinstance(x, torch.Tensor) else x for name, x in given.items()}
        assert_bits(array(found), ss.scaled_dot_product_attention(array(q), array(k), array(v), **arrays))


def test_batches_broadcast() -> None:
    q, k, v = drawn(1, 3, 5, 8), drawn(2, 1, 9, 8, seed=2), drawn(2, 3, 9, 4, seed=3)
    with ss.torch.exact(NAME):
        found = attend(q, k, v)
    assert_bits(array(found), ss.scaled_dot_product_attention(array(q), array(k), array(v)))


def test_heads_in_groups() -> None:
    q, k, v = drawn(2, 6, 4, 8), drawn(2, 3, 7, 8, seed=2), drawn(2, 3, 7, 8, seed=3)
    with ss.torch.exact("all"):
        found = attend(q, k, v, enable_gqa=True)
    assert_bits(array(found), ss.onnx.Attention(array(q), array(k), array(v)))


def test_what_stays_pytorch_s() -> None:
    calls: dict[str, Callable[[], Any]] = {
        "float64": lambda: attend(*(drawn(1, 3, 4, seed=i).double() for i in range(3))),
        "a mask in groups": lambda: attend(
            drawn(1, 4, 2, 8), drawn(1, 2, 3, 8), drawn(1, 2, 3, 8), torch.zeros(2, 3), enable_gqa=True
        ),
        "nothing": lambda: attend(drawn(1, 0, 4), drawn(1, 3, 4), drawn(1, 3, 4)),
    }
    for name, call in calls.items():
        with case(name):
            expected = call()
            with ss.torch.exact(NAME):
                assert torch.equal(call(), expected)
    q = drawn(1, 2, 3, 4)
    refused: dict[str, Callable[[], Any]] = {
        "groups of two axes": lambda: attend(q[0, 0], q[0, 0], q[0, 0], enable_gqa=True),
        "groups of three axes and two": lambda: attend(q[0], q[0, 0], q[0, 0], enable_gqa=True),
        "a vector": lambda: attend(q[0, 0, 0], q[0, 0, 0], q[0, 0, 0]),
        "a mask of one axis": lambda: attend(q, q, q, torch.zeros(3)),
        "a mask of a larger batch": lambda: attend(q, q, q, torch.zeros(2, 1, 3, 3)),
        "a mask of more axes": lambda: attend(q, q, q, torch.zeros(5, 1, 2, 3, 3)),
        "a mask of another type": lambda: attend(q, q, q, torch.zeros(3, 3, dtype=torch.float16)),
        "values of another type": lambda: attend(q, q, q.half()),
    }
    for name, call in refused.items():
        with case(name):
            with pytest.raises((RuntimeError, IndexError)) as theirs:
                call()
            with ss.torch.exact(NAME), pytest.raises(theirs.type) as found:
                call()
            assert str(found.value) == str(theirs.value)
    q = drawn(2, 3, 4)
    with ss.torch.exact(NAME):
        torch.manual_seed(1)
        dropped = attend(q, q, q, dropout_p=0.5)
    torch.manual_seed(1)
    assert torch.equal(dropped, attend(q, q, q, dropout_p=0.5))
    with ss.torch.exact():
        assert torch.equal(attend(q, q, q), attend(q, q, q))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_gradients_are_pytorch_s(dtype: Any) -> None:
    for given in ({}, {"is_causal": True}, {"scale": 0.3}, {"attn_mask": drawn(5, 9, dtype=dtype, seed=4)}):
        found = []
        for is_exact in (True, False):
            # PyTorch's own are those of float32, too.
            kind = dtype if is_exact else torch.float32
            inputs = [drawn(2, 3, n, 8, dtype=dtype, seed=n).to(kind).requires_grad_() for n in (5, 9, 9)]
            inputs[2] = drawn(2, 3, 9, 4, dtype=dtype).to(kind).requires_grad_()
            more = {
                name: x.to(kind).clone().requires_grad_() if isinstance(x, torch.Tensor) else x
                for name, x in given.items()
            }
            wanted = [*inputs, *(x for x in more.values() if isinstance(x, torch.Tensor))]
            if is_exact:
                with ss.torch.exact(NAME):
                    result = attend(*inputs, **more)
            else:
                result = attend(*inputs, **more)
            weights = drawn(*result.shape, dtype=dtype, seed=7)
            found.append(torch.autograd.grad(result, wanted, weights.to(kind)))
        for own, other in zip(*found, strict=True):
            assert own.dtype == dtype
            np.testing.assert_allclose(
                own.float(), other.float(), rtol=1e-2, atol=2e-2 if dtype != torch.float32 else 1e-5
            )
