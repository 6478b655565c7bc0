"""`samesum stats --diff A B`: which tensors of two files differ."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samesum.cli.progress import transfer
from samesum.cli.show import Exit, Table, UsageError, print_json, printable, table_lines, terminal_width
from samesum.cli.stats_reading import check_only, chosen
from samesum.cli.stats_text import cell, note, plain
from samesum.files.contents import open_tensors
from samesum.files.tensor import Skipped, Tensor
from samesum.stats.differences import Difference, NotCompared, difference


def compare(arguments: argparse.Namespace) -> Exit:
    """One line for each tensor that differs, and one for each that could not be compared."""
    others = (arguments.files, arguments.merge, arguments.state, arguments.axis, arguments.plot, arguments.fail_on)
    of_table = (arguments.columns, arguments.sort, arguments.histogram, arguments.digest)
    of_manifests = (arguments.manifest, arguments.verify)
    if any((*others, *of_table, *of_manifests)) or arguments.per_channel is not None:
        raise UsageError("--diff takes two files and no others, and goes with --json alone, or with --only")
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
        print_json(_document(found, only_a, only_b, unknown))
        for each in unknown:
            note(f"{each.name} is not compared: {each.reason}")
    else:
        _print(found, only_a, only_b, unknown, len(common))
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


def _document(
    found: Sequence[Difference], only_a: Sequence[str], only_b: Sequence[str], unknown: Sequence[NotCompared]
) -> dict[str, Any]:
    rows = [{"name": each.name, "differ": each.differ, "max_abs": plain(each.max_abs)} for each in found]
    names = [each.name for each in unknown]
    return {"diff": rows, "only_in_a": list(only_a), "only_in_b": list(only_b), "not_compared": names}


def _print(
    found: Sequence[Difference],
    only_a: Sequence[str],
    only_b: Sequence[str],
    unknown: Sequence[NotCompared],
    common: int,
) -> None:
    rows = [(printable(each.name), *_cells(each)) for each in found]
    if rows:
        print("\n".join(table_lines(Table(("tensor", "differ", "max |a - b|"), rows), terminal_width())))
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
