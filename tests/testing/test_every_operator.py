"""Every operator is judged: what is right or a step away is never wrong, what is far off always is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from catalogue_calls import OUTPUTS, _attributes, _input
from naming import case
from samesum.specs.lookup import STANDARDS, lookup
from samesum.specs.table import Spec
from samesum.testing import judge
from samesum.testing.calls import call_of

Array = np.ndarray[Any, Any]
MOVING = ("Identity", "Reshape", "Transpose", "Concat", "Slice", "Gather", "Where", "Tile", "Expand", "Broadcast")
EXACT = ("Abs", "Neg", "Negative", "Sign", "Relu", "ReLU", "ThresholdedRelu", "Clip", "Clamp", "Maximum", "Minimum")
EXACT += ("Floor", "Ceil", "Ceiling", "Round", "Max", "Min", "ReduceMax", "MaxPool")


def specs() -> Iterator[Spec]:
    """The newest version of each operator that works on arrays alone and has a first output of its own."""
    for standard in STANDARDS.values():
        for operator in standard.operators:
            if not operator.holds_graphs and operator.name not in OUTPUTS:
                yield lookup(standard.name, operator.name)


def given(spec: Spec) -> tuple[list[Array | None], dict[str, Any]]:
    """Inputs and attributes, in float32 where the operator takes that."""
    named = [each for each in ("float32", "uint8", "int32", "int64", "bool") if each in spec.types]
    dtype = np.dtype(named[0])
    inputs = [_input(spec, each, place, dtype, False) for place, each in enumerate(spec.inputs)]
    return inputs, next(_attributes(spec))


def far(exact: Array) -> Array:
    """Every result another one, by more than any rounding."""
    if exact.dtype.kind in "b":
        return ~exact
    if exact.dtype.kind in "iu":
        return exact + exact.dtype.type(3)
    return np.asarray(exact / 3 - 2, exact.dtype)


@pytest.mark.parametrize("standard", STANDARDS)
def test_every_operator_takes_right_answers_and_no_wrong_ones(standard: str) -> None:
    for spec in specs():
        if spec.standard.name != standard:
            continue
        inputs, attributes = given(spec)
        name = f"{standard}.{spec.operator.name}"
        with case(name):
            call = call_of(name, inputs, attributes)
            exact = call.compute(call.arrays)
            found = judge(name, exact, *inputs, **attributes)
            assert (found.verdict, found.wrong, found.ulp) == ("right", 0, 0), str(found)
            assert found.judged == exact.size > 0
            found = judge(name, far(exact), *inputs, **attributes)
            assert found.verdict == "wrong", str(found)
            assert len(str(found).splitlines()) == 3


def test_a_step_is_wrong_of_what_is_exact_and_of_nothing_else() -> None:
    for spec in specs():
        inputs, attributes = given(spec)
        name = f"{spec.standard.name}.{spec.operator.name}"
        call = call_of(name, inputs, attributes)
        exact = call.compute(call.arrays)
        if exact.dtype == np.float32:
            with case(name):
                near = np.nextafter(exact, np.float32(np.inf))
                found = judge(name, near, *inputs, **attributes)
                is_exact = found.unit == "steps"
                assert found.verdict == ("wrong" if is_exact else "inexact"), str(found)
                if spec.operator.name in (*MOVING, *EXACT):
                    assert is_exact, name
