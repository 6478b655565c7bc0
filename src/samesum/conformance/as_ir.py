"""A case as OpenVINO IR: one layer as the text that a writer would have put down, and its weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from samesum.conformance.case import Case
from samesum.formats.arrays import NDArray
from samesum.formats.elements import IR_ELEMENTS, IR_PRECISIONS

_NAMES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}
_PRECISIONS = {name: precision for precision, name in IR_PRECISIONS.items()}

TRUE_FALSE = ("false", "true")
ONE_ZERO = ("0", "1")


@dataclass(frozen=True, slots=True)
class Ir:
    """The .xml, the .bin, and the arrays for the Parameters by name and in their order."""

    xml: bytes = field(repr=False)
    weights: bytes = field(repr=False)
    feeds: Mapping[str, NDArray] = field(repr=False)


def ir_model(case: Case, version: int, held: Collection[int], words: tuple[str, str] = TRUE_FALSE) -> Ir:
    """The IR in that version of the format, the inputs at the positions `held` as Const layers.

    `words` are those for false and true.
    """
    layers: list[str] = []
    feeds: dict[str, NDArray] = {}
    weights = bytearray()
    for i, array in enumerate(case.inputs):
        if array is None:
            continue
        dense = np.array(array)
        if i in held:
            layers.append(_const(len(layers), dense, len(weights)))
            weights += dense.tobytes() or b"\0"
        else:
            feeds[f"x{len(layers)}"] = dense
            layers.append(_parameter(len(layers), dense))
    count = len(layers)
    said = "".join(
        f' {name}="{words[value] if isinstance(value, bool) else value}"' for name, value in case.attributes.items()
    )
    layers.append(_operator(case, count, f"<data{said}/>" if said else ""))
    layers.append(
        f'<layer id="{count + 1}" name="y/result" type="Result" version="opset1" output_names="y">'
        '<input><port id="0"/></input></layer>'
    )
    edges = [(i, 0, count, i) for i in range(count)] + [(count, count, count + 1, 0)]
    return Ir(_net(version, layers, edges), bytes(weights), feeds)


def _parameter(number: int, array: NDArray) -> str:
    shape = ",".join(map(str, array.shape))
    data = f'<data shape="{shape}" element_type="{_NAMES[array.dtype]}"/>'
    return _source(number, "Parameter", data, array)


def _const(number: int, array: NDArray, offset: int) -> str:
    """An empty constant is written with one byte, as OpenVINO does."""
    said = f'element_type="{_NAMES[array.dtype]}" shape="{",".join(map(str, array.shape))}"'
    return _source(number, "Const", f'<data {said} offset="{offset}" size="{array.nbytes or 1}"/>', array)


def _source(number: int, kind: str, data: str, array: NDArray) -> str:
    dims = "".join(f"<dim>{size}</dim>" for size in array.shape)
    port = f'<port id="0" precision="{_PRECISIONS[_NAMES[array.dtype]]}" names="x{number}">{dims}</port>'
    return f'<layer id="{number}" name="x{number}" type="{kind}" version="opset1">{data}<output>{port}</output></layer>'


def _operator(case: Case, count: int, data: str) -> str:
    """The layer, its inputs at the ports from 0 on and its output at the next one."""
    inputs = "".join(f'<port id="{i}"/>' for i in range(count))
    data_type = next(array.dtype for array in case.inputs if array is not None)
    precision = _PRECISIONS[_NAMES[data_type if case.dtype is None else case.dtype]]
    return (
        f'<layer id="{count}" name="y" type="{case.operator}" version="opset{case.opset}">{data}'
        f'<input>{inputs}</input><output><port id="{count}" precision="{precision}" names="y"/></output></layer>'
    )


def _net(version: int, layers: list[str], edges: list[tuple[int, int, int, int]]) -> bytes:
    joined = "\n".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    body = "\n".join(["<layers>", *layers, "</layers>", "<edges>", joined, "</edges>"])
    return f'<?xml version="1.0"?>\n<net name="case" version="{version}">\n{body}\n</net>\n'.encode()
