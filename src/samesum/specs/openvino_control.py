"""Operators of OpenVINO that hold graphs, which they run: If, Loop, TensorIterator."""

from __future__ import annotations

from samesum.formats.elements import ALL, BOOL, INDEX
from samesum.specs.row import Input, Operator, Signature, Version

_MORE = Input("inputs", ALL, optional=True, repeated=True)

OPENVINO_CONTROL = (
    Operator("If", (Version(8, ALL, Signature((Input("cond", BOOL, max_rank=1), _MORE))),), holds_graphs=True),
    Operator(
        "Loop",
        (
            Version(
                5,
                ALL,
                Signature(
                    (Input("trip_count", INDEX, max_rank=1), Input("execution_condition", BOOL, max_rank=1), _MORE)
                ),
            ),
        ),
        holds_graphs=True,
    ),
    Operator(
        "TensorIterator", (Version(1, ALL, Signature((Input("inputs", ALL, repeated=True),))),), holds_graphs=True
    ),
)
