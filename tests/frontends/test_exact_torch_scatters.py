"""PyTorch's scatters with samesum's kernels: the same answers in any order of the updates, in place, and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from samesum.torch import exact

torch = pytest.importorskip("torch")

TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32, torch.int64)
CODES = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
ROWS = {"sum": ss.sum, "prod": ss.prod, "mean": ss.mean, "amax": ss.max, "amin": ss.min}


def made(dtype: Any, shape: tuple[int, ...], seed: int = 7) -> Any:
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(shape, generator=generator)
    return (values if dtype.is_floating_point else values * 4).to(dtype)


def places_of(shape: tuple[int, ...], count: int) -> Any:
    return torch.randint(0, count, shape, generator=torch.Generator().manual_seed(3))


def wanted(x: Any, index: Any, source: Any, reduce: str, include_self: bool) -> Any:
    """Each place of axis 0 by samesum's own reduction of what goes there."""
    result = x.clone()
    for column in range(index.shape[1]):
        for place in range(x.shape[0]):
            parts = [source[row, column] for row in range(len(index)) if index[row, column] == place]
            if parts:
                whole = torch.stack([x[place, column], *parts] if include_self else parts)
                found = ROWS[reduce](whole, dtype=ss_type(x)) if reduce in ("sum", "prod") else ROWS[reduce](whole)
                code = torch.from_numpy(np.asarray(found).reshape(1).view(f"i{x.element_size()}"))
                result[place, column] = code.view(x.dtype)[0]
    return result


def ss_type(x: Any) -> str:
    return str(x.dtype).split(".")[1]


def assert_same(found: Any, other: Any) -> None:
    assert (found.dtype, found.shape) == (other.dtype, other.shape)
    code = CODES[found.element_size()]
    assert torch.equal(found.contiguous().view(code), other.contiguous().view(code))


@pytest.mark.parametrize("include_self", [True, False])
@looped("reduce", ROWS)
@pytest.mark.parametrize("dtype", TYPES[:4], ids=str)
def test_scatter_reduce(dtype: Any, reduce: str, include_self: bool) -> None:
    x, index, source = made(dtype, (5, 3)), places_of((20, 2), 5), made(dtype, (21, 3), 8)
    with exact():
        found = x.scatter_reduce(0, index, source, reduce, include_self=include_self)
        copy = x.clone()
        assert copy.scatter_reduce_(0, index, source, reduce, include_self=include_self) is copy
    assert_same(found, wanted(x, index, source, reduce, include_self))
    assert_same(copy, found)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_additions(dtype: Any) -> None:
    x, index, source = made(dtype, (5, 3)), places_of((20, 3), 5), made(dtype, (20, 3), 8)
    out = torch.empty_like(x)
    row = places_of((20,), 5)
    with exact():
        found = x.scatter_add(0, index, source)
        assert torch.scatter_add(x, 0, index, source, out=out) is out
        copy = x.clone()
        assert copy.scatter_add_(0, index, source) is copy
        added = x.index_add(0, row, source)
        turned = x.t().index_add(-1, row, source.t())
        other = x.clone().index_add_(0, row, source)
    assert_same(found, wanted(x, index, source, "sum", True))
    assert_same(out, found)
    assert_same(copy, found)
    assert_same(added, wanted(x, row[:, None].expand(20, 3), source, "sum", True))
    assert_same(turned.t(), added)
    assert_same(other, added)


def test_the_order_of_updates_changes_no_bit() -> None:
    x, source = torch.zeros(3), torch.tensor([1e8, 1.0, -1e8, 2.0])
    index = torch.tensor([0, 0, 0, 1])
    order = torch.tensor([1, 0, 3, 2])
    with exact():
        assert x.scatter_add(0, index, source).tolist() == [1, 2, 0]
        assert x.index_add(0, index[order], source[order]).tolist() == [1, 2, 0]


def test_gradients() -> None:
    x, source = made(torch.float64, (4, 3)).requires_grad_(), made(torch.float64, (6, 3), 8).requires_grad_()
    index = places_of((6, 3), 4)
    with torch.enable_grad(), exact():
        assert torch.autograd.gradcheck(lambda a, b: a.scatter_add(0, index, b), (x, source))
        assert torch.autograd.gradcheck(lambda a, b: a.index_add(0, index[:, 0], b), (x, source))
        assert torch.autograd.gradcheck(lambda a, b: a.scatter_reduce(0, index, b, "mean"), (x, source))


def test_what_samesum_does_not_have_is_pytorchs() -> None:
    x, index, source = made(torch.float32, (5,)), places_of((20,), 5), made(torch.float32, (20,), 8)
    calls = (
        lambda: x.index_add(0, index, source, alpha=2),
        lambda: x.to(torch.complex64).scatter_add(0, index, source.to(torch.complex64)).real,
        lambda: (x > 0).scatter_reduce(0, index, source > 0, "amax").float(),
        lambda: x.long().scatter_reduce(0, index, source.long(), "mean").float(),
    )
    before = [call() for call in calls]
    with exact():
        assert all(torch.equal(call(), found) for call, found in zip(calls, before, strict=True))
        with pytest.raises((RuntimeError, IndexError), match="out of bounds"):
            x.scatter_add(0, torch.tensor([5]), source)
        with pytest.raises((RuntimeError, IndexError), match="out of"):
            x.index_add(0, torch.tensor([-1]), source[:1])
        with pytest.raises(RuntimeError, match="dtype"):
            x.scatter_add(0, index, source.double())
