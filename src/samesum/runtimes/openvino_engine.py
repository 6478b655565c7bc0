"""OpenVINO on the CPU, and its IR as text."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from samesum.errors import ModelError
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.formats.elements import IR_ELEMENTS, IR_PRECISIONS
from samesum.runtimes.runtime import (
    DEFAULTS,
    EngineError,
    EngineModel,
    Feeds,
    Format,
    Settings,
    Trouble,
    require,
    trouble,
)

# Without either the plugin may compute float32 in bfloat16 where the machine is faster in that.
_PRECISION = {"f32": {"INFERENCE_PRECISION_HINT": "f32"}, "accuracy": {"EXECUTION_MODE_HINT": "ACCURACY"}}
_MISSING = ("No conversion rule found", "doesn't support", "not supported")


class OpenVino:
    """`openvino.Core().compile_model(..., "CPU")`; ONNX models too, by its own reader."""

    name = "openvino"
    formats = frozenset({Format.ONNX, Format.IR})

    def __init__(self) -> None:
        require("openvino", "the engine openvino")

    @property
    def version(self) -> str:
        """The package's."""
        return version("openvino")

    @cached_property
    def _core(self) -> Any:
        import openvino

        return openvino.Core()

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> OpenVinoSession:
        """A compiled model."""
        try:
            return self.compiled(_read(self._core, model), settings)
        except RuntimeError as error:
            raise trouble(error, _MISSING) from error

    def compiled(self, model: Any, settings: Settings = DEFAULTS) -> OpenVinoSession:
        """A session on a model that is an `openvino.Model` already."""
        properties: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
        if settings.threads is not None:
            properties |= {"INFERENCE_NUM_THREADS": settings.threads, "NUM_STREAMS": 1}
        if settings.precision is not None:
            properties |= _PRECISION[settings.precision]
        return OpenVinoSession(self._core.compile_model(model, "CPU", properties))


class OpenVinoSession:
    """A compiled model with one request."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._request = compiled.create_infer_request()

    @property
    def precision(self) -> str:
        """The type that the plugin says it computes float32 in."""
        hint = self._compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        return "as stored" if hint in ("dynamic", "undefined") else str(hint)

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs, copied; a model of one output has it whatever its name."""
        try:
            for port in self._compiled.inputs:  # the reader drops inputs that decide nothing, such as empty axes
                self._request.set_tensor(port, _copied(feeds[_known(port, feeds)]))
            self._request.infer()
            return {name: _array(self._request.get_tensor(self._output(name))) for name in wanted}
        except RuntimeError as error:
            raise trouble(error, _MISSING) from error

    def bound(self, feeds: Feeds, outputs: Feeds) -> Callable[[], object]:
        """A run on arrays that are bound once, without a copy."""
        for port in self._compiled.inputs:
            self._request.set_tensor(port, _shared(feeds[_known(port, feeds)]))
        for name, array in outputs.items():
            self._request.set_tensor(self._output(name), _shared(array))
        return self._request.infer  # type: ignore[no-any-return]

    def _output(self, name: str) -> Any:
        for port in self._compiled.outputs:
            if name in port.get_names():
                return port
        if len(self._compiled.outputs) == 1:
            return self._compiled.outputs[0]
        raise EngineError(Trouble.REFUSED, f"the compiled model has no output {name!r}")


def saved_again(model: EngineModel) -> EngineModel:
    """The model as OpenVINO writes it once it has read it; raises EngineError where it cannot."""
    import openvino

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        try:
            openvino.save_model(_read(openvino.Core(), model), path, compress_to_fp16=False)
        except RuntimeError as error:
            raise trouble(error, _MISSING) from error
        return EngineModel(Format.IR, path.read_bytes(), path.with_suffix(".bin").read_bytes())


def _read(core: Any, model: EngineModel) -> Any:
    import openvino

    held = np.frombuffer(model.weights, np.uint8)
    tensor = openvino.Tensor(held.copy()) if held.size else openvino.Tensor(openvino.Type.u8, openvino.Shape([0]))
    return core.read_model(model.content, tensor)


