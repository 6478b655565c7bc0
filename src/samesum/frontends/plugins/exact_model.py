"""Models of OpenVINO whose reductions, scans, softmaxes and normalizations are samesum's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from samesum.errors import ArgumentTypeError, imported
from samesum.specs.bind import bind
from samesum.specs.lookup import chosen_names, lookup
from samesum.specs.table import OPENVINO, Made, Operator

if TYPE_CHECKING:
    import openvino

_POOLS = ("AvgPool", "AdaptiveAvgPool")


def _is_offered(operator: Operator) -> bool:
    """Of pools the greatest element is exact wherever it is found."""
    return operator.is_of_reductions and (operator.made not in (Made.POOL, Made.PRODUCT) or operator.name in _POOLS)


OFFERED = tuple(filter(_is_offered, OPENVINO.operators))
"""The operators that OpenVINO is offered."""
PRODUCTS = tuple(operator for operator in OPENVINO.operators if operator.made is Made.PRODUCT)
"""Those that it is offered where they are asked for."""
_NARROWED = {"f64": "f32", "i64": "i32", "u64": "i32", "u32": "i32"}
"""What the CPU plugin computes instead. It narrows the tensors before an operator sees them."""
_PRECISION = "INFERENCE_PRECISION_HINT"


def exact(model: openvino.Model, operators: Iterable[str] | Literal["all"] | None = None) -> openvino.Model:
    """A copy of `model` in which every reduction, CumSum, softmax and normalization is samesum's, in bodies too.

    Softmaxes are SoftMax and LogSoftmax, normalizations MVN, NormalizeL2 and GroupNormalization; scatters that reduce,
    sums of embeddings and windowed means are samesum's, too. The model compiles and runs as any other does; whatever
    else it contains is OpenVINO's. `operators` chooses some of them by name, such as `["ReduceSum"]`; None means all.
    By their names, or by "all", MatMul, the convolutions and Einsum are samesum's, too, which takes time.
    A RuntimeWarning says what the CPU plugin does to tensors before an operator sees them: it narrows float64, int64,
    uint64 and uint32, and computes in bfloat16 on some processors unless `{"INFERENCE_PRECISION_HINT": "f32"}` is
    given to `compile_model`. float16 it holds in float32. Raises MissingPackage without openvino, UnsupportedOperator
    for names that samesum does not have, ArgumentError where `operators` is empty or another text, ArgumentTypeError
    for what is no openvino.Model.
    Source: https://docs.openvino.ai/2025/documentation/openvino-extensibility/custom-openvino-operations.html.

    >>> import numpy as np, openvino
    >>> core = openvino.Core()
    >>> model = exact(core.read_model("examples/openvino/l2_normalize.xml"))
    >>> compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    >>> bool(compiled([np.full((1, 1, 1024), 3e30, np.float32)])[0][0, 0, 0] > 0.031)    # OpenVINO's own is 0
    True
    """
    openvino = imported("openvino", "exact")
    if not isinstance(model, openvino.Model):
        raise ArgumentTypeError(f"an openvino.Model is needed, as core.read_model gives it; got {type(model).__name__}")
    names = chosen_names(OPENVINO, operators, OFFERED, PRODUCTS)
    copy = model.clone()
    types = list(_replaced(copy, {name.casefold() for name in names}))
    copy.validate_nodes_and_infer_types()
    _warn(types)
    return copy


def _replaced(model: openvino.Model, names: set[str]) -> Iterator[str]:
    """Puts samesum's nodes in the places of OpenVINO's; yields the element type of the data of each."""
    import openvino
    from openvino.utils import replace_node

    from samesum.frontends.plugins.openvino_node import SamesumOperator

    for node in model.get_ordered_ops():
        for body in _bodies(node):
            yield from _replaced(body, names)
        if node.get_type_name().casefold() not in names:
            continue
        version = node.get_type_info().version_id
        spec = lookup(OPENVINO.name, node.get_type_name(), int(version.removeprefix("opset")))
        # OpenVINO lets through booleans that the standard does not have, and scatters of them move or compare: there
        # is nothing to be exact about.
        if node.get_input_element_type(0) == openvino.Type.boolean and spec.types != {"bool"}:
            continue
        attributes = node.get_attributes()
        # A scatter that reduces nothing moves elements, which is exact wherever it runs.
        if node.get_type_name().startswith("Scatter") and attributes.get("reduction", "none") == "none":
            continue
        operation = bind(spec, attributes)
        made = SamesumOperator(node.input_values(), operation, f"node {node.get_friendly_name()!r}")
        made.set_friendly_name(node.get_friendly_name())
        replace_node(node, made)
        yield made.get_input_element_type(0).get_type_name()


def _bodies(node: openvino.Node) -> list[openvino.Model]:
    kind = node.get_type_name()
    if kind == "If":
        return [node.get_then_body(), node.get_else_body()]
    return [node.get_function()] if kind in ("Loop", "TensorIterator") else []


def _warn(types: list[str]) -> None:
    import openvino

    narrowed = sorted(set(types) & set(_NARROWED))
    if narrowed:
        listed = ", ".join(f"{each} to {_NARROWED[each]}" for each in narrowed)
        warnings.warn(
            f"OpenVINO's CPU plugin narrows {listed} before an operator sees the data; samesum.load runs models of "
            "supported operators in their own types",
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
