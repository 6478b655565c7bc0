"""Sets of inputs of a model from files and folders: .npy, .npz, .pb, and test data as ONNX lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from samesum.cli.exits import UsageError
from samesum.cli.inputs import named_sources, split_option
from samesum.compare.graph import Input
from samesum.files.source import Source
from samesum.formats.arrays import NDArray


def input_sets(options: Sequence[str], inputs: Sequence[Input]) -> list[dict[str, NDArray]]:
    """The sets of arrays by input name that all --input options give together.

    A folder whose folders hold .pb files is a set each; all else goes into every set. Raises UsageError for names that
    the model does not have and for inputs that are not given.
    """
    names = [each.name for each in inputs]
    common: dict[str, NDArray] = {}
    sets: list[dict[str, NDArray]] = []
    for option in options:
        name, path = split_option(option, names)
        if name is None and path.is_dir() and (folders := sorted(filter(_holds_inputs, path.iterdir()))):
            sets += [_read(named_sources(None, folder, inputs)) for folder in folders]
        else:
            common |= _read(named_sources(name, path, inputs))
    found = [each | common for each in sets] or [common]
    for each in found:
        _check(each, names)
    return found


def _check(found: dict[str, NDArray], names: Sequence[str]) -> None:
    for name in found:
        if name not in names:
            raise UsageError(f"the model has no input {name!r}; its inputs are {', '.join(names)}")
    if missing := [name for name in names if name not in found]:
        raise UsageError(f"the input {missing[0]!r} is not given; the inputs are {', '.join(names)}")


def _holds_inputs(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob("input_*.pb"))


def _read(sources: Mapping[str, Source]) -> dict[str, NDArray]:
    return {name: source.read() for name, source in sources.items()}
