"""The functions on arrays that can be judged, and how: one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray
from samesum.frontends.arrays.contractions import conv, einsum, matmul, scaled_dot_product_attention, tensordot
from samesum.frontends.arrays.dots import vecdot
from samesum.frontends.arrays.logarithms import log_sum, logsumexp
from samesum.frontends.arrays.nans import nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from samesum.frontends.arrays.norms import group_norm, layer_norm, log_softmax, rms_norm, softmax
from samesum.frontends.arrays.reductions import l1_norm, l2_norm, mean, prod, sum_square
from samesum.frontends.arrays.reductions import max as greatest
from samesum.frontends.arrays.reductions import min as least
from samesum.frontends.arrays.reductions import sum as total
from samesum.frontends.arrays.scans import (
    cumulative_logsumexp,
    cumulative_max,
    cumulative_min,
    cumulative_prod,
    cumulative_sum,
)
from samesum.frontends.arrays.searching import all as all_true
from samesum.frontends.arrays.searching import any as any_true
from samesum.frontends.arrays.searching import argmax, argmin, count_nonzero
from samesum.frontends.arrays.segments import scatter_reduce, segment_reduce
from samesum.frontends.arrays.variances import std, var
from samesum.frontends.arrays.vector_norms import vector_norm
from samesum.testing.families import EXACTLY, Family, Judged, Scale
from samesum.testing.node import Node

Bound = Mapping[str, Any]
"""The arguments of a call by name, defaults among them; tensors are arrays."""
Twin = Callable[[str, Bound, NDArray], Node | None]
"""The operator of ONNX that works along the same lines of the data; None where there is none."""

_F, _S = Family, Scale


@dataclass(frozen=True, slots=True)
class Function:
    """One function on arrays: `data` are the arguments by whose magnitudes a fair error is measured."""

    run: Callable[..., Any]
    how: Judged
    twin: Twin
    data: tuple[str, ...] = ("x",)
    mean: Callable[..., Any] | None = None
    """Of a variance or a deviation: the function that gives the means."""


def _axes(bound: Bound, rank: int) -> list[int]:
    axis = bound.get("axis")
    return list(range(rank)) if axis is None else [int(each) for each in np.atleast_1d(axis)]


def _reduction(name: str, bound: Bound, x: NDArray) -> Node:
    """Rules and lines know reductions by the axes of an attribute."""
    said = {"axes": _axes(bound, x.ndim), "noop_with_empty_axes": 1}
    return Node(name, "onnx", f"Reduce{name}", "", 13, ("x",), ("y",), said)


def _position(name: str, bound: Bound, _: NDArray) -> Node | None:
    return None if bound["axis"] is None else _along("ArgMax" if "max" in name else "ArgMin", int(bound["axis"]))


def _scan(name: str, bound: Bound, x: NDArray) -> Node | None:
    if bound.get("include_initial"):
        return None
    axes = _axes(bound, x.ndim)
    return Node(name, "onnx", "CumSum", "", 13, ("x",), ("y",), {"axes": axes})


def _softmax(name: str, bound: Bound, _: NDArray) -> Node:
    return _along("LogSoftmax" if "log" in name else "Softmax", int(bound["axis"]))


def _along(operator: str, axis: int) -> Node:
    return Node(operator, "onnx", operator, "", 13, ("x",), ("y",), {"axis": axis})


def _layer(name: str, bound: Bound, x: NDArray) -> Node:
    count = np.size(bound["normalized_shape"])
    epsilon = bound["eps"] if bound["eps"] is not None else float(ml_dtypes.finfo(x.dtype).eps)  # type: ignore[no-untyped-call]
    operator = "LayerNormalization" if "layer" in name else "RMSNormalization"
    return Node(name, "onnx", operator, "", 23, ("x", "w", "b"), ("y",), {"axis": -count, "epsilon": epsilon})


def _group(name: str, bound: Bound, _: NDArray) -> Node:
    said = {"num_groups": int(bound["num_groups"]), "epsilon": bound["eps"]}
    return Node(name, "onnx", "GroupNormalization", "", 21, ("x", "w", "b"), ("y",), said)


def _scatter(name: str, bound: Bound, _: NDArray) -> Node:
    said = {"reduction": bound["reduce"], "axis": bound["axis"]}
    return Node(name, "onnx", "ScatterElements" if "index" in bound else name, "", 18, ("x",), ("y",), said)


def _dot(name: str, bound: Bound, _: NDArray) -> Node:
    return Node(name, "samesum", name, "", 0, ("a", "b"), ("y",), bound)


def _letters(name: str, bound: Bound, _: NDArray) -> Node:
    return Node(name, "samesum", name, "", 0, ("operands",), ("y",), {"equation": bound["subscripts"]})


_NORMS = ("x", "weight", "bias")

FUNCTIONS: dict[str, Function] = {
    "sum": Function(total, Judged(_F.SUM, _S.MAGNITUDES), _reduction),
    "nansum": Function(nansum, Judged(_F.SUM, _S.MAGNITUDES), _reduction),
    "mean": Function(mean, Judged(_F.MEAN, _S.MAGNITUDES), _reduction),
    "nanmean": Function(nanmean, Judged(_F.MEAN, _S.MAGNITUDES), _reduction),
    "prod": Function(prod, Judged(_F.PROD, _S.RESULT), _reduction),
    "nanprod": Function(nanprod, Judged(_F.PROD, _S.RESULT), _reduction),
    "l1_norm": Function(l1_norm, Judged(_F.L1, _S.RESULT), _reduction),
    "l2_norm": Function(l2_norm, Judged(_F.L2, _S.RESULT), _reduction),
    "sum_square": Function(sum_square, Judged(_F.SUM_SQUARE, _S.RESULT), _reduction),
    "log_sum": Function(log_sum, Judged(_F.LOG_SUM, _S.LOGARITHM), _reduction),
    "logsumexp": Function(logsumexp, Judged(_F.LOGSUMEXP, _S.LOGARITHM), _reduction),
    "min": Function(least, Judged(_F.MIN, _S.EXACT), _reduction),
    "max": Function(greatest, Judged(_F.MAX, _S.EXACT), _reduction),
    "nanmin": Function(nanmin, Judged(_F.MIN, _S.EXACT), _reduction),
    "nanmax": Function(nanmax, Judged(_F.MAX, _S.EXACT), _reduction),
    "all": Function(all_true, Judged(_F.MIN, _S.EXACT), _reduction),
    "any": Function(any_true, Judged(_F.MAX, _S.EXACT), _reduction),
    "count_nonzero": Function(count_nonzero, EXACTLY, _reduction),
    "var": Function(var, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=mean),
    "std": Function(std, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=mean),
    "nanvar": Function(nanvar, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=nanmean),
    "nanstd": Function(nanstd, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=nanmean),
    "vector_norm": Function(vector_norm, Judged(_F.NORM, _S.RESULT), _reduction),
    "argmax": Function(argmax, Judged(_F.ARGMAX, _S.EXACT), _position),
    "argmin": Function(argmin, Judged(_F.ARGMIN, _S.EXACT), _position),
    "cumulative_sum": Function(cumulative_sum, Judged(_F.CUMULATIVE_SUM, _S.MAGNITUDES), _scan),
    "cumulative_prod": Function(cumulative_prod, Judged(_F.CUMULATIVE_PROD, _S.RESULT), _scan),
    "cumulative_max": Function(cumulative_max, Judged(_F.MAX, _S.EXACT), _scan),
    "cumulative_min": Function(cumulative_min, Judged(_F.MIN, _S.EXACT), _scan),
    "cumulative_logsumexp": Function(cumulative_logsumexp, Judged(_F.RUNNING_LOG, _S.LOGARITHM), _scan),
    "softmax": Function(softmax, Judged(_F.SOFTMAX, _S.LARGEST), _softmax),
    "log_softmax": Function(log_softmax, Judged(_F.LOG_SOFTMAX, _S.LARGEST), _softmax),
    "layer_norm": Function(layer_norm, Judged(_F.NORMALIZATION, _S.LARGEST), _layer, _NORMS),
    "rms_norm": Function(rms_norm, Judged(_F.NORMALIZATION, _S.LARGEST), _layer, ("x", "weight")),
    "group_norm": Function(group_norm, Judged(_F.NORMALIZATION, _S.LARGEST), _group, _NORMS),
    "scatter_reduce": Function(scatter_reduce, Judged(_F.SCATTER, _S.MAGNITUDES), _scatter, ("target", "src")),
    "segment_reduce": Function(segment_reduce, Judged(_F.SCATTER, _S.MAGNITUDES), _scatter),
    "vecdot": Function(vecdot, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, ("a", "b")),
    "matmul": Function(matmul, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, ("a", "b")),
    "tensordot": Function(tensordot, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, ("a", "b")),
    "einsum": Function(einsum, Judged(_F.PRODUCT, _S.MAGNITUDES), _letters, ("operands",)),
    "conv": Function(conv, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, _NORMS),
    "scaled_dot_product_attention": Function(
        scaled_dot_product_attention, Judged(_F.ATTENTION, _S.MAGNITUDES), _dot, ("q", "k", "v", "attn_mask")
    ),
}
"""By name; a segment and a scatter are judged by the reduction that is asked for."""
