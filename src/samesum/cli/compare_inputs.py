"""Sets of inputs of a model from files and folders: .npy, .npz, .pb, and test data as ONNX lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from samesum.cli.models import named_sources, split_option
from samesum.compare.graph import Input
from samesum.files.source import Source
from samesum.formats.arrays import NDArray


def input_sets(options: Sequence[str], inputs: Sequence[Input]) -> list[dict[str, NDArray]]:
    """The sets of arrays by input name that all --input options give together.

    A folder whose folders hold .pb files is a set each; all else goes into every set.
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
    return [each | common for each in sets] or [common]


def _holds_inputs(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob("input_*.pb"))


def _read(sources: Mapping[str, Source]) -> dict[str, NDArray]:
    return {name: source.read() for name, source in sources.items()}
