"""Models built for tests: ONNX through its helper, IR as the text a writer would have put down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from samesum.formats.elements import IR_ELEMENTS
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

IR_NAMES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}


def onnx_bytes(
    nodes: Sequence[Any],
    inputs: Mapping[str, tuple[int, Sequence[Any] | None]],
    outputs: Mapping[str, tuple[int, Sequence[Any] | None]],
    initializers: Mapping[str, np.ndarray] | None = None,
    opset: int = 18,
    **options: Any,
) -> bytes:
    """A model from nodes, typed inputs and outputs and initializers; `options` go to make_model."""
    import onnx
    from onnx import helper, numpy_helper

    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in outputs.items()],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (initializers or {}).items()],
    )
    options.setdefault("opset_imports", [helper.make_opsetid("", opset)])
    options.setdefault("ir_version", 8)
    model: onnx.ModelProto = helper.make_model(graph, **options)
    return model.SerializeToString()


def onnx_run(operator: str, arrays: Sequence[np.ndarray | None], opset: int = 18, **attributes: Any) -> np.ndarray:
    """The result of a one-node model; None is an input left out."""
    from onnx import helper

    names = ["" if array is None else f"x{i}" for i, array in enumerate(arrays)]
    node = helper.make_node(operator, names, ["y"], **attributes)
    feeds = {name: np.asarray(array) for name, array in zip(names, arrays, strict=True) if name}
    kinds = {name: (helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in feeds.items()}
    (result,) = load(onnx_bytes([node], kinds, {"y": (0, None)}, opset=opset)).run(feeds).values()
    return result


@dataclass
class Ir:
    """Layers put down one after the other; `text` is the .xml, `weights` the .bin."""

    version: str = "11"
    layers: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    weights: bytearray = field(default_factory=bytearray)
    results: int = 0

    def parameter(self, name: str, element_type: str, shape: str, precision: str = "") -> int:
        """A Parameter layer's id."""
        data = f'<data shape="{shape}" element_type="{element_type}"/>'
        return self.layer("Parameter", [], data, name=name, precision=precision)

    def const(self, array: Any, **changes: Any) -> int:
        """A Const layer's id, its values at the end of the .bin."""
        array = np.asarray(array)
        raw = array.tobytes()
        given = {
            "element_type": IR_NAMES[array.dtype],
            "shape": ",".join(map(str, array.shape)),
            "offset": len(self.weights),
            "size": len(raw),
        } | changes
        self.weights += raw
        data = "<data " + " ".join(f"{key}={quoteattr(str(value))}" for key, value in given.items()) + "/>"
        return self.layer("Const", [], data)

    def layer(
        self,
        kind: str,
        inputs: Sequence[int],
        data: str = "",
        version: str = "opset1",
        name: str = "",
        precision: str = "",
        names: str = "",
        dims: Sequence[int] = (),
        extra: str = "",
    ) -> int:
        """A layer's id; every layer has its inputs at ports 0, 1, ... and its output at port 9."""
        number = len(self.layers)
        ports = "".join(f'<port id="{i}"/>' for i in range(len(inputs)))
        said = "".join(f"<dim>{dim}</dim>" for dim in dims)
        named = f" names={quoteattr(names)}" if names else ""
        output = f'<output><port id="9" precision="{precision}"{named}>{said}</port></output>'
        self.layers.append(
            f'<layer id="{number}" name={quoteattr(name or f"{kind.lower()}_{number}")} type="{kind}" '
            f'version="{version}" {extra}>{data}<input>{ports}</input>{"" if kind == "Result" else output}</layer>'
        )
        self.edges += [
            f'<edge from-layer="{source}" from-port="9" to-layer="{number}" to-port="{i}"/>'
            for i, source in enumerate(inputs)
        ]
        return number

    def result(self, source: int, name: str = "y") -> Ir:
        """The IR with one more Result."""
        self.layer("Result", [source], extra=f"output_names={quoteattr(name)}")
        return self

    @property
    def text(self) -> str:
        """The .xml."""
        return (
            f'<?xml version="1.0"?>\n<net name="net" version="{self.version}">\n<layers>\n'
            + "\n".join(self.layers)
            + "\n</layers>\n<edges>\n"
            + "\n".join(self.edges)
            + "\n</edges>\n<rt_info><x y='z'/></rt_info></net>\n"
        )

    def load(self) -> Model:
        """The model."""
        return load(self.text.encode(), weights=bytes(self.weights))


def ir_run(
    kind: str, arrays: Sequence[np.ndarray], data: str = "", version: str = "opset1", consts: Sequence[int] = ()
) -> np.ndarray:
    """The result of one layer; the inputs at the positions `consts` are Const layers, the others Parameters."""
    ir = Ir()
    sources, feeds = [], []
    for i, array in enumerate(map(np.asarray, arrays)):
        if i in consts:
            sources.append(ir.const(array))
        else:
            shape = ",".join(map(str, array.shape))
            sources.append(ir.parameter(f"x{i}", IR_NAMES[array.dtype], shape))
            feeds.append(array)
    model = ir.result(ir.layer(kind, sources, data and f"<data {data}/>", version)).load()
    (result,) = model.run(feeds).values()
    return result


def same(a: np.ndarray, b: Any) -> bool:
    """Equal in dtype, shape and every bit."""
    b = np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def integers(*items: int) -> np.ndarray:
    """A vector of int64, as shapes, axes and lengths are given."""
    return np.array(items, np.int64)


def onnx_outputs(
    kind: str, arrays: list[Any], outputs: list[str], opset: int = 18, **attributes: Any
) -> list[np.ndarray]:
    """What a node gives under the names of `outputs`, of which an empty one is left out."""
    from onnx import helper

    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node(kind, names, outputs, **attributes)
    kinds = {n: (helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in zip(names, arrays, strict=True)}
    model = load(onnx_bytes([node], kinds, {name: (0, None) for name in outputs if name}, opset=opset))
    return list(model.run(dict(zip(names, arrays, strict=True))).values())


def ir_outputs(kind: str, arrays: list[Any], count: int, data: str = "", version: str = "opset1") -> list[np.ndarray]:
    """What a layer with so many outputs gives; the first input is fed, the others are constants."""
    ir = Ir()
    sources = [ir.parameter("x", {4: "f32", 8: "i64"}[arrays[0].itemsize], ",".join(map(str, arrays[0].shape)))]
    sources += [ir.const(array) for array in arrays[1:]]
    layer = ir.layer(kind, sources, data and f"<data {data}/>", version)
    ports = "".join(f'<port id="{9 + i}"/>' for i in range(count))
    ir.layers[layer] = ir.layers[layer].replace('<port id="9" precision=""></port>', ports)
    for i in range(count):
        ir.result(layer, f"y{i}")
        ir.edges[-1] = ir.edges[-1].replace('from-port="9"', f'from-port="{9 + i}"')
    return list(ir.load().run([arrays[0]]).values())


def all_same(found: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    """As many arrays, each the same."""
    return len(found) == len(expected) and all(same(a, b) for a, b in zip(found, expected, strict=True))
