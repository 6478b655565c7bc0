"""The node tests that the onnx package makes or carries.

237 are what the family is usually counted by: 162 node tests, the 69 that spell an operator out in others,
and six exported models whose names say a reduction or a softmax (test_operator_reduced_mean, _mean_keepdim, _sum,
_sum_keepdim, test_softmax_functional_dim3, test_softmax_lastdim). Five more exported models have other names
(test_Softmax, test_Softmin, test_LogSoftmax, test_log_softmax_dim3, test_log_softmax_lastdim); they are a suite too.
The node tests of all other operators that samesum has are a third one.
"""

from __future__ import annotations

import pkgutil
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from samesum.conformance.case import Case, OnnxModel, Tolerance
from samesum.errors import DtypeError
from samesum.formats.arrays import NDArray
from samesum.formats.elements import MODEL_ELEMENTS
from samesum.runtimes.runtime import require
from samesum.specs.lookup import FAMILY as SPECS
from samesum.specs.table import ONNX, Spec

FAMILY = frozenset(spec.operator.name for spec in SPECS if spec.standard is ONNX)

_SUITE, _OTHERS = "onnx-node", "onnx-node-others"
# That of the onnx package's own runner.
_OFFICIAL = Tolerance(relative=1e-3, absolute=1e-7)

# What trains a model, the one type that nothing is converted to, and attention spelt out in 16 bits: each node rounds,
# and what the package expects are the roundings of its own steps, further apart than its tolerance.
_UNASKED = re.compile(
    "_training_mode|test_training_dropout|test_cast_e8m0|test_attention_.*(bf16|4d_causal_fp16)_expanded"
)
# Outputs that differ from what the standard's text says: where, what it says, why.
_PUT_RIGHT: dict[str, tuple[Any, Any, str]] = {
    "test_dynamicquantizelinear": ((5,), 178, "0.5 over the scale is 25.49999998; in float32 it is a tie"),
    "test_resize_downsample_scales_linear_align_corners": (
        ...,
        [[[[1, 4]]]],
        "length_resized is 2, not 4 times the scale",
    ),
    "test_resize_downsample_scales_cubic_align_corners": (
        ...,
        [[[[1, 2.5, 4], [7, 8.5, 10], [13, 14.5, 16]]]],
        "length_resized is 3, not 4 times the scale",
    ),
}
# Outputs that the package computes step by step in bfloat16, each further from the formula than the tolerance.
_STEP_BY_STEP = re.compile("test_attention_.*_bf16$")
_EXPORTED = re.compile("test_operator_reduced_|test_softmax_")
_EXPORTED_BY_OTHER_NAMES = re.compile("test_(log_?softmax|softmax|softmin)", re.IGNORECASE)


def node_tests() -> tuple[Case, ...]:
    """The 237: as the package makes them, spelt out, and exported."""
    return (*_made(), *(case for case in _exported() if _EXPORTED.match(case.name)))


def exported_tests() -> tuple[Case, ...]:
    """The five others."""
    return tuple(case for case in _exported() if not _EXPORTED.match(case.name))


def other_tests() -> tuple[Case, ...]:
    """The node tests of all other operators of tensors, one case for each output; what trains a model is left out."""
    others = frozenset(row.name for row in ONNX.operators) - FAMILY
    made = {name: case for name, case in _made_tests(others | {"RangeOp"}).items() if _UNASKED.search(name) is None}
    own = {name: case for name, case in made.items() if _operator(case) in others}
    return tuple(
        case
        for name, test in made.items()
        if (source := own.get(name.split("_expanded")[0])) is not None and _is_of_tensors(test)
        for case in _cases_of(name, _operator(source), test)
    )


@cache
def _made() -> tuple[Case, ...]:
    made = _made_tests(FAMILY)
    own = {
        name: _operator(case) for name, case in made.items() if "_expanded" not in name and _operator(case) in FAMILY
    }
    return tuple(
        _case(name, own[source], case.model, *_data(case.data_sets[0]), is_one_call=name in own)
        for name, case in made.items()
        if (source := name.split("_expanded")[0]) in own
    )


