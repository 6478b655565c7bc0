"""`samesum explain`: a screen that fits 80 columns, one JSON document, and what is refused."""

from __future__ import annotations

import json

import pytest
from command import Command

from samesum.cli.explain import facts
from samesum.cli.show import Exit
from samesum.conformance.explaining import specs_of
from samesum.specs.lookup import OF_REDUCTIONS

pytest.importorskip("onnx")


def test_the_screen_fits_and_names_both_standards(samesum: Command) -> None:
    done = samesum("explain", "ReduceMean", "--case", "overflow", "empty")
    assert done.status == Exit.FINE
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "onnx.ReduceMean" in lines
    assert "openvino.ReduceMean" in lines
    assert "  axes        attribute, from 18 input" in lines
    assert any(line.startswith("  onnx.ReduceMean-18       samesum 1e+38") for line in lines)
    assert any(line.startswith("  openvino.ReduceMean-1    samesum [0, 0]") for line in lines)


def test_versions_say_what_they_changed_and_empty_sets_what_they_give(samesum: Command) -> None:
    soft = samesum("explain", "Softmax", "--case", "equal").out.splitlines()
    assert "  changes     11 negative axes are spelt out; 13 one axis instead of all axes" in soft
    assert "              from it on as one, axis=-1 instead of 1, types bfloat16" in soft
    assert "  changes     8 axis may be negative" in soft
    assert soft[-2] == "None of these cases concerns this operator."
    mean = samesum("explain", "ReduceMean", "--case", "nan").out.splitlines()
    assert "  empty set   nan (float32), an error (int32)" in mean
    assert "  empty set   0 (float32), 0 (int32)" in mean


@pytest.mark.parametrize("operator", sorted({spec.operator.name for spec in OF_REDUCTIONS}))
def test_every_operator_has_facts_that_fit(operator: str) -> None:
    for said in facts(specs_of(operator)).values():
        assert all(isinstance(text, str) and text for text in said.values())
        assert said["operator"].casefold() == operator.casefold()
        assert "identity" not in said.get("empty set", "")


def test_without_an_operator_it_lists_those_that_it_explains(samesum: Command) -> None:
    done = samesum("explain")
    assert done.status == Exit.FINE
    assert max(map(len, done.out.splitlines())) <= 80
    assert samesum("explain", "--case", "nan").status == Exit.USAGE
    listed = done.out.partition("\n")[2].replace(",", " ").split()
    assert listed == json.loads(samesum("explain", "--json").out)["operators"]
    folded = [each.casefold() for each in listed]
    assert folded == sorted(set(folded))
    assert set(folded) >= {spec.operator.name.casefold() for spec in OF_REDUCTIONS}
    for operator in ("Sum", "Max", "SkipLayerNormalization"):
        assert operator in listed


def test_what_compare_judges_is_explained(samesum: Command) -> None:
    done = samesum("explain", "layernormalization", "--case", "nan")
    assert done.status == Exit.FINE
    lines = done.out.splitlines()
    assert lines[0] == "onnx.LayerNormalization"
    assert "  attributes  axis=-1, epsilon=1e-05, stash_type=1" in lines
    assert "  compare     errors in ulps of the largest of its line" in lines
    assert lines[-1] == "`samesum compare MODEL` judges it on the data of a model."
    assert "  compare     every bit counts" in samesum("explain", "Max", "--case", "nan").out.splitlines()


def test_json_is_one_document(samesum: Command) -> None:
    document = json.loads(samesum("explain", "cumsum", "--case", "order", "--json").out)
    assert document["operator"]["onnx"]["versions"] == "11, 14"
    assert [each["operator"] for each in document["cases"]] == ["onnx.CumSum-14", "openvino.CumSum-3"]
    assert document["cases"][0]["answers"]["samesum"] == {"text": "[1e+8, 1e+8, 1]", "differs": False}


def test_unknown_names_are_refused(samesum: Command) -> None:
    done = samesum("explain", "Det")
    assert done.status == Exit.USAGE
    assert "there is no operator 'Det' that samesum explains; allowed are Abs, AdaptiveAvgPool" in done.err
    assert samesum("explain", "ReduceSum", "--case", "weather").status == Exit.USAGE
