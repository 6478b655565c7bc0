"""The rows say what the standards' own packages say, for every version of every operator."""

from __future__ import annotations

from typing import Any

import pytest

from samesum.algebra.rows import REDUCTIONS, SCANS
from samesum.specs.lookup import CATALOGUE, STANDARDS
from samesum.specs.onnx import ONNX
from samesum.specs.openvino import OPENVINO
from samesum.specs.row import Operator, Spec

NUMPY_NAMES = {"float": "float32", "double": "float64"}


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
        name: None if each.type.name == "INTS" else each.default_value.i for name, each in schema.attributes.items()
    }
    return schema.since_version, inputs, attributes


def facts_of_row(spec: Spec) -> tuple[Any, ...]:
    inputs = [(each.name, each.types or spec.types, each.optional) for each in spec.inputs]
    return spec.version.since, inputs, {each.name: each.default for each in spec.attributes}


@pytest.mark.parametrize("operator", ONNX.operators, ids=lambda operator: operator.name)
def test_onnx_rows_are_the_schemas_of_the_onnx_package(operator: Operator) -> None:
    onnx = pytest.importorskip("onnx")
    newest = onnx.defs.onnx_opset_version()
    rows = [spec for spec in CATALOGUE if spec.standard is ONNX and spec.operator is operator]
    known = [facts_of_row(spec) for spec in rows if spec.version.since <= newest]
    assert known == [facts(schema) for schema in schemas(onnx, operator.name)]


@pytest.mark.parametrize("operator", OPENVINO.operators, ids=lambda operator: operator.name)
def test_openvino_rows_begin_in_the_opset_that_brought_the_operator(operator: Operator) -> None:
    pytest.importorskip("openvino")
    from importlib import import_module

    (version,) = operator.versions
    spelled = {"CumSum": "cumsum", "ReduceL1": "reduce_l1", "ReduceL2": "reduce_l2"}
    function = spelled.get(operator.name, operator.name.replace("Reduce", "reduce_").lower())
    opsets = [import_module(f"openvino.opset{n}") for n in range(1, OPENVINO.newest_opset + 1)]
    has_it = [hasattr(opset, function) for opset in opsets]
    assert has_it == [n >= version.since for n in range(1, OPENVINO.newest_opset + 1)]


def test_every_row_of_the_algebra_is_an_operator_of_onnx() -> None:
    assert {operator.row.name for operator in ONNX.operators} == {row.name for row in (*REDUCTIONS, *SCANS)}


@pytest.mark.parametrize("standard", STANDARDS.values(), ids=lambda standard: standard.name)
def test_versions_rise_and_types_only_grow(standard: Any) -> None:
    for operator in standard.operators:
        since = [version.since for version in operator.versions]
        assert since == sorted(set(since)), operator.name
        assert since[-1] <= standard.newest_opset, operator.name
        for older, newer in zip(operator.versions, operator.versions[1:], strict=False):
            assert older.types <= newer.types, (operator.name, newer.since)


def test_identifiers_are_unique_and_speak_of_the_version() -> None:
    identifiers = [spec.identifier for spec in CATALOGUE]
    assert len(set(identifiers)) == len(identifiers) == 33 + 7
    assert identifiers[:3] == ["onnx.ReduceSum-1", "onnx.ReduceSum-11", "onnx.ReduceSum-13"]
    assert identifiers[-1] == "openvino.CumSum-3"
