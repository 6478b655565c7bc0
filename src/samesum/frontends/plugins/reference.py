"""Operators for `onnx.reference.ReferenceEvaluator`, so that a whole model runs there with these reductions."""

from __future__ import annotations

from typing import Any

from onnx.reference.op_run import OpRun

from samesum.engine.arrays import as_array
from samesum.errors import DtypeError, SamesumError, during
from samesum.formats.arrays import NDArray
from samesum.frontends.models.onnx_file.nodes import attributes_of
from samesum.operators.apply import apply, apply_all
from samesum.specs.bind import bind_node
from samesum.specs.lookup import lookup
from samesum.specs.onnx import ONNX
from samesum.specs.onnx_made import ONNX_FUSED


class _Operator(OpRun):
    """One node, in the version that the model's opset has; attributes and inputs are read as `load` reads them."""

    op_domain = ""

    def __init__(self, onnx_node: Any, run_params: dict[str, Any], schema: Any = None) -> None:
        super().__init__(onnx_node, run_params, schema)
        # The base class fills what a node leaves out from the newest schema, whatever the model's opset.
        self._given = attributes_of(onnx_node, self._title)
        self._linked = frozenset(each.name for each in onnx_node.attribute if each.ref_attr_name)
        with during(self._title):
            self._spec = lookup(ONNX.name, onnx_node.op_type, run_params["opsets"][""])
            self._operation = None if self._linked else bind_node(self._spec, self._given, onnx_node.input)

    @property
    def _title(self) -> str:
        return f"node {self.onnx_node.name or ', '.join(self.onnx_node.output)!r}"

    def run(self, *inputs: NDArray | None, **options: Any) -> tuple[NDArray, ...]:
        """The base class hides a TypeError behind one of its own; a DtypeError comes out as it is."""
        try:
            outputs: tuple[NDArray, ...] = super().run(*inputs, **options)  # type: ignore[no-untyped-call]
        except TypeError as error:
            if isinstance(error.__cause__, SamesumError):
                raise error.__cause__ from None
            raise
        return outputs

    def _run(self, *inputs: NDArray | None, **attributes: Any) -> tuple[NDArray, ...]:
        with during(self._title):
            linked = {name: attributes[name] for name in self._linked}
            operation = self._operation or bind_node(self._spec, self._given | linked, self.onnx_node.input)
            arrays = [None if x is None else _read(x) for x in inputs]
            while arrays and arrays[-1] is None:
                arrays.pop()
            count = len(self.onnx_node.output)
            return (apply(operation, arrays),) if count == 1 else apply_all(operation, count, arrays)


def _read(x: NDArray) -> NDArray:
    # Before version 1.19 the evaluator holds bfloat16 and its like as integers with a field of that name.
    if x.dtype.kind == "u" and x.dtype.names:
        raise DtypeError(f"the data are {x.dtype.names[0]}; that needs the onnx package in version 1.19 or newer")
    return as_array(x)


def reference_ops() -> list[type[OpRun]]:
    """One class for each reduction, scan, softmax, norm, pool, scatter and product of ONNX, for `ReferenceEvaluator`.

    `ReferenceEvaluator(model, new_ops=reference_ops())` then has samesum's results for them.
    They serve models of every opset up to the newest that samesum knows, and the branches and bodies in
    them. The evaluator does not hand them to a model's own functions: `onnx.inliner.inline_local_functions`
    puts those into the graph first. As the evaluator is made, UnsupportedOperator is raised for a version or an
    attribute that does not exist, AxisError and AttributeValueError for an attribute's value; running raises what the
    operators raise.
    Needs the onnx package, for bfloat16 in version 1.19 or newer.
    Source: onnx.reference, https://onnx.ai/onnx/api/reference.html.

    >>> import numpy as np, onnx
    >>> from onnx.reference import ReferenceEvaluator
    >>> model = onnx.load("examples/onnx/opset13/reduce_sum_axes_2_3.onnx")
    >>> session = ReferenceEvaluator(model, new_ops=reference_ops())
    >>> session.run(None, {"data": np.ones((6, 12, 10, 24), np.float32)})[0].shape
    (6, 12)
    """
    offered = [each for each in ONNX.operators if each.is_of_reductions and each not in ONNX_FUSED]
    return [type(each.name, (_Operator,), {"__doc__": f"{each.name} by samesum."}) for each in offered]
