"""How many bytes the values of a model take, as far as shapes can be foretold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from samesum.compare.graph import Graph
from samesum.compare.ir_graph import IrGraph
from samesum.compare.onnx_graph import OnnxGraph
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.runtimes.runtime import Feeds


def sizes_of(graph: Graph, feeds: Feeds) -> Mapping[str, int]:
    """Bytes by name of value; what cannot be foretold is left out."""
    if isinstance(graph, OnnxGraph):
        return dict(_onnx(graph.proto, feeds))
    return graph.sizes if isinstance(graph, IrGraph) else {}


def _onnx(proto: Any, feeds: Feeds) -> Any:
    import onnx

    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    for each in copy.graph.input:
        if each.name in feeds:
            shape = each.type.tensor_type.shape
            del shape.dim[:]
            for size in feeds[each.name].shape:
                shape.dim.add().dim_value = size
    del copy.graph.value_info[:]
    try:
        inferred = onnx.shape_inference.infer_shapes(copy, data_prop=True)
    except Exception:
        return
    for each in (*inferred.graph.value_info, *inferred.graph.output):
        tensor = each.type.tensor_type
        element = ONNX_ELEMENTS.get(tensor.elem_type)
        dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
        if element is not None and tensor.HasField("shape") and None not in dims:
            yield each.name, math.prod(dim or 0 for dim in dims) * element.dtype.itemsize
