"""A failing case on disk, in the layout of ONNX's own test data."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samesum.conformance.case import Case
from samesum.conformance.forms import ir_model, onnx_model, tensor
from samesum.conformance.running import Finding
from samesum.files.opening import replacing_folder, write_text
from samesum.formats.arrays import NDArray

DATA_SET = "test_data_set_0"


def save_case(folder: Path, case: Case, found: Sequence[Finding]) -> Path:
    """Writes the case to `folder/suite/name` whole or not at all and returns that path.

    There are model.onnx (for OpenVINO's operators model.xml and model.bin), test_data_set_0/input_N.pb and
    output_0.pb as TensorProtos, and found.txt, which says what each engine gave and why the expected answer is not
    that of the source. Where an error is expected there
    is no output. What was there before is replaced. Raises OSError.
    """
    target = folder / case.suite / folder_name(case)
    with replacing_folder(target) as work:
        _write(work, case, found)
    return target


def export_cases(folder: Path, cases: Sequence[Case]) -> int:
    """Writes every case as `save_case` does and says of each in `folder/cases.json` what is due; how many there are.

    A case's `tolerance` is relative and absolute: `absolute + relative * |expected|`, both 0 for the same bits.
    """
    rows = [_row(folder, case, save_case(folder, case, ())) for case in cases]
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "cases.json", json.dumps({"cases": rows}, indent=1))
    return len(rows)


def _row(folder: Path, case: Case, path: Path) -> dict[str, Any]:
    return {
        "suite": case.suite,
        "name": case.name,
        "folder": path.relative_to(folder).as_posix(),
        "standard": case.standard,
        "operator": case.operator,
        "opset": case.opset,
        "due": "output" if case.answer is not None else "error",
        "tolerance": {"relative": case.tolerance.relative, "absolute": case.tolerance.absolute},
        "half_unit": case.tolerance.half_unit,
    }


def folder_name(case: Case) -> str:
    """The case's name without what file systems do not like."""
    return re.sub(r"[^\w.\[\]-]+", "_", case.name)


def _write(work: Path, case: Case, found: Sequence[Finding]) -> None:
    fed = _write_model(work, case)
    data = work / DATA_SET
    data.mkdir()
    for i, (name, array) in enumerate(fed):
        (data / f"input_{i}.pb").write_bytes(tensor(array, name).SerializeToString())
    answer = case.answer
    if answer is not None:
        (data / "output_0.pb").write_bytes(tensor(answer, "y").SerializeToString())
    lines = [f"{each.engine} ({each.form.value}): {each.verdict.message}" for each in found]
    (work / "found.txt").write_text("\n".join([_described(case), *lines, ""]), encoding="utf-8")


def _write_model(work: Path, case: Case) -> list[tuple[str, NDArray]]:
    """Writes the model and returns the inputs by name, in the model's order."""
    if case.standard == "onnx":
        model, feeds = onnx_model(case)
        (work / "model.onnx").write_bytes(model.SerializeToString())
        return list(feeds.items())
    ir = ir_model(case, 11, case.axes_positions)
    (work / "model.xml").write_bytes(ir.xml)
    (work / "model.bin").write_bytes(ir.weights)
    return list(ir.feeds.items())


def _described(case: Case) -> str:
    rule = case.tolerance
    near = "the same bits" if rule.is_exact else f"within {rule.relative:g} relative, {rule.absolute:g} absolute"
    due = near if case.answer is not None else f"an error ({getattr(case.expected, '__name__', '')})"
    said = f"{case.title}: {case.standard}.{case.operator}, opset {case.opset}, {dict(case.attributes)}; due: {due}"
    return f"{said}\ncorrected: {case.correction}" if case.correction else said
