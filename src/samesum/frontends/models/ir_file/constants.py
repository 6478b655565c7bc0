"""Const layers: slices of the .bin, viewed where they lie aligned and unpacked where an element is less than a byte."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.formats.arrays import NDArray
from samesum.formats.elements import IR_ELEMENTS, Element
from samesum.formats.packing import decoded
from samesum.frontends.models.ir_file.layers import Layer
from samesum.frontends.models.ir_file.texts import static_shape, whole


def element_type(layer: Layer) -> Element:
    """What `element_type` names."""
    text = layer.attributes.get("element_type")
    element = IR_ELEMENTS.get(text.strip().lower()) if text is not None else None
    if element is None:
        raise ModelError(f"{layer}: element_type is {text!r}; allowed: {', '.join(IR_ELEMENTS)}")
    return element


def constant(layer: Layer, read: Callable[[], bytes]) -> NDArray:
    """The layer's values, read-only; `read` gives the content of the .bin."""
    element = element_type(layer)
    shape = static_shape(layer.attributes.get("shape"), str(layer))
    offset, size = (whole(layer.attributes.get(name), f"{layer}: {name}") for name in ("offset", "size"))
    weights = read()
    if offset + size > len(weights):
        raise UnsafeModelError(
            f"{layer}: offset {offset} and size {size} end at {offset + size}; the .bin has {len(weights)} bytes"
        )
    needed = (math.prod(shape) * element.bits + 7) // 8
    if size < needed:
        raise UnsafeModelError(f"{layer}: shape {list(shape)} of {element.name} needs {needed} bytes; size is {size}")
    raw = np.frombuffer(weights, np.uint8, needed, offset)
    return decoded(raw, element, shape)
