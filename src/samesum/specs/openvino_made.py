"""Operators of OpenVINO that are made of reductions: normalizations of lines."""

from __future__ import annotations

from samesum.formats.elements import CASTABLE, FLOATS_PLUS, INDEX, INTEGERS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Version, group, operator, version

# Operators of OpenVINO over windows: AvgPool, MaxPool, AdaptiveAvgPool, AdaptiveMaxPool.

_DATA = Input("data")
_WINDOWS = tuple(
    Attribute(name, Kind.INTEGERS, required=True) for name in ("strides", "pads_begin", "pads_end", "kernel")
)
_DILATIONS = Attribute("dilations", Kind.INTEGERS)
_AUTO_PAD = Attribute(
    "auto_pad", Kind.WORD, "explicit", words=("explicit", "same_upper", "same_lower", "valid", "notset")
)
_EXCLUDES = Attribute("exclude-pad", Kind.FLAG, required=True, meaning="exclude_pad")
_INDEX_TYPE = Attribute("index_element_type", Kind.WORD, "i64", words=("i64", "i32"))
_AXIS = Attribute("axis", Kind.AXIS, 0)


def _rounding(*words: str) -> Attribute:
    return Attribute("rounding_type", Kind.WORD, "floor", words=words)


_OLD, _NEW = _rounding("floor", "ceil"), _rounding("floor", "ceil", "ceil_torch")


def _version(since: int, *attributes: Attribute) -> Version:
    return version(since, NUMBERS_PLUS, (_DATA,), *_WINDOWS, *attributes, _AUTO_PAD)


def _adaptive(*attributes: Attribute) -> tuple[Version, ...]:
    sizes = Input("output_shape", INDEX, max_rank=1)
    return (version(8, FLOATS_PLUS, (_DATA, sizes), *attributes),)


OPENVINO_POOLS = group(
    Made.POOL,
    operator(
        "AvgPool",
        _version(1, _EXCLUDES, _OLD),
        _version(14, _EXCLUDES, _NEW),
        _version(16, _EXCLUDES, _NEW, _DILATIONS),
    ),
    operator(
        "MaxPool",
        _version(1, _OLD),
        _version(8, _OLD, _DILATIONS, _INDEX_TYPE, _AXIS),
        _version(14, _NEW, _DILATIONS, _INDEX_TYPE, _AXIS),
    ),
    Operator("AdaptiveAvgPool", _adaptive()),
    Operator("AdaptiveMaxPool", _adaptive(_INDEX_TYPE)),
)


# Operators of OpenVINO that send elements to places of the data, and sums of segments and of bags of embeddings.

_UPDATES = Input("updates")
_ELEMENTS = (_DATA, Input("indices", INTEGERS), _UPDATES, Input("axis", INTEGERS, max_rank=1))
_SLICES = (Input("data", min_rank=1), Input("indices", INDEX, min_rank=1), _UPDATES)
_TABLE = Input("emb_table", min_rank=1)
_INDICES, _PACKED = Input("indices", INDEX, 1, 1), Input("indices", INDEX, 2, 2)
_DEFAULT = Input("default_index", INDEX, max_rank=1, optional=True)
_WEIGHTS = Input("per_sample_weights", optional=True)
_OFFSETS = (_TABLE, _INDICES, Input("offsets", INDEX, 1, 1), _DEFAULT, _WEIGHTS)
_SEGMENTS = (
    _TABLE, _INDICES, Input("segment_ids", INDEX, 1, 1), Input("num_segments", INDEX, max_rank=1), _DEFAULT, _WEIGHTS,
)  # fmt: skip


def _reduction(default: str, *words: str) -> Attribute:
    return Attribute("reduction", Kind.WORD, default, words=words)


_OF_BAG = _reduction("sum", "sum", "mean")


def _numeric(name: str, since: int, inputs: tuple[Input, ...], *attributes: Attribute) -> Operator:
    return operator(name, version(since, NUMBERS_PLUS, inputs, *attributes))


OPENVINO_SCATTERS = group(
    Made.SCATTER,
    operator(
        "ScatterElementsUpdate",
        version(3, CASTABLE, _ELEMENTS),
        version(
            12,
            CASTABLE,
            _ELEMENTS,
            _reduction("none", "none", "sum", "prod", "min", "max", "mean"),
            Attribute("use_init_val", Kind.FLAG, True),
        ),
    ),
    operator(
        "ScatterNDUpdate",
        version(4, CASTABLE, _SLICES),
        version(15, CASTABLE, _SLICES, _reduction("none", "none", "sum", "sub", "prod", "min", "max")),
    ),
    _numeric("EmbeddingBagOffsetsSum", 3, _OFFSETS),
    _numeric("EmbeddingBagOffsets", 15, _OFFSETS, _OF_BAG),
    _numeric("EmbeddingBagPackedSum", 3, (_TABLE, _PACKED, _WEIGHTS)),
    _numeric("EmbeddingBagPacked", 15, (_TABLE, _PACKED, _WEIGHTS), _OF_BAG),
    _numeric("EmbeddingSegmentsSum", 3, _SEGMENTS),
    _numeric(
        "SegmentMax",
        16,
        (
            Input("data", min_rank=1),
            Input("segment_ids", INDEX, 1, 1),
            Input("num_segments", INDEX, max_rank=1, optional=True),
        ),
        Attribute("fill_mode", Kind.WORD, required=True, words=("zero", "lowest")),
    ),
)


_AXES = Input("axes", INTEGERS, max_rank=1)
_EPS = Attribute("eps", Kind.EPSILON, required=True)
_DIVIDES = Attribute("normalize_variance", Kind.FLAG, required=True)


def _mode(*words: str) -> Attribute:
    return Attribute("eps_mode", Kind.WORD, required=True, words=words)


OPENVINO_NORMS = group(
    Made.NORMALIZATION,
    operator(
        "MVN",
        version(
            2,
            FLOATS_PLUS,
            (_DATA,),
            Attribute("across_channels", Kind.FLAG, False),
            Attribute("normalize_variance", Kind.FLAG, True),
            Attribute("reduction_axes", Kind.AXES),
            _EPS,
        ),
        version(6, FLOATS_PLUS, (_DATA, _AXES), _DIVIDES, _EPS, _mode("inside_sqrt", "outside_sqrt")),
    ),
    operator("NormalizeL2", version(1, FLOATS_PLUS, (_DATA, _AXES), _EPS, _mode("add", "max"))),
    operator(
        "GroupNormalization",
        version(
            12,
            FLOATS_PLUS,
            (_DATA, Input("scale"), Input("bias")),
            Attribute("num_groups", Kind.INTEGER, required=True),
            Attribute("epsilon", Kind.EPSILON, required=True),
        ),
    ),
)
