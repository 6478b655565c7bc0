"""What ONNX's own tools take: operators for its evaluator, and the backend that its test runner drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx
from onnx import helper
from onnx.backend.base import Backend as BaseBackend
from onnx.backend.base import BackendRep
from onnx.reference.op_run import OpRun

from samesum.engine.arrays import as_array
from samesum.errors import ArgumentError, ArgumentTypeError, AttributeValueError, DtypeError, SamesumError, during
from samesum.formats.arrays import NDArray
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.frontends.models.onnx_file.nodes import attributes_of
from samesum.operators.apply import apply, apply_all
from samesum.specs.bind import bind_node
from samesum.specs.lookup import lookup
from samesum.specs.table import OF_ONNX_RUNTIME, ONNX

# Operators for `onnx.reference.ReferenceEvaluator`, so that a whole model runs there with these reductions.


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
    offered = [each for each in ONNX.operators if each.is_of_reductions and each.name not in OF_ONNX_RUNTIME]
    return [type(each.name, (_Operator,), {"__doc__": f"{each.name} by samesum."}) for each in offered]


_NUMBERS = {element.dtype: number for number, element in ONNX_ELEMENTS.items() if element.bits >= 8}


class Prepared(BackendRep):
    """A model that was prepared; `run` may be called as often as wanted, in several threads at once."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def run(self, inputs: Any, **kwargs: Any) -> tuple[NDArray, ...]:  # noqa: ARG002 - the interface has them
        """The outputs in the model's order, for inputs by name, by position or as the one array."""
        return tuple(self._model.run(inputs).values())


class Backend(BaseBackend):
    """samesum as a backend: models of ReduceSum and its kin, and of what surrounds them, on the CPU.

    Raises UnsupportedOperator for a model with any other operator, naming all of them, ModelError for a model that is
    not valid, ArgumentError for another device, and what running the model raises. Further keywords of the
    interface change nothing.
    Source: onnx.backend.base, https://onnx.ai/onnx/api/backend.html.

    >>> import numpy as np, onnx
    >>> node = onnx.helper.make_node("ReduceProd", ["x"], ["y"], keepdims=0)
    >>> Backend.run_node(node, [np.array([2, 3, 7], np.int64)])
    (array(42),)
    """

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """True if `prepare` accepts the model on the device."""
        try:
            cls.prepare(model, device, **kwargs)
        except SamesumError:
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> Prepared:  # noqa: ARG003
        """The model, read and checked once."""
        if not cls.supports_device(device):
            raise ArgumentError(f"device {device!r} was asked for; allowed is 'CPU'")
        if not isinstance(model, onnx.ModelProto):
            raise ArgumentTypeError(f"a model is an onnx.ModelProto; got {type(model).__name__}")
        return Prepared(load(model.SerializeToString()))

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Any = None,  # noqa: ARG003
        **kwargs: Any,
    ) -> tuple[NDArray, ...]:
        """The outputs of one node for inputs by name or, without those left out, by position.

        The keyword `opset_version` says in which opset; the newest is the default.
        """
        feeds = _feeds(node, inputs)
        infos = [_info(name, array) for name, array in feeds.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        opset = kwargs.get("opset_version", ONNX.newest_opset)
        graph = helper.make_graph([node], node.op_type, infos, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        return cls.prepare(model, device).run(feeds)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """True for the CPU, with or without a number."""
        return device.split(":")[0] == "CPU"


def _feeds(node: onnx.NodeProto, inputs: Any) -> dict[str, NDArray]:
    """The arrays by the node's names; a name that stands twice is one input."""
    given = [name for name in node.input if name]
    if isinstance(inputs, Mapping):
        if set(inputs) != set(given):
            raise AttributeValueError(f"{node.op_type} has the inputs {given}; {list(inputs)} were given")
        return {name: as_array(inputs[name]) for name in given}
    arrays = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if len(arrays) != len(given):
        raise AttributeValueError(f"{node.op_type} has the inputs {given}; {len(arrays)} arrays were given")
    return {name: as_array(array) for name, array in zip(given, arrays, strict=True)}


def _info(name: str, array: NDArray) -> onnx.ValueInfoProto:
    number = _NUMBERS.get(array.dtype.newbyteorder("="))
    if number is None:
        raise DtypeError(f"input {name!r} is {array.dtype.name}, which ONNX does not have or samesum does not read")
    return helper.make_tensor_value_info(name, number, array.shape)
