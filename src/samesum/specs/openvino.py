"""OpenVINO as a standard: its operators and what holds for each of them."""

from __future__ import annotations

from samesum.specs import openvino_around, openvino_family
from samesum.specs.row import Standard

OPENVINO = Standard(
    "openvino",
    newest_opset=16,
    operators=openvino_family.FAMILY + openvino_around.AROUND,
    empty_axes_reduce_all=False,
    scalars_have_an_axis=True,
    minds_case=False,
    spells_values=True,
)
