"""Operators of ONNX (domain ai.onnx) that are made of reductions: normalizations of lines and global pools."""

from __future__ import annotations

from collections.abc import Mapping

from samesum.formats.elements import BOOL, CASTABLE, FLOATS, FLOATS_PLUS, INDEX, NUMBERS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group, operator, version

# Operators of ONNX (domain ai.onnx) over windows: AveragePool, MaxPool, LpPool.

_X = Input("X")
_KERNEL = Attribute("kernel_shape", Kind.INTEGERS, required=True)
_OPTIONAL_KERNEL = Attribute("kernel_shape", Kind.INTEGERS)
_STRIDES, _PADS = Attribute("strides", Kind.INTEGERS), Attribute("pads", Kind.INTEGERS)
_AUTO_PAD = Attribute("auto_pad", Kind.WORD, "NOTSET", words=("notset", "same_upper", "same_lower", "valid"))
_WINDOWS = (_KERNEL, _STRIDES, _PADS, _AUTO_PAD)
_CEIL = Attribute("ceil_mode", Kind.FLAG, False)
_DILATIONS = Attribute("dilations", Kind.INTEGERS)
_COUNTS_PADDING = Attribute("count_include_pad", Kind.FLAG, False)
_ORDER = Attribute("storage_order", Kind.FLAG, False)
_P = Attribute("p", Kind.INTEGER, 2)
_BYTES = frozenset({"int8", "uint8"})


def _version(since: int, types: frozenset[str], *attributes: Attribute) -> Version:
    return version(since, types, (_X,), *attributes)


