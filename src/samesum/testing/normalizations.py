"""Normalizations in float64, as one plan: lines of the data, what is subtracted and divided by, scale and bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.conversion import to_bfloat16
from samesum.formats.rounding import nearest_single
from samesum.specs.table import MEAN_VARIANCE_EPSILON
from samesum.testing.families import Node
from samesum.testing.lines import axes_of, lines

Arrays = Sequence[NDArray | None]
Moments = Callable[[NDArray, bool], tuple[NDArray, NDArray]]
"""Mean (0 where it is not subtracted) and mean square of the deviations from it, for each line."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """`(x - mean) / denominator * scale + bias`; `factor` is 1, or the length where squares are summed.

    `mode` says where epsilon goes: `inside` the root, `outside` of it, or `max` for the larger of both.
    """

    rows: NDArray
    back: Callable[[NDArray], NDArray]
    centred: bool = True
    divided: bool = True
    epsilon: float = 0.0
    mode: str = "inside"
    factor: float = 1.0
    scale: NDArray | None = None
    bias: NDArray | None = None

    def answer(self, moments: Moments) -> NDArray:
        """The result in the type of the data, computed in float64 from these moments."""
        mean, square = (each[:, None].astype(np.float64) for each in moments(self.rows, self.centred))
        found = self.rows.astype(np.float64) - mean
        if self.divided:
            found = np.divide(found, self.denominator(square * self.factor))
        result = self.back(found)
        result = result if self.scale is None else result * self.scale.astype(np.float64)
        result = result if self.bias is None else result + self.bias.astype(np.float64)
        return to_bfloat16(result) if self.rows.dtype == BFLOAT16 else result.astype(self.rows.dtype)

    def denominator(self, square: NDArray) -> NDArray:
        """What deviations with this mean square, or sum of squares, are divided by."""
        if self.mode == "outside":
            return np.sqrt(square) + self.epsilon
        within = np.maximum(square, self.epsilon) if self.mode == "max" else square + self.epsilon
        root = np.sqrt(within)
        return np.where(root == 0, 1.0, root) if self.epsilon == 0 else root


def two_passes(rows: NDArray, centred: bool) -> tuple[NDArray, NDArray]:
    """In float64, which neither overflows nor cancels for shorter types."""
    wide = rows.astype(np.float64)
    mean = wide.mean(axis=1) if centred else np.zeros(len(wide))
    return mean, np.square(wide - mean[:, None]).mean(axis=1)


def plan_of(node: Node, arrays: Arrays) -> Plan | None:
    """The plan of a normalization of either standard; None for any other node."""
    data = arrays[0]
    if data is None or data.ndim == 0 or data.size == 0:
        return None
    make = (_ONNX if node.standard == "onnx" else _OPENVINO).get(node.operator)
    return None if make is None else make(node, arrays, data)


def _along(data: NDArray, axes: Sequence[int]) -> tuple[NDArray, Callable[[NDArray], NDArray]]:
    """Lines over the axes, and the way back to the shape of the data."""
    inner = sorted(axis % data.ndim for axis in axes)
    order = [axis for axis in range(data.ndim) if axis not in inner] + inner
    moved = [data.shape[axis] for axis in order]
    return lines(data, inner).data, lambda found: np.transpose(found.reshape(moved), np.argsort(order))


def _epsilon(node: Node, name: str, default: float) -> float:
    """Both standards hold it as a float32."""
    return nearest_single(float(node.attributes.get(name, default)))


def _at(arrays: Arrays, position: int) -> NDArray | None:
    return arrays[position] if len(arrays) > position else None


def _per_channel(array: NDArray | None, data: NDArray) -> NDArray | None:
    return None if array is None else array.reshape(1, -1, *(1,) * (data.ndim - 2))


def _layer(node: Node, arrays: Arrays, data: NDArray) -> Plan:
    rows, back = _along(data, axes_of(node, arrays) or ())
    centred = node.operator == "LayerNormalization"
    epsilon = _epsilon(node, "epsilon", 1e-5)
    return Plan(rows, back, centred, epsilon=epsilon, scale=_at(arrays, 1), bias=_at(arrays, 2))


def _instance(node: Node, arrays: Arrays, data: NDArray) -> Plan:
    rows, back = _along(data, range(2, data.ndim))
    scale, bias = (_per_channel(_at(arrays, i), data) for i in (1, 2))
    return Plan(rows, back, epsilon=_epsilon(node, "epsilon", 1e-5), scale=scale, bias=bias)


def _group(node: Node, arrays: Arrays, data: NDArray) -> Plan | None:
    """Before opset 21 of ONNX scale and bias are given for each group."""
    groups = int(node.attributes["num_groups"])
    if data.shape[1] % groups:
        return None
    rows = data.reshape(data.shape[0] * groups, -1)
    times = data.shape[1] // groups if node.standard == "onnx" and node.opset < 21 else 1
    given = (_at(arrays, i) for i in (1, 2))
    scale, bias = (None if each is None else _per_channel(np.repeat(each, times), data) for each in given)
    epsilon = _epsilon(node, "epsilon", 1e-5)
    return Plan(rows, lambda found: found.reshape(data.shape), epsilon=epsilon, scale=scale, bias=bias)


def _mean_variance(node: Node, _: Arrays, data: NDArray) -> Plan:
    rows, back = _along(data, [int(axis) for axis in node.attributes.get("axes", (0, 2, 3))])
    return Plan(rows, back, epsilon=MEAN_VARIANCE_EPSILON, mode="outside")


def _lp(node: Node, _: Arrays, data: NDArray) -> Plan | None:
    if int(node.attributes.get("p", 2)) != 2:
        return None
    rows, back = _along(data, [int(node.attributes.get("axis", -1))])
    return Plan(rows, back, False, factor=float(rows.shape[1]))


def _mvn(node: Node, arrays: Arrays, data: NDArray) -> Plan:
    """MVN-6 has axes as an input; MVN-1 works along all but the batch or the channels."""
    axes = _at(arrays, 1)
    if axes is None:
        across = str(node.attributes.get("across_channels", "false")).lower() in ("true", "1")
        where: Sequence[int] = range(1 if across else 2, data.ndim)
    else:
        where = [int(axis) for axis in axes.reshape(-1)]
    rows, back = _along(data, where)
    divided = str(node.attributes.get("normalize_variance", "true")).lower() in ("true", "1")
    outside = str(node.attributes.get("eps_mode", "inside_sqrt")).lower() == "outside_sqrt"
    epsilon = _epsilon(node, "eps", 1e-9)
    return Plan(rows, back, divided=divided, epsilon=epsilon, mode="outside" if outside else "inside")


def _l2(node: Node, arrays: Arrays, data: NDArray) -> Plan | None:
    axes = _at(arrays, 1)
    if axes is None or axes.size == 0:
        return None
    rows, back = _along(data, [int(axis) for axis in axes.reshape(-1)])
    mode = "max" if str(node.attributes.get("eps_mode", "add")).lower() == "max" else "inside"
    return Plan(rows, back, False, epsilon=_epsilon(node, "eps", 0.0), mode=mode, factor=float(rows.shape[1]))


_Make = Callable[[Node, Arrays, NDArray], Plan | None]
_ONNX: dict[str, _Make] = {
    "LayerNormalization": _layer,
    "RMSNormalization": _layer,
    "InstanceNormalization": _instance,
    "GroupNormalization": _group,
    "MeanVarianceNormalization": _mean_variance,
    "LpNormalization": _lp,
}
_OPENVINO: dict[str, _Make] = {"MVN": _mvn, "NormalizeL2": _l2, "GroupNormalization": _group}


def condition(plan: Plan) -> NDArray:
    """How many times a rounding of the mean grows in each line: its largest value over its largest deviation."""
    wide = plan.rows.astype(np.float64)
    if not plan.centred:
        return np.ones(len(wide))
    with np.errstate(all="ignore"):
        deviation = np.abs(wide - wide.mean(axis=1, keepdims=True)).max(axis=1, initial=0.0)
        found = np.abs(wide).max(axis=1, initial=0.0) / deviation
    return np.where(np.isfinite(found), np.maximum(found, 1.0), 1.0)


def magnitudes(plan: Plan) -> NDArray:
    """What each result is a sum of: the largest normalized deviation of its line times the scale, and the bias.

    In a line of equal elements, whose deviations are roundings of the mean, the elements stand for them.
    """
    wide = plan.rows.astype(np.float64)
    with np.errstate(all="ignore"):
        mean, square = two_passes(plan.rows, plan.centred)
        size = np.abs(wide - mean[:, None])
        is_constant = (wide == wide[:, :1]).all(axis=1, keepdims=True) & plan.centred
        size = np.where(is_constant, np.abs(wide), size).max(axis=1, initial=0.0, keepdims=True)
        if plan.divided:
            size = size / plan.denominator(np.where(is_constant[:, 0], 0.0, square) * plan.factor)[:, None]
    found = plan.back(np.broadcast_to(np.where(np.isfinite(size), size, 0.0), wide.shape))
    found = found if plan.scale is None else found * np.abs(plan.scale.astype(np.float64))
    return found if plan.bias is None else found + np.abs(plan.bias.astype(np.float64))
