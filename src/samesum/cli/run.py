"""`samesum run`: a model on arrays from disk."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli.exits import Exit, UsageError
from samesum.cli.show import print_json, printable, values_json, values_text
from samesum.cli.storage import open_model, read_arrays, write_npz
from samesum.errors import ModelError, UnsafeModelError
from samesum.formats.arrays import NDArray, shape_text
from samesum.graph.model import Value

if TYPE_CHECKING:
    from samesum.frontends.models.model import Model

EXAMPLE = """examples:
  samesum run model.xml --input x.npy                  a model with one input
  samesum run model.onnx --input a=a.npy --input b=b.npy --output out.npz
  samesum run model.onnx --input inputs.npz            every input by its name in the archive

bfloat16: NumPy's files have no name for it. OUT.npz holds it as 2-byte elements whose field is called bfloat16;
np.load("OUT.npz")["y"].view(ml_dtypes.bfloat16) gives the array back. Inputs may have this form, or be what
np.save writes for an ml_dtypes array. Files with pickled Python objects are refused."""


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "run",
        help="run a model on arrays, print or save the outputs",
        description="Runs MODEL on arrays and prints each output's name, dtype, shape and values.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODEL", type=Path, help="an .onnx file, or the .xml of an OpenVINO IR")
    parser.add_argument(
        "--input",
        dest="inputs",
        metavar="[NAME=]FILE",
        action="append",
        default=[],
        help=".npy or .npz; may be repeated",
    )
    parser.add_argument("--weights", metavar="FILE", type=Path, help="the weights of an IR, if not the .bin beside it")
    parser.add_argument("--output", metavar="OUT.npz", type=Path, help="save the outputs by name")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON document; its values are left out with --output"
    )
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Runs the model, then saves and prints its outputs."""
    _check_output(arguments.output)
    model = open_model(arguments.model, arguments.weights)
    outputs = _outputs(model, read_inputs(arguments.inputs, model.inputs))
    if arguments.output is not None:
        write_npz(arguments.output, outputs)
    if arguments.json:
        print_json(document(arguments, outputs))
    else:
        _print_outputs(outputs)
    return Exit.FINE


def _outputs(model: Model, inputs: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """What the model gives; a missing or unknown input is a mistake on the command line."""
    try:
        return model.run(inputs)
    except UnsafeModelError:
        raise
    except ModelError as error:
        raise UsageError(str(error)) from error


def _check_output(path: Path | None) -> None:
    if path is None:
        return
    if path.suffix != ".npz":
        raise UsageError(f"--output must end in .npz, got {path}")
    if not path.resolve().parent.is_dir():
        raise UsageError(f"--output {path}: there is no folder {path.resolve().parent}")


def read_inputs(options: Sequence[str], inputs: Sequence[Value]) -> dict[str, NDArray]:
    """The arrays of all --input options by input name, each given once; whether they fit is the model's to say."""
    found: dict[str, NDArray] = {}
    for option in options:
        name, path = split_option(option, [value.name for value in inputs])
        for key, array in _named_arrays(name, path, inputs).items():
            if key in found:
                raise UsageError(f"input {key!r} is given twice")
            found[key] = array
    return found


def split_option(option: str, known: Sequence[str]) -> tuple[str | None, Path]:
    """The name, if there is one, and the file.

    A name of the model wins, since it may hold `=` itself; then a file of that very name; then the first `=`.
    """
    for name in sorted(known, key=len, reverse=True):
        if option.startswith(f"{name}="):
            return name, Path(option[len(name) + 1 :])
    name, equals, path = option.partition("=")
    if not equals or Path(option).exists():
        return None, Path(option)
    return name, Path(path)


def _named_arrays(name: str | None, path: Path, inputs: Sequence[Value]) -> dict[str, NDArray]:
    """The arrays of one file by input name."""
    arrays = read_arrays(path)
    if name is not None:
        if name not in arrays and len(arrays) != 1:
            raise UsageError(f"{path} holds no array {name!r} but {', '.join(map(repr, arrays)) or 'nothing'}")
        return {name: arrays[name] if name in arrays else next(iter(arrays.values()))}
    if None not in arrays:
        return {str(key): array for key, array in arrays.items()}
    if len(inputs) != 1:
        raise UsageError(f"--input {path} needs a name; the model's inputs are {'; '.join(map(str, inputs)) or 'none'}")
    return {inputs[0].name: arrays[None]}


def document(arguments: argparse.Namespace, outputs: Mapping[str, NDArray]) -> dict[str, Any]:
    """What --json prints."""
    saved = None if arguments.output is None else str(arguments.output)
    rows = []
    for name, array in outputs.items():
        row = {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)}
        rows.append(row if saved else row | {"values": values_json(array)})
    return {"model": str(arguments.model), "outputs": rows, "saved": saved}


def _print_outputs(outputs: Mapping[str, NDArray]) -> None:
    for name, array in outputs.items():
        print(f"{printable(name)}  {array.dtype.name}  {shape_text(array.shape)}")
        print(values_text(array))
