"""Activations of a model in ONNX Runtime over many samples: exact states, histograms that grow, ranges."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from samesum.errors import AttributeValueError, AxisError, ModelError, imported
from samesum.files.npy import Archive
from samesum.files.opening import write_text
from samesum.formats.arrays import NDArray
from samesum.stats.exact import Exact
from samesum.stats.histogram import Histogram
from samesum.stats.tally import FloatTally

BINS = 2048
PERCENTILES = (0.01, 0.1, 1.0, 50.0, 99.0, 99.9, 99.99)


@dataclass(slots=True)
class Activation:
    """Takes the arrays of one name; constant in their number. `channel` is an axis whose ranges are kept apart."""

    name: str
    channel: int | None = None
    dtype: str = ""
    tally: FloatTally | None = None
    histogram: Histogram = field(default_factory=lambda: Histogram(BINS))
    rank: int = 0
    low: NDArray | None = None
    high: NDArray | None = None

    def add(self, x: NDArray) -> None:
        """Takes an array of float16, float32 or float64."""
        if self.tally is None:
            self.tally, self.dtype, self.rank = FloatTally(x.dtype, 1), x.dtype.name, x.ndim
        self.tally.add(np.ascontiguousarray(x).reshape(1, -1))
        self.histogram.add(x)
        if self.channel is not None and -x.ndim <= self.channel < x.ndim and x.size:
            self._add_channels(x, self.channel % x.ndim)

    def _add_channels(self, x: NDArray, channel: int) -> None:
        others = tuple(axis for axis in range(x.ndim) if axis != channel)
        low, high = x.min(axis=others), x.max(axis=others)
        if self.low is None or self.high is None:
            self.low, self.high = low, high
        elif self.low.shape != low.shape:
            raise AttributeValueError(
                f"{self.name!r} has {low.size} channels and had {self.low.size} before; "
                "a channel has to be an axis of one length"
            )
        else:
            self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)

    def exact(self) -> Exact:
        """The state of all elements."""
        return Exact() if self.tally is None else self.tally.exact()[0]

    def percentile(self, percent: float) -> float | None:
        """The value that so many percent of the finite elements do not exceed, by the histogram.

        It is interpolated within one bin, so it is off by less than its width: 1/1024 of the range at most.
        """
        state = self.exact()
        counts = self.histogram.counts
        if not counts.size or state.least is None or state.greatest is None:
            return None
        wanted, edges = percent / 100 * int(counts.sum()), self.histogram.edges()
        before: int = 0
        for k, count in enumerate(counts.tolist()):
            if count and before + count >= wanted:
                value: float = edges[k] + (edges[k + 1] - edges[k]) * max(0.0, wanted - before) / count
                return min(max(value, float(state.least)), float(state.greatest))
            before += count
        return float(state.greatest)

    def entropy(self) -> float | None:
        """Shannon's entropy of the histogram in bits."""
        counts = self.histogram.counts[self.histogram.counts > 0]
        if not counts.size:
            return None
        shares = counts / counts.sum()
        return abs(math.fsum((-shares * np.log2(shares)).tolist()))


def check_channel(channel: int | None, activations: Collection[Activation]) -> None:
    """Raises AxisError where not one of them has the axis; those that lack it have no ranges by channel."""
    if channel is None or not activations or any(-each.rank <= channel < each.rank for each in activations):
        return
    highest = max(activations, key=lambda each: each.rank)
    raise AxisError(
        f"--per-channel is {channel}, an axis that no activation has: {highest.name!r} has the highest rank, "
        f"{highest.rank}"
    )


# Ranges as onnxruntime.quantization reads them (`quantize_static(calibration_cache_path=...)`).
#
# Source: `save_tensors_data` and `TensorsData` of onnxruntime 1.32, onnxruntime/quantization/calibrate.py.


def range_of(activation: Activation, percentile: float | None) -> tuple[float, float] | None:
    """The least and the greatest finite element, or what leaves out half of 100 - percentile at either end."""
    if percentile is not None:
        outside = (100 - percentile) / 2
        low, high = activation.percentile(outside), activation.percentile(100 - outside)
    else:
        state = activation.exact()
        low, high = (None if value is None else float(value) for value in (state.least, state.greatest))
    return None if low is None or high is None else (low, high)


def write_ranges(path: Path, activations: Iterable[Activation], percentile: float | None) -> int:
    """Writes the ranges of float16 and float32 activations that have one, and says how many. Raises OSError."""
    data = {}
    for each in activations:
        found = range_of(each, percentile)
        if found is not None and each.dtype in ("float16", "float32") and all(map(math.isfinite, found)):
            lowest, highest = ({"data": value, "dtype": each.dtype, "CLS": "numpy.array"} for value in found)
            data[each.name] = {"lowest": lowest, "highest": highest, "CLS": "TensorData"}
    method = "MinMax" if percentile is None else "Percentile"
    document: dict[str, Any] = {
        "CLS": "TensorsData",
        "data": data,
        "calibration_method": {"CLS": "CalibrationMethod", "value": f"CalibrationMethod.{method}"},
        "smooth_quant": False,
    }
    write_text(path, json.dumps(document))
    return len(data)


# A model in ONNX Runtime with its float activations as outputs, run on one sample after the other.

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
