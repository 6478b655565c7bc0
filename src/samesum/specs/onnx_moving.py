"""Operators of ONNX (domain ai.onnx) that move, pick, repeat or order elements, and batch normalization."""

from __future__ import annotations

from samesum.formats.elements import (
    ALL,
    BFLOAT16S,
    BOOL,
    CASTABLE,
    FLOAT8,
    FLOATS,
    FLOATS_PLUS,
    INDEX,
    NUMBERS,
    NUMBERS_PLUS,
)
from samesum.specs.row import Attribute, Input, Kind, Signature, Version, moving, operator, version

# Operators of ONNX (domain ai.onnx) whose attributes are graphs, which they run: If, Loop, Scan.

_INT64 = frozenset({"int64"})


def _graph(name: str) -> Attribute:
    return Attribute(name, Kind.GRAPH, required=True)


_IF = Signature((Input("cond", BOOL),), (_graph("then_branch"), _graph("else_branch")))
_LOOP = Signature(
    (
        Input("M", _INT64, max_rank=1, optional=True),
        Input("cond", BOOL, max_rank=1, optional=True),
        Input("v_initial", ALL, optional=True, repeated=True),
    ),
    (_graph("body"),),
)
_COUNT = Attribute("num_scan_inputs", Kind.INTEGER, required=True)
_SCAN_8 = Signature(
    (
        Input("sequence_lens", _INT64, max_rank=1, optional=True),
        Input("initial_state_and_scan_inputs", ALL, repeated=True),
    ),
    (_graph("body"), _COUNT, Attribute("directions", Kind.INTEGERS)),
)
_PLACES = tuple(
    Attribute(f"scan_{end}_{what}", kind)
    for end in ("input", "output")
    for what, kind in (("axes", Kind.AXES), ("directions", Kind.INTEGERS))
)
_SCAN_9 = Signature((Input("initial_state_and_scan_inputs", ALL, repeated=True),), (_graph("body"), _COUNT, *_PLACES))

ONNX_CONTROL = (
    operator("If", Version(1, ALL, _IF), holds_graphs=True),
    operator("Loop", Version(1, ALL, _LOOP), holds_graphs=True),
    operator("Scan", Version(8, ALL, _SCAN_8), Version(9, ALL, _SCAN_9), holds_graphs=True),
)


_DATA, _INPUT = Input("data"), Input("input")


def _sizes(name: str, optional: bool = False) -> Input:
    return Input(name, _INT64, max_rank=1, optional=optional)


_FIRST_AXIS = Attribute("axis", Kind.AXIS, 0)
_SPLIT = Attribute("split", Kind.INTEGERS)
_BY_INPUT = (_INPUT, _sizes("split", optional=True))
_SPLITTING = operator(
    "Split",
    version(1, FLOATS, (_INPUT, Input("split", max_rank=1, optional=True)), _SPLIT, Attribute("axis", Kind.AXIS)),
    version(2, ALL, (_INPUT,), _SPLIT, _FIRST_AXIS),
    version(13, ALL, _BY_INPUT, _FIRST_AXIS),
    version(18, ALL, _BY_INPUT, _FIRST_AXIS, Attribute("num_outputs", Kind.INTEGER)),
)

_THREE, _FOUR = ("constant", "reflect", "edge"), ("constant", "reflect", "edge", "wrap")
_MODE, _MODE_OF_19 = (Attribute("mode", Kind.WORD, "constant", words=words) for words in (_THREE, _FOUR))
_FILL = Attribute("value", Kind.NUMBER, 0.0)
_PADDED = (_DATA, _sizes("pads"), Input("constant_value", max_rank=1, optional=True))
_PADDED_AXES = (*_PADDED, Input("axes", INDEX, max_rank=1, optional=True))
_PADDING = operator(
    "Pad",
    version(1, FLOATS, (_DATA,), Attribute("paddings", Kind.INTEGERS, required=True), _MODE, _FILL),
    version(2, FLOATS, (_DATA,), Attribute("pads", Kind.INTEGERS, required=True), _MODE, _FILL),
    version(11, NUMBERS, _PADDED, _MODE),
    version(13, ALL, _PADDED, _MODE),
    version(18, ALL, _PADDED_AXES, _MODE),
    version(19, ALL, _PADDED_AXES, _MODE_OF_19),
)

