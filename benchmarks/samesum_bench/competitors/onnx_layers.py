"""Models of one node for normalizations, pools and scatters, with what they are fed besides the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum_bench.competitors.own import window_attributes
from samesum_bench.operators import EPSILON, Kind
from samesum_bench.task import Task


def layer_feeds(task: Task, x: NDArray) -> dict[str, NDArray]:
    """What is bound to the model: the data, and for scatters the target and the labels in their places.

    Single elements are the updates of ScatterElements, rows those of ScatterND.
    """
    if task.operator.kind is not Kind.LABELS:
        return {"x": x}
    labels = task.labels if x.ndim == 1 else task.labels.reshape(-1, 1)
    return {"target": task.new_result(), "labels": labels, "x": x}


def layer_graph(task: Task, feeds: dict[str, NDArray], out: NDArray) -> Any:
    """The graph, with weight and bias as constants."""
    from onnx import helper, numpy_helper

    constants = {f"term{i}": each for i, each in enumerate(task.terms)}
    node = helper.make_node(_node(task), [*feeds, *constants], ["y"], **_attributes(task))
    return helper.make_graph(
        [node],
        task.name,
        [_value(name, each) for name, each in feeds.items()],
        [_value("y", out)],
        [numpy_helper.from_array(each, name) for name, each in constants.items()],
    )


def _value(name: str, x: NDArray) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)


def _node(task: Task) -> str:
    return "ScatterElements" if task.operator.kind is Kind.LABELS and task.x.ndim == 1 else task.operator.node


def _attributes(task: Task) -> dict[str, Any]:
    if task.operator.kind is Kind.LABELS:
        return {"reduction": "max" if task.name == "scatter_max" else "add"}
    if task.operator.kind is Kind.WINDOWS:
        return window_attributes(task)
    groups = {"num_groups": task.parts} if task.operator.kind is Kind.GROUPS else {}
    return groups | ({"epsilon": float(np.float32(EPSILON))} if task.terms else {})
