"""Products and convolutions of PyTorch with samesum's kernels: the same answers, gradients, and what is PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import case, looped
from samesum import ArgumentError, UnsupportedOperator
from samesum.torch import exact

torch = pytest.importorskip("torch")

F = torch.nn.functional
TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
CODES = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def made(*shape: int, dtype: Any = torch.float32, seed: int = 7) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def assert_same(found: Any, wanted: Any) -> None:
    wanted = np.asarray(wanted)
    assert tuple(found.shape) == wanted.shape
    assert found.detach().contiguous().view(CODES[found.element_size()]).numpy().tobytes() == wanted.tobytes()


def gemm(a: Any, b: Any, c: Any, alpha: float = 1.0, beta: float = 1.0) -> Any:
    return ss.onnx.Gemm(a, b, c, alpha=alpha, beta=beta)


CALLS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "mm": (lambda x: x[0] @ x[1].t(), lambda x: ss.matmul(x[0], x[1].t())),
    "mv": (lambda x: x[0] @ x[1, 0], lambda x: ss.matmul(x[0], x[1, 0])),
    "dot": (lambda x: x[0, 0] @ x[1, 0], lambda x: ss.matmul(x[0, 0], x[1, 0])),
    "bmm": (lambda x: x.bmm(x.transpose(1, 2)), lambda x: ss.matmul(x, x.transpose(1, 2))),
    "matmul": (lambda x: torch.matmul(x, x[0].t()), lambda x: ss.matmul(x, x[0].t())),
    "einsum": (lambda x: torch.einsum("bij,bkj->bik", x, x), lambda x: ss.matmul(x, x.transpose(1, 2))),
    "addmm": (
        lambda x: torch.addmm(x[2, 0, :4], x[0], x[1].t(), alpha=0.5, beta=-2),
        lambda x: gemm(x[0], x[1].t(), x[2, 0, :4], 0.5, -2.0),
    ),
    "addmm of nothing": (
        lambda x: torch.addmm(torch.full((4,), float("nan")).to(x.dtype), x[0], x[1].t(), beta=0),
        lambda x: ss.matmul(x[0], x[1].t()),
    ),
    "linear": (
        lambda x: F.linear(x.transpose(0, 1), x[0], x[1, 1, :4]),
        lambda x: np.stack([gemm(each, x[0].t(), x[1, 1, :4]) for each in x.transpose(0, 1)]),
    ),
    "linear of a vector": (
        lambda x: F.linear(x[0, 0], x[1], x[2, 0, :4]),
        lambda x: gemm(x[0, :1], x[1].t(), x[2, 0, :4])[0],
    ),
    "linear without a bias": (lambda x: F.linear(x, x[0]), lambda x: ss.matmul(x, x[0].t())),
    "conv1d": (
        lambda x: F.conv1d(x, x[:2, :, :3], x[0, 0, :2], stride=2, padding=1),
        lambda x: ss.conv(x, x[:2, :, :3], x[0, 0, :2], stride=2, padding=1),
    ),
    "conv1d in groups": (
        lambda x: F.conv1d(x, x[:2, :2, :3], groups=2, dilation=3, padding="same"),
        lambda x: ss.conv(x, x[:2, :2, :3], groups=2, dilation=3, padding="same"),
    ),
    "conv_transpose1d": (
        lambda x: F.conv_transpose1d(x, x[0, :, :6].reshape(4, 2, 3), x[1, 0, :2], stride=3, output_padding=1),
        lambda x: ss.onnx.ConvTranspose(x, x[0, :, :6].reshape(4, 2, 3), x[1, 0, :2], strides=[3], output_padding=[1]),
    ),
}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@looped("name", CALLS)
def test_the_bits_are_those_of_samesum(name: str, dtype: Any) -> None:
    theirs, ours = CALLS[name]
    x = made(3, 4, 50, dtype=dtype)
    with exact("all"):
        found = theirs(x)
    assert found.dtype == dtype
    assert_same(found, ours(x))


def test_unless_they_are_named_products_are_pytorchs() -> None:
    x = made(64, 300) * 2.0 ** made(64, 300, seed=1)
    theirs, ours = x @ x.t(), ss.matmul(x, x.t())
    assert theirs.numpy().tobytes() != ours.tobytes()
    with exact():
        assert torch.equal(x @ x.t(), theirs)
    with exact(["mm", "sum"]):
        assert_same(x @ x.t(), ours)
        assert_same(x.sum(), ss.sum(x))
    assert torch.equal(x @ x.t(), theirs)
    with (
        pytest.raises(UnsupportedOperator, match=r"no operator 'matmul'; allowed are sum.*convolution"),
        exact(["matmul"]),
    ):
        pass
    with pytest.raises(ArgumentError, match="the text 'mm'"), exact("mm"):
        pass


def test_results_are_written_where_they_are_wanted() -> None:
    a, b, c = made(3, 5), made(5, 4), made(3, 4)
    with exact("all"):
        out = torch.empty(4, 3).t()
        assert torch.mm(a, b, out=out) is out
        assert_same(out, ss.matmul(a, b))
        wanted = gemm(a, b, c)
        assert_same(c.addmm_(a, b), wanted)


@looped("name", ["mm", "addmm", "bmm", "baddbmm", "linear", "linear of a vector", "conv2d", "conv_transpose2d"])
def test_gradients_are_as_ever(name: str) -> None:
    shapes: dict[str, tuple[Callable[..., Any], Any]] = {
        "mm": (torch.mm, [(3, 4), (4, 5)]),
        "addmm": (torch.addmm, [(5,), (3, 4), (4, 5)]),
        "bmm": (torch.bmm, [(2, 3, 4), (2, 4, 5)]),
        "baddbmm": (torch.baddbmm, [(2, 3, 5), (2, 3, 4), (2, 4, 5)]),
        "linear": (F.linear, [(2, 3, 4), (5, 4), (5,)]),
        "linear of a vector": (F.linear, [(4,), (5, 4), (5,)]),
        "conv2d": (F.conv2d, [(2, 3, 5, 6), (4, 3, 2, 3), (4,)]),
        "conv_transpose2d": (F.conv_transpose2d, [(2, 3, 5, 6), (3, 4, 2, 3), (4,)]),
    }
    function, wanted = shapes[name]
    inputs = [made(*shape, dtype=torch.float64, seed=i).requires_grad_() for i, shape in enumerate(wanted)]
    before = torch.autograd.grad(function(*inputs).square().sum(), inputs)
    with exact("all"):
        result = function(*inputs)
        found = torch.autograd.grad(result.square().sum(), inputs)
        torch.func.vmap(function, in_dims=0)(*(each[None].detach() for each in inputs))
    assert result.requires_grad
    for ours, theirs in zip(found, before, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_channels_last_stay_last() -> None:
    x, w = made(2, 4, 5, 6).contiguous(memory_format=torch.channels_last), made(3, 4, 2, 2)
    with exact("all"):
        found = F.conv2d(x, w)
    assert found.is_contiguous(memory_format=torch.channels_last)
    assert_same(found, ss.conv(x, w))


def test_what_samesum_does_not_have_is_pytorchs() -> None:
    whole = torch.arange(12).reshape(3, 4)
    calls: list[Callable[[], Any]] = [
        lambda: whole @ whole.t(),
        lambda: made(0, 3) @ made(3, 2),
        lambda: made(2, 3).to(torch.complex64) @ made(3, 2).to(torch.complex64),
        lambda: F.conv1d(whole[None].float().double(), whole[None, :, :2].double()),
        lambda: torch.nn.Linear(4, 2, dtype=torch.float64)(whole.double()).isfinite().all(),
    ]
    for i, call in enumerate(calls[:-1]):
        before = call()
        with case(i), exact("all"):
            assert torch.equal(call(), before)
    with exact("all"):
        assert calls[-1]()
        for wrong in (lambda: made(2, 3) @ made(2, 3), lambda: F.conv1d(made(1, 2, 3), made(1, 3, 2))):
            with pytest.raises(RuntimeError):
                wrong()
        x, w = made(1, 2, 3), made(2, 2, 2)
        for stride, dilation, padding in ((1, 1, 1), (2, 1, 2), (2, 3, 3), (1, 1, -1), (2, 1, -1)):
            with pytest.raises(RuntimeError, match=r"output.padding"):
                F.conv_transpose1d(x, w, None, stride, 0, padding, 1, dilation)
        assert F.conv_transpose1d(x, w, None, 2, 0, 2, 1, 3).shape == (1, 2, 10)
        for transposed in (False, True):
            with pytest.raises(RuntimeError, match="negative output_padding"):
                torch.convolution(x, w, None, [1], [0], [1], transposed, [-1], 1)
            with pytest.raises(RuntimeError, match="non-positive stride"):
                torch.convolution(x, w, None, [0], [0], [1], transposed, [0], 1)
            with pytest.raises(RuntimeError, match="bias to be 1-dimensional"):
                torch.convolution(x, w, made(1, 2), [1], [0], [1], transposed, [0], 1)


def test_the_batch_changes_nothing() -> None:
    layer = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Flatten(), torch.nn.Linear(8 * 16, 5))
    x = made(4, 3, 6, 6)
    with exact("all"), torch.no_grad():
        whole = layer(x)
        for i, j in product(range(4), range(1, 5)):
            if i < j:
                assert torch.equal(layer(x[i:j]), whole[i:j])
