"""The bits of element-wise functions depend on the elements alone: not on layout, threads, instruction set or modes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cases
from elementary import around_one, specials
from modes import control, each_mode, in_mode, needs_mxcsr, state
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.engine import elementwise
from samesum.engine.elementwise import exponential, logarithm, power
from samesum.formats.arrays import NDArray

GOLDEN = Path(__file__).parent.parent / "golden" / "elementary.json"
FUNCTIONS: dict[str, Callable[[NDArray], NDArray]] = {
    "exp": exponential,
    "log": logarithm,
    "sigmoid": elementwise.sigmoid,
    "tanh": elementwise.tanh,
    "erf": elementwise.erf,
    "gelu": elementwise.gelu,
    "gelu_tanh": elementwise.gelu_tanh,
    "softplus": elementwise.softplus,
    "sin": elementwise.sine,
    "cos": elementwise.cosine,
    "pow with all": lambda x: power(x, x[..., ::-1]),
    **{f"pow {y}": lambda x, y=y: power(x, np.float64(y)) for y in (0.5, 1, 2, 3, -1, 1.7)},  # type: ignore[misc]
}

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
any_threads = pytest.mark.usefixtures("restored_threads")


def data(dtype: np.dtype[Any]) -> NDArray:
    """Anything: bits as they come, ordinary numbers, those around 1, special values."""
    drawn = cases.mix(6000, 3).view(f"u{dtype.itemsize}")[:6000].view(dtype)
    mild = (cases.below(1 << 16, 2000, 4) / 2048 - 10).astype(dtype)
    return np.concatenate([drawn, mild, around_one(dtype, 100), specials(dtype)])


def results(x: NDArray) -> Iterator[tuple[str, NDArray]]:
    for name, function in FUNCTIONS.items():
        yield name, function(x)


@each_float
def test_each_instruction_set(each_instruction_set: str, dtype: np.dtype[Any]) -> None:
    golden = json.loads(GOLDEN.read_text())
    for name, got in results(data(dtype)):
        assert digest(got) == golden[f"{name} {dtype.name}"], f"{name} of {dtype} by {each_instruction_set}"


@needs_mxcsr
@each_mode
@looped("dtype", cases.FLOATS)
def test_modes(dtype: np.dtype[Any], mode: str) -> None:
    x = np.resize(data(dtype), 40_000)
    expected = dict(results(x))
    with in_mode(mode) as bits:
        got, after = dict(results(x)), control()
    assert after == bits
    for name, each in got.items():
        assert_bits(each, expected[name], f"{name} in mode {mode}")


@any_threads
@each_float
def test_threads(dtype: np.dtype[Any]) -> None:
    x = np.resize(data(dtype), 200_003)
    _core.set_num_threads(1)
    alone = dict(results(x))
    for threads in (2, 3, 7):
        _core.set_num_threads(threads)
        for name, got in results(x):
            assert_bits(got, alone[name], f"{name}, {threads} threads against 1")


@each_float
def test_layouts(dtype: np.dtype[Any]) -> None:
    x = np.resize(data(dtype), (12, 35, 44))
    views: list[Callable[[NDArray], NDArray]] = [
        lambda x: x.transpose(2, 0, 1),
        lambda x: x[::-1, ::2, 3::5],
        lambda x: x[:, :1],
        lambda x: np.broadcast_to(x[:1], (9, 35, 44)),
        lambda x: x[..., :7],
        lambda x: x[3, 5, 7],
        lambda x: x[:0],
    ]
    if dtype.name != "bfloat16":
        views.append(lambda x: x.astype(x.dtype.newbyteorder()))
    for name in ("exp", "log", "pow 2", "pow 1.7"):
        everywhere = FUNCTIONS[name](x)
        for number, view in enumerate(views):
            found = FUNCTIONS[name](view(x))
            assert_bits(
                np.ascontiguousarray(found), np.ascontiguousarray(view(everywhere)).astype(dtype), f"{name} {number}"
            )
    both = [(x[:, :1], x[:1, :, ::-1]), (x[0], x[..., :1]), (x.transpose(1, 0, 2), x[0, 0]), (x[0, 0, 5], x[1])]
    for a, b in both:
        whole = [np.ascontiguousarray(each) for each in np.broadcast_arrays(a, b)]
        assert_bits(power(a, b), power(*whole), f"{a.shape} ** {b.shape}")


@each_float
def test_lengths(dtype: np.dtype[Any]) -> None:
    x = data(dtype)
    for name, whole in results(x[:70]):
        if name != "pow with all":
            for n in range(70):
                assert_bits(FUNCTIONS[name](x[:n]), whole[:n], f"{name} of {n} elements")


def test_results_keep_the_order_of_axes_and_go_into_out() -> None:
    x = np.linspace(1, 2, 24, dtype=np.float32).reshape(4, 6).T
    got = exponential(x)
    assert got.strides == x.strides
    out = np.zeros_like(got)
    assert exponential(x, out) is out
    assert_bits(out, got, "out")
    for operands in ((x, x[:, :1]), (x[0], x)):
        expected = power(*operands)
        assert power(*operands, out) is out
        assert_bits(out, expected, "out of a power")
    base, exponent = np.float32([3, 2, 5, 1.5]), np.float32([2, 3, 0.5, 7])
    expected = power(base, exponent)
    assert_bits(power(base, exponent, exponent), expected, "the exponents are overwritten")
    exponent = np.float32([2, 3, 0.5, 7])
    assert_bits(power(base, exponent, base), expected, "the bases are overwritten")


def test_exception_flags_are_what_they_were() -> None:
    before = state()
    exponential(np.float32([1e4, -1e4, np.nan]))
    assert state() == before


PROGRAM = """
import hashlib, sys
sys.path[:0] = [{tests!r}, {laws!r}]
import numpy as np
from test_elementary_laws import model_outputs
sha = hashlib.sha256()
for array in model_outputs():
    sha.update(array.tobytes())
