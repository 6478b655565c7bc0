"""One call or more of every version of every operator, with data that modes change; those of functions besides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from function_calls import (
    BYTES,
    DTYPES,
    EAGER,
    FUNCTIONS,
    SHAPE,
    Call,
    Outputs,
    data,
)
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.operators.apply import ROWS, apply, apply_all
from samesum.specs.bind import bind
from samesum.specs.lookup import CATALOGUE, STANDARDS
from samesum.specs.table import Input, Spec


def calls() -> Iterator[Call]:
    """All of them."""
    for spec in CATALOGUE:
        if not spec.operator.holds_graphs:
            yield from _of_operator(spec)
    for dtype in DTYPES:
        for is_tiny in (False, True) if dtype.kind not in "iub" else (False,):
            for name, (kinds, shapes, function) in FUNCTIONS.items():
                if ("f" if dtype == BFLOAT16 else dtype.kind) in kinds:
                    arrays = tuple(
                        each if isinstance(each, np.ndarray) else data(dtype, each, seed, is_tiny)
                        for seed, each in enumerate(shapes)
                    )
                    yield Call(f"{name} of {'tiny ' * is_tiny}{dtype}", arrays, partial(_outputs, function))


def _outputs(function: Callable[..., Any], *arrays: Any) -> Outputs:
    found = function(*arrays)
    if isinstance(found, dict):
        found = tuple(found.values())
    return tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))


def _of_operator(spec: Spec) -> Iterator[Call]:
    for dtype in (*DTYPES, np.dtype(np.int8)):
        if dtype.name in spec.types and (dtype.itemsize > 1 or dtype == np.bool_ or spec.types <= BYTES):
            for is_tiny in (False, True) if dtype.kind not in "iub" else (False,):
                arrays = tuple(_input(spec, each, i, dtype, is_tiny) for i, each in enumerate(spec.inputs))
                for attributes in _attributes(spec):
                    name = f"{spec.identifier} of {'tiny ' * is_tiny}{dtype}, {attributes}"
                    yield Call(name, arrays, partial(_applied, spec, attributes))


def _applied(spec: Spec, attributes: dict[str, Any], *arrays: NDArray | None) -> Outputs:
    operation, row = bind(spec, attributes), ROWS[spec.identifier]
    if row.most == 1:
        return (apply(operation, arrays),)
    return apply_all(operation, OUTPUTS.get(spec.operator.name, row.most or 2), arrays)


OUTPUTS = {"Split": 2, "VariadicSplit": 2}
"""How many outputs a node names where the row has any number."""

SHAPES: dict[str, tuple[int, ...]] = {
    "Squeeze": (2, 1, 3, 4), "Range": (), "SkipLayerNormalization": (2, 3, 4), "Trilu": (3, 4),
    "SkipSimplifiedLayerNormalization": (2, 3, 4), "ConstantOfShape": (2,), "OneHot": (3,), "SegmentMax": (4, 6),
    "Gemm": (3, 4), "FusedGemm": (3, 4), "MultiHeadAttention": (2, 3, 4),
    "SpaceToDepth": (2, 4, 4, 4), "RotaryEmbedding": (2, 3, 4, 4), **dict.fromkeys(("RNN", "GRU", "LSTM"), (3, 2, 4)),
    **{f"{name}Sequence": (2, 3, 4) for name in ("RNN", "GRU", "LSTM")},
    **{f"{name}Cell": (2, 4) for name in ("RNN", "GRU", "LSTM")},
}  # fmt: skip
"""Of the data, where it is not SHAPE."""

CHANNELS, LINE = (4,), (4,)
PARAMETERS: dict[str, tuple[int, ...]] = {
    "Scale": LINE, "scale": CHANNELS, "B": CHANNELS, "bias": CHANNELS, "mean": CHANNELS, "var": CHANNELS,
    "input_mean": CHANNELS, "input_var": CHANNELS, "gamma": CHANNELS, "beta": CHANNELS, "variance": CHANNELS,
    "HardSigmoid.alpha": (), "HardSigmoid.beta": (), "GroupNormalization-18.scale": (2,),
    "GroupNormalization-18.bias": (2,), "min": (), "max": (), "constant_value": (), "pad_value": (),
    "on_value": (), "off_value": (), "values": (2,),
    "EmbeddingBagPackedSum.per_sample_weights": (2, 2),
    "EmbeddingBagPacked.per_sample_weights": (2, 2), "per_sample_weights": (4,), "target_type": (1,), "like": (1,),
    "BatchNormInference-1.data": SHAPE, "y_scale": (), "x_scale": (), "y_zero_point": (), "x_zero_point": (),
    "slope": LINE, "Selu.alpha": (), "lambda": (), "Swish.beta": (), "cos_cache": (5, 2), "sin_cache": (5, 2),
    "roi": (8,),
}  # fmt: skip
for _name, _gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
    _size = 2 * _gates
    for _what, _shape in {"W": (_size, 4), "R": (_size, 2), "initial_hidden_state": (2, 2)}.items():
        PARAMETERS[f"{_name}Cell.{_what}"] = _shape
        PARAMETERS[f"{_name}Sequence.{_what}"] = PARAMETERS[f"{_name}.{_what}"] = (1, *_shape)
    PARAMETERS |= {f"{_name}.B": (1, 2 * _size), f"{_name}Sequence.B": (1, _size), f"{_name}Cell.B": (_size,)}
    PARAMETERS |= {f"{_name}.initial_h": (1, 2, 2), f"{_name}Sequence.initial_hidden_state": (2, 1, 2)}
PARAMETERS |= {f"{name}.B": (4, 5) for name in ("Gemm", "FusedGemm")} | {"C": (5,)}
PARAMETERS |= {f"{name}.B": (2, 4, 4, 3) for name in ("MatMul", "FusedMatMul", "MatMulInteger")}
PARAMETERS |= {
    f"{name}.{w}": (3, 4, 2, 2) for name in ("Conv", "FusedConv", "ConvInteger", "QLinearConv") for w in "Ww"
}
PARAMETERS |= {f"{name}.B": (3,) for name in ("Conv", "FusedConv", "QLinearConv", "ConvTranspose")}
PARAMETERS |= {f"{each}_{what}": () for each in "abxwy" for what in ("scale", "zero_point")}
PARAMETERS |= {
    "QLinearMatMul.b": (2, 4, 4, 3), "ConvTranspose.W": (4, 3, 2, 2), "Z": (2, 3, 3, 4), "Attention.K": SHAPE,
    "Convolution.filters": (3, 4, 2, 2), "GroupConvolution.filters": (2, 2, 2, 2, 2), "attn_mask": (3, 3),
    "ConvolutionBackpropData.filters": (4, 3, 2, 2), "GroupConvolutionBackpropData.filters": (2, 2, 3, 2, 2),
    "ScaledDotProductAttention.scale": (), "attention_mask": (3, 3), "MultiHeadAttention.key": (2, 3, 4),
    "MultiHeadAttention.value": (2, 3, 4),
}  # fmt: skip
PARAMETERS |= {"LSTM.P": (1, 6), "initial_c": (1, 2, 2)}
PARAMETERS |= {"LSTMSequence.initial_cell_state": (2, 1, 2), "LSTMCell.initial_cell_state": (2, 2)}
"""Of further inputs of numbers, where it is not that of the data."""

NUMBERS = {"depth": 4, "Range.start": 1, "limit": 4, "delta": 1.4, "Range.stop": 4, "Range.step": 1.4,
           "input_low": 0.995, "input_high": 1.005, "output_low": -0.7, "output_high": 1.3}  # fmt: skip
"""Inputs of one number, in the type of the data where that is allowed."""
PLACES: dict[str, Any] = {
    "axes": [1], "axis": 1, "shape": [4, 24], "Expand.shape": [2, 4, 3, 4], "target_shape": [2, 4, 3, 4],
    "MVN.axes": [2, 3], "starts": [0], "ends": [1], "steps": [1], "start": [0], "stop": [1], "step": [1],
    "begin": [0, 0], "end": [1, 2], "strides": [1, 1], "indices": [1, 0], "GatherND.indices": [[0], [1]],
    "ScatterND.indices": [[0], [1]], "ScatterNDUpdate.indices": [[0], [1]], "split": [1, 3], "split_lengths": [1, 3],
    "pads": [0, 0, 1, 1, 0, 0, 0, 1], "pads_begin": [0, 0, 1, 1], "pads_end": [0, 0, 0, 1], "repeats": [1, 2, 1, 1],
    "tiles": 2, "Tile-1.axis": 1, "K": [2], "k": 1, "order": [3, 1, 0, 2], "reversed_axes": [1], "output_shape": [2, 2],
    "offsets": [0, 2], "default_index": 1, "segment_ids": [0, 0, 1, 1], "num_segments": 3,
    "EmbeddingBagOffsetsSum.indices": [0, 1, 1, 0], "EmbeddingBagOffsets.indices": [0, 1, 1, 0],
    "EmbeddingSegmentsSum.indices": [0, 1, 1, 0], "EmbeddingBagPackedSum.indices": [[0, 1], [1, 0]],
    "EmbeddingBagPacked.indices": [[0, 1], [1, 0]], "GatherElements.indices": np.zeros(SHAPE, int),
    "ScatterElements.indices": np.zeros(SHAPE, int), "ScatterElementsUpdate.indices": np.zeros(SHAPE, int),
    "ConstantOfShape.input": [2, 3], "sequence_lens": [3, 2], "sequence_lengths": [3, 2],
    "Resize.scales": [1, 1, 1.5, 0.7], "Upsample.scales": [1, 1, 1.5, 0.7], "Interpolate.scales": [1.5, 0.7],
    "Interpolate.axes": [2, 3], "scales_or_sizes": [4, 3], "position_ids": [[0, 1, 2, 3], [1, 2, 3, 4]],
}  # fmt: skip
"""Inputs that say where."""
LEFT_OUT = {"Pad.axes", "Squeeze-1.axes", "Broadcast.axes_mapping", "Resize.sizes", "Dropout.ratio"}
LEFT_OUT |= {"Dropout.training_mode", "Attention.past_key", "Attention.past_value", "Attention.nonpad_kv_seqlen"}
LEFT_OUT |= {f"{kind}ConvolutionBackpropData.output_shape" for kind in ("", "Group")}
LEFT_OUT |= {
    f"MultiHeadAttention.{name}"
    for name in ("bias", "key_padding_mask", "attention_bias", "past_key", "past_value", "past_sequence_length")
} | {"MultiHeadAttention.cache_indirection"}


def _named(table: dict[str, Any], spec: Spec, name: str, default: Any = None) -> Any:
    """What a table says of an input or attribute: of this version, of this operator, or of all of the name."""
    keys = (f"{spec.operator.name}-{spec.version.since}.{name}", f"{spec.operator.name}.{name}", name)
    return next((table[key] for key in keys if key in table), default)


def _input(spec: Spec, each: Input, place: int, dtype: Dtype, is_tiny: bool) -> NDArray | None:
    if f"{spec.operator.name}.{each.name}" in LEFT_OUT:
        return None
    number = _named(NUMBERS, spec, each.name)
    if number is not None:
        return np.array(number, "int64" if each.types and dtype.name not in each.types else dtype)
    where = _named(PLACES, spec, each.name)
    shape = _named(PARAMETERS, spec, each.name)
    if where is not None and shape is None:
        allowed = spec.types if each.types is None else each.types
        kinds = ("int64", dtype.name, "int32", "float32")
        return np.array(where, np.dtype(next(kind for kind in kinds if kind in allowed)))
    if (place == 0 and spec.identifier != "openvino.BatchNormInference-1") or shape is None:
        shape = SHAPES.get(spec.operator.name, SHAPE)
    if each.types is not None and dtype.name not in each.types:
        dtype = np.dtype("float32" if "float32" in each.types else min(each.types))
    found = data(dtype, shape, place, is_tiny)
    return np.abs(found) if each.name in ("var", "input_var", "variance") else found


ATTRIBUTES: dict[str, Any] = {
    "to": 1, "Cast-1.to": "FLOAT", "shape": [4, 24], "axes": [1], "starts": [0], "ends": [1], "axis": 1,
    "num_groups": 2, "kernel_shape": [2, 2], "kernel": [2, 2], "strides": [1, 1], "pads_begin": [0, 0],
    "pads_end": [1, 0], "exclude-pad": "true", "split": [1, 3], "paddings": [0, 0, 1, 1, 0, 0, 0, 1],
    "pads": [0, 0, 1, 1, 0, 0, 0, 1], "repeats": [1, 2, 1, 1], "k": 2, "destination_type": "f32",
    "AveragePool.pads": [0, 0, 1, 1], "MaxPool.pads": [0, 0, 1, 1], "LpPool.pads": [0, 0, 1, 1], "broadcast": 1,
    "Mod-10.fmod": 1, "Mod-13.fmod": 1, "is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1], "Pow-1.axis": 0,
    "special_zero": "false", "output_type": "f32", "num_splits": 2, "pad_mode": "constant", "TopK.mode": "max",
    "Reverse.mode": "index", "sort": "value", "normalize_variance": "true", "eps": 1e-5, "epsilon": 1e-5,
    "NormalizeL2.eps_mode": "add",
    "eps_mode": "inside_sqrt", "fill_mode": "lowest", "Clamp.min": 0.1, "Clamp.max": 1.0001, "Clip.min": 0.1,
    "Clip.max": 1.0001, "alpha": 0.3, "beta": 0.1, "Pad.value": 0.1, "begin_mask": "0,0", "end_mask": "0,0",
    "blocksize": 2, "scales": [1, 1, 1.5, 0.7], "height_scale": 1.5, "width_scale": 0.7,
    "Resize.mode": "linear", "Resize.axes": [0, 1, 2, 3],
    "Interpolate.mode": "cubic", "shape_calculation_mode": "sizes", "levels": 16, "direction": "forward", "clip": 0.9,
    "hidden_size": 2, "equation": "abcd->ac", "dilations": [1, 1], "num_heads": 2, "activation": "Relu",
    **{f"{name}.pads": [0, 0, 1, 1] for name in ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "FusedConv")},
}  # fmt: skip
"""The values of attributes that a version has."""
OTHERS: dict[str, list[dict[str, Any]]] = {
    "MVN-6": [{"eps_mode": "outside_sqrt"}, {"normalize_variance": "false"}],
    "NormalizeL2-1": [{"eps_mode": "max"}],
    "LpPool-22": [{"p": 1}, {"p": 3}],
    "GlobalLpPool-22": [{"p": 1}, {"p": 3}],
    "LpNormalization-22": [{"p": 1}],
    "ScatterElements-18": [{"reduction": word} for word in ("add", "mul", "max")],
    "ScatterND-18": [{"reduction": word} for word in ("add", "mul", "max")],
    "ScatterElementsUpdate-12": [{"reduction": word} for word in ("sum", "prod", "max")],
    "ScatterNDUpdate-15": [{"reduction": word} for word in ("sum", "sub", "prod")],
    "Gelu-20": [{"approximate": "tanh"}],
    "Resize-19": [{"mode": "cubic"}, {"mode": "nearest"}, {"antialias": 1}],
    "GRU-22": [{"linear_before_reset": 1}],
}
"""Further calls."""


def _attributes(spec: Spec) -> Iterator[dict[str, Any]]:
    given = {each.name: _named(ATTRIBUTES, spec, each.name) for each in spec.attributes}
    first = {name: value for name, value in given.items() if value is not None}
    yield first
    for other in OTHERS.get(f"{spec.operator.name}-{spec.version.since}", []):
        yield first | other


def lazy_calls() -> Iterator[Call]:
    """The functions on Dask arrays of several chunks, computed at once in the calling thread."""
    for call in calls():
        name = call.name.partition(" of ")[0]
        if not name.startswith((*EAGER, *(f"{standard}." for standard in STANDARDS))):
            yield replace(call, run=partial(_computed, call.run))


def _computed(run: Callable[..., Outputs], *arrays: NDArray) -> Outputs:
    import dask
    import dask.array as da

    lazy = [da.from_array(x, chunks=(2,) + (-1,) * (x.ndim - 1)) for x in arrays]
    with dask.config.set(scheduler="sync"):
        return run(*lazy)
