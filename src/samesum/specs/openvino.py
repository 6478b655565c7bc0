"""OpenVINO as a standard: its operators and what holds for each of them."""

from __future__ import annotations

from samesum.specs.attentions import OPENVINO_ATTENTION
from samesum.specs.openvino_around import OPENVINO_AROUND
from samesum.specs.openvino_control import OPENVINO_CONTROL
from samesum.specs.openvino_elements import OPENVINO_ELEMENTWISE
from samesum.specs.openvino_family import OPENVINO_FAMILY
from samesum.specs.openvino_moving import OPENVINO_MOVING
from samesum.specs.openvino_norms import OPENVINO_NORMS
from samesum.specs.openvino_pools import OPENVINO_POOLS
from samesum.specs.openvino_products import OPENVINO_PRODUCTS
from samesum.specs.openvino_recurrent import OPENVINO_RECURRENT
from samesum.specs.openvino_scatters import OPENVINO_SCATTERS
from samesum.specs.row import Standard

OPENVINO = Standard(
    "openvino",
    newest_opset=16,
    operators=OPENVINO_FAMILY
    + OPENVINO_AROUND
    + OPENVINO_ELEMENTWISE
    + OPENVINO_MOVING
    + OPENVINO_NORMS
    + OPENVINO_POOLS
    + OPENVINO_SCATTERS
    + OPENVINO_ATTENTION
    + OPENVINO_RECURRENT
    + OPENVINO_PRODUCTS
    + OPENVINO_CONTROL,
    empty_axes_reduce_all=False,
    scalars_have_an_axis=True,
    minds_case=False,
    spells_values=True,
)
