"""Arrays of other libraries come in through DLPack without a copy."""

from __future__ import annotations

import numpy as np
import pytest

import samesum as ss
from samesum.engine.arrays import as_array


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "bfloat16", "float32"])
def test_jax(dtype: str) -> None:
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.arange(24).reshape(4, 6).astype(dtype)
    array = as_array(x)
    assert array.dtype.name == dtype
    assert array.__array_interface__["data"][0] == x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(ss.max(x, axis=1), np.asarray(x).max(axis=1))
    np.testing.assert_array_equal(ss.argmin(x, axis=0), np.zeros(6, np.int64))


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "bfloat16", "float32", "float64"])
def test_torch(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(24).reshape(4, 6).to(getattr(torch, dtype)).T
    array = as_array(x)
    assert array.dtype.name == dtype
    assert array.shape == (6, 4)
    assert array.__array_interface__["data"][0] == x.data_ptr()
    assert ss.any(x).dtype == np.bool_
    np.testing.assert_array_equal(ss.argmax(x, axis=1, select_last_index=True), np.full(6, 3))


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"])
def test_torch_in_eight_bits(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(8).remainder(4).to(getattr(torch, dtype)).reshape(2, 4)
    array = as_array(x)
    assert array.dtype.name == dtype
    assert array.__array_interface__["data"][0] == x.data_ptr()
    np.testing.assert_array_equal(ss.sum(x, axis=1).astype(np.float32), [6, 6])
    np.testing.assert_array_equal(ss.max(x, axis=0).astype(np.float32), [0, 1, 2, 3])
