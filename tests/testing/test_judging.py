"""`samesum.testing`: honest answers are never wrong, faults always are, and what does not fit is an error in words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from naming import case
from samesum.testing import Judgement, assert_fair, judge

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
Array = np.ndarray[Any, Any]
FEW = ((64, 100), (2000, 3))
SHAPES = [
    pytest.param(FEW, id="few"),
    pytest.param(((7,), (500, 33), (3, 8, 50), (3, 5000), (100, 2)), id="many", marks=pytest.mark.slow),
]
"""From 2048 terms on a sum of float16 may stand still."""
NUMPY_TYPES = (np.float16, np.float32, np.float64)


def drawn(shape: tuple[int, ...]) -> Iterator[tuple[str, Array]]:
    """Data of several kinds, as float64."""
    random = np.random.default_rng(len(shape) + shape[0])
    yield "normal", random.standard_normal(shape)
    yield "uniform", random.random(shape) / 8
    yield "about a hundred", 100 + random.standard_normal(shape)
    yield "equal", np.full(shape, 0.1)
    yield "of many sizes", random.standard_normal(shape) * np.exp(2 * random.standard_normal(shape))
    yield "small integers", random.integers(-8, 9, shape).astype(float)


def fair(found: Judgement) -> None:
    assert found.verdict in ("right", "inexact"), str(found)
    assert (found.verdict == "right") == (found.ulp == 0)
    assert found.wrong == 0


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


def test_faults_of_products_are_wrong() -> None:
    random = np.random.default_rng(9)
    for m, n, k in ((16, 8, 32), (9, 7, 768), (8, 8, 4096)):
        for a, b in ((random.standard_normal, random.standard_normal), (random.random, random.random)):
            x, y = a((m, k)).astype(np.float32), b((k, n)).astype(np.float32)
            lost = x @ y
            lost[m // 2] = 0
            shorter = x[:, : -max(1, k // 64)] @ y[: -max(1, k // 64)]
            half = x.astype(np.float16).astype(np.float32) @ y.astype(np.float16).astype(np.float32)
            with case(m, n, k):
                wrong(judge("matmul", lost, x, y))
                wrong(judge("matmul", shorter, x, y))
                wrong(judge("matmul", (tf32(x).astype(float) @ tf32(y)).astype(np.float32), x, y))
                wrong(judge("matmul", half.astype(np.float16).astype(np.float32), x, y))
                wrong(judge("onnx.Gemm", x @ y, x, y, np.full(n, 0.5, np.float32)))


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


def wrong(found: Judgement, rule: str | None = None) -> None:
    assert found.verdict == "wrong", str(found)
    assert found.wrong > 0
    assert rule is None or found.rule == rule, str(found)


def tf32(x: Array) -> Array:
    bits = x.view(np.uint32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000).astype(np.uint32).view(np.float32)


def test_zeros_lost_results_and_nans_are_wrong() -> None:
    random = np.random.default_rng(2)
    named = ("sum", "mean", "l2_norm", "std", "logsumexp", "softmax", "max")
    for dtype in (*NUMPY_TYPES, ml_dtypes.bfloat16):
        for shape, axis in (((64, 100), 1), ((1000, 33), 0), ((8, 2000), 1)):
            x = random.standard_normal(shape).astype(dtype)
            for name in (*named, "cumulative_sum"):
                exact = np.asarray(getattr(ss, name)(x, axis=axis))
                half, broken = exact.copy(), exact.copy()
                half.reshape(-1)[half.size // 2 :] = 0
                broken.reshape(-1)[1] = np.nan
                with case(name, np.dtype(dtype).name, shape):
                    wrong(judge(name, np.zeros_like(exact), x, axis=axis))
                    wrong(judge(name, half, x, axis=axis))
                    wrong(judge(name, broken, x, axis=axis))


def test_lost_rows_are_wrong() -> None:
    random = np.random.default_rng(3)
    for dtype in (np.float32, np.float64):
        for rows in (64, 1000, 20000):
            x = random.random((rows, 4)).astype(dtype)
            for name in ("sum", "l2_norm", "cumulative_sum"):
                y = x.copy()
                y[rows - rows // 100 - 1 :] = 0
                with case(name, np.dtype(dtype).name, rows):
                    wrong(judge(name, getattr(ss, name)(y, axis=0), x, axis=0))


def test_sums_of_float32_in_float16_are_wrong() -> None:
    random = np.random.default_rng(4)
    ways = {"sum": np.sum, "mean": np.mean, "cumulative_sum": np.cumsum, "std": np.std}
    for shape, axis in (((64, 100), 1), ((1000, 33), 0), ((8, 20000), 1)):
        x = random.standard_normal(shape).astype(np.float32)
        for name, function in ways.items():
            with case(name, shape), np.errstate(all="ignore"):
                short = function(x.astype(np.float16), axis=axis)
                wrong(judge(name, short.astype(np.float32), x, axis=axis))
                stored = x.astype(np.float16).astype(np.float32)
                wrong(judge(name, function(stored, axis=axis).astype(np.float16).astype(np.float32), x, axis=axis))


def test_products_of_shortened_inputs_are_wrong_at_any_length() -> None:
    """From some length on a running sum in float32 loses as much as TF32 does; the inputs' bits tell them apart."""
    random = np.random.default_rng(5)
    for length in (16, 768, 4096, 65536):
        for a, b in (random.standard_normal((2, 24, length)), random.random((2, 24, length))):
            a, b = a.astype(np.float32), b.astype(np.float32)
            with case(length):
                fair(judge("vecdot", np.einsum("ij,ij->i", a, b), a, b))
                fair(judge("vecdot", np.add.accumulate(a * b, axis=1)[:, -1], a, b))
                short = (tf32(a).astype(np.float64) * tf32(b)).sum(axis=1).astype(np.float32)
                wrong(judge("vecdot", short, a, b), "inputs in TF32")
                brain = [each.astype(ml_dtypes.bfloat16).astype(np.float64) for each in (a, b)]
                wrong(judge("vecdot", (brain[0] * brain[1]).sum(axis=1).astype(np.float32), a, b), "inputs in bfloat16")


