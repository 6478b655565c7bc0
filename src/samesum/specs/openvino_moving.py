"""Operators of OpenVINO that move, pick, repeat or order elements, and batch normalization."""

from __future__ import annotations

import numpy as np

from samesum.formats.elements import ALL, BOOL, FLOATS_PLUS, INTEGERS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Signature, moving, operator, version

_MORE = Input("inputs", ALL, optional=True, repeated=True)

OPENVINO_CONTROL = (operator("If", version(8, ALL, (Input("cond", BOOL, max_rank=1), _MORE)), holds_graphs=True),)


_DATA = Input("data")
_INDICES = Input("indices", INTEGERS)
_AXIS = Attribute("axis", Kind.AXIS, required=True)
_BATCH_DIMS = Attribute("batch_dims", Kind.INTEGER, 0)


def _index(name: str, optional: bool = False) -> Input:
    return Input(name, INTEGERS, max_rank=1, optional=optional)


_PAD_MODE = Attribute("pad_mode", Kind.WORD, required=True, words=("constant", "edge", "reflect", "symmetric"))
_PADDED = Signature(
    (_DATA, _index("pads_begin"), _index("pads_end"), Input("pad_value", max_rank=1, optional=True)), (_PAD_MODE,)
)

_HOT = (
    Input("indices"),
    Input("depth", INTEGERS, max_rank=1),
    Input("on_value", ALL, max_rank=1),
    Input("off_value", ALL, max_rank=1),
)
_NEGATIVE = Attribute("negative_indices_mode", Kind.WORD, "ignore_negative", words=("ignore_negative", "normalize"))

_TOP = (
    _AXIS,
    Attribute("mode", Kind.WORD, required=True, words=("max", "min")),
    Attribute("sort", Kind.WORD, required=True, words=("value", "index", "none")),
    Attribute("index_element_type", Kind.TYPE, np.dtype(np.int32)),
)
_TOP_OF_11 = (*_TOP, Attribute("stable", Kind.FLAG, False))
_COUNTED = (_DATA, Input("k", INTEGERS, max_rank=1))

_EPSILON = Attribute("epsilon", Kind.EPSILON, required=True)
_STATISTICS = (Input("mean"), Input("variance"))

_RATIOS = Input("scales", FLOATS_PLUS, max_rank=1)
_INTERPOLATED = (
    Attribute("shape_calculation_mode", Kind.WORD, required=True, words=("sizes", "scales")),
    Attribute(
        "coordinate_transformation_mode",
        Kind.WORD,
        "half_pixel",
        words=("half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"),
    ),
    Attribute(
        "nearest_mode",
        Kind.WORD,
        "round_prefer_floor",
        words=("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"),
    ),
    Attribute("antialias", Kind.FLAG, False),
    Attribute("pads_begin", Kind.INTEGERS, ()),
    Attribute("pads_end", Kind.INTEGERS, ()),
    Attribute("cube_coeff", Kind.NUMBER, -0.75),
    Attribute("mode", Kind.WORD, required=True, words=("nearest", "linear", "linear_onnx", "cubic")),
)
"""Not the modes of Pillow."""

OPENVINO_MOVING = (
    operator(
        "Interpolate",
        version(
            4, NUMBERS_PLUS, (_DATA, _index("output_shape"), _RATIOS, _index("axes", optional=True)), *_INTERPOLATED
        ),
        version(
            11,
            NUMBERS_PLUS,
            (_DATA, Input("scales_or_sizes", FLOATS_PLUS | INTEGERS, max_rank=1), _index("axes", optional=True)),
            *_INTERPOLATED,
        ),
    ),
    moving("Split", (1, Signature((_DATA, _index("axis")), (Attribute("num_splits", Kind.INTEGER, required=True),)))),
    moving("VariadicSplit", (1, Signature((_DATA, _index("axis"), _index("split_lengths"))))),
    moving("Pad", (1, _PADDED), (12, _PADDED)),
    moving("Tile", (1, Signature((_DATA, _index("repeats"))))),
    moving(
        "Reverse",
        (
            1,
            Signature(
                (_DATA, Input("reversed_axes", INTEGERS | BOOL, max_rank=1, optional=True)),
                (Attribute("mode", Kind.WORD, required=True, words=("index", "mask")),),
            ),
        ),
    ),
    moving("GatherElements", (6, Signature((_DATA, _INDICES), (_AXIS,)))),
    moving("GatherND", *((since, Signature((_DATA, _INDICES), (_BATCH_DIMS,))) for since in (5, 8))),
    operator("OneHot", version(1, INTEGERS, _HOT, _AXIS), version(16, INTEGERS, _HOT, _AXIS, _NEGATIVE)),
    operator(
        "TopK",
        version(1, NUMBERS_PLUS, _COUNTED, *_TOP),
        version(3, NUMBERS_PLUS, _COUNTED, *_TOP),
        version(11, NUMBERS_PLUS, _COUNTED, *_TOP_OF_11),
    ),
    operator(
        "BatchNormInference",
        version(1, FLOATS_PLUS, (Input("gamma"), Input("beta"), _DATA, *_STATISTICS), _EPSILON),
        version(5, FLOATS_PLUS, (_DATA, Input("gamma"), Input("beta"), *_STATISTICS), _EPSILON),
    ),
)
