"""The interface that ONNX's own test runner drives: `onnx.backend.base.Backend`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx
from onnx import helper
from onnx.backend.base import Backend as BaseBackend
from onnx.backend.base import BackendRep

from samesum.engine.arrays import as_array
from samesum.errors import ArgumentError, ArgumentTypeError, AttributeValueError, DtypeError, SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.specs.onnx import ONNX

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