def test_sums_that_stand_still_are_wrong() -> None:
    ones = np.ones((4096, 2), np.float16)
    found = judge("sum", ones.sum(axis=0), ones, axis=0)
    wrong(found, "in NumPy's order in float16")
    assert found.worst is not None
    assert (found.worst.got, found.worst.exact) == (2048.0, 4096.0)


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


def test_variances_of_zero_are_wrong_where_an_element_differs() -> None:
    random = np.random.default_rng(12)
    for mean in (0.0, 100.0, 1e6, 1e7):
        for results in (1, 3, 20):
            x = (mean + 4 * random.standard_normal((50, results))).astype(np.float32)
            for name in ("var", "std"):
                with case(mean, results, name):
                    got = np.asarray(getattr(ss, name)(x, axis=0))
                    wrong(judge(name, np.zeros_like(got), x, axis=0))
                    got[-1] = 0
                    wrong(judge(name, got, x, axis=0))


def test_an_element_left_out_of_several_lines_is_wrong_however_little_it_is() -> None:
    x = np.random.default_rng(13).random((20000, 16), dtype=np.float32)
    x[-1] /= 10
    found = judge("sum", ss.sum(x[:-1], axis=0), x, axis=0)
    assert found.scaled < found.allowed
    wrong(found, "the last element left out")
    fair(judge("sum", np.add.accumulate(x, axis=0)[-1], x, axis=0))


def test_variances_by_welford_in_float64_are_not_wrong() -> None:
    for ramp in (np.arange(20000) * 0.1, 1 + np.arange(1000) * 1e-7):
        mean = total = 0.0
        for count, each in enumerate(ramp.tolist(), 1):
            before = each - mean
            mean += before / count
            total += before * (each - mean)
        fair(judge("var", np.float64(total / len(ramp)), ramp))
        wrong(judge("var", np.var(ramp.astype(np.float32)).astype(np.float64), ramp))


