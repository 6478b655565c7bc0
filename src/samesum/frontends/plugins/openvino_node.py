"""A node of an OpenVINO model that samesum evaluates."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import openvino

from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply, foretell
from samesum.operators.rows import Fact
from samesum.specs.bind import Operation

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
        """True: `evaluate` computes the operation."""
        return True

    def evaluate(self, output_values: list[openvino.Tensor], input_values: list[openvino.Tensor]) -> bool:
        """Writes the result into OpenVINO's memory; the inputs are read where they lie."""
        inputs: list[NDArray | None] = [_array(each) for each in input_values]
        data = inputs[0]
        assert data is not None
        if self._operation.spec.types == {"bool"}:
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
        """The shape by the operator's own row; open dims, their bounds and names stay where the rank does."""
        shape = self.get_input_partial_shape(0)
        facts = [Fact(None, _known(each.get_partial_shape()), _constant(each)) for each in self.input_values()]
        found, given = foretell(self._operation, 1, facts)[0].shape, facts[0].shape
        if found is None:
            return openvino.PartialShape.dynamic()
        beside = given if given is not None and len(given) == len(found) else (0,) * len(found)
        open_dims = [_DIMENSION_UNKNOWN if dim is not None else shape[i] for i, dim in enumerate(beside)]
        return openvino.PartialShape([o if dim is None else dim for dim, o in zip(found, open_dims, strict=True)])


def _known(shape: openvino.PartialShape) -> tuple[int | None, ...] | None:
    if shape.rank.is_dynamic:
        return None
    return tuple(dim.get_length() if dim.is_static else None for dim in shape)


def _array(tensor: openvino.Tensor) -> NDArray:
    """OpenVINO gives the bytes of bfloat16 out as float16, and truth values as uint8."""
    data: NDArray = tensor.data
    return data.view(ml_dtypes.bfloat16) if tensor.element_type == openvino.Type.bf16 else data


def _constant(output: openvino.Output) -> NDArray | None:
    node = output.get_node()
    return np.asarray(node.data) if node.get_type_name() == "Constant" else None
