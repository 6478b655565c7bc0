"""PyTorch with samesum's kernels: the same answers as samesum's functions, autograd, and nothing left behind."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from samesum import UnsupportedOperator
from samesum.torch import exact

torch = pytest.importorskip("torch")
kernels = importlib.import_module("samesum.frontends.plugins.torch_products")

Call = Callable[[Any], Any]
TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
OVERLOADS = [override.overload for overrides in kernels.OVERRIDES.values() for override in overrides]


def made(dtype: Any = torch.float32, shape: tuple[int, ...] = (3, 50, 4)) -> Any:
    generator = torch.Generator().manual_seed(7)
    return torch.randn(shape, generator=generator).to(dtype)


def same_bits(found: Any, wanted: np.ndarray) -> bool:
    codes = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    wanted = np.asarray(wanted)
    return (
        tuple(found.shape) == wanted.shape
        and found.view(codes[found.element_size()]).numpy().tobytes() == wanted.tobytes()
    )


CALLS: dict[str, tuple[Call, Call]] = {
    "sum": (lambda x: x.sum(), lambda x: ss.sum(x)),
    "sum along two": (lambda x: torch.sum(x, (0, -1)), lambda x: ss.sum(x, axis=(0, -1))),
    "sum keeps": (lambda x: x.sum(1, keepdim=True), lambda x: ss.sum(x, axis=1, keepdims=True)),
    "mean": (lambda x: x.mean(), lambda x: ss.mean(x)),
    "mean along one": (lambda x: x.mean(1), lambda x: ss.mean(x, axis=1)),
    "amin": (lambda x: x.amin(2), lambda x: ss.min(x, axis=2)),
    "amax": (lambda x: torch.amax(x), lambda x: ss.max(x)),
    "prod": (lambda x: x.prod(), lambda x: ss.prod(x)),
    "prod along one": (lambda x: x.prod(2), lambda x: ss.prod(x, axis=2)),
    "norm": (lambda x: x.norm(), lambda x: ss.l2_norm(x)),
    "norm 1": (lambda x: torch.norm(x, p=1, dim=1), lambda x: ss.l1_norm(x, axis=1)),
    "vector norm": (lambda x: torch.linalg.vector_norm(x, dim=0), lambda x: ss.l2_norm(x, axis=0)),
    "vector norm 3": (lambda x: x.norm(3, dim=1), lambda x: ss.vector_norm(x, ord=3, axis=1)),
    "vector norm 4": (lambda x: torch.linalg.vector_norm(x, 4), lambda x: ss.vector_norm(x, ord=4)),
    "vector norm inf": (lambda x: x.norm(float("inf"), 2), lambda x: ss.vector_norm(x, ord=float("inf"), axis=2)),
    "how many are not zero": (lambda x: x.norm(0, dim=1), lambda x: ss.vector_norm(x, ord=0, axis=1)),
    "cumsum": (lambda x: x.cumsum(1), lambda x: ss.cumulative_sum(x, axis=1)),
    "cumprod": (lambda x: x.cumprod(-1), lambda x: ss.cumulative_prod(x, axis=-1)),
    "logsumexp": (lambda x: x.logsumexp(1), lambda x: ss.logsumexp(x, axis=1)),
    "softmax": (lambda x: x.softmax(1), lambda x: ss.onnx.Softmax(x, axis=1)),
    "log_softmax": (lambda x: torch.nn.functional.log_softmax(x, -1), lambda x: ss.onnx.LogSoftmax(x)),
}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@looped("name", CALLS)
def test_the_bits_are_those_of_samesum(name: str, dtype: Any) -> None:
    theirs, ours = CALLS[name]
    for x in (made(dtype), made(dtype).transpose(0, 1), made(dtype)[:, ::3]):
        with exact():
            found = theirs(x)
        assert found.dtype == dtype
        assert same_bits(found, ours(x))


def test_integers_are_added_up_in_int64() -> None:
    x = torch.full((2, 3), 2**31 - 1, dtype=torch.int32)
    with exact():
        assert x.sum().tolist() == 6 * (2**31 - 1)
        assert x.cumsum(1).dtype == torch.int64
        assert (x > 0).sum(1).tolist() == [3, 3]
        assert x.amax().dtype == torch.int32
        assert torch.ones(3, dtype=torch.int32).sum(dtype=torch.float32).dtype == torch.float32


def test_results_are_written_where_they_are_wanted() -> None:
    x = made()
    out = torch.empty(50, 4)
    with exact():
        assert torch.sum(x, 0, out=out) is out
        assert same_bits(out, ss.sum(x, axis=0))
        wide = torch.empty(50, 4, dtype=torch.float64)
        torch.sum(x, 0, out=wide)
        assert same_bits(wide, ss.sum(x.numpy().astype(np.float64), axis=0))
        copy = x.clone()
        assert copy.cumsum_(1) is copy
    assert same_bits(copy, ss.cumulative_sum(x, axis=1))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.to(torch.complex64).sum(),
        lambda x: x.norm(2.5),
        lambda x: x.norm(-3),
        lambda x: x.norm(p=float("inf"), dim=1),
        lambda x: x[:0].sum(0),
        lambda x: x.sum(0, dtype=torch.int64),
        lambda x: x[0, 0, 0].cumsum(0),
    ],
)
def test_what_samesum_does_not_have_is_pytorchs(call: Call) -> None:
    before = call(made())
    with exact():
        assert torch.equal(call(made()), before)


def test_errors_are_pytorchs() -> None:
    with exact():
        with pytest.raises(IndexError, match="Dimension out of range"):
            made().sum(3)
        with pytest.raises(RuntimeError, match="appears multiple times"):
            made().sum((1, 1))


def test_autograd_keeps_working() -> None:
    def loss(x: Any) -> Any:
        return (x.softmax(1) * x.cumsum(1)).sum(0).norm() + x.logsumexp(2).mean() + x.log_softmax(0).amax(1).prod()

    x, y = (made(torch.float64, (3, 4, 2)).requires_grad_() for _ in range(2))
    with torch.enable_grad():  # which `samesum_bench` switches off in its process
        loss(x).backward()
    with torch.enable_grad(), exact():
        loss(y).backward()
        assert torch.autograd.gradcheck(lambda z: z.softmax(1).sum(2), made(torch.float64, (2, 3, 2)).requires_grad_())
    assert torch.allclose(x.grad, y.grad, rtol=1e-10)


def test_nothing_is_left_behind() -> None:
    before = {each: torch._C._dispatch_dump(f"aten::{each}") for each in OVERLOADS}
    huge = torch.tensor([3e30, 4e30])
    plain = huge.norm()
    with exact():
        assert torch._C._dispatch_dump("aten::amax") != before["amax"]
        assert huge.norm() == 5e30
    assert {each: torch._C._dispatch_dump(f"aten::{each}") for each in OVERLOADS} == before
    assert torch.equal(huge.norm(), plain)
    with pytest.raises(ZeroDivisionError), exact():
        raise ZeroDivisionError
    assert torch._C._dispatch_dump("aten::amax") == before["amax"]


def test_blocks_may_be_nested() -> None:
    cancelling = torch.tensor([1e8, 1.0, -1e8])
    with exact(["sum"]):
        with exact():
            assert cancelling.sum() == 1
        assert cancelling.sum() == 1
        other = threading.Thread(target=lambda: found.append(float(cancelling.sum())))
        found: list[float] = []
        other.start()
        other.join()
        assert found == [1.0]
    assert "exact_torch" not in torch._C._dispatch_dump("aten::amax")


def test_operators_choose_which_are_exact() -> None:
    before = torch._C._dispatch_dump("aten::amax")
    with exact(["sum", "softmax"]):
        assert torch._C._dispatch_dump("aten::amax") == before
    with pytest.raises(UnsupportedOperator, match="no operator 'Sum'; allowed are sum, mean, amin"), exact(["Sum"]):
        pass
    with pytest.raises(ss.ArgumentError, match="operators names none; allowed are one name or more"), exact([]):
        pass
    with pytest.raises(ss.ArgumentError, match="operators is the text 'sum'"), exact("sum"):
        pass
    with pytest.raises(ss.ArgumentTypeError, match="operators is 3; a sequence of names is needed"), exact(3):  # type: ignore[arg-type]
        pass


class Layer(torch.nn.Module):  # type: ignore[misc]
    """A layer of a transformer whose linear maps are applied sample by sample: a matrix product is not samesum's."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.maps = torch.nn.ModuleList(torch.nn.Linear(width, n) for n in (3 * width, width, 4 * width))
        self.back = torch.nn.Linear(4 * width, width)
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.RMSNorm(width)

    @staticmethod
    def _each(linear: Any, x: Any) -> Any:
        return torch.stack([linear(sample) for sample in x])

    def forward(self, x: Any) -> Any:
        q, k, v = self._each(self.maps[0], self.first(x)).chunk(3, -1)
        weights = (q[:, :, None] * k[:, None]).sum(-1).softmax(-1)
        x = x + self._each(self.maps[1], (weights[..., None] * v[:, None]).sum(2))
        return x + self._each(self.back, torch.relu(self._each(self.maps[2], self.second(x))))


def test_a_transformer_gives_a_sample_the_same_bits_in_every_batch() -> None:
    torch.manual_seed(3)
    layers = torch.nn.Sequential(*(Layer(24) for _ in range(3))).eval()
    batch = made(shape=(32, 11, 24))
    with torch.no_grad(), exact():
        whole = layers(batch)
        pooled = whole.mean(1).log_softmax(-1)
        for i in (0, 5, 31):
            alone = layers(batch[i : i + 1])
            assert torch.equal(alone[0], whole[i])
            assert torch.equal(alone.mean(1).log_softmax(-1)[0], pooled[i])
        # What a batch adds up does not depend on the order of its samples.
        assert torch.equal(whole.sum(0), layers(batch.flip(0)).sum(0))