def test_integers_and_extremes_are_exact_or_wrong() -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    fair(judge("sum", x.sum(axis=0), x, axis=0))
    off = x.sum(axis=0)
    off[2] += 1
    found = judge("sum", off, x, axis=0)
    wrong(found)
    assert (found.wrong, found.judged, found.ulp, found.unit) == (1, 4, 1.0, "steps")
    wrong(judge("max", np.float32([2.9999998]), np.float32([[1, 3]]), axis=1))
    wrong(judge("argmax", np.int64([0]), np.float32([[1, 3]]), axis=1))


def test_operators_of_the_standards_are_judged() -> None:
    random = np.random.default_rng(6)
    x, w = random.standard_normal((2, 6, 8)).astype(np.float32), np.ones(8, np.float32)
    exact = ss.onnx.LayerNormalization(x, w)
    found = judge("onnx.LayerNormalization", np.nextafter(exact, np.float32(9)), x, w, axis=-1)
    assert (found.verdict, found.unit) == ("inexact", "ulps of the largest of its line")
    wrong(judge("onnx.LayerNormalization", exact + np.float32(1e-3), x, w))
    fair(judge("onnx.ReduceSum", x.sum(axis=1), x, axes=[1], keepdims=0))
    fair(judge("onnx.ReduceSum", x.sum(axis=1), x, axes=[1], keepdims=0, opset=11))
    fair(judge("openvino.MVN", ss.openvino.MVN(x, [2], eps=1e-6), x, axes=[2], eps=1e-6))
    fair(judge("onnx.Exp", np.exp(x), x))
    wrong(judge("onnx.Exp", np.exp(x) * np.float32(1.001), x))
    fair(judge("openvino.SoftMax", ss.openvino.SoftMax(x, axis=2), x, axis=2))


def test_rows_are_drawn_by_the_seed() -> None:
    x = np.random.default_rng(7).standard_normal((50, 20)).astype(np.float32)
    exact = np.asarray(ss.softmax(x))
    broken = exact.copy()
    broken[7, 3] = 0.5
    found = [judge("softmax", broken, x, rows=10, seed=seed) for seed in range(20)]
    assert {each.judged for each in found} == {200}
    assert {each.verdict for each in found} == {"right", "wrong"}
    assert all(each.worst is None or each.worst.index == (7, 3) for each in found)
    assert judge("softmax", broken, x, rows=10, seed=3) == judge("softmax", broken, x, rows=10, seed=3)
    assert judge("sum", x.sum(axis=1), x, axis=1, rows=5).judged == 5
    assert judge("sum", x.sum(axis=1), x, axis=1, rows=500).judged == 50


def test_a_judgement_is_text_and_a_document() -> None:
    x = np.float32([[1, 2], [3, 4]])
    found = judge("sum", np.float32([4, np.nan]), x, axis=0)
    assert len(str(found).splitlines()) == 3
    assert str(found).startswith("sum float32 [2]: wrong, 1 of 2 results beyond what is allowed\n")
    document = json.loads(json.dumps(found.to_dict()))
    assert document["worst"] == {"index": [1], "got": "nan", "exact": 6}
    assert (document["verdict"], document["scaled"], document["wrong"]) == ("wrong", "inf", 1)
    with pytest.raises(AttributeError):
        found.verdict = "right"  # type: ignore[misc]


def test_assert_fair_says_what_is_wrong() -> None:
    x = np.random.default_rng(8).random((300, 40)).astype(np.float32)
    assert_fair("sum", x.sum(axis=0), x, axis=0)
    with pytest.raises(AssertionError, match=r"sum float32 \[40\]: wrong, 40 of 40 results beyond"):
        assert_fair("sum", x[1:].sum(axis=0), x, axis=0)
    with pytest.raises(AssertionError, match=r"further off than max_scaled=0\.01"):
        assert_fair("sum", x.sum(axis=0), x, axis=0, max_scaled=0.01)


