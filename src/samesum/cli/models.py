"""Models and the arrays for their inputs that a command is given, with messages that name the command's own options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from samesum.cli.show import UsageError
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ModelError, ShapeError
from samesum.files.contents import PROTOBUF, open_arrays
from samesum.files.initializers import numbered
from samesum.files.source import Source
from samesum.formats.arrays import Dtype, NDArray, Shape, type_text
from samesum.frontends.models.load import load

if TYPE_CHECKING:
    from samesum.frontends.models.model import Model


def add_model_to(parser: Any, **options: Any) -> None:
    """Adds MODEL and --weights."""
    parser.add_argument(
        "model", metavar="MODEL", type=Path, help="an .onnx file, or the .xml of an OpenVINO IR", **options
    )
    parser.add_argument(
        "--weights", metavar="FILE", type=Path, help="the .bin of an IR, if it is not the one beside the .xml"
    )


def open_model(path: Path, weights: Path | None) -> Model:
    """The model in `path`. A file that cannot be read is wrong usage; all else that is wrong lies in the model file."""
    try:
        return load(path, weights=weights)
    except OSError as error:
        raise UsageError(unreadable(path, weights, error)) from error
    except (ArgumentError, ArgumentTypeError, AxisError, DtypeError, ShapeError) as error:
        if weights is not None and path.suffix.lower() == ".onnx":
            raise UsageError("--weights belongs to an OpenVINO IR; an ONNX model holds its own") from error
        raise ModelError(str(error)) from error


def unreadable(path: Path, weights: Path | None, error: OSError) -> str:
    """What the message of a file that cannot be read says."""
    file = error.filename or path
    if weights is None and isinstance(error, FileNotFoundError) and Path(str(file)) == path.with_suffix(".bin"):
        return f"{path} has its weights in {file}, which is not there; give another file by --weights FILE"
    return f"cannot read {file}: {error.strerror or error}"


class Input(Protocol):
    """An input of a model as far as it is known beforehand."""

    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> Dtype | None: ...
    @property
    def shape(self) -> Shape | None: ...


def read_inputs(options: Sequence[str], inputs: Sequence[Input]) -> dict[str, NDArray]:
    """The arrays of all --input options by input name, each given once; whether they fit is the model's to say."""
    found: dict[str, Source] = {}
    for option in options:
        name, path = split_option(option, [value.name for value in inputs])
        for key, source in named_sources(name, path, inputs).items():
            if key in found:
                raise UsageError(f"input {key!r} is given twice")
            found[key] = source
    return {name: source.read() for name, source in found.items()}


def split_option(option: str, known: Sequence[str]) -> tuple[str | None, Path]:
    """The name, if there is one, and the file or folder.

    A name of the model wins, since it may hold `=` itself; then a file of that very name; then the first `=`.
    """
    for name in sorted(known, key=len, reverse=True):
        if option.startswith(f"{name}="):
            return name, Path(option[len(name) + 1 :])
    name, equals, path = option.partition("=")
    if not equals or Path(option).exists():
        return None, Path(option)
    return name, Path(path)


def files_of(options: Sequence[str]) -> Iterator[Path]:
    """The files that --input options may read."""
    for option in options:
        for path in map(Path, filter(None, (option, option.partition("=")[2]))):
            yield from path.glob("**/*.pb") if path.is_dir() else [path]


def named_sources(name: str | None, path: Path, inputs: Sequence[Input]) -> dict[str, Source]:
    """The arrays of one file or folder by input name; nothing but headers is read."""
    if path.is_dir():
        if name is not None:
            raise UsageError(f"--input {name}={path}: a folder holds several inputs and takes no name")
        return _of_folder(path, inputs)
    try:
        arrays = open_arrays(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    if name is not None:
        return {name: _chosen(name, path, arrays)}
    if path.suffix.lower() != PROTOBUF and None not in arrays:
        return {str(key): arrays[key] for key in arrays}
    ((own, source),) = arrays.items()
    return {_name_for(own, path, inputs): source}


def _chosen(name: str, path: Path, arrays: Mapping[str | None, Source]) -> Source:
    """The array of that name, or the only one."""
    if name in arrays:
        return arrays[name]
    if len(arrays) != 1:
        raise UsageError(f"{path} holds no array {name!r} but {', '.join(map(repr, arrays)) or 'nothing'}")
    return arrays[next(iter(arrays))]


def _name_for(own: str | None, path: Path, inputs: Sequence[Input]) -> str:
    """The input that a single array is for: by the name in its file, else the model's only one."""
    if own is not None and any(own == value.name for value in inputs):
        return own
    if len(inputs) != 1:
        raise UsageError(f"--input {path} needs a name; the model's inputs are {_listed(inputs)}")
    return inputs[0].name


def _of_folder(folder: Path, inputs: Sequence[Input]) -> dict[str, Source]:
    """ONNX's test data, `input_0.pb` and so on: by the names in them, else by position."""
    found: dict[str, Source] = {}
    names = [value.name for value in inputs]
    for position, path in enumerate(numbered(folder)):
        ((own, source),) = open_arrays(path).items()
        name = own if own in names else names[position] if position < len(names) else own
        if name is None or name in found:
            raise UsageError(f"{path}: the model has {len(names)} inputs: {_listed(inputs)}")
        found[name] = source
    return found


def _listed(inputs: Sequence[Input]) -> str:
    return "; ".join(f"{each.name} {type_text(each.dtype, each.shape)}" for each in inputs) or "none"
