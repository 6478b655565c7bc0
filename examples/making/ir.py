"""The pages' layers as OpenVINO IR version 11, written as text so that they stay what the pages show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from making.catalogue import PAGES, REDUCED, SCANNED, SHAPE, Reduced, Scanned


def port(number: int, shape: tuple[int, ...], precision: str = "", names: str = "", note: str = "") -> str:
    """A <port> element; `precision` and `names` belong to output ports."""
    head = f'<port id="{number}"'
    head += f' precision="{precision}"' if precision else ""
    head += f' names="{names}"' if names else ""
    comment = f" <!-- {note} -->" if note else ""
    if not shape:
        return f"{head}/>{comment}"
    dims = "".join(f"<dim>{size}</dim>" for size in shape)
    return f"{head}>{dims}</port>{comment}"


def layer(
    number: int, name: str, kind: str, opset: int, data: str, ports: tuple[list[str], list[str]], more: str = ""
) -> str:
    """A <layer> element with its input and output ports; `data` is the whole <data> element or nothing."""
    inputs, outputs = ports
    lines = [f'\t\t<layer id="{number}" name="{name}" type="{kind}" version="opset{opset}"{more}>']
    lines += [f"\t\t\t{data}"] if data else []
    for tag, members in (("input", inputs), ("output", outputs)):
        if members:
            lines += [f"\t\t\t<{tag}>", *(f"\t\t\t\t{member}" for member in members), f"\t\t\t</{tag}>"]
    return "\n".join([*lines, "\t\t</layer>"])


def parameter(number: int, name: str, shape: tuple[int, ...]) -> str:
    data = f'<data shape="{",".join(map(str, shape))}" element_type="f32"/>'
    return layer(number, name, "Parameter", 1, data, ([], [port(0, shape, "FP32", name)]))


def constant(number: int, name: str, value: np.ndarray) -> str:
    """A Const layer whose bytes are the whole .bin."""
    shape = ",".join(map(str, value.shape))
    data = f'<data element_type="i64" shape="{shape}" offset="0" size="{value.nbytes}"/>'
    return layer(number, name, "Const", 1, data, ([], [port(0, value.shape, "I64")]))


def result(number: int, name: str, shape: tuple[int, ...]) -> str:
    return layer(number, f"{name}/result", "Result", 1, "", ([port(0, shape)], []))


def network(name: str, layers: list[str], edges: list[tuple[int, int, int, int]]) -> str:
    """The whole .xml: IR version 11; an edge is (from layer, from port, to layer, to port)."""
    lines = ['<?xml version="1.0"?>', f'<net name="{name}" version="11">', "\t<layers>", *layers, "\t</layers>"]
    lines.append("\t<edges>")
    for a, b, c, d in edges:
        lines.append(f'\t\t<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>')
    return "\n".join([*lines, "\t</edges>", "</net>", ""])


def reduce_ir(operator: str, since: int, example: Reduced) -> tuple[str, bytes]:
    """The page's layer between a Parameter, the axes and a Result."""
    axes = np.array(example.axes, "<i8")
    note = f"value is {list(example.axes)} that means {example.meaning}"
    ports = [port(0, SHAPE), port(1, axes.shape, note=note)], [port(2, example.shape, "FP32", "reduced")]
    layers = [
        parameter(0, "data", SHAPE),
        constant(1, "axes", axes),
        layer(2, "reduced", operator, since, f'<data keep_dims="{str(example.keep).lower()}"/>', ports),
        result(3, "reduced", example.shape),
    ]
    return network(operator, layers, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)]), axes.tobytes()


def cumsum_ir(example: Scanned) -> tuple[str, bytes]:
    """The page's layer: axis is a scalar, so its port has no <dim>.

    The page puts the two attributes on the layer element, where OpenVINO does not look; they are in <data> as well.
    """
    axis = np.array(0, "<i8")
    values = ", ".join(f"{value:g}." for value in example.result)
    inputs = [port(0, (5,), note="input value is: [1., 2., 3., 4., 5.]"), port(1, (), note="axis value is: 0")]
    outputs = [port(2, (5,), "FP32", "y", note=f"output value is: [{values}]")]
    flags = f'exclusive="{int(example.exclusive)}" reverse="{int(example.reverse)}"'
    layers = [
        parameter(0, "x", (5,)),
        constant(1, "axis", axis),
        layer(2, "y", "CumSum", 3, f"<data {flags}/>", (inputs, outputs), " " + flags),
        result(3, "y", (5,)),
    ]
    return network("CumSum", layers, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)]), axis.tobytes()


def files() -> Iterator[tuple[str, bytes]]:
    """Every file of openvino/ that shows a specification page's layer: path in this folder, contents."""
    for operator, (name, since) in PAGES.items():
        for example in REDUCED:
            text, weights = reduce_ir(operator, since, example)
            yield f"openvino/{name}_{example.suffix}.xml", text.encode()
            yield f"openvino/{name}_{example.suffix}.bin", weights
    for scanned in SCANNED:
        text, weights = cumsum_ir(scanned)
        yield f"openvino/cum_sum{scanned.suffix}.xml", text.encode()
        yield f"openvino/cum_sum{scanned.suffix}.bin", weights
