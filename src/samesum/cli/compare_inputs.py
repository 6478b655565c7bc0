"""Inputs of a model from files and folders: .npy, .npz, .pb, and test data as ONNX lays it out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from samesum.cli.exits import InvalidFileError, UsageError
from samesum.cli.run import split_option
from samesum.cli.storage import read_arrays
from samesum.compare.graph import Input
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
        if path.is_dir() and (folders := sorted(each for each in path.iterdir() if _tensors(each))):
            sets += [_folder(folder, names) for folder in folders]
        else:
            common |= _folder(path, names) if path.is_dir() else _file(name, path, names)
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


def _tensors(folder: Path) -> list[Path]:
    found = folder.glob("input_*.pb") if folder.is_dir() else ()
    return sorted(found, key=lambda path: int(re.sub(r"\D", "", path.stem) or 0))


def _folder(folder: Path, names: Sequence[str]) -> dict[str, NDArray]:
    paths = _tensors(folder)
    if not paths:
        raise UsageError(f"{folder} holds no input_0.pb and no folder that does")
    if len(paths) > len(names):
        raise UsageError(f"{folder} holds {len(paths)} inputs; the model has {len(names)}")
    return {name: _tensor(path)[1] for name, path in zip(names, paths, strict=False)}


def _file(name: str | None, path: Path, names: Sequence[str]) -> dict[str, NDArray]:
    if path.suffix == ".pb":
        said, array = _tensor(path)
        return {name or (said if said in names else _only(path, names)): array}
    arrays = read_arrays(path)
    if None in arrays:
        return {name or _only(path, names): arrays[None]}
    if name is not None:
        return {name: arrays[name] if name in arrays else next(iter(arrays.values()))}
    return {str(key): array for key, array in arrays.items()}


def _only(path: Path, names: Sequence[str]) -> str:
    if len(names) != 1:
        raise UsageError(f"--input {path} needs a name; the model's inputs are {', '.join(names) or 'none'}")
    return names[0]


def _tensor(path: Path) -> tuple[str, NDArray]:
    """A TensorProto's name and array."""
    from samesum.runtimes.packages import require

    require("onnx", "a .pb file")
    import onnx
    from onnx import numpy_helper

    tensor = onnx.TensorProto()
    try:
        tensor.ParseFromString(path.read_bytes())
        return tensor.name, np.asarray(numpy_helper.to_array(tensor))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except Exception as error:
        raise InvalidFileError(f"{path} is not a tensor as ONNX writes it: {error}") from error
