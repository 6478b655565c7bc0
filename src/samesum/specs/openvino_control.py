"""The operator of OpenVINO that holds graphs, which it runs."""

from __future__ import annotations

from samesum.formats.elements import ALL, BOOL
from samesum.specs.row import Input, Operator, Signature, Version

_MORE = Input("inputs", ALL, optional=True, repeated=True)

OPENVINO_CONTROL = (
    Operator("If", (Version(8, ALL, Signature((Input("cond", BOOL, max_rank=1), _MORE))),), holds_graphs=True),
)
