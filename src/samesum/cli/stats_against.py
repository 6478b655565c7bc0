"""`samesum stats` of tensors beside others: `--diff` of two checkpoints, `--manifest FILE` and `--verify FILE`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from samesum.cli.arguments import check_new, goes_with, transfer
from samesum.cli.show import Exit, UsageError, one_line, print_json, print_table, printable, status_of
from samesum.cli.stats_reading import check_only, chosen
from samesum.cli.stats_text import cell, note, plain, throughput
from samesum.errors import SamesumError
from samesum.files.contents import open_tensors
from samesum.files.tensor import Skipped, Tensor
from samesum.stats.differences import Difference, NotCompared, difference
from samesum.stats.manifest import Entry, Verified, entry_of, read_manifest, verified, write_manifest

# `samesum stats --diff A B`: which tensors of two files differ.


def compare(arguments: argparse.Namespace) -> Exit:
    """One line for each tensor that differs, and one for each that could not be compared."""
    goes_with(arguments, "--diff", "json", "only")
    a, b = (_named(path) for path in arguments.diff)
    check_only(arguments.only, [*a, *b])
    a, b = ({each.name: each for each in chosen(every.values(), arguments.only)} for every in (a, b))
    if a and b and all(path.suffix.lower() == ".npy" for path in arguments.diff):
        b = dict(zip(a, b.values(), strict=True))  # an array has no name but its file's
    if not a and not b:
        raise UsageError(f"there is no tensor to compare in {' and '.join(map(str, arguments.diff))}")
    common = [name for name in a if name in b]
    found: list[Difference] = []
    unknown: list[NotCompared] = []
    with transfer(sum(map(_bytes, (each[name] for name in common for each in (a, b)))), "comparing") as seen:
        for name in common:
            each = difference(a[name], b[name], seen)
            if isinstance(each, NotCompared):
                unknown.append(each)
            elif each:
                found.append(each)
    only_a, only_b = sorted(a.keys() - b.keys()), sorted(b.keys() - a.keys())
    if arguments.json:
        print_json(_differences(found, only_a, only_b, unknown))
        for each in unknown:
            note(f"{each.name} is not compared: {each.reason}")
    else:
        _print_differences(found, only_a, only_b, unknown, len(common))
    if found or only_a or only_b:
        return Exit.MISMATCH
    return Exit.UNSUPPORTED if unknown else Exit.FINE


def _named(path: Path) -> dict[str, Tensor | Skipped]:
    contents = open_tensors(path)
    every: list[Tensor | Skipped] = [*contents.tensors, *contents.skipped]
    return {each.name: each for each in every}


def _bytes(each: Tensor | Skipped) -> int:
    if isinstance(each, Skipped):
        return each.stored.nbytes if each.stored else 0
    return each.nbytes


def _differences(
    found: Sequence[Difference], only_a: Sequence[str], only_b: Sequence[str], unknown: Sequence[NotCompared]
) -> dict[str, Any]:
    rows = [{"name": each.name, "differ": each.differ, "max_abs": plain(each.max_abs)} for each in found]
    names = [each.name for each in unknown]
    return {"diff": rows, "only_in_a": list(only_a), "only_in_b": list(only_b), "not_compared": names}


def _print_differences(
    found: Sequence[Difference],
    only_a: Sequence[str],
    only_b: Sequence[str],
    unknown: Sequence[NotCompared],
    common: int,
) -> None:
    rows = [(printable(each.name), *_cells(each)) for each in found]
    print_table(("tensor", "differ", "max |a - b|"), rows, (0,))
    print(f"{len(found)} of {common} tensors differ{f', {len(unknown)} are not compared' if unknown else ''}.")
    for side, names in (("A", only_a), ("B", only_b)):
        if names:
            print(f"Only in {side}: {', '.join(map(printable, names))}")
    for each in unknown:
        print(printable(f"Not compared: {each.name}: {each.reason}"))


def _cells(each: Difference) -> tuple[str, str]:
    if each.differ is None:
        return "shape", "-"
    unit = "" if each.max_abs is not None else " byte" if each.differ == 1 else " bytes"
    return f"{each.differ}{unit}", cell("max_abs", each.max_abs)


def keep_or_verify(arguments: argparse.Namespace) -> Exit:
    """Writes the manifest of the files, or says what is not as a manifest says."""
    goes_with(arguments, "--manifest" if arguments.manifest else "--verify", "files", "json", "only")
    if not arguments.files:
        raise UsageError("--manifest and --verify need a FILE")
    before = read_manifest(arguments.verify) if arguments.verify else ()
    entries, errors = _entries(arguments, [each.name for each in before])
    if not entries and not before and not errors:
        raise UsageError(f"there is no tensor in {', '.join(map(str, arguments.files))}: nothing was looked at")
    if arguments.verify:
        return _verify(arguments, chosen(before, arguments.only), entries, errors)
    if not errors:
        write_manifest(arguments.manifest, entries)
    open_ones = [each.name for each in entries if not each.is_covered]
    if arguments.json:
        print_json(
            {
                "manifest": None if errors else str(arguments.manifest),
                "tensors": len(entries),
                "not_covered": open_ones,
                "errors": [one_line(error) for error in errors],
            }
        )
    if errors:
        note(f"{arguments.manifest} is not written: not every file could be read")
        return status_of(errors[0])
    for name in open_ones:
        note(f"{name} is not covered: the file does not tell which bytes it has")
    return Exit.UNSUPPORTED if open_ones else Exit.FINE


def _entries(arguments: argparse.Namespace, before: list[str]) -> tuple[list[Entry], list[Exception]]:
    """Of all tensors that can be read; one that cannot does not end the run."""
    found: list[Entry] = []
    errors: list[Exception] = []
    every: list[Tensor | Skipped] = []
    for path in arguments.files:
        try:
            contents = open_tensors(path)
            every += [*contents.tensors, *contents.skipped]
            check_new(contents.beside, manifest=arguments.manifest)
        except (SamesumError, OSError) as error:
            _tell(error, errors)
    if not errors:
        check_only(arguments.only, [each.name for each in every] + before)
    tensors = chosen(every, arguments.only)
    names = [each.name for each in tensors]
    if twice := sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []:
        raise UsageError(f"two files have a tensor {twice[0]!r}; a manifest has each name once")
    total = sum(map(_bytes, tensors))
    started = time.perf_counter()
    with transfer(total, "reading") as seen:
        for each in tensors:
            try:
                found.append(entry_of(each, seen))
            except (SamesumError, OSError) as error:
                _tell(error, errors)
    note(throughput(len(found), total, time.perf_counter() - started))
    return found, errors


def _tell(error: Exception, errors: list[Exception]) -> None:
    print("samesum: error:", one_line(error), file=sys.stderr)
    errors.append(error)


def _verify(arguments: argparse.Namespace, before: list[Entry], entries: list[Entry], errors: list[Exception]) -> Exit:
    found = verified(before, entries)
    if errors:  # what could not be read is not known to be missing
        found = replace(found, missing=())
    if arguments.json:
        print_json(_verified(found, errors))
    else:
        _print_verified(found, str(arguments.verify), is_whole=not errors)
    if errors:
        return status_of(errors[0])
    if not found.is_same:
        return Exit.MISMATCH
    return Exit.UNSUPPORTED if found.not_covered else Exit.FINE


def _print_verified(found: Verified, manifest: str, *, is_whole: bool) -> None:
    """One line where everything is as it was, else one for each tensor that is not."""
    if found.is_same and is_whole and not found.not_covered:
        print(printable(f"{found.count} {'tensor is' if found.count == 1 else 'tensors are'} as {manifest} says."))
        return
    for name, said in found.changed.items():
        print(printable(f"changed: {name}: {'; '.join(said)}"))
    for kind, names in (("missing", found.missing), ("new", found.new), ("not covered", found.not_covered)):
        for name in names:
            print(printable(f"{kind}: {name}"))


def _verified(found: Verified, errors: list[Exception]) -> dict[str, Any]:
    return {
        "verified": found.is_same and not errors and not found.not_covered,
        "changed": [{"name": name, "what": list(said)} for name, said in found.changed.items()],
        "missing": list(found.missing),
        "new": list(found.new),
        "not_covered": list(found.not_covered),
        "errors": [one_line(error) for error in errors],
    }
