"""A model in ONNX Runtime with its float activations as outputs, run on one sample after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from samesum.errors import AttributeValueError, ModelError, imported
from samesum.files.npy import Archive
from samesum.formats.arrays import NDArray

_FLOATS = ("tensor(float)", "tensor(float16)", "tensor(double)")
_QUIET = 4
"""Nothing but fatal errors is logged."""


class Activations:
    """Gives the float inputs and the float outputs of all nodes of the main graph, by name.

    Graph optimizations are off, as in ONNX Runtime's own calibrators: they would replace the nodes that are asked for.
    Raises ModelError for a model that ONNX Runtime refuses, MissingPackage without it or without the onnx package.
    """

    def __init__(self, path: Path) -> None:
        onnx = imported("onnx", "running a model for its activations")
        self._runtime = imported("onnxruntime", "stats --model")
        try:
            model = onnx.load(path)
            there = {value.name for value in model.graph.output}
            names = [name for node in model.graph.node for name in node.output if name and name not in there]
            model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
            options = self._runtime.SessionOptions()
            options.graph_optimization_level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.log_severity_level = _QUIET
            providers = ["CPUExecutionProvider"]
            self._session = self._runtime.InferenceSession(model.SerializeToString(), options, providers=providers)
        except OSError:
            raise
        except Exception as error:  # neither package has a tree of errors that is typed
            raise ModelError(f"{path} does not run in ONNX Runtime: {str(error)[:300]}") from None
        self._inputs = {each.name: each.type for each in self._session.get_inputs()}
        self._outputs = [each.name for each in self._session.get_outputs() if each.type in _FLOATS]

    def of(self, sample: Path) -> Iterator[tuple[str, NDArray]]:
        """The activations for the inputs in a .npz file, the inputs among them.

        Raises AttributeValueError for a sample without an input or that the model refuses, ModelError for no .npz file.
        """
        feeds = _feeds(sample, self._inputs)
        yield from ((name, array) for name, array in feeds.items() if self._inputs[name] in _FLOATS)
        if not self._outputs:  # ONNX Runtime takes no name for all names
            return
        try:
            found: Sequence[NDArray] = self._session.run(self._outputs, dict(feeds))
        except Exception as error:  # ONNX Runtime's errors are not typed
            raise AttributeValueError(f"the model does not run on {sample}: {str(error)[:300]}") from None
        yield from zip(self._outputs, found, strict=True)


def _feeds(sample: Path, inputs: Mapping[str, str]) -> dict[str, NDArray]:
    archive = Archive(sample)
    if missing := [name for name in inputs if name not in archive]:
        raise AttributeValueError(
            f"{sample} has no {missing[0]!r}; needed are {', '.join(inputs)}; there are {', '.join(map(str, archive))}"
        )
    return {name: archive[name].read() for name in inputs}
