"""A node's data as lines: one row for each group of elements that are reduced, scanned or normalized together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.testing.families import Family, Node


@dataclass(frozen=True, slots=True)
class Lines:
    """`data` has shape [lines, length]; `steps` are the sizes of the axes that were joined into the length."""

    data: NDArray
    axes: tuple[int, ...]
    steps: tuple[int, ...]


def axes_of(node: Node, arrays: Sequence[NDArray | None]) -> tuple[int, ...] | None:
    """The axes along which the node works, from the front; None where it does not work along axes."""
    data = arrays[0]
    assert data is not None
    said = _said(node, arrays, data.ndim)
    if said is None or any(not -data.ndim <= axis < data.ndim for axis in said):
        return None
    return tuple(dict.fromkeys(axis % data.ndim for axis in said)) if data.ndim else ()


def _said(node: Node, arrays: Sequence[NDArray | None], rank: int) -> Sequence[int] | None:
    operator = node.operator.casefold()
    if operator.startswith("global") or operator == "instancenormalization":
        return range(2, rank)
    if operator in ("argmax", "argmin"):
        return [int(node.attributes.get("axis", 0))]
    if operator in ("softmax", "logsoftmax", "hardmax"):
        return _softmax_axes(node, rank)
    if operator in ("layernormalization", "rmsnormalization"):
        return range(int(node.attributes.get("axis", -1)) % max(rank, 1), rank)
    if operator == "lpnormalization":
        return [int(node.attributes.get("axis", -1))]
    if operator.startswith("reduce") or operator in ("cumsum", "cumprod", "mvn", "normalizel2"):
        return _listed(node, arrays, rank)
    return None


def _softmax_axes(node: Node, rank: int) -> Sequence[int]:
    """Before opset 13 of ONNX the axes from `axis` on are joined; OpenVINO's default is 1."""
    coerced = node.standard == "onnx" and node.opset < 13
    axis = int(node.attributes.get("axis", 1 if coerced or node.standard == "openvino" else -1))
    return range(axis % max(rank, 1), rank) if coerced else [axis]


def _listed(node: Node, arrays: Sequence[NDArray | None], rank: int) -> Sequence[int]:
    """Axes of an input or an attribute; none at all are all of them, or none where the node says so."""
    given = arrays[1] if len(arrays) > 1 else None
    if given is not None:
        axes: Sequence[int] = [int(axis) for axis in given.reshape(-1)]
    else:
        axes = [int(axis) for axis in node.attributes.get("axes", ())]
    if node.operator.casefold() in ("cumsum", "cumprod"):
        return axes or [0]
    keeps_all = node.standard == "openvino" or int(node.attributes.get("noop_with_empty_axes", 0))
    return axes if axes or keeps_all else range(rank)


def lines(data: NDArray, axes: Sequence[int]) -> Lines:
    """The data with the axes moved to the end, in ascending order, and joined."""
    inner = tuple(sorted(axes))
    outer = [axis for axis in range(data.ndim) if axis not in inner]
    steps = tuple(data.shape[axis] for axis in inner)
    length = math.prod(steps)
    count = math.prod(data.shape[axis] for axis in outer)
    return Lines(np.transpose(data, (*outer, *inner)).reshape(count, length), inner, steps)


def reduced(data: NDArray, axes: tuple[int, ...] | None) -> int:
    """How many elements make one output, 0 where that is not one number."""
    return 0 if axes is None else math.prod(data.shape[axis] for axis in axes)


KEEPS_SHAPE = frozenset(
    {
        *(Family.CUMULATIVE_SUM, Family.CUMULATIVE_PROD, Family.SOFTMAX, Family.LOG_SOFTMAX, Family.HARDMAX),
        Family.NORMALIZATION,
    }
)


def answers(family: Family, answer: NDArray, axes: Sequence[int], found: Lines) -> NDArray:
    """The answer in the order of the lines: [lines] of a reduction, [lines, length] of what keeps the shape."""
    if family in KEEPS_SHAPE or answer.size != len(found.data):
        return lines(answer, axes).data
    return answer.reshape(len(found.data))


def answers_shape(shape: Sequence[int], axes: Sequence[int], answer: Sequence[int]) -> tuple[int, ...]:
    """The shape in which one number for each line goes with an answer: its own, or the data's with axes of length 1."""
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return kept if math.prod(answer) != math.prod(kept) else tuple(answer)
