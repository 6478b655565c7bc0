"""The rows say what the standards' own packages say, for every version of every operator."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum.algebra import rows as algebra
from samesum.formats.elements import ALL, FLOAT8
from samesum.specs.lookup import CATALOGUE, FAMILY, STANDARDS, lookup
from samesum.specs.table import ONNX, OPENVINO, Kind, Operator, Spec

NUMPY_NAMES = {
    "float": "float32",
    "double": "float64",
    "float4e2m1": "float4_e2m1fn",
    "float8e8m0": "float8_e8m0fnu",
    **{name: f"float8_{name[6:]}" for name in ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")},
}
_WIDE = {"int32", "int64", "uint32", "uint64"}
NO_INTEGERS = {
    ("ReduceLogSum", 28): _WIDE,
    ("ReduceLogSumExp", 28): _WIDE,
    ("Erf", 13): _WIDE | {"int8", "int16", "uint8", "uint16"},
}
"""Where a version takes integers no more."""
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


NAMES_OF_KINDS = {
    **dict.fromkeys((Kind.FLAG, Kind.INTEGER, Kind.AXIS, Kind.TYPE), "INT"),
    **dict.fromkeys((Kind.INTEGERS, Kind.AXES), "INTS"),
    Kind.NUMBERS: "FLOATS",
    Kind.WORDS: "STRINGS",
    **dict.fromkeys((Kind.NUMBER, Kind.EPSILON), "FLOAT"),
    **dict.fromkeys((Kind.WORD, Kind.TEXT), "STRING"),
    Kind.TENSOR: "TENSOR",
    Kind.GRAPH: "GRAPH",
}
FAMILY_OF_ONNX, AROUND_OF_ONNX = (
    [operator for operator in ONNX.operators if (operator.row is not None) is family] for family in (True, False)
)
OTHERWISE = {
    "onnx.Cast-1": "to was the name of a type until version 6, and is read in both forms",
    "onnx.Cast-24": "round_mode concerns one type that nothing is converted to",
    "onnx.CastLike-24": "round_mode concerns one type that nothing is converted to",
    "onnx.Clip-1": "no bound is infinity",
    "onnx.Concat-1": "axis has a default in the text alone; types that later versions have are taken",
    "onnx.GRU-1": "the default direction is misspelt",
    "onnx.Reshape-1": "a shape that is left out has no meaning; types that later versions have are taken",
}
"""What a row says otherwise than the schema, and why."""
WITHOUT_BYTE_FLOATS = {"onnx.QLinearMatMul-21"}
"""Versions that are read for integers alone: no runtime has them for floats of 8 bits."""
OF_ONNX_RUNTIME = {"LayerNormalization": 1, "SimplifiedLayerNormalization": 1}
"""Versions that ONNX Runtime alone has in ONNX's own domain."""
FAMILY_OF_OPENVINO = [operator for operator in OPENVINO.operators if operator.row is not None]


def facts_of_row(spec: Spec) -> tuple[Any, ...]:
    inputs = [(each.name, each.types or spec.types, each.optional) for each in spec.inputs]
    result = spec.types if spec.operator.result is None else frozenset({spec.operator.result})
    attributes = {each.name: (NAMES_OF_KINDS[each.kind], each.default) for each in spec.attributes}
    return spec.version.since, inputs, result, attributes


@looped("operator", FAMILY_OF_ONNX)
def test_onnx_rows_are_the_schemas_of_the_onnx_package(operator: Operator) -> None:
    onnx = pytest.importorskip("onnx")
    newest = onnx.defs.onnx_opset_version()
    rows = [spec for spec in FAMILY if spec.standard is ONNX and spec.operator is operator]
    known = [facts_of_row(spec) for spec in rows if spec.version.since <= newest]
    assert known == [facts(schema) for schema in schemas(onnx, operator.name)]


def inputs_and_attributes(schema: Any) -> tuple[Any, ...]:
    inputs = [(each.name, each.option.name) for each in schema.inputs]
    attributes = {
        name: (each.type.name, each.required, _default(each.default_value)) for name, each in schema.attributes.items()
    }
    return inputs, attributes


def _default(proto: Any) -> Any:
    from onnx.helper import get_attribute_value

    value = get_attribute_value(proto) if proto.name else None
    if isinstance(value, list):
        return tuple(each.decode() if isinstance(each, bytes) else each for each in value)
    return value.decode() if isinstance(value, bytes) else value


