"""`samesum stats --manifest` and `--verify`: a checkpoint in any format and any cut, statuses and lines."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from command import Command

Array = np.ndarray[Any, Any]
NAMES = {"float32": "F32", "float16": "F16", "int64": "I64"}


def save(path: Path, tensors: dict[str, Array]) -> None:
    """A safetensors file."""
    header, data = {}, b""
    for name, each in tensors.items():
        begin, data = len(data), data + each.tobytes()
        header[name] = {"dtype": NAMES[each.dtype.name], "shape": each.shape, "data_offsets": [begin, len(data)]}
    said = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(said)) + said + data)


def test_a_checkpoint_is_the_same_in_other_files_and_what_changed_is_named(samesum: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    a = random.standard_normal((300, 40)).astype(np.float32)
    b, c = random.standard_normal(501).astype(np.float16), np.arange(12).reshape(3, 4)
    whole, manifest = tmp_path / "whole.safetensors", tmp_path / "manifest.json"
    save(whole, {"a": a, "b": b, "c": c})
    done = samesum("stats", whole, "--manifest", manifest)
    assert (done.status, done.out) == (0, "")

    shards = tmp_path / "shards"
    shards.mkdir()
    save(shards / "1.safetensors", {"c": c, "b": b})
    save(shards / "2.safetensors", {"a": a})
    files = {"b": "1.safetensors", "c": "1.safetensors", "a": "2.safetensors"}
    index = shards / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": files}))
    np.savez(tmp_path / "other.npz", a=np.asfortranarray(a), b=b.astype(">f2"), c=c.astype(">i8"))
    said = f"3 tensors are as {manifest} says."
    for given in ([whole], [shards], [index], [tmp_path / "other.npz"], sorted(shards.glob("*.safetensors"))):
        done = samesum("stats", *given, "--verify", manifest)
        assert (done.status, done.out.strip()) == (0, said)

    flipped = a.copy()
    flipped.view(np.uint8)[299, 17] ^= 64
    save(shards / "2.safetensors", {"a": flipped, "d": b})
    save(shards / "1.safetensors", {"c": np.ascontiguousarray(c.T), "b": b[::-1].copy()})
    done = samesum("stats", *sorted(shards.glob("*.safetensors")), "--verify", manifest)
    assert (done.status, done.out.splitlines()) == (
        1,
        [
            "changed: a: values",
            "changed: b: order of the values",
            "changed: c: shape [4, 3], was [3, 4]; order of the values",
            "new: d",
        ],
    )
    done = samesum("stats", shards / "2.safetensors", "--verify", manifest, "--json", "--only", "[ab]")
    assert done.status == 1
    assert json.loads(done.out) == {
        "verified": False,
        "changed": [{"name": "a", "what": ["values"]}],
        "missing": ["b"],
        "new": [],
        "not_covered": [],
        "errors": [],
    }


def test_a_manifest_says_in_json_what_it_has(samesum: Command, tmp_path: Path) -> None:
    path, manifest = tmp_path / "a.safetensors", tmp_path / "manifest.json"
    save(path, {"a": np.arange(100)})
    done = samesum("stats", path, "--manifest", manifest, "--json")
    wanted = {"manifest": str(manifest), "tensors": 1, "not_covered": [], "errors": []}
    assert (done.status, json.loads(done.out)) == (0, wanted)
    (tmp_path / "b.safetensors").write_bytes(path.read_bytes()[:-9])
    done = samesum("stats", path, tmp_path / "b.safetensors", "--manifest", tmp_path / "other.json", "--json")
    found = json.loads(done.out)
    assert (done.status, found["manifest"], len(found["errors"])) == (4, None, 1)
    assert not (tmp_path / "other.json").exists()


def test_no_option_writes_over_a_file_that_is_read(samesum: Command, tmp_path: Path) -> None:
    path, link, states = tmp_path / "a.safetensors", tmp_path / "link", tmp_path / "states"
    save(path, {"a": np.arange(100)})
    link.symlink_to(path)
    assert samesum("stats", path, "--state", states).status == 0
    folder = tmp_path / "folder"
    folder.mkdir()
    save(folder / "model.safetensors", {"a": np.arange(100)})
    before = {each: each.read_bytes() for each in (path, states, folder / "model.safetensors")}
    shard = folder / "model.safetensors"
    for given in (
        (path, "--manifest", path),
        (path, "--manifest", link),
        (link, "--manifest", path),
        (folder, "--manifest", shard),
        (folder, "--state", shard),
        (path, "--state", path),
        (path, "--merge", states, "--state", states),
        ("--merge", states, "--plot", states),
    ):
        done = samesum("stats", *given)
        assert (done.status, "is a file that the command reads; a new file is needed" in done.err) == (2, True), given
        assert all(each.read_bytes() == data for each, data in before.items()), given
    assert samesum("stats", folder, "--manifest", folder / "manifest.json").status == 0
    assert samesum("stats", folder, "--manifest", folder / "manifest.json").status == 0


def test_damaged_files_and_manifests_are_status_4(samesum: Command, tmp_path: Path) -> None:
    path, manifest = tmp_path / "a.safetensors", tmp_path / "manifest.json"
    save(path, {"a": np.arange(100)})
    assert samesum("stats", path, "--manifest", manifest).status == 0
    before = manifest.read_bytes()
    path.write_bytes(path.read_bytes()[:-9])
    done = samesum("stats", path, "--verify", manifest)
    assert (done.status, done.out, "800 bytes" in done.err) == (4, "", True)
    assert samesum("stats", path, "--manifest", manifest).status == 4
    assert manifest.read_bytes() == before
    save(path, {"a": np.arange(100)})
    manifest.write_bytes(before.replace(b"int64", b"int32"))
    done = samesum("stats", path, "--verify", manifest)
    assert (done.status, "is damaged" in done.err) == (4, True)


def test_what_a_manifest_does_not_go_with_is_wrong_usage(samesum: Command, tmp_path: Path) -> None:
    path, manifest = tmp_path / "a.safetensors", tmp_path / "manifest.json"
    save(path, {"a": np.arange(100)})
    done = samesum("stats", path, "--manifest", manifest, "--histogram", "--fail-on", "nan")
    assert (
        done.status,
        "beside --manifest allowed are FILE, --json, --only; got --histogram, --fail-on" in done.err,
    ) == (2, True)
    for option in (("--per-channel", "0"), ("--axis", "0"), ("--state", tmp_path / "s"), ("--sort", "nan")):
        done = samesum("stats", path, "--manifest", manifest, *option)
        assert (done.status, f"got {option[0]}" in done.err) == (2, True)
    assert samesum("stats", "--manifest", manifest).status == 2
    for options in (("--manifest", manifest), ("--verify", path), ("--fail-on", "nan"), ("--digest",), ()):
        done = samesum("stats", path, *options, "--only", "a", "--only", "zz")
        assert done.status == (4 if "--verify" in options else 2)
        said = "--only zz: no tensor has such a name; the first of 1 is 'a'"
        assert (said in done.err) == ("--verify" not in options)
    assert not manifest.exists()
    assert samesum("stats", path, "--manifest", manifest).status == 0
    done = samesum("stats", path, "--verify", manifest, "--only", "a", "--only", "zz")
    assert (done.status, "--only zz: no tensor has such a name" in done.err) == (2, True)
    done = samesum("stats", "--diff", path, path, "--only", "a", "--only", "zz")
    assert (done.status, "--only zz: no tensor has such a name" in done.err) == (2, True)
    manifest.unlink()
    assert samesum("stats", path, "--verify", tmp_path / "none.json").status == 2
    done = samesum("stats", path, path, "--manifest", manifest)
    assert (done.status, "two files have a tensor 'a'" in done.err) == (2, True)
    save(path, {})
    done = samesum("stats", path, "--manifest", manifest)
    assert (done.status, "nothing was looked at" in done.err) == (2, True)
    assert not manifest.exists()
