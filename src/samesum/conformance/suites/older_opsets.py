"""The node tests of today's operators as tests of the versions that had axes as an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samesum.conformance.case import Case
from samesum.conformance.suites.node_tests import node_tests
from samesum.errors import DtypeError
from samesum.specs.lookup import FAMILY
from samesum.specs.row import Spec


def older_tests() -> Iterator[Case]:
    """Every node test for every older version of its operator in whose words it can be put.

    A version that lacks the type of the data has to refuse it.
    """
    for case in node_tests():
        if case.is_one_call:
            for spec in _versions(case.operator):
                yield from _older(case, spec)


def _versions(operator: str) -> list[Spec]:
    return [
        spec
        for spec in FAMILY
        if (spec.standard.name, spec.operator.name) == ("onnx", operator)
        and "axes" in {attribute.name for attribute in spec.attributes}
    ]


def _older(case: Case, spec: Spec) -> Iterator[Case]:
    attributes = dict(case.attributes)
    noop = attributes.pop("noop_with_empty_axes", 0)
    data, *where = case.inputs
    axes = where[0].tolist() if where and where[0] is not None else []
    if noop and not axes:
        return
    if axes:
        attributes["axes"] = axes
    assert data is not None
    opset = spec.version.since
    older = replace(
        case,
        suite="onnx-older",
        name=f"{case.name}_opset{opset}",
        opset=opset,
        inputs=(data,),
        attributes=attributes,
        model=None,
    )
    if data.dtype.name not in spec.types:
        older = replace(older, expected=DtypeError, says="is allowed by version", dtype=None)
    yield older
