"""Operators of OpenVINO that send elements to places of the data, and sums of segments and of bags of embeddings."""

from __future__ import annotations

from samesum.formats.elements import CASTABLE, INDEX, INTEGERS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_DATA, _UPDATES = Input("data"), Input("updates")
_ELEMENTS = (_DATA, Input("indices", INTEGERS), _UPDATES, Input("axis", INTEGERS, max_rank=1))
_SLICES = (Input("data", min_rank=1), Input("indices", INDEX, min_rank=1), _UPDATES)
_TABLE = Input("emb_table", min_rank=1)
_INDICES, _PACKED = Input("indices", INDEX, 1, 1), Input("indices", INDEX, 2, 2)
_DEFAULT = Input("default_index", INDEX, max_rank=1, optional=True)
_WEIGHTS = Input("per_sample_weights", optional=True)
_OFFSETS = (_TABLE, _INDICES, Input("offsets", INDEX, 1, 1), _DEFAULT, _WEIGHTS)
_SEGMENTS = (
    _TABLE, _INDICES, Input("segment_ids", INDEX, 1, 1), Input("num_segments", INDEX, max_rank=1), _DEFAULT, _WEIGHTS,
)  # fmt: skip


def _reduction(default: str, *words: str) -> Attribute:
    return Attribute("reduction", Kind.WORD, default, words=words)


_OF_BAG = _reduction("sum", "sum", "mean")


def _numeric(name: str, since: int, inputs: tuple[Input, ...], *attributes: Attribute) -> Operator:
    return Operator(name, (Version(since, NUMBERS_PLUS, Signature(inputs, attributes)),))


OPENVINO_SCATTERS = group(
    Made.SCATTER,
    Operator(
        "ScatterElementsUpdate",
        (
            Version(3, CASTABLE, Signature(_ELEMENTS)),
            Version(
                12,
                CASTABLE,
                Signature(
                    _ELEMENTS,
                    (
                        _reduction("none", "none", "sum", "prod", "min", "max", "mean"),
                        Attribute("use_init_val", Kind.FLAG, True),
                    ),
                ),
            ),
        ),
    ),
    Operator(
        "ScatterNDUpdate",
        (
            Version(4, CASTABLE, Signature(_SLICES)),
            Version(
                15, CASTABLE, Signature(_SLICES, (_reduction("none", "none", "sum", "sub", "prod", "min", "max"),))
            ),
        ),
    ),
    _numeric("EmbeddingBagOffsetsSum", 3, _OFFSETS),
    _numeric("EmbeddingBagOffsets", 15, _OFFSETS, _OF_BAG),
    _numeric("EmbeddingBagPackedSum", 3, (_TABLE, _PACKED, _WEIGHTS)),
    _numeric("EmbeddingBagPacked", 15, (_TABLE, _PACKED, _WEIGHTS), _OF_BAG),
    _numeric("EmbeddingSegmentsSum", 3, _SEGMENTS),
    _numeric(
        "SegmentMax",
        16,
        (
            Input("data", min_rank=1),
            Input("segment_ids", INDEX, 1, 1),
            Input("num_segments", INDEX, max_rank=1, optional=True),
        ),
        Attribute("fill_mode", Kind.WORD, required=True, words=("zero", "lowest")),
    ),
)
