"""What segment_reduce and scatter_reduce give of nothing, and how they refuse what they cannot do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [("sum", 0.0), ("prod", 1.0), ("mean", np.nan), ("l2", 0.0), ("var", np.nan), ("logsumexp", -np.inf)],
)
def test_a_label_without_slices_gives_what_nothing_gives(name: Any, value: float) -> None:
    got = ss.segment_reduce(X, [0, 0, 2, 2], num_segments=3, reduce=name)
    assert got.shape == (3, 3)
    np.testing.assert_array_equal(got[1], [value] * 3)


def test_nothing_at_all() -> None:
    assert ss.segment_reduce(X[:0], []).shape == (0, 3)
    assert ss.segment_reduce(X[:0], [], num_segments=2).tolist() == [[0.0] * 3] * 2
    assert ss.segment_reduce(X[:, :0], [0, 1, 1, 0]).shape == (2, 0)
    assert ss.scatter_reduce(X, 0, np.zeros((0, 3), np.int64), X[:0]).tolist() == X.tolist()


def test_types_of_results() -> None:
    bytes_ = np.array([200, 100, 1], np.uint8)
    assert ss.segment_reduce(bytes_, [0, 0, 1]).dtype == np.uint64
    assert ss.segment_reduce(bytes_, [0, 0, 1], reduce="mean").tolist() == [150.0, 1.0]
    assert ss.scatter_reduce(bytes_, 0, [0, 0], bytes_[:2]).tolist() == [(200 + 300) % 256, 100, 1]
    assert ss.segment_reduce(bytes_ > 1, [1, 1, 0], reduce="all").tolist() == [False, True]
    assert ss.scatter_reduce(bytes_ > 1, 0, [2, 2], [False, True]).tolist() == [True, True, True]
    assert ss.scatter_reduce(np.int32([-1, 5]), 0, [0], np.int32([-2]), "mean").tolist() == [-2, 5]


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (ss.ArgumentError, r"labels has -1; allowed are 0 to 2", ([0, 0, 2, -1], 0, 3)),
        (ss.ArgumentError, r"labels has 3; allowed are 0 to 2", ([0, 0, 3, 1], 0, 3)),
        (ss.ArgumentError, r"num_segments is -3; 0 or more", ([0, 0, 0, 1], 0, -3)),
        (ss.ShapeError, r"labels have shape \(4,\); axis 1 of x takes \(3,\)", ([0, 0, 0, 1], 1)),
        (ss.ShapeError, r"no max of an empty set: label 1 of 0 to 2 has no element", ([0, 0, 2, 2], 0, None, "max")),
        (ss.DtypeError, r"labels has dtype float64", ([0.0, 1.0, 1.0, 0.0],)),
        (ss.ArgumentError, r"reduce is 'argmax'; allowed are all, any", ([0, 0, 0, 1], 0, None, "argmax")),
        (ss.AxisError, r"axis 2 is out of range for rank 2", ([0, 0, 0, 1], 2)),
    ],
)
def test_segments_refused(error: type[Exception], words: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(error, match=words):
        ss.segment_reduce(X, *arguments)


def test_segments_have_a_correction_only_of_variances() -> None:
    assert ss.segment_reduce(X[:, 0], [0, 0, 1, 1], reduce="var", correction=1).tolist() == [4.5, 4.5]
    with pytest.raises(ss.ArgumentError, match="correction is 1; sum has none"):
        ss.segment_reduce(X, [0, 0, 1, 1], correction=1)


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (ss.AttributeValueError, r"index has 4; allowed are -4 to 3", (0, [0, 4], X[:2])),
        (ss.AttributeValueError, r"index has -5; allowed are -4 to 3", (0, [[0, -5, 1]], X[:1])),
        (ss.ArgumentError, r"reduce is 'l2'; allowed are max, mean", (0, [0, 1], X[:2], "l2")),
        (ss.DtypeError, r"src is float32 and target float64", (0, [0, 1], X[:2].astype(np.float32))),
        (ss.DtypeError, r"index has dtype bool", (0, [True, False], X[:2])),
        (ss.ShapeError, r"src has shape \(3, 3\); 2 slices along axis 0 of target take \(2, 3\)", (0, [0, 1], X[:3])),
        (ss.ShapeError, r"index has shape \(1, 4\); it may not be longer", (0, [[0, 1, 2, 3]], X[:1])),
        (ss.AxisError, r"axis -3 is out of range for rank 2", (-3, [0, 1], X[:2])),
    ],
)
def test_scatters_refused(error: type[Exception], words: str, arguments: tuple[Any, ...]) -> None:
    target = X.copy()
    with pytest.raises(error, match=words):
        ss.scatter_reduce(target, *arguments)
    assert target.tolist() == X.tolist()


def test_small_and_unsigned_indices() -> None:
    target, updates = np.zeros((300, 2)), np.ones((1, 2))
    assert ss.scatter_reduce(target, 0, np.int8([[-1, -128]]), updates)[[299, 172]].tolist() == [[1, 0], [0, 1]]
    assert ss.scatter_reduce(target, 0, np.int8([-1]), updates)[299].tolist() == [1, 1]
    assert ss.scatter_reduce(target.astype(int), 0, np.int8([-1]), updates.astype(int), "mean")[299].tolist() == [0, 0]
    for index in (np.uint64([2**64 - 1]), np.uint64([[2**64 - 1, 0]])):
        with pytest.raises(ss.AttributeValueError, match="index has 18446744073709551615; allowed are -300 to 299"):
            ss.scatter_reduce(target, 0, index, updates)


def test_an_index_may_be_shorter_than_the_source() -> None:
    got = ss.scatter_reduce(np.zeros((2, 2)), 1, np.array([[0, 0]]), np.ones((3, 5)))
    assert got.tolist() == [[2.0, 0.0], [0.0, 0.0]]
