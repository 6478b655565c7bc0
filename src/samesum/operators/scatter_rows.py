"""How scatters and sums of embeddings of both standards run, and what they give."""

from __future__ import annotations

from samesum.operators import embeddings, facts, scatters
from samesum.operators.facts import at, first
from samesum.operators.rows import Attributes, Fact, Facts, Infer, row


def _by_rows(place: int) -> Infer:
    """As many slices as the input at `place` has rows."""

    def infer(_: Attributes, known: Facts) -> Fact:
        table, rows = first(known), at(known, place)
        if table.shape is None or rows.shape is None:
            return Fact(table.dtype)
        return Fact(table.dtype, rows.shape[:1] + table.shape[1:])

    return infer


def _by_count(place: int) -> Infer:
    """As many slices as the value of the input at `place` says, if it is known."""

    def infer(_: Attributes, known: Facts) -> Fact:
        table, count = first(known), at(known, place)
        if table.shape is None:
            return Fact(table.dtype)
        number = int(count.value.ravel()[0]) if count.value is not None and count.value.size == 1 else None
        return Fact(table.dtype, (number, *table.shape[1:]))

    return infer


ONNX_SCATTER_ROWS = (
    row("ScatterElements", scatters.elements, facts.same),
    row("ScatterND", scatters.slices, facts.same),
)
OPENVINO_SCATTER_ROWS = (
    row("ScatterElementsUpdate", scatters.elements_update, facts.same),
    row("ScatterNDUpdate", scatters.slices, facts.same),
    row("EmbeddingBagOffsetsSum", embeddings.bag_offsets, _by_rows(2)),
    row("EmbeddingBagOffsets", embeddings.bag_offsets, _by_rows(2)),
    row("EmbeddingBagPackedSum", embeddings.bag_packed, _by_rows(1)),
    row("EmbeddingBagPacked", embeddings.bag_packed, _by_rows(1)),
    row("EmbeddingSegmentsSum", embeddings.segments_sum, _by_count(3)),
    row("SegmentMax", embeddings.segment_max, _by_count(2)),
)
