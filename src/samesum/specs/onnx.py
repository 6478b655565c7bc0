"""ONNX (domain ai.onnx) as a standard: its operators and what holds for each of them."""

from __future__ import annotations

from samesum.specs.attentions import ONNX_ATTENTION
from samesum.specs.onnx_around import ONNX_AROUND
from samesum.specs.onnx_control import ONNX_CONTROL
from samesum.specs.onnx_elements import ONNX_ELEMENTWISE
from samesum.specs.onnx_family import ONNX_FAMILY
from samesum.specs.onnx_moving import ONNX_MOVING
from samesum.specs.onnx_norms import ONNX_FUSED, ONNX_GLOBAL_POOLS, ONNX_NORMS
from samesum.specs.onnx_pools import ONNX_POOLS
from samesum.specs.onnx_products import ONNX_PRODUCTS
from samesum.specs.onnx_quantized import ONNX_QUANTIZED
from samesum.specs.onnx_recurrent import ONNX_RECURRENT
from samesum.specs.onnx_scatters import ONNX_SCATTERS
from samesum.specs.row import Standard

ONNX = Standard(
    "onnx",
    newest_opset=28,
    operators=(
        ONNX_FAMILY
        + ONNX_AROUND
        + ONNX_ELEMENTWISE
        + ONNX_MOVING
        + ONNX_NORMS
        + ONNX_FUSED
        + ONNX_GLOBAL_POOLS
        + ONNX_POOLS
        + ONNX_SCATTERS
        + ONNX_ATTENTION
        + ONNX_QUANTIZED
        + ONNX_RECURRENT
        + ONNX_PRODUCTS
        + ONNX_CONTROL
    ),
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
    spells_values=False,
)
