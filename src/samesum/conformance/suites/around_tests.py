"""The onnx package's node tests of the operators around the family, and the forms that spell them out in others.

A test with several outputs is one case for each of them. Left out are tests whose inputs or outputs are texts,
sequences or types that samesum does not read, and those that train.
"""

from __future__ import annotations

import pkgutil
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from samesum.conformance.case import Case, OnnxModel, Tolerance
from samesum.formats.arrays import NDArray, type_name
from samesum.formats.elements import ALL, ONNX_ELEMENTS
from samesum.runtimes.packages import require
from samesum.specs.onnx import ONNX

_OFFICIAL = Tolerance(relative=1e-3, absolute=1e-7)
"""That of the onnx package's own runner."""

OPERATORS = frozenset(operator.name for operator in ONNX.operators if operator.row is None)
_MODULES = frozenset(name.lower() for name in OPERATORS) | {"rangeop"}
_TRAINING = frozenset({"test_batchnorm_example_training_mode", "test_batchnorm_epsilon_training_mode"})


def around_tests() -> tuple[Case, ...]:
    """All of them, as the package makes them and spelt out."""
    return tuple(case for case in _made() if case.operator in OPERATORS)


@cache
def _made() -> tuple[Case, ...]:
    """Modules of other operators are not imported: making their tests takes seconds."""
    require("onnx", "the suite onnx-around")
    from onnx.backend.test.case import node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(node.__path__):
            if module.name.replace("_", "") in _MODULES:
                import_module(f"{node.__name__}.{module.name}")
    made = {case.name: case for case in node._NodeTestCases}
    operators = {name: _operator(case.model) for name, case in made.items() if "_expanded" not in name}
    return tuple(
        each
        for name, case in made.items()
        if (operator := operators.get(name.split("_expanded")[0])) in OPERATORS and _is_readable(case)
        for each in _cases(name, str(operator), case)
    )


def _operator(model: Any) -> str:
    """The operator that a test is of: that of its last node, before which constants may stand."""
    return str(model.graph.node[-1].op_type)


def _is_readable(case: Any) -> bool:
    ends = (*case.model.graph.input, *case.model.graph.output)
    tensors = all(
        end.type.WhichOneof("value") == "tensor_type" and end.type.tensor_type.elem_type in ONNX_ELEMENTS
        for end in ends
    )
    arrays = [array for data in case.data_sets[0] for array in data]
    return tensors and case.name not in _TRAINING and all(type_name(np.asarray(each).dtype) in ALL for each in arrays)


def _cases(name: str, operator: str, made: Any) -> Iterator[Case]:
    inputs, outputs = (list(map(np.asarray, arrays)) for arrays in made.data_sets[0])
    feeds = dict(zip((each.name for each in made.model.graph.input), inputs, strict=True))
    for place, expected in enumerate(outputs):
        ending = f"[{made.model.graph.output[place].name}]" if len(outputs) > 1 else ""
        yield _case(f"{name}{ending}", operator, _with_output(made.model, place), feeds, expected)


def _with_output(model: Any, place: int) -> Any:
    """The model with one of its outputs alone."""
    copy = type(model)()
    copy.CopyFrom(model)
    chosen = copy.graph.output[place]
    del copy.graph.output[:]
    copy.graph.output.append(chosen)
    return copy


def _case(name: str, operator: str, model: Any, feeds: dict[str, NDArray], expected: NDArray) -> Case:
    return Case(
        suite="onnx-around",
        name=name,
        standard="onnx",
        operator=operator,
        opset=int(next(each.version for each in model.opset_import if not each.domain)),
        inputs=tuple(feeds.values()),
        attributes={},
        expected=expected,
        dtype=expected.dtype,
        tolerance=_OFFICIAL,
        model=OnnxModel(model.SerializeToString(), feeds),
        is_one_call=False,
    )