_X = Input("X")
_RANKED = (Attribute("axis", Kind.AXIS, -1),)
_ORDERED = (*_RANKED, Attribute("largest", Kind.FLAG, True), Attribute("sorted", Kind.FLAG, True))
_BY_COUNT = (_X, _sizes("K"))
_RANKING = operator(
    "TopK",
    version(1, FLOATS, (_X,), *_RANKED, Attribute("k", Kind.INTEGER, required=True)),
    version(10, FLOATS, _BY_COUNT, *_RANKED),
    version(11, NUMBERS, _BY_COUNT, *_ORDERED),
    version(24, NUMBERS_PLUS, _BY_COUNT, *_ORDERED),
)


def _hot(values: frozenset[str]) -> Signature:
    inputs = (Input("indices"), Input("depth", NUMBERS, max_rank=1), Input("values", values, 1, 1))
    return Signature(inputs, (Attribute("axis", Kind.AXIS, -1),))


_EPSILON = Attribute("epsilon", Kind.EPSILON, 9.999999747378752e-06)
_MOMENTUM = Attribute("momentum", Kind.NUMBER, 0.8999999761581421)
_SPATIAL = Attribute("spatial", Kind.FLAG, True)
_CONSUMED = Attribute("consumed_inputs", Kind.INTEGERS, required=True)
_IS_TEST = Attribute("is_test", Kind.FLAG, False, only=True)
_TRAINING = Attribute("training_mode", Kind.FLAG, False, only=False)
_BY_CHANNEL = (_X, Input("scale"), Input("B"), Input("mean"), Input("var"))


def _normalized(scales: frozenset[str] | None) -> Signature:
    statistics = (Input("input_mean", FLOATS_PLUS), Input("input_var", FLOATS_PLUS))
    inputs = (_X, Input("scale", scales), Input("B", scales), *statistics)
    return Signature(inputs, (_EPSILON, _MOMENTUM, _TRAINING))


_BATCH = operator(
    "BatchNormalization",
    version(1, FLOATS, _BY_CHANNEL, _EPSILON, _MOMENTUM, _SPATIAL, _IS_TEST, _CONSUMED),
    version(6, FLOATS, _BY_CHANNEL, _EPSILON, _MOMENTUM, _SPATIAL, _IS_TEST),
    version(7, FLOATS, _BY_CHANNEL, _EPSILON, _MOMENTUM, _SPATIAL),
    version(9, FLOATS, _BY_CHANNEL, _EPSILON, _MOMENTUM),
    Version(14, FLOATS_PLUS, _normalized(None)),
    Version(15, FLOATS_PLUS, _normalized(FLOATS_PLUS)),
)

_BLOCKS = (Attribute("blocksize", Kind.INTEGER, required=True),)
_BLOCKS_IN_ORDER = (*_BLOCKS, Attribute("mode", Kind.WORD, "DCR", words=("dcr", "crd")))

_RATIO, _DROPS = Attribute("ratio", Kind.NUMBER, 0.5), Attribute("is_test", Kind.FLAG, False)
_DROPPED_FLOATS = FLOATS_PLUS | (FLOAT8 - {"float8_e8m0fnu"})


def _dropped(ratios: frozenset[str]) -> Signature:
    ratio, training = Input("ratio", ratios, 0, 1, optional=True), Input("training_mode", BOOL, 0, 1, optional=True)
    return Signature((_DATA, ratio, training), (Attribute("seed", Kind.INTEGER),))


_DROPPING = operator(
    "Dropout",
    version(1, FLOATS, (_DATA,), _RATIO, _DROPS, Attribute("consumed_inputs", Kind.INTEGERS)),
    version(6, FLOATS, (_DATA,), _RATIO, _DROPS),
    version(7, FLOATS, (_DATA,), _RATIO),
    Version(12, FLOATS, _dropped(FLOATS)),
    Version(13, FLOATS_PLUS, _dropped(FLOATS)),
    Version(22, _DROPPED_FLOATS, _dropped(_DROPPED_FLOATS)),
)

_SINGLE = frozenset({"float32"})


def _word(name: str, default: str, words: str) -> Attribute:
    return Attribute(name, Kind.WORD, default, words=tuple(words.split()))


_COORDINATES = "half_pixel pytorch_half_pixel align_corners asymmetric tf_crop_and_resize"


