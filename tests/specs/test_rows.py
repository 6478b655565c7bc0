"""The rows say what the standards' own packages say, for every version of every operator."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samesum.algebra import rows as algebra
from samesum.specs.lookup import CATALOGUE, STANDARDS
from samesum.specs.onnx import ONNX
from samesum.specs.openvino import OPENVINO
from samesum.specs.row import Kind, Operator, Spec

NUMPY_NAMES = {"float": "float32", "double": "float64"}
NO_INTEGERS = {("ReduceLogSum", 28), ("ReduceLogSumExp", 28)}
IR_TYPES = {np.dtype(f"{kind}{bits}"): f"{kind[0]}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
IR_TYPES |= {np.dtype(f"float{bits}"): f"f{bits}" for bits in (16, 32, 64)}
IR_TYPES |= {np.dtype(ml_dtypes.bfloat16): "bf16", np.dtype(bool): "boolean"}


def schemas(onnx: Any, name: str) -> list[Any]:
    """Every version of `name` that both the installed package and the rows can know."""
    history = onnx.defs.get_all_schemas_with_history()
    found = [each for each in history if each.name == name and each.domain == ""]
    return sorted((each for each in found if each.since_version <= ONNX.newest_opset), key=lambda e: e.since_version)


def types_of(schema: Any, variable: str) -> frozenset[str]:
    """The NumPy names of what `variable` may be: a type variable or a type itself."""
    sets = {each.type_param_str: each.allowed_type_strs for each in schema.type_constraints}
    names = [each.removeprefix("tensor(").removesuffix(")") for each in sets.get(variable, [variable])]
    return frozenset(NUMPY_NAMES.get(name, name) for name in names)


def facts(schema: Any) -> tuple[Any, ...]:
    inputs = [(each.name, types_of(schema, each.type_str), each.option.name == "Optional") for each in schema.inputs]
    attributes = {
        name: (each.type.name, None if each.type.name == "INTS" else each.default_value.i)
        for name, each in schema.attributes.items()
    }
    (output,) = schema.outputs
    return schema.since_version, inputs, types_of(schema, output.type_str), attributes


NAMES_OF_KINDS = {Kind.FLAG: "INT", Kind.INTEGER: "INT", Kind.INTEGERS: "INTS"}


def facts_of_row(spec: Spec) -> tuple[Any, ...]:
    inputs = [(each.name, each.types or spec.types, each.optional) for each in spec.inputs]
    result = spec.types if spec.operator.result is None else frozenset({spec.operator.result})
    attributes = {each.name: (NAMES_OF_KINDS[each.kind], each.default) for each in spec.attributes}
    return spec.version.since, inputs, result, attributes


@pytest.mark.parametrize("operator", ONNX.operators, ids=lambda operator: operator.name)
def test_onnx_rows_are_the_schemas_of_the_onnx_package(operator: Operator) -> None:
    onnx = pytest.importorskip("onnx")
    newest = onnx.defs.onnx_opset_version()
    rows = [spec for spec in CATALOGUE if spec.standard is ONNX and spec.operator is operator]
    known = [facts_of_row(spec) for spec in rows if spec.version.since <= newest]
    assert known == [facts(schema) for schema in schemas(onnx, operator.name)]


def made_by_openvino(operator: Operator, opset: int, dtype: str) -> Any:
    """The operator of that opset on a vector of that type, made by the openvino package; None if it has none."""
    from importlib import import_module

    import openvino

    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operator.name).lower()
    module = import_module(f"openvino.opset{opset}")
    function = getattr(module, {"cum_sum": "cumsum", "soft_max": "softmax"}.get(name, name), None)
    if function is None:
        return None
    data = module.parameter([2], getattr(openvino.Type, IR_TYPES[np.dtype(dtype)]))
    return function(data, np.array(0) if len(operator.versions[0].signature.inputs) > 1 else 0)


@pytest.mark.parametrize("operator", OPENVINO.operators, ids=lambda operator: operator.name)
def test_openvino_rows_are_the_versions_of_the_openvino_package(operator: Operator) -> None:
    pytest.importorskip("openvino")
    dtype = "bool" if "bool" in operator.versions[0].types else "float32"
    for opset in range(1, OPENVINO.newest_opset + 1):
        since = max((version.since for version in operator.versions if version.since <= opset), default=None)
        node = made_by_openvino(operator, opset, dtype)
        if since is None:
            assert node is None, opset
        else:
            said = node.get_type_info()
            assert (said.name.casefold(), said.version_id) == (operator.name.casefold(), f"opset{since}"), opset


@pytest.mark.parametrize("dtype", [*IR_TYPES], ids=lambda dtype: dtype.name)
def test_openvino_reductions_have_the_types_that_the_openvino_package_takes(dtype: np.dtype[Any]) -> None:
    pytest.importorskip("openvino")
    for operator in OPENVINO.operators:
        if isinstance(operator.row, algebra.Reduction):
            (version,) = operator.versions
            if dtype.name in version.types:
                node = made_by_openvino(operator, version.since, dtype.name)
                assert node.get_output_element_type(0).get_type_name() == IR_TYPES[dtype], operator.name
            else:
                with pytest.raises(RuntimeError, match="Element type of data input must be"):
                    made_by_openvino(operator, version.since, dtype.name)


def test_every_operator_stands_on_a_row_of_the_algebra() -> None:
    known = [
        each
        for each in vars(algebra).values()
        if isinstance(each, (algebra.Reduction, algebra.Scan, algebra.Normalization))
    ]
    assert all(operator.row in known for standard in STANDARDS.values() for operator in standard.operators)


@pytest.mark.parametrize("standard", STANDARDS.values(), ids=lambda standard: standard.name)
def test_versions_rise_and_types_grow_but_for_the_logarithms_of_integers(standard: Any) -> None:
    for operator in standard.operators:
        since = [version.since for version in operator.versions]
        assert since == sorted(set(since)), operator.name
        assert since[-1] <= standard.newest_opset, operator.name
        for older, newer in zip(operator.versions, operator.versions[1:], strict=False):
            dropped = {"int32", "int64", "uint32", "uint64"} if (operator.name, newer.since) in NO_INTEGERS else set()
            assert older.types - newer.types == dropped, (operator.name, newer.since)


def test_identifiers_are_unique_and_speak_of_the_version() -> None:
    identifiers = [spec.identifier for spec in CATALOGUE]
    assert len(set(identifiers)) == len(identifiers)
    assert identifiers[:3] == ["onnx.ReduceSum-1", "onnx.ReduceSum-11", "onnx.ReduceSum-13"]
    assert "openvino.CumSum-3" in identifiers