print(sha.hexdigest())
"""


def model_outputs() -> Iterator[NDArray]:
    """Of the model Exp -> ReduceSum -> Log, and of Pow, over every float type."""
    from onnx import helper

    from building import onnx_bytes, onnx_run
    from samesum.frontends.models.load import load

    for dtype in (np.float16, np.float32, np.float64):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        nodes = [
            helper.make_node("Exp", ["x"], ["e"]),
            helper.make_node("ReduceSum", ["e", "axes"], ["s"]),
            helper.make_node("Log", ["s"], ["y"]),
        ]
        model = load(onnx_bytes(nodes, {"x": (kind, None)}, {"y": (0, None)}, {"axes": np.array([1])}))
        x = (cases.below(1 << 16, 60_000, 4).reshape(1000, 60) / 8192 - 4).astype(dtype)
        yield from model.run(x).values()
        yield onnx_run("Pow", [np.abs(x), x[:, ::-1].copy()])
        yield onnx_run("Pow", [np.abs(x), np.array(1.7, dtype)])


@pytest.mark.parametrize("variables", [{}, {"SAMESUM_INSTRUCTION_SET": _core.instruction_sets()[0]}], ids=str)
def test_models_are_the_same_where_numpy_has_other_kernels(variables: dict[str, str]) -> None:
    sha = hashlib.sha256()
    for array in model_outputs():
        sha.update(array.tobytes())
    found = in_child({"NPY_DISABLE_CPU_FEATURES": disabled_features(), **variables})
    assert found == sha.hexdigest()


def disabled_features() -> str:
    """What NumPy uses on this machine of AVX-512, by the names that it takes."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__  # type: ignore[attr-defined]

    wide = ("X86_V4", "AVX512_SKX", "AVX512_ICL", "AVX512_SPR")
    return " ".join(name for name in wide if name in __cpu_dispatch__ and __cpu_features__[name])


def in_child(variables: dict[str, str]) -> str:
    tests = Path(__file__).parent.parent
    program = PROGRAM.format(tests=str(tests), laws=str(tests / "laws"))
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def digest(array: NDArray) -> str:
    """SHA-256 of the bits in little-endian order."""
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return hashlib.sha256(bits.astype(bits.dtype.newbyteorder("<")).tobytes()).hexdigest()


def write() -> None:
    """The golden hashes, from the instruction set in use: the tests of accuracy say that they are right."""
    found = {f"{name} {dtype.name}": digest(got) for dtype in cases.FLOATS for name, got in results(data(dtype))}
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    write()
