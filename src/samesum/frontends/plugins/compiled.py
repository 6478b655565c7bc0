"""A compiled model as OpenVINO's Python API has it: called with arrays, its result taken by position or by name."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from samesum.errors import AttributeValueError, UnsupportedOperator
from samesum.frontends.models.load import Source, load

if TYPE_CHECKING:
    from samesum.formats.arrays import Dtype, NDArray, Shape
    from samesum.frontends.models.model import Model
from samesum.graph.model import Value

_PRECISION = "INFERENCE_PRECISION_HINT"
_DEVICES = ("CPU", "AUTO", "AUTO:CPU")


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: its place, its name, its NumPy dtype and its shape; what is unknown is None."""

    position: int
    any_name: str
    element_type: Dtype | None
    shape: Shape | None

    @property
    def names(self) -> frozenset[str]:
        """The one name."""
        return frozenset({self.any_name})

    def get_any_name(self) -> str:
        """`any_name`."""
        return self.any_name


class Result(Mapping[Any, Any]):
    """The outputs of one run, by port, by position and by name; iterates over the ports in the model's order."""

    def __init__(self, outputs: Mapping[Port, NDArray]) -> None:
        self._outputs = dict(outputs)

    def __getitem__(self, key: Port | int | str) -> NDArray:
        for port, array in self._outputs.items():
            if key in (port, port.position, port.any_name):
                return array
        raise KeyError(f"no output {key!r}; there are {_listed(list(self._outputs))}")

    def __iter__(self) -> Iterator[Port]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)

    def names(self) -> tuple[frozenset[str], ...]:
        """The names of the outputs in the model's order."""
        return tuple(port.names for port in self._outputs)

    def to_dict(self) -> dict[Port, NDArray]:
        """The arrays by port."""
        return dict(self._outputs)

    def to_tuple(self) -> tuple[NDArray, ...]:
        """The arrays in the model's order."""
        return tuple(self._outputs.values())

    def __repr__(self) -> str:
        return f"Result({{{', '.join(f'{port.any_name}: {array!r}' for port, array in self._outputs.items())}}})"


class CompiledModel:
    """A model that runs when it is called; it never changes and may run in several threads at once."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def inputs(self) -> list[Port]:
        """The inputs in the model's order."""
        return _ports(self._model.inputs)

    @property
    def outputs(self) -> list[Port]:
        """The outputs in the model's order."""
        return _ports(self._model.outputs)

    def input(self, key: int | str | None = None) -> Port:
        """The input at a position or with a name; without either, the only one."""
        return _chosen("input", self.inputs, key)

    def output(self, key: int | str | None = None) -> Port:
        """The output at a position or with a name; without either, the only one."""
        return _chosen("output", self.outputs, key)

    def __call__(
        self,
        inputs: Any = None,
        share_inputs: bool = True,  # noqa: ARG002 - the signature is OpenVINO's
        share_outputs: bool = False,  # noqa: ARG002
        *,
        decode_strings: bool = True,  # noqa: ARG002
    ) -> Result:
        """The outputs for one array, a list or tuple of arrays, or a mapping by name, position or port.

        Inputs are never copied nor changed, the outputs belong to the caller: the other arguments change nothing.
        Lists and Python numbers become arrays of the input's type. Arrays of another type are refused, where OpenVINO
        converts them. Raises AttributeValueError for a missing, surplus or unknown input, DtypeError and ShapeError
        for one that does not fit, and what the operators raise.
        """
        given = () if inputs is None else inputs
        if isinstance(given, Mapping):
            given = _by_name(self.inputs, given)
        return Result(dict(zip(self.outputs, self._model.run(given).values(), strict=True)))

    def __repr__(self) -> str:
        return f"<CompiledModel of {self._model!r}>"


