"""Manifests: what changed in a checkpoint is named, whatever the format, the cut or the order in the file."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import case
from samesum.errors import ModelError
from samesum.files.contents import open_tensors
from samesum.stats.manifest import Entry, entry_of, read_manifest, scrambled, verified, write_manifest

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(5)


def entries(path: Path) -> list[Entry]:
    found = open_tensors(path)
    return [entry_of(each) for each in (*found.tensors, *found.skipped)]


def of(folder: Path, array: Array) -> Entry:
    np.save(folder / "a.npy", array)
    (found,) = entries(folder / "a.npy")
    return found


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "<f2", "<f4", "<i8", "<f8"])
def test_layout_and_byte_order_do_not_matter(tmp_path: Path, dtype: str) -> None:
    x = RANDOM.integers(0, 100, (6, 5, 7)).astype(dtype)
    found = of(tmp_path, x)
    assert found == of(tmp_path, np.asfortranarray(x))
    assert found == of(tmp_path, x.astype(np.dtype(dtype).newbyteorder(">")))
    assert (found.count, found.shape) == (210, (6, 5, 7))


def test_the_digest_of_values_minds_every_value_and_no_order() -> None:
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        found = {}
        for values in itertools.combinations_with_replacement(range(8), 3):
            digests = {scrambled(np.array(each, dtype)) for each in itertools.permutations(values)}
            assert len(digests) == 1
            found[values] = digests.pop() % 2**64
        assert len(set(found.values())) == len(found)
        assert found[1, 5, 6] != found[2, 3, 7]


def test_the_digest_of_values_is_the_same_in_blocks_and_by_counts() -> None:
    """Elements of 16 bits are counted, wider ones are scrambled one by one: the sums are those of single elements."""
    for dtype in (np.uint8, np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
        x = RANDOM.standard_normal(40000).astype(dtype)
        parts = np.array_split(x, 7)
        assert scrambled(x) % 2**64 == sum(map(scrambled, parts)) % 2**64
        assert scrambled(x[:3]) % 2**64 == sum(scrambled(x[i : i + 1]) for i in range(3)) % 2**64


def test_what_changed_is_named(tmp_path: Path) -> None:
    x = RANDOM.standard_normal((40, 30)).astype(np.float32)
    before = of(tmp_path, x)
    flipped, exchanged = x.copy(), x.copy()
    flipped.view(np.uint32)[7, 9] ^= 1
    exchanged[0, 0], exchanged[20, 20] = x[20, 20], x[0, 0]
    expected = {
        "values": flipped,
        "order of the values": exchanged,
        "shape [30, 40], was [40, 30]; order of the values": np.ascontiguousarray(x.T),
        "shape [1200], was [40, 30]": x.reshape(-1),
        "type float64, was float32": x.astype(np.float64),
    }
    for said, y in expected.items():
        found = verified([before], [of(tmp_path, y)])
        assert ("; ".join(found.changed["a"]), found.is_same) == (said, False)
    other = replace(before, name="b")
    found = verified([before], [other])
    assert (found.changed, found.missing, found.new, found.is_same) == ({}, ("a",), ("b",), False)
    assert verified([before], [before]).is_same


def test_bits_count(tmp_path: Path) -> None:
    x = np.zeros(3, np.float32)
    assert verified([of(tmp_path, x)], [of(tmp_path, -x)]).changed == {"a": ("values",)}
    nans = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)
    assert verified([of(tmp_path, nans[:1])], [of(tmp_path, nans[1:])]).changed == {"a": ("values",)}


def test_bytes_of_what_is_not_decoded_are_compared(tmp_path: Path) -> None:
    x = np.array([1 + 2j, 3])
    before = of(tmp_path, x)
    assert (before.values, before.is_covered) == (None, True)
    assert verified([before], [of(tmp_path, x[::-1].copy())]).changed == {"a": ("bytes",)}
    assert verified([before], [of(tmp_path, x)]).is_same


def test_manifests_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    made = [of(tmp_path, RANDOM.standard_normal(5)), replace(of(tmp_path, np.array([1j])), name="b", order=None)]
    write_manifest(path, made)
    assert read_manifest(path) == tuple(made)
    assert verified(made, made).not_covered == ("b",)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"format": "samesum manifest", "version": 2}', "\x00"])
def test_what_is_no_manifest_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(damage)
    with pytest.raises(ModelError, match=str(path)):
        read_manifest(path)


def with_sum(tensors: Any, **said: Any) -> str:
    """A manifest whose checksum is the one of its tensors."""
    checksum = hashlib.sha256(json.dumps(tensors, sort_keys=True).encode()).hexdigest()
    return json.dumps({"format": "samesum manifest", "version": 1, "tensors": tensors, "sha256": checksum} | said)


def test_entries_of_a_manifest_are_what_it_says_they_are(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    write_manifest(path, [of(tmp_path, np.zeros(3))])
    (good,) = json.loads(path.read_text())["tensors"]
    path.write_text(with_sum([good]))
    assert read_manifest(path)[0].name == "a"
    wrong: list[tuple[str, Any]] = [("name", ["a"]), ("name", {}), ("dtype", 1), ("shape", [True]), ("shape", [-1])]
    wrong += [("shape", "3"), ("count", 1.0), ("count", True), ("values", 1), ("order", []), ("extra", 1)]
    texts = [with_sum([good | {key: value}]) for key, value in wrong]
    texts += [with_sum([good], version=version) for version in (True, 1.0, "1", None, 2)]
    texts += [with_sum([good, good]), with_sum([[]]), with_sum([None]), with_sum({}), with_sum([{}])]
    texts += ["[" * 100000, '{"tensors":' * 100000, '{"format": {}, "version": []}', with_sum([good], more=1)]
    for text in texts:
        path.write_text(text)
        with case(text[:80]), pytest.raises(ModelError, match=str(path)):
            read_manifest(path)


def test_a_manifest_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    write_manifest(path, [of(tmp_path, np.zeros(3))])
    document = json.loads(path.read_text())
    document["tensors"][0]["count"] = 4
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError, match="is damaged: its tensors do not have the sha256 that it names"):
        read_manifest(path)
