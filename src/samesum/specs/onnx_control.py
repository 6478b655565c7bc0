"""Operators of ONNX (domain ai.onnx) whose attributes are graphs, which they run: If, Loop, Scan."""

from __future__ import annotations

from samesum.formats.elements import ALL, BOOL
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

_INT64 = frozenset({"int64"})


def _graph(name: str) -> Attribute:
    return Attribute(name, Kind.GRAPH, required=True)


_IF = Signature((Input("cond", BOOL),), (_graph("then_branch"), _graph("else_branch")))
_LOOP = Signature(
    (
        Input("M", _INT64, max_rank=1, optional=True),
        Input("cond", BOOL, max_rank=1, optional=True),
        Input("v_initial", ALL, optional=True, repeated=True),
    ),
    (_graph("body"),),
)
_COUNT = Attribute("num_scan_inputs", Kind.INTEGER, required=True)
_SCAN_8 = Signature(
    (
        Input("sequence_lens", _INT64, max_rank=1, optional=True),
        Input("initial_state_and_scan_inputs", ALL, repeated=True),
    ),
    (_graph("body"), _COUNT, Attribute("directions", Kind.INTEGERS)),
)
_PLACES = tuple(
    Attribute(f"scan_{end}_{what}", kind)
    for end in ("input", "output")
    for what, kind in (("axes", Kind.AXES), ("directions", Kind.INTEGERS))
)
_SCAN_9 = Signature((Input("initial_state_and_scan_inputs", ALL, repeated=True),), (_graph("body"), _COUNT, *_PLACES))

ONNX_CONTROL = (
    Operator("If", (Version(1, ALL, _IF),), holds_graphs=True),
    Operator("Loop", (Version(1, ALL, _LOOP),), holds_graphs=True),
    Operator("Scan", (Version(8, ALL, _SCAN_8), Version(9, ALL, _SCAN_9)), holds_graphs=True),
)
