"""`samesum stats --manifest FILE` and `--verify FILE`: tensors that must not change."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from typing import Any

from samesum.cli.arguments import check_new
from samesum.cli.progress import transfer
from samesum.cli.show import Exit, UsageError, one_line, print_json, printable, status_of
from samesum.cli.stats_reading import check_only, chosen
from samesum.cli.stats_text import note, throughput
from samesum.errors import SamesumError
from samesum.files.contents import open_tensors
from samesum.files.tensor import Skipped, Tensor
from samesum.stats.manifest import Entry, Verified, entry_of, read_manifest, verified, write_manifest

_OTHERS = ("axis", "per_channel", "histogram", "plot", "state", "merge", "digest", "fail_on", "columns", "sort")


def keep_or_verify(arguments: argparse.Namespace) -> Exit:
    """Writes the manifest of the files, or says what is not as a manifest says."""
    said = {f"--{name.replace('_', '-')}": getattr(arguments, name) for name in _OTHERS}
    given = [name for name, value in said.items() if value is not None and value is not False and value != []]
    if given:
        raise UsageError(f"--manifest and --verify go with --json and --only alone, not with {', '.join(given)}")
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
    total = sum(each.nbytes if not isinstance(each, Skipped) else 0 for each in tensors)
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
        print_json(_document(found, errors))
    else:
        _print(found, str(arguments.verify), is_whole=not errors)
    if errors:
        return status_of(errors[0])
    if not found.is_same:
        return Exit.MISMATCH
    return Exit.UNSUPPORTED if found.not_covered else Exit.FINE


def _print(found: Verified, manifest: str, *, is_whole: bool) -> None:
    """One line where everything is as it was, else one for each tensor that is not."""
    if found.is_same and is_whole and not found.not_covered:
        print(printable(f"{found.count} {'tensor is' if found.count == 1 else 'tensors are'} as {manifest} says."))
        return
    for name, said in found.changed.items():
        print(printable(f"changed: {name}: {'; '.join(said)}"))
    for kind, names in (("missing", found.missing), ("new", found.new), ("not covered", found.not_covered)):
        for name in names:
            print(printable(f"{kind}: {name}"))


def _document(found: Verified, errors: list[Exception]) -> dict[str, Any]:
    return {
        "verified": found.is_same and not errors and not found.not_covered,
        "changed": [{"name": name, "what": list(said)} for name, said in found.changed.items()],
        "missing": list(found.missing),
        "new": list(found.new),
        "not_covered": list(found.not_covered),
        "errors": [one_line(error) for error in errors],
    }
