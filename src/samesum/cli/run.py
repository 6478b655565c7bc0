"""`samesum run`: a model on arrays from disk."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samesum.cli.arguments import check_new
from samesum.cli.models import add_model_to, files_of, open_model, read_inputs
from samesum.cli.show import Exit, print_json, printable, values_json, values_text
from samesum.files.npy import write_npz
from samesum.formats.arrays import NDArray, shape_text

EXAMPLE = """examples:
  samesum run model.xml --input x.npy             a model with one input
  samesum run model.onnx --input a=a.npy --input b=b.npy --output out.npz
  samesum run model.onnx --input inputs.npz       every input by its name in the
                                                  archive
  samesum run model.onnx --input test_data_set_0  input_0.pb and so on, as
                                                  ONNX's tests and
                                                  `conformance --save` write

bfloat16: NumPy's files have no name for this type. OUT.npz holds it as 2-byte
elements whose field is called bfloat16;
np.load("OUT.npz")["y"].view(ml_dtypes.bfloat16) gives the array back. The types
of 8 bits are written in the same way. Inputs may have this form, or be what
np.save writes for an ml_dtypes array. Files with pickled Python objects are
refused."""


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "run",
        help="run a model on arrays and print or save its outputs",
        description="Runs MODEL on arrays and prints the name, dtype, shape and values of\neach output.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_model_to(parser)
    parser.add_argument(
        "--input",
        dest="inputs",
        metavar="[NAME=]FILE",
        action="append",
        default=[],
        help="a .npy, .npz or .pb file, or a folder of .pb files; may be given several times",
    )
    parser.add_argument("--output", metavar="OUT.npz", type=output_path, help="save the outputs by name")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON document, without the values if --output is given"
    )
    parser.set_defaults(call=call)


def output_path(text: str) -> Path:
    """The path of a .npz file in a folder that exists."""
    path = Path(text)
    if path.suffix != ".npz":
        raise argparse.ArgumentTypeError(f"{text} must end in .npz")
    if not path.resolve().parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.resolve().parent}")
    return path


def call(arguments: argparse.Namespace) -> Exit:
    """Runs the model, then saves and prints its outputs."""
    check_new(files_of(arguments.inputs), output=arguments.output)
    model = open_model(arguments.model, arguments.weights)
    outputs = model.run(read_inputs(arguments.inputs, model.inputs))
    if arguments.output is not None:
        write_npz(arguments.output, outputs)
    if arguments.json:
        print_json(document(arguments, outputs))
    else:
        _print_outputs(outputs)
    return Exit.FINE


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
