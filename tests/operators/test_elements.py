"""Comparisons, choices, logic, roundings and remainders of both standards: exact, in every type of their versions."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from building import ir_run, onnx_run, same
from naming import looped
from samesum.errors import AttributeValueError, DtypeError, ModelError, ShapeError

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(np.float16), BF16, np.dtype(np.float32), np.dtype(np.float64)]
NUMBERS = [*FLOATS, *(np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64))]
COMPARISONS = [
    ("Equal", "Equal", lambda a, b: a == b),
    ("Less", "Less", lambda a, b: a < b),
    ("LessOrEqual", "LessEqual", lambda a, b: a <= b),
    ("Greater", "Greater", lambda a, b: a > b),
    ("GreaterOrEqual", "GreaterEqual", lambda a, b: a >= b),
]

each_float = pytest.mark.parametrize("dtype", FLOATS, ids=str)
each_number = pytest.mark.parametrize("dtype", NUMBERS, ids=str)


@looped("dtype", NUMBERS)
@pytest.mark.parametrize(("onnx", "openvino", "truth"), COMPARISONS)
def test_comparisons(onnx: str, openvino: str, truth: Any, dtype: np.dtype) -> None:
    a, b = np.array([[1], [2], [3]]).astype(dtype), np.array([2, 1, 3, 0]).astype(dtype)
    expected = np.array([[truth(int(m[0]), int(n)) for n in b] for m in a])
    assert same(onnx_run(onnx, [a, b]), expected)
    assert same(ir_run(openvino, [a, b]), expected)
    assert same(onnx_run(onnx, [a[0, 0], b[0]]), np.array(truth(1, 2)))


@each_float
def test_nan_is_equal_to_nothing_and_zeros_are_equal(dtype: np.dtype) -> None:
    a, b = np.array([np.nan, 0.0, np.inf]).astype(dtype), np.array([np.nan, -0.0, np.inf]).astype(dtype)
    assert onnx_run("Equal", [a, b]).tolist() == [False, True, True]
    assert ir_run("NotEqual", [a, b]).tolist() == [True, False, False]
    assert onnx_run("LessOrEqual", [a, b]).tolist() == [False, True, True]
    assert onnx_run("Less", [a, b]).tolist() == [False, False, False]


def test_types_and_broadcasting_of_old_versions() -> None:
    x = np.float32([[1, 2], [3, 4]])
    assert onnx_run("Less", [x, np.float32([2, 2])], 1, broadcast=1).tolist() == [[True, False], [False, False]]
    assert onnx_run("Greater", [x, np.float32([2, 3])], 6, broadcast=1, axis=0).tolist() == [
        [False, False],
        [False, True],
    ]
    with pytest.raises(ShapeError, match="broadcast is 0"):
        onnx_run("Less", [x, np.float32([2, 2])], 1)
    with pytest.raises(
        DtypeError, match=r"Less-7: A is int32; allowed are float16, float32, float64; int32 is allowed"
    ):
        onnx_run("Less", [np.int32([1]), np.int32([1])], 8)
    with pytest.raises(DtypeError, match=r"Equal-7: A is float32; allowed are int32, int64, bool"):
        onnx_run("Equal", [x, x], 10)


def test_logic() -> None:
    a, b = np.array([[False], [True]]), np.array([False, True])
    for onnx, openvino, function in (
        ("And", "LogicalAnd", np.logical_and),
        ("Or", "LogicalOr", np.logical_or),
        ("Xor", "LogicalXor", np.logical_xor),
    ):
        assert same(onnx_run(onnx, [a, b]), function(a, b))
        assert same(ir_run(openvino, [a, b]), function(a, b))
        assert same(onnx_run(onnx, [a, b[:1]], 1, broadcast=1), function(a, b[:1]))
    assert same(onnx_run("Not", [a]), ~a)
    assert same(ir_run("LogicalNot", [a]), ~a)
    with pytest.raises(DtypeError, match=r"And-7: A is int32; allowed are bool"):
        onnx_run("And", [np.int32([1]), np.int32([1])])


@pytest.mark.parametrize("dtype", [*NUMBERS, np.dtype(bool)], ids=str)
def test_choices_broadcast_all_three(dtype: np.dtype) -> None:
    condition = np.array([[True], [False]])
    yes, no = np.array([1, 0, 1]).astype(dtype), np.array(0).astype(dtype)
    expected = np.array([[1, 0, 1], [0, 0, 0]]).astype(dtype)
    assert same(onnx_run("Where", [condition, yes, no]), expected)
    assert same(ir_run("Select", [condition, yes, no]), expected)
    with pytest.raises(ShapeError, match="auto_broadcast is none and the shapes differ"):
        ir_run("Select", [condition, yes, no], 'auto_broadcast="none"')


def test_a_choice_keeps_what_is_not_chosen_out() -> None:
    x = np.float32([np.nan, np.inf, 1.0])
    assert onnx_run("Where", [np.array([False, False, True]), x, np.float32(0)]).tolist() == [0, 0, 1]


@each_float
def test_roundings_to_whole_numbers(dtype: np.dtype) -> None:
    values = [-2.5, -1.5, -0.5, -0.25, -0.0, 0.0, 0.25, 0.5, 1.5, 2.5, 3.0, np.inf, -np.inf]
    x = np.array(values).astype(dtype)
    whole = [v for v in values if math.isfinite(v)]
    ends = [np.inf, -np.inf]

    def expected(function: Any) -> np.ndarray:
        return np.array([math.copysign(function(v), v) for v in whole] + ends).astype(dtype)

    away = expected(lambda v: math.floor(abs(v) + 0.5))
    assert same(onnx_run("Round", [x]) if dtype != BF16 else onnx_run("Round", [x], 22), expected(round))
    assert same(ir_run("Round", [x], 'mode="half_to_even"', "opset5"), expected(round))
    assert same(ir_run("Round", [x], 'mode="half_away_from_zero"', "opset5"), away)
    floors, ceilings = expected(math.floor), expected(math.ceil)
    assert same(onnx_run("Floor", [x]), floors)
    assert same(ir_run("Floor", [x]), floors)
    assert same(onnx_run("Ceil", [x]), ceilings)
    assert same(ir_run("Ceiling", [x]), ceilings)
    assert np.isnan(onnx_run("Floor", [np.array([np.nan]).astype(dtype)])).all()


def test_integers_are_whole_already() -> None:
    x = np.int32([-3, 0, 7])
    for kind in ("Floor", "Ceiling"):
        assert same(ir_run(kind, [x]), x)
    assert same(ir_run("Round", [x], version="opset5"), x)


@each_number
def test_signs(dtype: np.dtype) -> None:
    x = np.array([0, 3, 1]).astype(dtype)
    expected = np.array([0, 1, 1]).astype(dtype)
    assert same(onnx_run("Sign", [x]), expected)
    assert same(ir_run("Sign", [x]), expected)
    if dtype.kind not in "u":
        assert same(onnx_run("Sign", [-x]), np.array([0, -1, -1]).astype(dtype))


@each_float
def test_reciprocals_are_rounded_once(dtype: np.dtype) -> None:
    x = np.array([3.0, -7.0, 0.0, -0.0, np.inf, 10.0]).astype(dtype)
    nearest = np.array([1 / 3, -1 / 7, np.inf, -np.inf, 0.0, 0.1]).astype(dtype)
    assert same(onnx_run("Reciprocal", [x]), nearest)


@each_number
def test_remainders(dtype: np.dtype) -> None:
    signed = dtype.kind != "u"
    a, b = (np.array([7, 7, 6, 5]), np.array([3, 7, 4, 2]))
    if signed:
        a, b = np.concatenate([a, -a, a, -a]), np.concatenate([b, b, -b, -b])
    fmod = np.array([int(math.fmod(m, n)) for m, n in zip(a.tolist(), b.tolist(), strict=True)]).astype(dtype)
    python = np.array([m % n for m, n in zip(a.tolist(), b.tolist(), strict=True)]).astype(dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    assert np.array_equal(onnx_run("Mod", [a, b], fmod=1), fmod)
    assert np.array_equal(ir_run("Mod", [a, b]), fmod)
    assert np.array_equal(ir_run("FloorMod", [a, b]), python)
    assert np.array_equal(onnx_run("Mod", [a, b], 28), python)
    if dtype.kind in "iu":
        assert same(onnx_run("Mod", [a, b]), python)
        assert onnx_run("Mod", [a[:1], a[:1] * 0]).tolist() == [0]
    else:
        with pytest.raises(AttributeValueError, match="before opset 28 it is 1 for floats"):
            onnx_run("Mod", [a, b])


def test_a_modulo_is_the_exact_one_rounded_once() -> None:
    """-2^-24 modulo 1 is 1 - 2^-24, which float16 rounds to 1."""
    a, b = np.float16([-(2.0**-24), -(2.0**-11), 5.5]), np.float16([1, 1, -2])
    assert same(ir_run("FloorMod", [a, b]), np.float16([1.0, 1 - 2**-11, -0.5]))
    assert same(onnx_run("Mod", [np.float32([-1, 3]), np.float32([np.inf, np.inf])], 28), np.float32([np.inf, 3]))


def test_a_word_that_a_rounding_does_not_have() -> None:
    with pytest.raises(ModelError, match="mode is 'up'; allowed is half_to_even or half_away_from_zero"):
        ir_run("Round", [np.float32([1])], 'mode="up"', "opset5")