def inputs_and_attributes_of_row(spec: Spec) -> tuple[Any, ...]:
    option = {(False, False): "Single", (True, False): "Optional", (False, True): "Variadic", (True, True): "Variadic"}
    inputs = [(each.name, option[each.optional, each.repeated]) for each in spec.inputs]
    return inputs, {each.name: (NAMES_OF_KINDS[each.kind], each.required, each.default) for each in spec.attributes}


@looped("operator", AROUND_OF_ONNX)
def test_rows_around_the_family_are_the_schemas_of_the_onnx_package(operator: Operator) -> None:
    """Versions that differ in what is said here have a row of their own; moved elements may be of any type."""
    pytest.importorskip("onnx")
    import onnx

    found = schemas(onnx, operator.name)
    newest = onnx.defs.onnx_opset_version()
    if operator.name in OF_ONNX_RUNTIME and not found:
        return
    own = OF_ONNX_RUNTIME.get(operator.name)
    known_versions = {version.since for version in operator.versions if own != version.since <= newest}
    assert known_versions <= {schema.since_version for schema in found}
    for schema in found:
        spec = lookup("onnx", operator.name, schema.since_version)
        read = ALL - FLOAT8 if spec.identifier in WITHOUT_BYTE_FLOATS else ALL
        known = types_of(schema, schema.inputs[0].type_str) & read
        if spec.types == ALL:
            assert known <= spec.types, spec.identifier
        else:
            assert spec.types == known, (spec.identifier, schema.since_version)
        for each, said in zip(spec.inputs, schema.inputs, strict=True):
            assert types_of(schema, said.type_str) & read <= (each.types or spec.types), (spec.identifier, each.name)
        if spec.identifier not in OTHERWISE:
            assert inputs_and_attributes_of_row(spec) == inputs_and_attributes(schema), schema.since_version


def test_what_is_said_otherwise_is_needed() -> None:
    onnx = pytest.importorskip("onnx")
    for identifier in OTHERWISE:
        spec = next(spec for spec in CATALOGUE if spec.identifier == identifier)
        (schema,) = (each for each in schemas(onnx, spec.operator.name) if each.since_version == spec.version.since)
        assert inputs_and_attributes_of_row(spec) != inputs_and_attributes(schema), identifier


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


@pytest.mark.parametrize("operator", FAMILY_OF_OPENVINO, ids=lambda operator: operator.name)
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
    for operator in FAMILY_OF_OPENVINO:
        if isinstance(operator.row, algebra.Reduction):
            (version,) = operator.versions
            if dtype.name in version.types:
                node = made_by_openvino(operator, version.since, dtype.name)
                assert node.get_output_element_type(0).get_type_name() == IR_TYPES[dtype], operator.name
            else:
                with pytest.raises(RuntimeError, match="Element type of data input must be"):
                    made_by_openvino(operator, version.since, dtype.name)


def test_every_operator_of_the_family_stands_on_a_row_of_the_algebra() -> None:
    known = [
        each
        for each in vars(algebra).values()
        if isinstance(each, (algebra.Reduction, algebra.Scan, algebra.Normalization))
    ]
    assert all(spec.row in known for spec in FAMILY)


@pytest.mark.parametrize("standard", STANDARDS.values(), ids=lambda standard: standard.name)
def test_versions_rise_and_types_grow_but_where_integers_go(standard: Any) -> None:
    for operator in standard.operators:
        since = [version.since for version in operator.versions]
        assert since == sorted(set(since)), operator.name
        assert since[-1] <= standard.newest_opset, operator.name
        for older, newer in zip(operator.versions, operator.versions[1:], strict=False):
            dropped: set[str] = NO_INTEGERS.get((operator.name, newer.since), set())
            assert older.types - newer.types == dropped, (operator.name, newer.since)


def test_identifiers_are_unique_and_speak_of_the_version() -> None:
    identifiers = [spec.identifier for spec in CATALOGUE]
    assert len(set(identifiers)) == len(identifiers)
    assert identifiers[:3] == ["onnx.ReduceSum-1", "onnx.ReduceSum-11", "onnx.ReduceSum-13"]
    assert "openvino.CumSum-3" in identifiers
