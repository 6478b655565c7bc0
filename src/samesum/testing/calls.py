"""A call whose answer is judged: of a function on arrays by its name, or of an operator of a standard."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np

from samesum.engine.arrays import as_array, as_integers
from samesum.errors import ArgumentError, ArgumentTypeError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, unit
from samesum.frontends.arrays.averages import average
from samesum.frontends.arrays.contractions import conv, einsum, matmul, scaled_dot_product_attention, tensordot
from samesum.frontends.arrays.dots import vecdot, vector_norm
from samesum.frontends.arrays.nans import nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from samesum.frontends.arrays.norms import group_norm, layer_norm, log_softmax, rms_norm, softmax
from samesum.frontends.arrays.reductions import all as all_true
from samesum.frontends.arrays.reductions import any as any_true
from samesum.frontends.arrays.reductions import (
    argmax,
    argmin,
    count_nonzero,
    l1_norm,
    l2_norm,
    log_sum,
    logsumexp,
    mean,
    prod,
    std,
    sum_square,
    var,
)
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
from samesum.frontends.arrays.segments import scatter_reduce, segment_reduce
from samesum.operators.apply import apply
from samesum.specs.bind import bind
from samesum.specs.lookup import STANDARDS, lookup
from samesum.specs.table import Spec
from samesum.testing.families import (
    CAREFUL,
    EXACTLY,
    OF_SEGMENTS,
    Family,
    Judged,
    Node,
    Order,
    Scale,
    held_in,
    judged,
    reduction_of,
)
from samesum.testing.truths import Arrays, Compute, Truth, length_of, truth
from samesum.testing.walks import lost_length

# The functions on arrays that can be judged, and how: one row each.

_Bound = Mapping[str, Any]
"""The arguments of a call by name, defaults among them; tensors are arrays."""
_Twin = Callable[[str, _Bound, NDArray], Node | None]
"""The operator of ONNX that works along the same lines of the data; None where there is none."""

_F, _S = Family, Scale


@dataclass(frozen=True, slots=True)
class _Function:
    """One function on arrays: `data` are the arguments by whose magnitudes a fair error is measured."""

    run: Callable[..., Any]
    how: Judged
    twin: _Twin
    data: tuple[str, ...] = ("x",)
    mean: Callable[..., Any] | None = None
    """Of a variance or a deviation: the function that gives the means."""


def _axes(bound: _Bound, rank: int) -> list[int]:
    axis = bound.get("axis")
    return list(range(rank)) if axis is None else [int(each) for each in np.atleast_1d(axis)]


def _reduction(name: str, bound: _Bound, x: NDArray) -> Node:
    """Rules and lines know reductions by the axes of an attribute."""
    said = {"axes": _axes(bound, x.ndim), "noop_with_empty_axes": 1}
    return Node(name, "onnx", f"Reduce{name}", "", 13, ("x",), ("y",), said)


def _position(name: str, bound: _Bound, _: NDArray) -> Node | None:
    return None if bound["axis"] is None else _along("ArgMax" if "max" in name else "ArgMin", int(bound["axis"]))


def _scan(name: str, bound: _Bound, x: NDArray) -> Node | None:
    if bound.get("include_initial"):
        return None
    axes = _axes(bound, x.ndim)
    return Node(name, "onnx", "CumSum", "", 13, ("x",), ("y",), {"axes": axes})


def _softmax(name: str, bound: _Bound, _: NDArray) -> Node:
    return _along("LogSoftmax" if "log" in name else "Softmax", int(bound["axis"]))


def _along(operator: str, axis: int) -> Node:
    return Node(operator, "onnx", operator, "", 13, ("x",), ("y",), {"axis": axis})


def _layer(name: str, bound: _Bound, x: NDArray) -> Node:
    count = np.size(bound["normalized_shape"])
    epsilon = bound["eps"] if bound["eps"] is not None else float(ml_dtypes.finfo(x.dtype).eps)  # type: ignore[no-untyped-call]
    operator = "LayerNormalization" if "layer" in name else "RMSNormalization"
    return Node(name, "onnx", operator, "", 23, ("x", "w", "b"), ("y",), {"axis": -count, "epsilon": epsilon})


def _group(name: str, bound: _Bound, _: NDArray) -> Node:
    said = {"num_groups": int(bound["num_groups"]), "epsilon": bound["eps"]}
    return Node(name, "onnx", "GroupNormalization", "", 21, ("x", "w", "b"), ("y",), said)


def _scatter(name: str, bound: _Bound, _: NDArray) -> Node:
    said = {"reduction": bound["reduce"], "axis": bound["axis"]}
    return Node(name, "onnx", "ScatterElements" if "index" in bound else name, "", 18, ("x",), ("y",), said)


def _dot(name: str, bound: _Bound, _: NDArray) -> Node:
    return Node(name, "samesum", name, "", 0, ("a", "b"), ("y",), bound)


def _weighted(name: str, bound: _Bound, x: NDArray) -> Node:
    return _reduction(name, bound, x) if bound["weights"] is None else _dot(name, bound, x)


def _letters(name: str, bound: _Bound, _: NDArray) -> Node:
    return Node(name, "samesum", name, "", 0, ("operands",), ("y",), {"equation": bound["subscripts"]})


_NORMS = ("x", "weight", "bias")

_FUNCTIONS: dict[str, _Function] = {
    "sum": _Function(total, Judged(_F.SUM, _S.MAGNITUDES), _reduction),
    "nansum": _Function(nansum, Judged(_F.SUM, _S.MAGNITUDES), _reduction),
    "mean": _Function(mean, Judged(_F.MEAN, _S.MAGNITUDES), _reduction),
    "nanmean": _Function(nanmean, Judged(_F.MEAN, _S.MAGNITUDES), _reduction),
    "average": _Function(average, Judged(_F.AVERAGE, _S.MAGNITUDES), _weighted, ("x", "weights")),
    "prod": _Function(prod, Judged(_F.PROD, _S.RESULT), _reduction),
    "nanprod": _Function(nanprod, Judged(_F.PROD, _S.RESULT), _reduction),
    "l1_norm": _Function(l1_norm, Judged(_F.L1, _S.RESULT), _reduction),
    "l2_norm": _Function(l2_norm, Judged(_F.L2, _S.RESULT), _reduction),
    "sum_square": _Function(sum_square, Judged(_F.SUM_SQUARE, _S.RESULT), _reduction),
    "log_sum": _Function(log_sum, Judged(_F.LOG_SUM, _S.LOGARITHM), _reduction),
    "logsumexp": _Function(logsumexp, Judged(_F.LOGSUMEXP, _S.LOGARITHM), _reduction),
    "min": _Function(least, Judged(_F.MIN, _S.EXACT), _reduction),
    "max": _Function(greatest, Judged(_F.MAX, _S.EXACT), _reduction),
    "nanmin": _Function(nanmin, Judged(_F.MIN, _S.EXACT), _reduction),
    "nanmax": _Function(nanmax, Judged(_F.MAX, _S.EXACT), _reduction),
    "all": _Function(all_true, Judged(_F.MIN, _S.EXACT), _reduction),
    "any": _Function(any_true, Judged(_F.MAX, _S.EXACT), _reduction),
    "count_nonzero": _Function(count_nonzero, EXACTLY, _reduction),
    "var": _Function(var, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=mean),
    "std": _Function(std, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=mean),
    "nanvar": _Function(nanvar, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=nanmean),
    "nanstd": _Function(nanstd, Judged(_F.VARIANCE, _S.RESULT), _reduction, mean=nanmean),
    "vector_norm": _Function(vector_norm, Judged(_F.NORM, _S.RESULT), _reduction),
    "argmax": _Function(argmax, Judged(_F.ARGMAX, _S.EXACT), _position),
    "argmin": _Function(argmin, Judged(_F.ARGMIN, _S.EXACT), _position),
    "cumulative_sum": _Function(cumulative_sum, Judged(_F.CUMULATIVE_SUM, _S.MAGNITUDES), _scan),
    "cumulative_prod": _Function(cumulative_prod, Judged(_F.CUMULATIVE_PROD, _S.RESULT), _scan),
    "cumulative_max": _Function(cumulative_max, Judged(_F.MAX, _S.EXACT), _scan),
    "cumulative_min": _Function(cumulative_min, Judged(_F.MIN, _S.EXACT), _scan),
    "cumulative_logsumexp": _Function(cumulative_logsumexp, Judged(_F.RUNNING_LOG, _S.LOGARITHM), _scan),
    "softmax": _Function(softmax, Judged(_F.SOFTMAX, _S.LARGEST), _softmax),
    "log_softmax": _Function(log_softmax, Judged(_F.LOG_SOFTMAX, _S.LARGEST), _softmax),
    "layer_norm": _Function(layer_norm, Judged(_F.NORMALIZATION, _S.LARGEST), _layer, _NORMS),
    "rms_norm": _Function(rms_norm, Judged(_F.NORMALIZATION, _S.LARGEST), _layer, ("x", "weight")),
    "group_norm": _Function(group_norm, Judged(_F.NORMALIZATION, _S.LARGEST), _group, _NORMS),
    "scatter_reduce": _Function(scatter_reduce, Judged(_F.SCATTER, _S.MAGNITUDES), _scatter, ("target", "src")),
    "segment_reduce": _Function(segment_reduce, Judged(_F.SCATTER, _S.MAGNITUDES), _scatter),
    "vecdot": _Function(vecdot, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, ("a", "b")),
    "matmul": _Function(matmul, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, ("a", "b")),
    "tensordot": _Function(tensordot, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, ("a", "b")),
    "einsum": _Function(einsum, Judged(_F.PRODUCT, _S.MAGNITUDES), _letters, ("operands",)),
    "conv": _Function(conv, Judged(_F.PRODUCT, _S.MAGNITUDES), _dot, _NORMS),
    "scaled_dot_product_attention": _Function(
        scaled_dot_product_attention, Judged(_F.ATTENTION, _S.MAGNITUDES), _dot, ("q", "k", "v", "attn_mask")
    ),
}
"""By name; a segment and a scatter are judged by the reduction that is asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """An operator on arrays: `arrays` are the ones that `compute` takes, `asked` what rules know of it."""

    title: str
    node: Node
    how: Judged
    arrays: Arrays
    compute: Compute
    asked: Arrays
    means: Callable[[], NDArray] | None = None
    """Of variances: the exact means."""

    def truth(self, length: NDArray | None = None) -> Truth:
        """The exact answer, and what a careful computation of so many terms (None: those that there are) may lose."""
        found = truth(self.node, self.how, self.arrays, self.compute, Order.ANY, length)
        if self.means is None or found.magnitude is None:
            return found
        count = self.length(found.exact) if length is None else length
        return _of_variance(found, self.means().astype(np.float64), "std" in self.title, count)

    def on_these_data(self, found: Truth) -> Truth | None:
        """The same with what one addition after the other loses on these data; None where that is not known."""
        length = lost_length(self.node, self.how.family, self.arrays, found.exact.dtype, found.exact.shape)
        if length is None:
            return None
        wider = self.truth(length)
        return Truth(found.exact, wider.magnitude, np.maximum(found.allowed, wider.allowed))

    def length(self, exact: NDArray) -> int:
        """How many elements or products make one result."""
        return length_of(self.node, self.arrays, exact)


