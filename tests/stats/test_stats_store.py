"""State files come back as they were written, and what is damaged is refused in words."""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from samesum.errors import AttributeValueError, ModelError
from samesum.stats import store
from samesum.stats.histogram import Histogram
from samesum.stats.pattern import Pattern
from samesum.stats.record import Record, digest, joined, state_of, state_text
from samesum.stats.store import Origin, Stored, read_states, write_states
from samesum.stats.tally import tally_of


def record(name: str = "x", dtype: str = "float64") -> Record:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 256, 480, dtype=np.uint8).view(dtype).reshape(3, -1)
    tally, histogram = tally_of(x.dtype, 3), Histogram()
    tally.add(x)
    histogram.add(x)
    return Record(name, "a file", dtype, x.shape, (3,), tuple(tally.exact()), histogram)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
def test_a_file_holds_what_was_written(tmp_path: Path, dtype: str) -> None:
    stored = Stored(Pattern((0, -1)), (Origin("x.npy", 5, 7),), (record("a", dtype), record("b", dtype)), False)
    write_states(tmp_path / "s", stored)
    found = read_states(tmp_path / "s")
    assert (found.pattern, found.origins, found.is_complete) == (stored.pattern, stored.origins, False)
    assert repr(found.records) == repr(stored.records)
    assert digest(found.records) == digest(stored.records)


def test_a_hash_stands_for_bytes_that_are_not_decoded(tmp_path: Path) -> None:
    for hashes in (("0" * 64,), ("0" * 64, "f" * 64), ("unknown",)):
        opaque = Record("q", "a file", "Q8_0", (2, 32), None, (), None, hashes)
        write_states(tmp_path / "s", Stored(Pattern(), (), (opaque, record())))
        assert repr(read_states(tmp_path / "s").records) == repr((opaque, record()))
    one, other = (Record("q", "a", "Q8_0", None, None, (), None, (each * 64,)) for each in "01")
    assert digest([one, other]) == digest([other, one]) == digest(joined([other, one]))
    assert len({digest(each) for each in ([one], [other], [one, other], [one, one])}) == 4
    with pytest.raises(AttributeValueError, match="one name has one type"):
        joined([one, Record("q", "a", "Q4_0", None, None, (), None, ("0" * 64,))])


def test_texts_of_states_have_one_form() -> None:
    text = state_text(record().states[0])
    assert state_of(text) == record().states[0]
    zero = "1 0 0 0 1 0 0x0.0p+0 0x0.0p+0 none 0x0p0 0x0p0 0x0p0"
    assert state_text(state_of(zero)) == zero
    for other in (
        text + " ",
        zero.replace("0x0p0", "0x0p1"),
        zero.replace("0x0.0p+0", "0x0p+0"),
        zero.replace("1 0", "01 0", 1),
        zero.replace("1 0", "0 0", 1),
        zero.replace("none", "nan"),
        zero.replace("0x0p0", "0x1p99999"),
        "",
    ):
        with pytest.raises(ModelError, match="is no "):
            state_of(other)


def signed(lines: list[bytes]) -> bytes:
    body = b"".join(line + b"\n" for line in lines)
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode()


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    write_states(path, Stored(Pattern(), (), (record(),)))
    whole = path.read_bytes()
    head, entry, _ = whole.splitlines()
    cases = {
        b"": "no states",
        b"{}": "no states|no JSON",
        whole[:-10]: "no JSON document|checksum",
        whole[: len(head) + 1]: "checksum",
        whole.replace(b'"x"', b'"y"'): "checksum is another one",
        signed([head.replace(b'"version":1', b'"version":true'), entry]): "format version True; this samesum reads",
        signed([head.replace(b'"version":1', b'"version":1.0'), entry]): r"format version 1\.0; this samesum reads",
        signed([head.replace(b'"version":1', b'"version":2'), entry]): "format version 2; this samesum reads version 1",
        signed([head.replace(b"samesum stats", b"other"), entry]): "holds no states",
        signed([head, entry.replace(b'"kept":[3]', b'"kept":[4]')]): "has 3 states for 4 sets",
        signed([head, entry.replace(b'"counts":[', b'"counts":[-1,')]): "its histogram is",
        signed([head, entry.replace(b'"kept":[3]', b'"kept":"3"')]): "its kept is",
        signed([head, entry.replace(b'"shape":[3,20]', b'"shape":[3,21]')]): "complete; 'x' has fewer elements",
        signed([head, entry.replace(b'"kept"', b'"hashes":["00"],"kept"')]): "its hashes are",
        signed([head, entry.replace(b'"kept"', b'"hashes":["unknown"],"kept"')]): "has 3 states for 0 sets",
        signed([head, b"[" * 5000]): "no JSON document",
        signed([head, b'{"name":1}']): "an entry is",
    }
    for content, words in cases.items():
        path.write_bytes(content)
        with pytest.raises(ModelError, match=words):
            read_states(path)


def test_records_of_one_name_join_or_are_refused() -> None:
    a, b = record(), record("x", "float32")
    (both,) = joined([a, a])
    assert both.states[0].total == 2 * a.states[0].total
    assert (both.shape, both.file) == (None, "a file")
    with pytest.raises(AttributeValueError, match="one name has one type"):
        joined([a, b])
    assert digest([a, b]) == digest([b, a])


def test_a_disk_that_fills_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    write_states(path, Stored(Pattern(), (), (record("old"),)))

    def full(found: Record) -> dict[str, object]:
        raise OSError(errno.ENOSPC, f"no space for {found.name}")

    monkeypatch.setattr(store, "_document", full)
    with pytest.raises(OSError, match="no space for new"):
        write_states(path, Stored(Pattern(), (), (record("new"),)))
    assert [each.name for each in read_states(path).records] == ["old"]
    assert [each.name for each in tmp_path.iterdir()] == ["s"]