ONNX_POOLS = group(
    Made.POOL,
    operator(
        "AveragePool",
        _version(1, FLOATS, *_WINDOWS),
        _version(7, FLOATS, *_WINDOWS, _COUNTS_PADDING),
        _version(10, FLOATS, *_WINDOWS, _COUNTS_PADDING, _CEIL),
        _version(11, FLOATS, *_WINDOWS, _COUNTS_PADDING, _CEIL),
        _version(19, FLOATS, *_WINDOWS, _COUNTS_PADDING, _CEIL, _DILATIONS),
        _version(22, FLOATS_PLUS, *_WINDOWS, _COUNTS_PADDING, _CEIL, _DILATIONS),
    ),
    operator(
        "MaxPool",
        _version(1, FLOATS, *_WINDOWS),
        _version(8, FLOATS, *_WINDOWS, _ORDER),
        _version(10, FLOATS, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
        _version(11, FLOATS, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
        _version(12, FLOATS | _BYTES, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
        _version(22, FLOATS_PLUS | _BYTES, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
    ),
    operator(
        "LpPool",
        _version(1, FLOATS, _OPTIONAL_KERNEL, _STRIDES, _PADS, _AUTO_PAD, Attribute("p", Kind.NUMBER, 2.0)),
        _version(2, FLOATS, *_WINDOWS, _P),
        _version(11, FLOATS, *_WINDOWS, _P),
        _version(18, FLOATS, *_WINDOWS, _P, _CEIL, _DILATIONS),
        _version(22, FLOATS_PLUS, *_WINDOWS, _P, _CEIL, _DILATIONS),
    ),
)


# Operators of ONNX (domain ai.onnx) that send elements or slices to places of a copy of the data.

_DATA, _UPDATES = Input("data", min_rank=1), Input("updates")
_ELEMENTS = (_DATA, Input("indices", INDEX), _UPDATES)
_SLICES = (_DATA, Input("indices", frozenset({"int64"}), min_rank=1), _UPDATES)
_AXIS = Attribute("axis", Kind.AXIS, 0)
_BEFORE_BFLOAT16 = NUMBERS | BOOL


def _reduction(*words: str) -> Attribute:
    return Attribute("reduction", Kind.WORD, "none", words=("none", *words))


def _versions(inputs: tuple[Input, ...], *attributes: Attribute) -> tuple[Version, ...]:
    plain = Signature(inputs, attributes)
    return (
        Version(11, _BEFORE_BFLOAT16, plain),
        Version(13, CASTABLE, plain),
        version(16, CASTABLE, inputs, *attributes, _reduction("add", "mul")),
        version(18, CASTABLE, inputs, *attributes, _reduction("add", "mul", "max", "min")),
    )


ONNX_SCATTERS = group(
    Made.SCATTER, Operator("ScatterElements", _versions(_ELEMENTS, _AXIS)), Operator("ScatterND", _versions(_SLICES))
)


_Types = frozenset[str]

MEAN_VARIANCE_EPSILON = 9.999999717180685e-10
"""What MeanVarianceNormalization adds to the deviation: the float32 next to 1e-9, as its function body has it."""

_EPSILON = Attribute("epsilon", Kind.EPSILON, 9.999999747378752e-06)
_STASH = Attribute("stash_type", Kind.INTEGER, 1)
_LAST_AXIS = Attribute("axis", Kind.AXIS, -1)
_GROUPS = Attribute("num_groups", Kind.INTEGER, required=True)
_CONSUMED = Attribute("consumed_inputs", Kind.INTEGERS)
_INPUT = Input("input")
_BY_CHANNEL = (_X, Input("scale"), Input("bias"))
_LINES = (_LAST_AXIS, _EPSILON, _STASH)
_LAYER = Signature((_X, Input("Scale"), Input("B", optional=True)), _LINES)
_SIMPLIFIED = Signature((_X, Input("scale", FLOATS_PLUS)), _LINES)
"""Version 1 of this and SimplifiedLayerNormalization are what ONNX Runtime writes into optimised models."""
_INSTANCE = (_INPUT, Input("scale"), Input("B"))


def _plain(name: str, versions: Mapping[int, _Types], data: Input, *attributes: Attribute) -> Operator:
    signature = Signature((data,), attributes)
    return Operator(name, tuple(Version(since, types, signature) for since, types in versions.items()))


ONNX_NORMS = group(
    Made.NORMALIZATION,
    operator("LayerNormalization", Version(1, FLOATS_PLUS, _LAYER), Version(17, FLOATS_PLUS, _LAYER)),
    operator("RMSNormalization", Version(23, FLOATS_PLUS, _SIMPLIFIED)),
    operator(
        "GroupNormalization",
        version(18, FLOATS_PLUS, _BY_CHANNEL, _EPSILON, _GROUPS),
        version(21, FLOATS_PLUS, _BY_CHANNEL, _EPSILON, _GROUPS, _STASH),
    ),
    operator(
        "InstanceNormalization",
        version(1, FLOATS, _INSTANCE, _EPSILON, _CONSUMED),
        version(6, FLOATS, _INSTANCE, _EPSILON),
        version(22, FLOATS_PLUS, _INSTANCE, _EPSILON),
    ),
    _plain("MeanVarianceNormalization", {9: FLOATS, 13: FLOATS_PLUS}, _X, Attribute("axes", Kind.AXES, (0, 2, 3))),
    _plain("LpNormalization", {1: FLOATS, 22: FLOATS_PLUS}, _INPUT, _LAST_AXIS, Attribute("p", Kind.INTEGER, 2)),
)
"""The normalizations."""

ONNX_FUSED = group(Made.NORMALIZATION, operator("SimplifiedLayerNormalization", Version(1, FLOATS_PLUS, _SIMPLIFIED)))
"""What ONNX Runtime alone has in ONNX's own domain."""

ONNX_GLOBAL_POOLS = group(
    Made.POOL,
    _plain("GlobalAveragePool", {1: FLOATS, 22: FLOATS_PLUS}, _X),
    _plain("GlobalMaxPool", {1: FLOATS, 22: FLOATS_PLUS}, _X),
    operator(
        "GlobalLpPool",
        version(1, FLOATS, (_X,), Attribute("p", Kind.NUMBER, 2.0)),
        version(2, FLOATS, (_X,), Attribute("p", Kind.INTEGER, 2)),
        version(22, FLOATS_PLUS, (_X,), Attribute("p", Kind.INTEGER, 2)),
    ),
)
"""Reductions over all axes after the channels."""
