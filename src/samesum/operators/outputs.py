"""The outputs of an operator that has more than one."""

from __future__ import annotations

from samesum.errors import SamesumError, saying
from samesum.formats.arrays import NDArray
from samesum.operators.apply import check_inputs
from samesum.operators.norms import layer_norm_outputs
from samesum.operators.rows import Inputs
from samesum.specs.bind import Operation


def all_outputs(operation: Operation, inputs: Inputs) -> tuple[NDArray, ...]:
    """Those of LayerNormalization; the errors are those of `apply`."""
    try:
        check_inputs(operation.spec, inputs)
        return layer_norm_outputs(operation.attributes, inputs)
    except SamesumError as error:
        raise saying(operation.spec.identifier, error) from None