def _known(port: Any, feeds: Feeds) -> str:
    """The one of the port's names that is fed; a layer without a name for its tensor goes by its own."""
    for name in (*port.get_names(), port.get_node().get_friendly_name()):
        if name in feeds:
            return str(name)
    raise EngineError(Trouble.REFUSED, f"the input {sorted(port.get_names())} is not fed")


def _copied(array: NDArray) -> Any:
    """A tensor on a copy."""
    import openvino

    tensor = openvino.Tensor(_element_type(array), openvino.Shape(array.shape))
    if array.size:
        tensor.data[...] = array.view(tensor.data.dtype) if array.dtype == BFLOAT16 else array
    return tensor


def _shared(array: NDArray) -> Any:
    """A tensor on the memory of `array`."""
    import openvino

    memory = array.view(np.uint16) if array.dtype == BFLOAT16 else array
    return openvino.Tensor(memory, openvino.Shape(array.shape), _element_type(array))


def _element_type(array: NDArray) -> Any:
    """NumPy's bfloat16 is unknown to OpenVINO, so its bits are handed over."""
    import openvino

    return openvino.Type.bf16 if array.dtype == BFLOAT16 else openvino.Type(array.dtype)


def _array(tensor: Any) -> NDArray:
    import openvino

    data = np.array(tensor.data)
    return data.view(BFLOAT16) if tensor.element_type == openvino.Type.bf16 else data


# Layers and edges of an OpenVINO IR as text, as models that are made here have them.


_NAMES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}
_PRECISIONS = {name: precision for precision, name in IR_PRECISIONS.items()}


def precision_of(dtype: Dtype) -> str:
    """What a port calls the type."""
    return _PRECISIONS[_name_of(dtype)]


def _name_of(dtype: Dtype) -> str:
    if dtype not in _NAMES:
        raise ModelError(f"a value is {dtype}, which no tensor of numbers in an IR is")
    return _NAMES[dtype]


def layer_text(number: int, kind: str, version: str, content: str, name: str, said: str = "") -> str:
    """A layer; `said` are further attributes."""
    return f'<layer id="{number}" name={quoteattr(name)} type="{kind}" version="{version}"{said}>{content}</layer>'


def parameter_text(number: int, array: NDArray) -> str:
    """A Parameter for an array, called `x` and its number."""
    dims = ",".join(map(str, array.shape))
    return _source(number, "Parameter", f'<data shape="{dims}" element_type="{_name_of(array.dtype)}"/>', array)


def const_text(number: int, array: NDArray, offset: int) -> str:
    """A Const at that offset of the weights; an empty one takes one byte, as OpenVINO writes it."""
    said = f'element_type="{_name_of(array.dtype)}" shape="{",".join(map(str, array.shape))}"'
    return _source(number, "Const", f'<data {said} offset="{offset}" size="{array.nbytes or 1}"/>', array)


def _source(number: int, kind: str, data: str, array: NDArray) -> str:
    dims = "".join(f"<dim>{size}</dim>" for size in array.shape)
    port = f'<port id="0" precision="{precision_of(array.dtype)}" names="x{number}">{dims}</port>'
    return layer_text(number, kind, "opset1", f"{data}<output>{port}</output>", f"x{number}")


def result_text(number: int, name: str, said: str = "") -> str:
    """A Result."""
    return layer_text(number, "Result", "opset1", '<input><port id="0"/></input>', name, said)


def edge_text(layer: int, port: int, to_layer: int, to_port: int) -> str:
    """An edge between two ports."""
    return f'<edge from-layer="{layer}" from-port="{port}" to-layer="{to_layer}" to-port="{to_port}"/>'


def net_text(name: str, version: int | str, layers: Iterable[str], edges: Iterable[str]) -> bytes:
    """The whole file."""
    body = "\n".join(["<layers>", *layers, "</layers>", "<edges>", *edges, "</edges>"])
    return f'<?xml version="1.0"?>\n<net name={quoteattr(name)} version="{version}">\n{body}\n</net>\n'.encode()
