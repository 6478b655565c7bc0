"""A call whose answer is judged: of a function on arrays by its name, or of an operator of a standard."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array, as_integers
from samesum.errors import ArgumentError, ArgumentTypeError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS
from samesum.formats.ulps import unit
from samesum.operators.apply import apply
from samesum.specs.lookup import STANDARDS, lookup, operation_of
from samesum.specs.row import Spec
from samesum.testing.allowances import CAREFUL, Order, held_in
from samesum.testing.families import EXACTLY, OF_SEGMENTS, Family, Judged, judged, reduction_of
from samesum.testing.functions import FUNCTIONS, Bound, Function
from samesum.testing.node import Node
from samesum.testing.truths import Arrays, Compute, Truth, length_of, truth
from samesum.testing.walks import lost_length


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
    if operator in FUNCTIONS:
        return _of_function(operator, FUNCTIONS[operator], inputs, attributes)
    known = ", ".join(FUNCTIONS)
    raise ArgumentError(
        f"there is no operator {operator!r} to judge; known are {known} and the operators of the standards, "
        'as "onnx.Gemm" or "openvino.MVN"'
    )


def taken(value: Any) -> Any:
    """Tensors of PyTorch as arrays, those of other devices copied; whatever else as it is."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()
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
    hashed = {key: tuple(value) if isinstance(value, list) else value for key, value in attributes.items()}
    operation = operation_of(standard, spec.operator.name, opset, **hashed)
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


def _of_function(name: str, row: Function, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Call:
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
    means = None if how.family is not Family.VARIANCE else partial(_means, row, dict(said))
    return Call(name, node, how, arrays, compute, _asked(name, said, arrays), means)


def _means(row: Function, said: Bound) -> NDArray:
    """Of the elements that a variance is of."""
    if row.mean is None:
        return np.asarray(row.run(said["x"], said["labels"], said["axis"], said["num_segments"], "mean"))
    return np.asarray(row.mean(said["x"], said["axis"], keepdims=said["keepdims"], where=said["where"]))


def _asked(name: str, said: Bound, arrays: Arrays) -> Arrays:
    """The inputs as the operator of ONNX has them that rules know."""
    return [arrays[0], as_array(said["index"]), arrays[1]] if name == "scatter_reduce" else arrays
