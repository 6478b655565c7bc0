"""A backend in ten lines: `samesum conformance --backend examples.ten_line_backend:Backend` tells what it can."""

import ml_dtypes
import numpy as np
import onnx


@np.errstate(all="ignore")
def add(data, axes, keepdims):
    if data.dtype.kind in "iu":
        return np.add.reduce(data, axes, data.dtype, keepdims=keepdims)
    total, magnitudes = (np.add.reduce(x, axes, np.float64, keepdims=keepdims) for x in (data, np.abs(data)))
    lost, allowed = magnitudes * data.size * 2.0**-53, np.abs(total) * float(ml_dtypes.finfo(data.dtype).eps)
    if (lost > allowed).any() or (np.isinf(magnitudes).any() and np.isfinite(data).all()):
        raise NotImplementedError(f"a sum of {data.dtype} that cancels or overflows where it is added in float64")
    return total.astype(data.dtype)


FUNCTIONS = {"ReduceSum": add, "ReduceL1": lambda data, axes, keepdims: add(np.abs(data), axes, keepdims)}


class Backend:
    def run(self, model, inputs):
        onnx.checker.check_model(model, full_check=True)  # raises for what the standard does not allow
        node, graph = model.graph.node[0], model.graph
        if len(graph.node) > 1 or node.op_type not in FUNCTIONS:
            raise NotImplementedError(f"{node.op_type} in {len(graph.node)} nodes; allowed is one of {list(FUNCTIONS)}")
        said = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        given = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
        given |= zip([each.name for each in graph.input if each.name not in given], inputs, strict=True)
        data, axes, *_ = (*(given.get(name, ()) for name in node.input), said.get("axes", ()))  # input, or attribute
        axes = tuple(axes) if len(axes) or said.get("noop_with_empty_axes") else None  # without axes: all, or none
        return [FUNCTIONS[node.op_type](data, axes, keepdims=bool(said.get("keepdims", 1)))]
