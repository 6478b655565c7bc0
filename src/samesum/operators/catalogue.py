"""The row of every version of every operator: what `specs` says, and how it runs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.operators import facts
from samesum.operators.attention import MICROSOFT_ATTENTION_ROWS, ONNX_ATTENTION_ROWS, OPENVINO_ATTENTION_ROWS
from samesum.operators.fused_norms import MICROSOFT_ROWS, ONNX_FUSED_ROWS
from samesum.operators.fused_products import MICROSOFT_PRODUCT_ROWS
from samesum.operators.normalizations import normalized
from samesum.operators.onnx_rows import ONNX_ROWS
from samesum.operators.openvino_rows import OPENVINO_ROWS
from samesum.operators.reductions import reduced, scanned
from samesum.operators.rows import Row
from samesum.operators.rows_of_elements import ONNX_ELEMENT_ROWS, OPENVINO_ELEMENT_ROWS
from samesum.operators.rows_of_moving import ONNX_MOVING_ROWS, OPENVINO_MOVING_ROWS
from samesum.operators.rows_of_pools import ONNX_POOL_ROWS, OPENVINO_POOL_ROWS
from samesum.operators.rows_of_products import ONNX_PRODUCT_ROWS, OPENVINO_PRODUCT_ROWS
from samesum.specs.lookup import CATALOGUE
from samesum.specs.row import Spec

_AROUND = {
    "onnx": (
        *ONNX_ROWS,
        *ONNX_ELEMENT_ROWS,
        *ONNX_MOVING_ROWS,
        *ONNX_POOL_ROWS,
        *ONNX_PRODUCT_ROWS,
        *ONNX_FUSED_ROWS,
        *ONNX_ATTENTION_ROWS,
    ),
    "openvino": (
        *OPENVINO_ROWS,
        *OPENVINO_ELEMENT_ROWS,
        *OPENVINO_MOVING_ROWS,
        *OPENVINO_POOL_ROWS,
        *OPENVINO_PRODUCT_ROWS,
        *OPENVINO_ATTENTION_ROWS,
    ),
    "com.microsoft": (*MICROSOFT_ROWS, *MICROSOFT_PRODUCT_ROWS, *MICROSOFT_ATTENTION_ROWS),
}


def _row(spec: Spec) -> Row:
    name, since = spec.operator.name, spec.version.since
    if isinstance(spec.row, Reduction):
        return Row(name, partial(reduced, spec.row), facts.reduction, since)
    if isinstance(spec.row, Scan):
        return Row(name, partial(scanned, spec.row), facts.of_data, since)
    if isinstance(spec.row, Normalization):
        return Row(name, partial(normalized, spec.row), facts.of_data, since)
    return _newest(row for row in _AROUND[spec.standard.name] if row.operator == name and row.since <= since)


def _newest(rows: Iterable[Row]) -> Row:
    return max(rows, key=lambda row: row.since)


ROWS = {spec.identifier: _row(spec) for spec in CATALOGUE if not spec.operator.holds_graphs}
"""By the identifier of the version; operators that hold graphs are run by `graph`."""
