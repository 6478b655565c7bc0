"""Every operator around the family, one row for each version, and the finding of the row for an opset."""

from __future__ import annotations

from samesum.operators.onnx_rows import ONNX_ROWS
from samesum.operators.openvino_rows import OPENVINO_ROWS
from samesum.operators.rows import Row

ROWS = (*ONNX_ROWS, *OPENVINO_ROWS)


def _key(standard: str, operator: str) -> tuple[str, str]:
    """An IR file's layer types are matched without case."""
    return standard, operator.casefold() if standard == "openvino" else operator


def _versions() -> dict[tuple[str, str], list[Row]]:
    table: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(ROWS, key=lambda row: row.since):
        table.setdefault(_key(row.standard, row.operator), []).append(row)
    return table


_VERSIONS = _versions()


def versions(standard: str, operator: str) -> tuple[Row, ...]:
    """All versions of an operator, oldest first; none if it is unknown."""
    return tuple(_VERSIONS.get(_key(standard, operator), ()))


def find(standard: str, operator: str, opset: int) -> Row | None:
    """The newest version that `opset` has, None if there is none."""
    return next((row for row in reversed(versions(standard, operator)) if row.since <= opset), None)
