"""The node tests of the family that the onnx package makes or carries, as models with inputs and outputs."""

from __future__ import annotations

import pkgutil
import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test.case import node
from running import Question

NDArray = np.ndarray[Any, np.dtype[Any]]

FAMILY = frozenset(
    {
        *("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2"),
        *("ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp", "ArgMax", "ArgMin", "CumSum", "CumProd"),
        *("Softmax", "LogSoftmax", "Hardmax"),
    }
)


@dataclass(frozen=True)
class NodeTest:
    """One test of the package. `kind` is node, expanded (spelt out in other operators) or exported (from PyTorch)."""

    name: str
    kind: str
    model: Any = field(repr=False)
    inputs: tuple[NDArray, ...] = field(repr=False)
    expected: NDArray = field(repr=False)

    @property
    def operators(self) -> tuple[str, ...]:
        """What the model is made of."""
        return tuple(node.op_type for node in self.model.graph.node)

    @property
    def opset(self) -> int:
        """The version of the default domain."""
        return int(next(each.version for each in self.model.opset_import if not each.domain))

    @property
    def question(self) -> Question:
        """The one node as a call; the model's inputs stand in the node's order."""
        (only,) = self.model.graph.node
        given = dict(zip((each.name for each in self.model.graph.input), self.inputs, strict=True))
        attributes = {each.name: helper.get_attribute_value(each) for each in only.attribute}
        return Question("onnx", only.op_type, self.opset, tuple(map(given.get, only.input)), attributes)

    @property
    def allowed(self) -> NDArray:
        """How far a result may be from what NumPy or PyTorch computed without care: some units."""
        if self.expected.dtype.kind in "iub":
            return np.zeros(self.expected.shape)
        expected, unit = self.expected.astype(np.float64), float(np.finfo(self.expected.dtype).eps)
        return np.where(np.isfinite(expected), np.abs(expected), 0) * 8 * unit + unit


@cache
def node_tests() -> tuple[NodeTest, ...]:
    """All of them. Making the package's other 1600 node tests would take five seconds more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(node.__path__):
            if module.name.replace("_", "") in {operator.lower() for operator in FAMILY}:
                import_module(f"{node.__name__}.{module.name}")
    made = {case.name: case for case in node._NodeTestCases}
    own = {
        name for name, case in made.items() if "_expanded" not in name and case.model.graph.node[0].op_type in FAMILY
    }
    tests = [
        NodeTest(name, "node" if name in own else "expanded", case.model, *_data(case.data_sets[0]))
        for name, case in made.items()
        if name.split("_expanded")[0] in own
    ]
    return (*tests, *_exported())


def _data(data_set: Any) -> tuple[tuple[NDArray, ...], NDArray]:
    inputs, (output,) = data_set
    return tuple(map(np.asarray, inputs)), np.asarray(output)


def _exported() -> list[NodeTest]:
    root = Path(onnx.__file__).parent / "backend" / "test" / "data"
    folders = [
        folder for kind in ("pytorch-converted", "pytorch-operator") for folder in sorted((root / kind).glob("*"))
    ]
    tests = []
    for folder in folders:
        if re.search("softm|reduced_", folder.name, re.IGNORECASE):
            model, data = onnx.load(folder / "model.onnx"), folder / "test_data_set_0"
            inputs = tuple(_tensor(path) for path in sorted(data.glob("input_*.pb")))
            tests.append(NodeTest(folder.name, "exported", model, inputs, _tensor(data / "output_0.pb")))
    return tests


def _tensor(path: Path) -> NDArray:
    return np.asarray(numpy_helper.to_array(onnx.load_tensor(path)))
