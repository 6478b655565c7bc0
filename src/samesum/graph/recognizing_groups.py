"""Normalizations of groups of channels that exporters write as one of lines between two reshapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from samesum.algebra.rows import LAYER_NORM
from samesum.formats.arrays import NDArray
from samesum.formats.elements import FLOAT_DTYPES
from samesum.graph.recognizing import Written, is_closed, only_reader, with_affine
from samesum.graph.steps import Step
from samesum.graph.wiring import Wiring, operator_of

_RANK = 3
"""Of what lies between the reshapes: samples, groups, the elements of a group."""


def in_groups(inner: Written, wiring: Wiring) -> Written | None:
    """The normalization of groups of which `inner`, with its scale and bias, is a part; None if there is none."""
    split, joined = wiring.made(inner.data, "Reshape"), only_reader(inner, wiring)
    is_of_lines = inner.row is LAYER_NORM and inner.rank == _RANK and inner.axes == (_RANK - 1,)
    if not is_of_lines or inner.scale or inner.bias or split is None or joined is None:
        return None
    data, dims = wiring.source(split.node.inputs[0]), group_dims(split, wiring)
    fact = wiring.fact(data)
    if dims is None or fact.dtype not in FLOAT_DTYPES or fact.shape is None or len(fact.shape) < 2:
        return None
    if not _leads_back(joined, data, wiring):
        return None
    parts = wiring.between(data, joined)
    found = replace(
        inner, data=data, rank=len(fact.shape), axes=tuple(range(1, len(fact.shape))), parts=parts, groups=int(dims[1])
    )
    return with_affine(found, wiring, has_bias=True) if is_closed(found, wiring) else None


def group_dims(split: Step, wiring: Wiring) -> NDArray | None:
    """The constant shape that a reshape gives samples and groups; None if it is none."""
    dims = wiring.constant(split.node.inputs[1])
    attributes = split.node.attributes
    copies_zeros = bool(attributes.get("special_zero", True)) and not attributes.get("allowzero", 0)
    if dims is None or dims.shape != (_RANK,) or dims[1] < 1 or (dims[0] == 0 and not copies_zeros):
        return None
    return dims


def keeps_samples(dims: NDArray, shape: tuple[int, ...], groups: int) -> bool:
    """True if the reshape to `dims` splits each sample of data of that shape, and nothing else, into groups."""
    length = int(np.prod(shape[1:])) // groups
    return shape[1] % groups == 0 and dims[0] in (0, -1, shape[0]) and dims[2] in (-1, length)


def _leads_back(joined: Step, data: str, wiring: Wiring) -> bool:
    """True if a reshape gives the shape of the data."""
    if operator_of(joined) != "Reshape":
        return False
    shape = wiring.fact(data).shape
    is_known = shape is not None and None not in shape and wiring.fact(joined.result).shape == shape
    return is_known or wiring.is_shape_of(joined.node.inputs[1], data)