def compile_model(
    model: Any,
    device_name: str | None = "AUTO",
    config: Mapping[str, Any] | None = None,
    *,
    weights: Source | None = None,
) -> Any:
    """A model that is called with arrays, as `openvino.compile_model` gives one.

    `model` is the path of an `.xml` (its `.bin` beside it, or in `weights`) or `.onnx` file, the bytes of either, or
    an `openvino.Model`. `device_name` is CPU, AUTO or AUTO:CPU. If the model holds operators that samesum has, every
    answer is samesum's and `config`, OpenVINO's properties, changes none. A model that holds others too is compiled by
    OpenVINO, if that is installed, with `config` and in float32 where that says nothing else, and only what `exact`
    takes over is samesum's; a UserWarning says so. Raises OSError for a file that cannot be read, ModelError for one
    that is no model, UnsafeModelError for one that reaches beyond itself, AttributeValueError for another device,
    UnsupportedOperator with every operator that cannot run.
    Source: https://docs.openvino.ai/2025/api/ie_python_api/api.html.

    >>> import numpy as np
    >>> compiled = compile_model("examples/openvino/reduce_l2_axes_2_3.xml")
    >>> result = compiled(np.full((6, 12, 10, 24), 0.5, np.float32))
    >>> result[0].shape, result[compiled.output(0)][0, 0]
    ((6, 12), np.float32(7.745967))
    """
    if device_name is not None and device_name not in _DEVICES:
        raise AttributeValueError(f"device {device_name!r} was asked for; allowed are {', '.join(_DEVICES)}")
    openvino = sys.modules.get("openvino")
    is_model = openvino is not None and isinstance(model, openvino.Model)
    try:
        return CompiledModel(_saved_and_loaded(model) if is_model else load(model, weights))
    except UnsupportedOperator as error:
        return _compiled_by_openvino(error, model, weights, config or {})


def _compiled_by_openvino(
    error: UnsupportedOperator, model: Any, weights: Source | None, config: Mapping[str, Any]
) -> Any:
    from samesum.frontends.plugins.exact_model import exact

    try:
        import openvino
    except ModuleNotFoundError:
        raise error from None
    core = openvino.Core()
    if not isinstance(model, openvino.Model):
        model = core.read_model(*(_readable(each) for each in (model, weights) if each is not None))
    with warnings.catch_warnings():
        # In float32 nothing is computed in another type.
        warnings.filterwarnings("ignore", "OpenVINO's CPU plugin computes in", RuntimeWarning)
        changed = exact(model)
    warnings.warn(
        f"{', '.join(error.operators)} of this model run in OpenVINO; samesum computes the reductions, scans, "
        "softmaxes, normalizations, sums of embeddings, windowed means and scatters that reduce",
        stacklevel=3,
    )
    return core.compile_model(changed, "CPU", {_PRECISION: "f32", **config})


def _readable(source: Source) -> Any:
    """What OpenVINO's `read_model` takes: a path, or bytes."""
    return bytes(source) if isinstance(source, bytearray | memoryview) else source


def _saved_and_loaded(model: Any) -> Model:
    import openvino

    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        openvino.save_model(model, path, compress_to_fp16=False)
        return load(path)


def _ports(values: tuple[Value, ...]) -> list[Port]:
    return [Port(i, value.name, value.dtype, value.shape) for i, value in enumerate(values)]


def _chosen(kind: str, ports: list[Port], key: int | str | None) -> Port:
    if key is None and len(ports) == 1:
        return ports[0]
    for port in ports:
        if key in (port.position, port.any_name):
            return port
    asked = f"the only {kind} was asked for" if key is None else f"no {kind} {key!r}"
    raise AttributeValueError(f"{asked}; there are {_listed(ports)}")


def _listed(ports: list[Port]) -> str:
    return ", ".join(f"{port.position} {port.any_name!r}" for port in ports) or "none"


def _by_name(ports: list[Port], given: Mapping[Any, Any]) -> dict[Any, Any]:
    """Positions and ports as names; a name, known or not, stays what it is."""
    named: dict[Any, Any] = {}
    for key, array in given.items():
        port = key if isinstance(key, Port) else None if isinstance(key, str) else _chosen("input", ports, key)
        name = key if port is None else port.any_name
        if name in named:
            raise AttributeValueError(f"input {name!r} is given twice, once as {key!r}")
        named[name] = array
    return named