def _of_variance(found: Truth, mean: NDArray, is_root: bool, length: NDArray | float) -> Truth:
    """Roundings of the data grow by the condition of the variance, and those of the mean are squared.

    Chan, Golub and LeVeque, Algorithms for computing the sample variance, The American Statistician 37(3), 1983.
    """
    size = np.abs(found.exact.astype(np.float64))
    deviation = size if is_root else np.sqrt(size)
    digits = FORMATS[held_in(Family.VARIANCE, found.exact.dtype).name].precision
    off = (CAREFUL + 2 * np.sqrt(length)) * 2.0**-digits * np.abs(mean)
    condition = np.sqrt(1 + np.square(np.divide(mean, deviation, out=np.zeros_like(size), where=deviation > 0)))
    condition = np.where(np.isfinite(condition), condition, 1.0)
    extra = np.sqrt(size * size + off * off) - size if is_root else np.square(off)
    return Truth(found.exact, size, found.allowed * condition + extra / unit(size, found.exact.dtype))


def call_of(operator: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Call:
    """The call of the function or operator; raises ArgumentError for a name that is none."""
    if not isinstance(operator, str):
        raise ArgumentTypeError(f'the operator is {operator!r}; a name is needed, as "sum" or "onnx.Gemm"')
    standard, _, name = operator.rpartition(".")
    if standard in STANDARDS:
        return _of_standard(standard, name, inputs, dict(attributes))
    if operator in _FUNCTIONS:
        return _of_function(operator, _FUNCTIONS[operator], inputs, attributes)
    known = ", ".join(_FUNCTIONS)
    raise ArgumentError(
        f"there is no operator {operator!r} to judge; known are {known} and the operators of the standards, "
        'as "onnx.Gemm" or "openvino.MVN"'
    )


def taken(value: Any) -> Any:
    """Tensors of PyTorch as arrays, those of other devices copied; whatever else as it is."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        try:
            value = value.detach().cpu()
        except RuntimeError as error:  # of the device "meta", say
            raise ArgumentTypeError(f"a tensor on {value.device} has no elements that can be copied: {error}") from None
        return as_array(value.contiguous() if not value.is_contiguous() and value.is_neg() else value)
    return value


def _of_standard(standard: str, name: str, inputs: Sequence[Any], attributes: dict[str, Any]) -> Call:
    opset = attributes.pop("opset", None)
    spec = lookup(standard, name, opset)
    given = [None if each is None else as_array(taken(each)) for each in inputs]
    for place, each in enumerate(spec.inputs):
        if each.name in attributes and each.name not in {said.name for said in spec.attributes}:
            given += [None] * (place + 1 - len(given))
            given[place] = as_integers(attributes.pop(each.name))
    attributes = _defaults(standard, spec) | attributes
    operation = bind(spec, attributes)
    number = STANDARDS[standard].newest_opset if opset is None else opset
    node = Node(name, standard, spec.operator.name, "", number, ("",) * len(given), ("y",), attributes)
    if not given or given[0] is None:
        raise ArgumentError(f"{standard}.{name} needs its first input; got {len(given)} inputs")

    def compute(arrays: Arrays) -> NDArray:
        return np.asarray(apply(operation, list(arrays)))

    return Call(f"{standard}.{spec.operator.name}", node, judged(node) or EXACTLY, given, compute, given)


def _defaults(standard: str, spec: Spec) -> dict[str, Any]:
    """What the function of the standard takes for attributes that its text leaves without a default."""
    function = (
        vars(import_module(f"samesum.{standard}")).get(spec.operator.name) if standard != "com.microsoft" else None
    )
    if function is None or not any(each.required for each in spec.attributes):
        return {}
    known = inspect.signature(function).parameters
    needed = [each.name for each in spec.attributes if each.required and each.name in known]
    return {name: known[name].default for name in needed if known[name].default is not inspect.Parameter.empty}


def _of_function(name: str, row: _Function, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Call:
    try:
        bound = inspect.signature(row.run).bind(*map(taken, inputs), **{k: taken(v) for k, v in attributes.items()})
    except TypeError as error:
        raise ArgumentTypeError(f"{name}: {error}") from None
    bound.apply_defaults()
    said = bound.arguments
    several = row.data[0] if row.data == ("operands",) else None
    values = said[several] if several else [said[each] for each in row.data]
    arrays = [None if each is None else as_array(each) for each in values]
    if not arrays or arrays[0] is None:
        raise ArgumentTypeError(f"{name} needs arrays; got {len(arrays)}")
    data = arrays[0]

    def compute(given: Arrays) -> NDArray:
        said.update({several: tuple(given)} if several else zip(row.data, given, strict=True))
        return np.asarray(row.run(*bound.args, **bound.kwargs))

    try:
        node = row.twin(name, dict(said), data)
    except (TypeError, ValueError, LookupError, ArithmeticError):
        compute(arrays)  # says in words what does not fit
        node = None
    node = node or Node(name, "samesum", name, "", 0, row.data, ("y",), said)
    how = row.how
    if how.family is Family.SCATTER:
        how = OF_SEGMENTS.get(reduction_of(node), EXACTLY)
    if how.family is Family.AVERAGE and said["weights"] is None:
        how = _FUNCTIONS["mean"].how
    means = None if how.family is not Family.VARIANCE else partial(_means, row, dict(said))
    return Call(name, node, how, arrays, compute, _asked(name, said, arrays), means)


def _means(row: _Function, said: _Bound) -> NDArray:
    """Of the elements that a variance is of."""
    if row.mean is None:
        return np.asarray(row.run(said["x"], said["labels"], said["axis"], said["num_segments"], "mean"))
    return np.asarray(row.mean(said["x"], said["axis"], keepdims=said["keepdims"], where=said["where"]))


def _asked(name: str, said: _Bound, arrays: Arrays) -> Arrays:
    """The inputs as the operator of ONNX has them that rules know."""
    return [arrays[0], as_array(said["index"]), arrays[1]] if name == "scatter_reduce" else arrays
