"""Tensors of other libraries: on which memory they become arrays, and which are refused."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

from samesum.algebra.rows import SUM
from samesum.engine.arrays import as_array
from samesum.engine.memory import reduce
from samesum.errors import ArgumentTypeError, DtypeError
from samesum.formats.arrays import BFLOAT16


class Tensor:
    """A tensor of another library: NumPy's memory behind the protocol alone."""

    def __init__(self, array: Any, device: Any = (1, 0), versioned: bool = True) -> None:
        self.array, self.device, self.versioned = array, device, versioned

    def __dlpack_device__(self) -> Any:
        return self.device

    def __dlpack__(self, **keywords: Any) -> Any:
        if not self.versioned and keywords:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**keywords)


class Closed(Tensor):
    """A tensor that does not share its memory."""

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("this memory is not shared")


class ClosedArray(Closed):
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.array, dtype)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_dlpack_shares_the_memory(dtype: str, versioned: bool) -> None:
    x = np.arange(12).reshape(3, 4).astype(dtype)[::2, ::-1]
    array = as_array(Tensor(x, versioned=versioned))
    assert array.dtype == x.dtype
    assert np.array_equal(array, x)
    assert np.shares_memory(array, x)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,), (2, 3)])
@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack_of_every_shape(shape: tuple[int, ...], versioned: bool) -> None:
    x = np.full(shape, 3, np.int16)
    array = as_array(Tensor(x, versioned=versioned))
    assert (array.dtype, array.shape, array.tolist()) == (x.dtype, shape, x.tolist())
    assert array.flags.writeable is (versioned or x.size == 0)


def test_dlpack_leaves_the_capsule_as_it_is_and_alive() -> None:
    x = np.arange(1000.0)
    capsules: list[Any] = []

    class Kept(Tensor):
        def __dlpack__(self, **keywords: Any) -> Any:
            capsules.append(super().__dlpack__(**keywords))
            return capsules[-1]

    before = sys.getrefcount(x)
    array = as_array(Kept(x))
    (capsule,) = capsules
    assert "dltensor_versioned" in repr(capsule), "an unused capsule keeps its name, and its own end frees the tensor"
    capsules.clear()
    del capsule
    assert np.shares_memory(array, x)
    assert sys.getrefcount(x) > before
    del array
    gc.collect()
    assert sys.getrefcount(x) == before


def test_dlpack_of_read_only_memory() -> None:
    x = np.arange(3.0)
    x.flags.writeable = False
    array = as_array(Tensor(x))
    assert np.shares_memory(array, x)
    assert not array.flags.writeable
    assert reduce(SUM, array) == 3


@pytest.mark.parametrize("device", [(1, 0), (3, 0), (11, 1)])
def test_dlpack_accepts_memory_that_the_cpu_reaches(device: tuple[int, int]) -> None:
    assert as_array(Tensor(np.arange(3.0), device)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("device", [(2, 0), (8, 1), (13, 0)])
def test_dlpack_of_another_device_is_refused(device: tuple[int, int]) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"Tensor is on DLPack device {device[0]}; allowed are 1 \(CPU\), 3"):
        as_array(Tensor(np.arange(3.0), device))


def test_dlpack_of_no_device_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"Tensor is on no DLPack device"):
        as_array(Tensor(np.arange(3.0), None))


def test_memory_that_is_not_shared_comes_through_array_or_is_refused() -> None:
    assert as_array(ClosedArray(np.arange(3.0))).tolist() == [0, 1, 2]
    with pytest.raises(ArgumentTypeError, match=r"Closed does not share its memory: this memory is not shared"):
        as_array(Closed(np.arange(3.0)))


TORCH_TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("name", TORCH_TYPES)
def test_torch_tensors_share_their_memory(name: str) -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(12).reshape(3, 4).to(getattr(torch, name))
    array = as_array(tensor.T[1:])
    assert array.dtype.name == name
    assert array.shape == (3, 3)
    assert array.astype(np.float64).tolist() == tensor.T[1:].double().tolist()
    tensor[2, 1] = 0
    assert array[0, 2] == 0, "the array has its own memory"


def test_torch_bfloat16_in_every_shape() -> None:
    torch = pytest.importorskip("torch")
    for shape in [(), (0,), (1,), (2, 0, 3), (2, 3, 4, 5)]:
        array = as_array(torch.ones(shape, dtype=torch.bfloat16))
        assert (array.dtype, array.shape) == (BFLOAT16, shape)
        assert bool((array == 1).all())


def test_torch_tensor_outlives_its_name() -> None:
    torch = pytest.importorskip("torch")
    array = as_array(torch.full((1000,), 3.0, dtype=torch.bfloat16))
    torch.full((1000,), 7.0, dtype=torch.bfloat16)
    assert bool((array == 3).all())


def test_torch_tensor_that_requires_a_gradient_is_refused() -> None:
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.ones(3, dtype=dtype, requires_grad=True)
        with pytest.raises(ArgumentTypeError, match=r"Tensor requires a gradient, .*; pass x.detach\(\)"):
            as_array(x)
        assert as_array(x.detach()).astype(np.float32).tolist() == [1, 1, 1]


def test_a_tensor_that_requires_a_gradient_is_refused() -> None:
    x = Tensor(np.ones(3))
    x.requires_grad = True  # type: ignore[attr-defined]
    with pytest.raises(ArgumentTypeError, match=r"Tensor requires a gradient, .*; pass x.detach\(\)"):
        as_array(x)


def test_torch_sign_that_is_not_yet_applied_is_not_lost() -> None:
    torch = pytest.importorskip("torch")
    lazy = torch.tensor([1 + 2j]).conj().imag
    assert lazy.is_neg()
    assert as_array(lazy).tolist() == [-2]


def test_torch_tensors_that_numpy_cannot_hold_are_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(DtypeError, match=r"Tensor of torch.float8_e8m0fnu: no array has its type code 14 of 8 bits"):
        as_array(torch.ones(2).to(torch.float8_e8m0fnu))
    with pytest.raises(ArgumentTypeError, match=r"Tensor does not make an array: .*[Ss]parse"):
        as_array(torch.ones(2).to_sparse())
    with pytest.raises(ArgumentTypeError, match=r"Tensor does not make an array: .*conjugate"):
        as_array(torch.tensor([1 + 2j]).conj())
    with pytest.raises(ArgumentTypeError, match=r"Tensor is on no DLPack device: .*meta"):
        as_array(torch.ones(2, device="meta"))
