"""Models that a command is given, with messages that name the command's own options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli.exits import UsageError
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ModelError, ShapeError
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
