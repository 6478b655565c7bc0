"""A backend in ten lines: `samesum conformance --backend examples.ten_line_backend:Backend` tells what it can."""

import numpy as np
from onnx.helper import get_attribute_value

UFUNCS = {"ReduceSum": np.add, "ReduceProd": np.multiply, "ReduceMax": np.maximum, "ReduceMin": np.minimum}


class Backend:
    def run(self, model, inputs):
        (node,) = model.graph.node
        if node.op_type not in UFUNCS or (node.attribute and node.attribute[0].name == "axes"):
            raise NotImplementedError(f"{node.op_type} with {len(node.input)} inputs")
        said = {each.name: get_attribute_value(each) for each in node.attribute}
        data, axes = inputs[0], tuple(inputs[1]) if len(inputs) > 1 else ()
        if not axes and not said.get("noop_with_empty_axes"):
            axes = None
        return [UFUNCS[node.op_type].reduce(data, axes, data.dtype, keepdims=bool(said.get("keepdims", 1)))]
