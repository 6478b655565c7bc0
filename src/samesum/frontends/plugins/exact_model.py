"""Models of OpenVINO whose reductions, scans and softmaxes are samesum's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import openvino
import openvino.utils

from samesum.algebra.rows import Reduction
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.frontends.plugins.choosing import chosen_names
from samesum.operators.apply import apply
from samesum.specs.bind import Operation, bind
from samesum.specs.lookup import lookup
from samesum.specs.openvino import OPENVINO

_NARROWED = {"f64": "f32", "i64": "i32", "u64": "i32", "u32": "i32"}
"""What the CPU plugin computes instead. It narrows the tensors before an operator sees them."""
_PRECISION = "INFERENCE_PRECISION_HINT"
_DIMENSION_UNKNOWN = -1


class SamesumOperator(openvino.Op):  # type: ignore[misc]
    """One node that samesum evaluates. Its shape follows from its inputs as OpenVINO's own node's does."""

    def __init__(self, inputs: list[openvino.Output], operation: Operation, title: str) -> None:
        self._operation = operation
        self._title = title
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None:
        """The element type of the data, and as much of the shape as follows."""
        self.set_output_type(0, self.get_input_element_type(0), self._shape())

    def clone_with_new_inputs(self, new_inputs: list[openvino.Output]) -> SamesumOperator:
        """The same operation on other inputs."""
        return SamesumOperator(new_inputs, self._operation, self._title)

    def visit_attributes(self, visitor: Any) -> bool:  # noqa: ARG002 - what the node knows is no attribute
        """Nothing to visit."""
        return True

    def has_evaluate(self) -> bool:
        """True."""
        return True

    def evaluate(self, output_values: list[openvino.Tensor], input_values: list[openvino.Tensor]) -> bool:
        """Writes the result into OpenVINO's memory; the inputs are read where they lie."""
        inputs: list[NDArray | None] = [_array(each) for each in input_values]
        data = inputs[0]
        assert data is not None
        if "bool" in self._operation.spec.types:
            inputs[0] = data.view(np.bool_)
        try:
            result = apply(self._operation, inputs)
        except SamesumError as error:
            error.args = (f"{self._title}: {error}",)
            raise
        output = output_values[0]
        if tuple(output.shape) != result.shape:
            output.shape = result.shape
        _array(output)[...] = result
        return True

    def _shape(self) -> openvino.PartialShape:
        shape = self.get_input_partial_shape(0)
        if not isinstance(self._operation.spec.row, Reduction):
            return shape
        keepdims = self._operation.attributes["keepdims"]
        axes = _constant(self.input_value(1))
        if shape.rank.is_dynamic or (axes is None and not keepdims):
            return openvino.PartialShape.dynamic()
        rank = shape.rank.get_length()
        if axes is None:
            return openvino.PartialShape([_DIMENSION_UNKNOWN] * rank)
        reduced = {axis % rank if rank else axis for axis in axes.ravel().tolist()}
        kept = [None if i in reduced else shape[i] for i in range(rank)]
        return openvino.PartialShape([1 if dim is None else dim for dim in kept if keepdims or dim is not None])


def exact(model: openvino.Model, operators: Iterable[str] | None = None) -> openvino.Model:
    """A copy of `model` in which every reduction, CumSum, SoftMax and LogSoftmax is samesum's, in bodies too.

    It compiles and runs as any other does; whatever else it contains is OpenVINO's. `operators` chooses some of them
    by name, such as `["ReduceSum"]`; None means all. A RuntimeWarning says what the CPU plugin does to tensors before
    an operator sees them: it narrows float64, int64, uint64 and uint32, and computes in bfloat16 on some processors
    unless `{"INFERENCE_PRECISION_HINT": "f32"}` is given to `compile_model`. float16 it holds in float32. Raises
    UnsupportedOperator for names that samesum does not have, AttributeValueError where `operators` is empty or a text.
    Source: https://docs.openvino.ai/2025/documentation/openvino-extensibility/custom-openvino-operations.html.

    >>> import numpy as np, openvino
    >>> core = openvino.Core()
    >>> model = exact(core.read_model("examples/openvino/l2_normalize.xml"))
    >>> compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    >>> compiled([np.full((1, 1, 1024), 3e30, np.float32)])[0][0, 0, 0]
    np.float32(0.03125)
    """
    names = chosen_names(OPENVINO, operators)
    copy = model.clone()
    types = list(_replaced(copy, {name.casefold() for name in names}))
    copy.validate_nodes_and_infer_types()
    _warn(types)
    return copy


def _replaced(model: openvino.Model, names: set[str]) -> Iterator[str]:
    """Puts samesum's nodes in the places of OpenVINO's; yields the element type of the data of each."""
    for node in model.get_ordered_ops():
        for body in _bodies(node):
            yield from _replaced(body, names)
        if node.get_type_name().casefold() not in names:
            continue
        version = node.get_type_info().version_id
        spec = lookup(OPENVINO.name, node.get_type_name(), int(version.removeprefix("opset")))
        # OpenVINO lets through what the standard does not have: there is nothing to be exact about.
        if node.get_input_element_type(0) == openvino.Type.boolean and "bool" not in spec.types:
            continue
        operation = bind(spec, node.get_attributes())
        made = SamesumOperator(node.input_values(), operation, f"node {node.get_friendly_name()!r}")
        made.set_friendly_name(node.get_friendly_name())
        openvino.utils.replace_node(node, made)
        yield made.get_input_element_type(0).get_type_name()


def _bodies(node: openvino.Node) -> list[openvino.Model]:
    kind = node.get_type_name()
    if kind == "If":
        return [node.get_then_body(), node.get_else_body()]
    return [node.get_function()] if kind in ("Loop", "TensorIterator") else []


def _array(tensor: openvino.Tensor) -> NDArray:
    """OpenVINO gives the bytes of bfloat16 out as float16, and truth values as uint8."""
    data: NDArray = tensor.data
    return data.view(ml_dtypes.bfloat16) if tensor.element_type == openvino.Type.bf16 else data


def _constant(output: openvino.Output) -> NDArray | None:
    node = output.get_node()
    return np.asarray(node.data) if node.get_type_name() == "Constant" else None


def _warn(types: list[str]) -> None:
    narrowed = sorted(set(types) & set(_NARROWED))
    if narrowed:
        listed = ", ".join(f"{each} to {_NARROWED[each]}" for each in narrowed)
        warnings.warn(
            f"OpenVINO's CPU plugin narrows {listed} before an operator sees the data; samesum.openvino.compile_model "
            "runs models of supported operators in their own types",
            RuntimeWarning,
            stacklevel=3,
        )
    if {"f16", "f32", "f64"} & set(types):
        default = openvino.Core().get_property("CPU", _PRECISION)
        if default != openvino.Type.f32:
            warnings.warn(
                f"OpenVINO's CPU plugin computes in {default.get_type_name()} on this machine, samesum's operators get "
                f'its values: give compile_model {{"{_PRECISION}": "f32"}} for those of float32',
                RuntimeWarning,
                stacklevel=3,
            )
