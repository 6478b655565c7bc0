"""ONNX Runtime's expectations: by call and as one-node models; where samesum decides otherwise, it really does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from deviations import DEVIATIONS
from literals import assert_near
from onnxruntime_vectors import OWN_CHOICES, VECTORS, Vector
from running import by_call, by_onnx, require_row

from samesum.errors import SamesumError

NDArray = np.ndarray[Any, np.dtype[Any]]

SHARED = tuple(vector for vector in (*VECTORS, *OWN_CHOICES) if vector.name not in DEVIATIONS)
DEVIATING = tuple(vector for vector in (*VECTORS, *OWN_CHOICES) if vector.name in DEVIATIONS)

each_way = pytest.mark.parametrize("way", ["call", "model"])


def _run(vector: Vector, way: str) -> NDArray:
    if way == "call":
        return by_call(vector.question)
    return by_onnx(vector.question, vector.constants, None if vector.refused else vector.expected)


@each_way
@pytest.mark.parametrize("vector", SHARED, ids=lambda vector: vector.name)
def test_what_onnxruntime_expects(vector: Vector, way: str) -> None:
    require_row("onnx", vector.question.operator)
    if vector.refused:
        with pytest.raises(SamesumError):
            _run(vector, way)
        return
    got, expected = _run(vector, way), vector.expected
    assert got.dtype == expected.dtype
    literal = expected if expected.dtype.kind in "iub" else expected.astype(np.float64)
    assert_near(got, literal, vector.allowed, vector.name)


@each_way
@pytest.mark.parametrize("vector", DEVIATING, ids=lambda vector: vector.name)
def test_what_is_decided_otherwise(vector: Vector, way: str) -> None:
    require_row("onnx", vector.question.operator)
    deviation, expected = DEVIATIONS[vector.name], vector.expected
    got = _run(vector, way)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert tuple(got.ravel().tolist()) == deviation.gives, deviation.reason
    assert got.tolist() != expected.tolist(), f"{vector.name} no longer deviates: {deviation.reason}"


def test_every_deviation_is_of_a_vector() -> None:
    assert {vector.name for vector in DEVIATING} == set(DEVIATIONS)