def _made_tests(operators: frozenset[str]) -> dict[str, Any]:
    """The package's tests of some operators and of what it made before; all 1800 would take ten seconds."""
    require("onnx", "the suites of node tests")
    from onnx.backend.test.case import node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(node.__path__):
            if module.name.replace("_", "") in {operator.lower() for operator in operators}:
                import_module(f"{node.__name__}.{module.name}")
    return {case.name: case for case in node._NodeTestCases}


def _operator(test: Any) -> str:
    return str(test.model.graph.node[0].op_type)


def _is_of_tensors(test: Any) -> bool:
    """Whether all inputs and outputs are tensors of types that samesum has."""
    values = (*test.model.graph.input, *test.model.graph.output)
    return all(value.type.tensor_type.elem_type in MODEL_ELEMENTS for value in values)


def _cases_of(name: str, operator: str, test: Any) -> Iterator[Case]:
    """One for each output: a model that gives this one alone."""
    inputs, outputs = test.data_sets[0]
    arrays = [_array(each) for each in inputs]
    is_one_call = len(outputs) == 1 and "_expanded" not in name
    for i, output in enumerate(outputs):
        model = type(test.model)()
        model.CopyFrom(test.model)
        del model.graph.output[i + 1 :], model.graph.output[:i]
        title = name if len(outputs) == 1 else f"{name}-{model.graph.output[0].name}"
        case = _case(title, operator, model, arrays, _array(output), is_one_call)
        if _STEP_BY_STEP.match(name):
            case = _in_float64(case, model)
        yield replace(_put_right(case, name) if i == 0 else case, suite=_OTHERS)


def _in_float64(case: Case, model: Any) -> Case:
    """What the package's evaluator gives in float64, rounded once to the type of the output."""
    from onnx import TensorProto
    from onnx.reference import ReferenceEvaluator

    assert case.model is not None
    assert isinstance(case.expected, np.ndarray)
    wide = type(model)()
    wide.CopyFrom(model)
    for value in (*wide.graph.input, *wide.graph.output):
        if value.type.tensor_type.elem_type == TensorProto.BFLOAT16:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    fed = case.model.feeds.items()
    feeds = {name: x.astype(np.float64) if x.dtype.name == "bfloat16" else x for name, x in fed}
    (output,) = ReferenceEvaluator(wide).run(None, feeds)
    expected = np.asarray(output).astype(case.expected.dtype)
    return replace(case, expected=expected, correction="the formula is rounded once, not after each of its steps")


def _put_right(case: Case, name: str) -> Case:
    source = name.split("_expanded")[0]
    if source not in _PUT_RIGHT:
        return case
    place, right, why = _PUT_RIGHT[source]
    expected = np.array(case.expected)
    expected[place] = right
    return replace(case, expected=expected, correction=why)


def _array(value: Any) -> NDArray:
    import onnx

    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


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


def older_tests() -> Iterator[Case]:
    """Every node test for every older version of its operator in whose words it can be put.

    A version that lacks the type of the data has to refuse it.
    """
    for case in node_tests():
        if case.is_one_call:
            for spec in _versions(case.operator):
                yield from _older(case, spec)


def _versions(operator: str) -> list[Spec]:
    return [
        spec
        for spec in SPECS
        if (spec.standard.name, spec.operator.name) == ("onnx", operator)
        and "axes" in {attribute.name for attribute in spec.attributes}
    ]


def _older(case: Case, spec: Spec) -> Iterator[Case]:
    attributes = dict(case.attributes)
    noop = attributes.pop("noop_with_empty_axes", 0)
    data, *where = case.inputs
    axes = where[0].tolist() if where and where[0] is not None else []
    if noop and not axes:
        return
    if axes:
        attributes["axes"] = axes
    assert data is not None
    opset = spec.version.since
    older = replace(
        case,
        suite="onnx-older",
        name=f"{case.name}_opset{opset}",
        opset=opset,
        inputs=(data,),
        attributes=attributes,
        model=None,
    )
    if data.dtype.name not in spec.types:
        older = replace(older, expected=DtypeError, says="is allowed by version", dtype=None)
    yield older