def _resized(are_optional: bool, coordinates: str = "", *more: Attribute) -> Signature:
    """Whether what is not the data may be left out, which coordinates there are besides, and further attributes."""
    roi = Input("roi", FLOATS, max_rank=1, optional=are_optional)
    scales = Input("scales", _SINGLE, max_rank=1, optional=are_optional)
    attributes = (
        _word("mode", "nearest", "nearest linear cubic"),
        _word("coordinate_transformation_mode", "half_pixel", f"{_COORDINATES} {coordinates}"),
        _word("nearest_mode", "round_prefer_floor", "round_prefer_floor round_prefer_ceil floor ceil"),
        Attribute("cubic_coeff_a", Kind.NUMBER, -0.75),
        Attribute("exclude_outside", Kind.FLAG, False),
        Attribute("extrapolation_value", Kind.NUMBER, 0.0),
    )
    return Signature((_X, roi, scales, _sizes("sizes", optional=True)), (*attributes, *more))


_OF_18 = (
    Attribute("antialias", Kind.FLAG, False),
    Attribute("axes", Kind.AXES),
    _word("keep_aspect_ratio_policy", "stretch", "stretch not_larger not_smaller"),
)
_BY_SCALES = (_X, Input("scales", _SINGLE, max_rank=1))
_FACTORS = tuple(Attribute(f"{name}_scale", Kind.NUMBER, required=True) for name in ("height", "width"))
_NEAREST = _word("mode", "nearest", "nearest linear bilinear")
_FIRST_RESIZED = Signature((Input("X", min_rank=4, max_rank=4),), (*_FACTORS, _NEAREST))
_UPSAMPLED = Signature((_X,), (Attribute("scales", Kind.NUMBERS, required=True), _NEAREST))
_RESIZED, _RESIZED_PLUS = NUMBERS | BOOL, NUMBERS_PLUS | BOOL
_RESIZING = (
    operator(
        "Upsample",
        Version(1, FLOATS | INDEX | BOOL, _FIRST_RESIZED),
        Version(7, _RESIZED, _UPSAMPLED),
        version(9, _RESIZED, _BY_SCALES, _NEAREST),
    ),
    operator(
        "Resize",
        version(10, _RESIZED, _BY_SCALES, _NEAREST),
        Version(11, _RESIZED, _resized(False, "tf_half_pixel_for_nn")),
        Version(13, _RESIZED_PLUS, _resized(True)),
        Version(18, _RESIZED_PLUS, _resized(True, "", *_OF_18)),
        Version(19, _RESIZED_PLUS, _resized(True, "half_pixel_symmetric", *_OF_18)),
    ),
)

_IMAGES = Input("input", min_rank=4, max_rank=4)
_TILED = (_INPUT, Input("tiles", max_rank=1), Input("axis", max_rank=1))
ONNX_MOVING = (
    _SPLITTING,
    _PADDING,
    operator("Tile", version(1, FLOATS, _TILED), version(6, ALL, (_INPUT, _sizes("repeats")))),
    moving("Flatten", (1, Signature((_INPUT,), (Attribute("axis", Kind.AXIS, 1),)))),
    moving("GatherElements", (11, Signature((_DATA, Input("indices", INDEX)), (_FIRST_AXIS,)))),
    moving(
        "GatherND",
        (11, Signature((_DATA, Input("indices", _INT64, 1)))),
        (12, Signature((_DATA, Input("indices", _INT64, 1)), (Attribute("batch_dims", Kind.INTEGER, 0),))),
    ),
    operator("OneHot", Version(9, NUMBERS, _hot(CASTABLE - BFLOAT16S)), Version(28, NUMBERS, _hot(CASTABLE))),
    _RANKING,
    moving(
        "Trilu",
        (
            14,
            Signature((Input("input", min_rank=2), _sizes("k", optional=True)), (Attribute("upper", Kind.FLAG, True),)),
        ),
    ),
    moving("Size", (1, Signature((_DATA,)))),
    operator("ConstantOfShape", version(9, _INT64, (Input("input", max_rank=1),), Attribute("value", Kind.TENSOR))),
    _BATCH,
    moving("DepthToSpace", (1, Signature((_IMAGES,), _BLOCKS)), (11, Signature((_IMAGES,), _BLOCKS_IN_ORDER))),
    moving("SpaceToDepth", (1, Signature((_IMAGES,), _BLOCKS)), (28, Signature((_IMAGES,), _BLOCKS_IN_ORDER))),
    operator("NonZero", version(9, ALL, (_X,)), result="int64"),
    _DROPPING,
    *_RESIZING,
)
