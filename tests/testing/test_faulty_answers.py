"""Answers with a fault are wrong, however near they come."""

from __future__ import annotations

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from answers import NUMPY_TYPES, fair, tf32, wrong

import samesum as ss
from naming import case
from samesum.testing import judge

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))


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


def test_lost_results_are_counted_without_those_beside_them() -> None:
    x = np.random.default_rng(0).standard_normal((64, 4096), dtype=np.float32)
    for rows in ([3], [3, 9], list(range(0, 64, 4))):
        got = x.sum(axis=1)
        got[rows] = 0
        found = judge("sum", got, x, axis=1)
        assert (found.verdict, found.wrong) == ("wrong", len(rows)), found


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


def test_the_programs_of_the_page_pass_allclose_and_are_wrong() -> None:
    from fair_tolerances import PROGRAMS, data

    for each in PROGRAMS:
        x = data(each)
        with case(each.problem, each.fault):
            got = each.answer(x)
            exact = getattr(ss, each.operator)(x, *each.positional, **each.attributes)
            assert np.allclose(got, exact, rtol=1e-2, atol=1e-2)
            wrong(judge(each.operator, got, x, *each.positional, **each.attributes))


def test_faults_of_weighted_means_are_wrong() -> None:
    x, w = np.random.default_rng(15).random((2, 500, 40), dtype=np.float32)
    exact = np.asarray(ss.average(x, 0, w))
    lost = exact.copy()
    lost[7] = 0
    for got in (np.zeros_like(exact), lost, x.mean(axis=0), exact[::-1]):
        wrong(judge("average", got, x, 0, w))
    wrong(judge("average", np.average(x[:-5], 0, w[:-5]), x, 0, w))
    wrong(judge("average", np.average(tf32(x).astype(float), 0, tf32(w)).astype(np.float32), x, 0, w), "inputs in TF32")