X = object()
WRONG_ARGUMENTS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("sum", (X,), {"axis": "x"}),
    ("argmax", (X,), {"axis": [0, 1]}),
    ("softmax", (X,), {"axis": None}),
    ("cumulative_sum", (X,), {"axis": "q"}),
    ("layer_norm", (X, "a"), {}),
    ("group_norm", (X, None), {}),
    ("vecdot", (X, X), {"axis": "a"}),
    ("tensordot", (X, X), {"axes": "q"}),
    ("einsum", (3, X, X), {}),
    ("segment_reduce", (X, [0, 0, 1]), {"reduce": 3}),
    ("onnx.Softmax", ("abc",), {}),
    ("onnx.LayerNormalization", (X, X), {"axis": "u"}),
]


def test_what_does_not_fit_is_an_error_in_words() -> None:
    x = np.ones((3, 4), np.float32)
    for call in (judge, assert_fair):
        with pytest.raises(ss.ShapeError, match=r"sum: the answer has shape \(3,\); for these inputs it is \(4,\)"):
            call("sum", np.ones(3, np.float32), x, axis=0)
        with pytest.raises(ss.DtypeError, match="sum: the answer is float64; for these inputs it is float32"):
            call("sum", np.ones(4), x, axis=0)
        with pytest.raises(ss.ArgumentError, match="there is no operator 'summ' to judge; known are sum,"):
            call("summ", x, x)
        with pytest.raises(ss.UnsupportedOperator, match="onnx has no operator 'ReduceSumm'"):
            call("onnx.ReduceSumm", x, x)
        with pytest.raises(ss.ArgumentTypeError, match="sum: got an unexpected keyword argument 'axes'"):
            call("sum", x, x, axes=0)
        with pytest.raises(ss.ArgumentError, match="rows is 0; allowed are integers from 1 on"):
            call("sum", np.full(4, 3, np.float32), x, axis=0, rows=0)
        with pytest.raises(ss.ArgumentError, match="seed is -1; allowed are integers from 0 on"):
            call("sum", np.full(4, 3, np.float32), x, axis=0, seed=-1)
        with pytest.raises(ss.ArgumentTypeError, match="seed has to be an integer; got 'a'"):
            call("sum", np.full(4, 3, np.float32), x, axis=0, rows=2, seed="a")
        with pytest.raises(ss.ArgumentTypeError, match="the operator is None; a name is needed"):
            call(None, x, x)
        with pytest.raises(ss.ArgumentError, match=r"there are no results, so nothing is judged; .* is \(0,\)"):
            call("sum", x[0, :0], x[:, :0], axis=0)
        with pytest.raises(ss.AxisError):
            call("sum", x, x, axis=5)
        for name, given, said in WRONG_ARGUMENTS:
            with case(name, given, said), pytest.raises(ss.SamesumError):
                call(name, x, *(x if each is X else each for each in given), **said)
    for limit, error in ((np.nan, ss.ArgumentError), (-1, ss.ArgumentError), ("x", ss.ArgumentTypeError)):
        with pytest.raises(error, match="max_scaled is "):
            assert_fair("sum", x.sum(axis=0), x, axis=0, max_scaled=limit)  # type: ignore[arg-type]


def test_the_programs_of_the_page_pass_allclose_and_are_wrong() -> None:
    from fair_tolerances import PROGRAMS, data

    for each in PROGRAMS:
        x = data(each)
        with case(each.problem, each.fault):
            got = each.answer(x)
            exact = getattr(ss, each.operator)(x, *each.positional, **each.attributes)
            assert np.allclose(got, exact, rtol=1e-2, atol=1e-2)
            wrong(judge(each.operator, got, x, *each.positional, **each.attributes))
