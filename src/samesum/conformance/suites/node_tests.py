"""The node tests of the family that the onnx package makes or carries.

237 of them are what the family is usually counted by: 162 node tests, the 69 that spell an operator out in others,
and six exported models whose names say a reduction or a softmax (test_operator_reduced_mean, _mean_keepdim, _sum,
_sum_keepdim, test_softmax_functional_dim3, test_softmax_lastdim). Five more exported models have other names
(test_Softmax, test_Softmin, test_LogSoftmax, test_log_softmax_dim3, test_log_softmax_lastdim); they are a suite too.
"""

from __future__ import annotations

import pkgutil
import re
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from samesum.conformance.case import Case, OnnxModel, Tolerance
from samesum.formats.arrays import NDArray
from samesum.runtimes.packages import require

FAMILY = frozenset(
    {
        *("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2"),
        *("ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp", "ArgMax", "ArgMin", "CumSum", "CumProd"),
        *("Softmax", "LogSoftmax", "Hardmax"),
    }
)

_SUITE = "onnx-node"
_OFFICIAL = Tolerance(relative=1e-3, absolute=1e-7)
"""That of the onnx package's own runner."""

_EXPORTED = re.compile("test_operator_reduced_|test_softmax_")
_EXPORTED_BY_OTHER_NAMES = re.compile("test_(log_?softmax|softmax|softmin)", re.IGNORECASE)


def node_tests() -> tuple[Case, ...]:
    """The 237: as the package makes them, spelt out, and exported."""
    return (*_made(), *(case for case in _exported() if _EXPORTED.match(case.name)))


def exported_tests() -> tuple[Case, ...]:
    """The five others."""
    return tuple(case for case in _exported() if not _EXPORTED.match(case.name))


@cache
def _made() -> tuple[Case, ...]:
    """Making the package's other 1600 node tests would take five seconds more."""
    require("onnx", "the suite onnx-node")
    from onnx.backend.test.case import node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(node.__path__):
            if module.name.replace("_", "") in {operator.lower() for operator in FAMILY}:
                import_module(f"{node.__name__}.{module.name}")
    made = {case.name: case for case in node._NodeTestCases}
    own = {
        name: case.model.graph.node[0].op_type
        for name, case in made.items()
        if "_expanded" not in name and case.model.graph.node[0].op_type in FAMILY
    }
    return tuple(
        _case(name, own[source], case.model, *_data(case.data_sets[0]), is_one_call=name in own)
        for name, case in made.items()
        if (source := name.split("_expanded")[0]) in own
    )


def _data(data_set: Any) -> tuple[list[NDArray], NDArray]:
    inputs, (output,) = data_set
    return list(map(np.asarray, inputs)), np.asarray(output)


@cache
def _exported() -> tuple[Case, ...]:
    return tuple(_read(folder) for folder in _folders())


def _folders() -> Iterator[Path]:
    require("onnx", "the suite onnx-exported")
    import onnx

    root = Path(onnx.__file__).parent / "backend" / "test" / "data"
    for kind in ("pytorch-converted", "pytorch-operator"):
        for folder in sorted((root / kind).glob("*")):
            if _EXPORTED.match(folder.name) or _EXPORTED_BY_OTHER_NAMES.match(folder.name):
                yield folder


def _read(folder: Path) -> Case:
    import onnx

    model, data = onnx.load(folder / "model.onnx"), folder / "test_data_set_0"
    arrays = [_tensor(path) for path in sorted(data.glob("input_*.pb"))]
    operator = next(node.op_type for node in model.graph.node if node.op_type in FAMILY)
    return _case(folder.name, operator, model, arrays, _tensor(data / "output_0.pb"), is_one_call=False)


def _tensor(path: Path) -> NDArray:
    import onnx

    return np.asarray(onnx.numpy_helper.to_array(onnx.load_tensor(path)))


def _case(name: str, operator: str, model: Any, arrays: list[NDArray], expected: NDArray, is_one_call: bool) -> Case:
    """The model with its inputs by name; the one node's inputs in the node's order, where it is one call."""
    feeds = dict(zip((each.name for each in model.graph.input), arrays, strict=True))
    inputs: tuple[NDArray | None, ...] = tuple(arrays)
    attributes: dict[str, Any] = {}
    if is_one_call:
        from onnx import helper

        (only,) = model.graph.node
        inputs = tuple(map(feeds.get, only.input))
        attributes = {each.name: helper.get_attribute_value(each) for each in only.attribute}
    return Case(
        suite=_SUITE if is_one_call or _is_237(name) else "onnx-exported",
        name=name,
        standard="onnx",
        operator=operator,
        opset=int(next(each.version for each in model.opset_import if not each.domain)),
        inputs=inputs,
        attributes=attributes,
        expected=expected,
        dtype=expected.dtype,
        tolerance=_OFFICIAL,
        model=OnnxModel(model.SerializeToString(), feeds),
        is_one_call=is_one_call,
    )


def _is_237(name: str) -> bool:
    return "_expanded" in name or _EXPORTED.match(name) is not None
