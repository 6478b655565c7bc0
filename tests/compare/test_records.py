"""What two processes recorded, one beside the other: the node where the first other bits come from."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import faulty
import ml_dtypes
import numpy as np
import pytest
from models import one, two_sums
from onnx import TensorProto

from samesum.compare import compare, compare_records, read_record
from samesum.compare.records import CONTENTS, digest
from samesum.errors import AttributeValueError, ModelError

X = np.random.default_rng(7).uniform(0.5, 1.5, (64, 300)).astype(np.float32)


class Release(faulty.Right):
    name = "engine"


class Later(faulty.SumsInHalf):
    name = "engine"


def recorded(path: Path, engine: Any, model: Any = None, x: Any = X) -> Path:
    compare(two_sums() if model is None else model, {"x": x}, [engine], record=path)
    return path


def test_the_first_node_that_gives_other_bits_is_found(tmp_path: Path) -> None:
    a = read_record(recorded(tmp_path / "a", Release))
    b = read_record(recorded(tmp_path / "b", Later))
    (pair,) = compare_records(a, b)
    assert (pair.engines, pair.values, pair.missing) == (("engine", "engine"), 6, ())
    assert pair.first is not None
    assert (pair.first.name, pair.first.operator) == ("first", "ReduceSum")
    changed = {(each.kind, each.name): each.same_inputs for each in pair.changes}
    assert changed == {
        ("output", "first"): True,
        ("output", "y"): True,
        ("node", "first"): True,
        ("node", "second"): True,
        ("node", "top"): False,
    }


def test_the_same_engine_twice_has_the_same_bits(tmp_path: Path) -> None:
    a, b = (read_record(recorded(tmp_path / name, Release)) for name in "ab")
    (pair,) = compare_records(a, b)
    assert (pair.changes, pair.first) == ((), None)
    assert a.model == "model"
    assert {entry.kind for entry in a.entries} == {"output", "node"}


def test_engines_of_other_names_stand_beside_each_other(tmp_path: Path) -> None:
    a, b = read_record(recorded(tmp_path / "a", Release)), read_record(recorded(tmp_path / "b", faulty.SumsInHalf))
    (pair,) = compare_records(a, b)
    assert pair.engines == ("engine", "SumsInHalf")
    assert pair.changes


def test_records_without_a_value_in_common_are_refused(tmp_path: Path) -> None:
    class Silent:
        name = "engine"

        def run(self, model: Any, feeds: Any, wanted: Any) -> Any:
            raise NotImplementedError(model.graph.name)

    other = one("ReduceMax", (64, 300))
    for node in (other.graph.node[0], other.graph.output[0]):
        node.name = "other"
    other.graph.node[0].output[0] = "other"
    records = [
        recorded(tmp_path / "a", Release),
        recorded(tmp_path / "b", Silent),
        recorded(tmp_path / "c", Release, other),
    ]
    a, silent, c = map(read_record, records)
    for pair in ((a, silent), (silent, a), (silent, silent), (a, c)):
        with pytest.raises(AttributeValueError, match="the records have no value in common"):
            compare_records(*pair)


def test_values_that_one_record_lacks_are_named_from_both_sides(tmp_path: Path) -> None:
    a = read_record(recorded(tmp_path / "a", Release))
    less = replace(a, entries=[entry for entry in a.entries if entry.kind == "output"])
    for pair in ((a, less), (less, a)):
        (found,) = compare_records(*pair)
        assert (found.values, found.changes, found.is_same) == (2, (), False)
        assert found.missing == ("add", "first", "second", "top")
    (same,) = compare_records(a, a)
    assert same.is_same


def test_records_of_other_inputs_are_told_apart(tmp_path: Path) -> None:
    a, b = (read_record(recorded(tmp_path / name, Release, x=x)) for name, x in (("a", X), ("b", X + 1)))
    (pair,) = compare_records(a, b)
    assert (pair.same_inputs, pair.is_same, pair.first) == (False, False, None)


def test_bfloat16_comes_back(tmp_path: Path) -> None:
    x = X.astype(ml_dtypes.bfloat16)
    record = read_record(recorded(tmp_path / "a", "samesum", one("ReduceMax", (64, 300), TensorProto.BFLOAT16), x))
    assert {record.array(entry).dtype.name for entry in record.entries} == {"bfloat16"}


def test_the_digest_minds_bits_types_and_shapes() -> None:
    found = {digest([each]) for each in (X, X.T, X.view(np.int32), X.reshape(300, 64), X + 1)}
    assert len(found) == 5
    assert digest([X, None]) == digest([X.copy()])


def test_what_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, x=X)
    with pytest.raises(ModelError, match=r"x\.npz is no record"):
        read_record(path)
    path.write_bytes(b"no zip")
    with pytest.raises(ModelError, match="is no record"):
        read_record(path)


def test_a_record_of_other_contents_is_refused_in_words(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a", "samesum", one("ReduceMax", (64, 300)), X)
    with zipfile.ZipFile(path) as packed:
        arrays = {name: packed.read(name) for name in packed.namelist() if name != CONTENTS}
        said = json.loads(packed.read(CONTENTS))
    entry = said["entries"][0]
    odd: list[dict[str, object]] = [
        {"engines": []},
        {"engines": {"samesum": [1, 2]}},
        {"engines": {}},
        {"model": 1},
        {"machine": None},
        {"entries": {}},
        {"entries": [[*entry[:2], ["a"], *entry[3:]]]},
        {"entries": [entry[:-1]]},
        {"entries": [[*entry[:-1], "nowhere"]]},
    ]
    for text in (*(json.dumps(said | each) for each in odd), "[" * 100000, "[]", "{}", "{"):
        with zipfile.ZipFile(path, "w") as packed:
            for name, data in {**arrays, CONTENTS: text}.items():
                packed.writestr(name, data)
        with pytest.raises(ModelError, match="is no record"):
            read_record(path)


def test_nothing_is_left_of_a_record_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        compare(b"no model", record=tmp_path / "a", engines=["samesum"])
    assert list(tmp_path.iterdir()) == []
