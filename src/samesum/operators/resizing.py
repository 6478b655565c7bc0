"""Resize, Upsample: each element of the result from elements nearby, axis after axis.

Coordinates are exact rational numbers, of the float32 scales or of the ratio of sizes. A chosen element is that of the
exact coordinate. A weighted one has float64 weights, is summed in float64 in one order, and is rounded once to the type
of the data: its error beyond half an ulp is at most 2^-44 of the largest element weighted. Its bits never differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor, lcm

import numpy as np

from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import NDArray, Shape, checked
from samesum.formats.axes import all_from_front
from samesum.formats.conversion import convert
from samesum.operators.facts import shaped
from samesum.operators.pointwise import given, integers, lines_along, optional
from samesum.operators.rows import Attributes, Facts, Inputs, Run

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Line:
    """How one axis is resized."""

    size: int
    """Elements there are."""
    wanted: int
    scale: Fraction
    start: Fraction = Fraction(0)
    end: Fraction = Fraction(1)
    """Of the region of interest."""

    def coordinate(self, mode: str, at: int) -> Fraction:
        """Where the element `at` of the result lies in the data."""
        if mode == "tf_crop_and_resize":
            last = self.size - 1
            if self.wanted == 1:
                return (self.start + self.end) * last * _HALF
            return self.start * last + at * (self.end - self.start) * last / (self.wanted - 1)
        if self.scale == 1 and self.wanted == self.size:
            return Fraction(at)
        if mode == "align_corners":
            return Fraction(at * (self.size - 1), self.wanted - 1) if self.wanted > 1 else Fraction(0)
        if mode == "asymmetric":
            return at / self.scale
        if mode == "tf_half_pixel_for_nn":
            return (at + _HALF) / self.scale
        if mode == "pytorch_half_pixel" and self.wanted == 1:
            return Fraction(0)
        middle = (at + _HALF) / self.scale - _HALF
        if mode == "half_pixel_symmetric":
            return middle + Fraction(self.size, 2) * (1 - self.wanted / (self.size * self.scale))
        return middle


@dataclass(frozen=True, slots=True)
class Way:
    """How elements are found and weighted, the same for all axes."""

    mode: str
    coordinates: str
    nearest: str
    a: Fraction
    excludes: bool
    antialiases: bool


_CHOICES: dict[str, Callable[[NDArray, int], NDArray]] = {
    "floor": lambda n, d: n // d,
    "ceil": lambda n, d: -(-n // d),
    "round_prefer_floor": lambda n, d: -((d - 2 * n) // (2 * d)),
    "round_prefer_ceil": lambda n, d: (2 * n + d) // (2 * d),
}
"""Of exact quotients."""
_TERMS = 2**16
"""Of weighted sums at a time, unless there are more sums."""


@lru_cache(maxsize=256)
def _taps(line: Line, way: Way) -> tuple[NDArray, NDArray, NDArray]:
    """Elements [wanted, taps], their weights, and which of the results lie outside of the data."""
    first_of_all = line.coordinate(way.coordinates, 0)
    step = line.coordinate(way.coordinates, 1) - first_of_all
    d = lcm(first_of_all.denominator, step.denominator)
    begin, each = int(first_of_all * d), int(step * d)
    fits = 2 * (abs(begin) + abs(each) * line.wanted + d * (line.size + 1)) < 2**62
    n = begin + each * np.arange(line.wanted, dtype=np.int64 if fits else object)
    outside = np.asarray((n < 0) | (n > d * (line.size - 1)), bool)
    if way.mode == "nearest":
        simple = "ceil" if line.scale < 1 else "floor"
        chosen = _CHOICES[simple if way.nearest == "simple" else way.nearest](n, d)[:, None]
        return _inside(chosen, line), np.ones((line.wanted, 1)), outside
    below = n // d
    stretch = min(line.scale, Fraction(1)) if way.antialiases else Fraction(1)
    before = floor(-(1 if way.mode == "linear" else 2) / stretch) + 1
    offsets = np.arange(before, 2 - before)
    distances = np.abs(offsets - np.asarray((n - below * d) / d, np.float64)[:, None]) * float(stretch)
    weights = np.maximum(1 - distances, 0) if way.mode == "linear" else _cubic(distances, float(way.a))
    places = below[:, None] + offsets
    if way.excludes:
        there = np.asarray((places >= 0) & (places < line.size), bool)
        weights = np.where(there | ~there.any(axis=1, keepdims=True), weights, 0.0)
    if way.excludes or way.antialiases:
        weights = weights / _sum(weights)[:, None]
    return _inside(places, line), weights, outside


def _inside(places: NDArray, line: Line) -> NDArray:
    return np.asarray(np.clip(places, 0, max(line.size - 1, 0)), np.intp)


def _sum(weights: NDArray) -> NDArray:
    """Of each row, one after the other: its bits depend on no machine."""
    return np.asarray(np.add.accumulate(weights, axis=1)[:, -1])


def _cubic(d: NDArray, a: float) -> NDArray:
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    return np.where(d <= 1, near, np.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 0.0))


def resized(x: NDArray, lines: Sequence[Line], way: Way, fill: float) -> NDArray:
    """`x` with each axis resized as its line says; where coordinates crop, `fill`, cast to the type of `x`, is what
    lies outside.
    """
    crops = way.coordinates == "tf_crop_and_resize"
    if crops and x.dtype.kind in "iu" and not np.isfinite(fill):
        raise AttributeValueError(f"extrapolation_value is {fill}; {x.dtype.name} needs a finite number")
    if any(line.size == 0 and line.wanted for line in lines):
        raise ShapeError(f"shape {x.shape} has no elements to be resized")
    if not all(line.wanted for line in lines):
        return np.empty([line.wanted for line in lines], x.dtype)
    changed = [
        (axis, *_taps(line, way))
        for axis, line in enumerate(lines)
        if line.wanted != line.size or line.scale != 1 or crops
    ]
    y = x
    if way.mode == "nearest":
        # Where elements lie apart they are chosen while they are few.
        for axis, places, _, _ in sorted(changed, key=lambda each: -each[0] * (len(each[1]) > x.shape[each[0]])):
            y = np.take(y, places[:, 0], axis)
    elif changed:
        y = y.astype(np.float64)
        for axis, places, weights, _ in sorted(changed, key=lambda each: len(each[1]) / lines[each[0]].size):
            y = _weighted(y, axis, places, weights)
        if x.dtype.kind in "iu" and way.antialiases:
            y = np.clip(np.rint(y), np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
        y = convert(y, x.dtype)
    if crops:
        y, beyond = np.array(y), convert(np.asarray(fill), x.dtype)
        for axis, _, _, outside in changed:
            y[(slice(None),) * axis + (outside,)] = beyond
    return y


def _weighted(y: NDArray, axis: int, places: NDArray, weights: NDArray) -> NDArray:
    """Each sum is made one term after the other, of a block of terms at a time."""
    wanted, taps = weights.shape
    lines = lines_along(y, axis)
    block = max(1, _TERMS // (len(lines) * wanted * lines.shape[2]))
    total: NDArray | None = None
    for begin in range(0, taps, block):
        part = slice(begin, begin + block)
        terms = np.take(lines, places[:, part].T, 1)
        terms *= weights[:, part].T[..., None]
        if total is not None:
            terms[:, 0] += total
        total = (terms if block == 1 else np.add.accumulate(terms, axis=1))[:, -1]
    assert total is not None
    return total.reshape(*y.shape[:axis], wanted, *y.shape[axis + 1 :])


def _coefficient(attributes: Attributes, name: str) -> Fraction:
    if not np.isfinite(attributes[name]):
        raise AttributeValueError(f"{name} is {attributes[name]}; a finite number is needed")
    return Fraction(attributes[name])


def resize(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Resize since version 11: by scales or to sizes, along `axes` or all."""
    x = given(inputs, 0)
    way = Way(
        attributes["mode"],
        attributes["coordinate_transformation_mode"],
        attributes["nearest_mode"],
        _coefficient(attributes, "cubic_coeff_a"),
        attributes["exclude_outside"],
        attributes.get("antialias", False),
    )
    return resized(x, _lines(attributes, x.shape, inputs), way, attributes["extrapolation_value"])


def resize_10(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Resize 10 and Upsample: coordinates over the scale, the element below or linear."""
    x = given(inputs, 0)
    mode = attributes["mode"].removeprefix("bi")  # the first Upsample has bilinear
    way = Way(mode, "asymmetric", "floor", Fraction(0), False, False)
    return resized(x, _lines(attributes, x.shape, (None, None, *inputs[1:])), way, 0.0)


def interpolate(place_of_axes: int) -> Run:
    """Interpolate of OpenVINO, whose optional axes are the input at that place; by its floats it scales, by integers
    it sizes.

    The mode `linear` leaves out what lies outside of the data. Padding comes first, with zeros.
    """

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        x, axes = given(inputs, 0), optional(inputs, place_of_axes)
        before, after = ([*attributes[f"pads_{end}"], *[0] * x.ndim][: x.ndim] for end in ("begin", "end"))
        if any(before + after):
            if min(before + after) < 0:
                raise AttributeValueError(f"pads_begin and pads_end are {before} and {after}; none may be negative")
            checked([b + n + a for b, n, a in zip(before, x.shape, after, strict=True)])
            x = np.pad(x, list(zip(before, after, strict=True)))
        by_scales = attributes["shape_calculation_mode"] == "scales"
        values = given(inputs, 2 if by_scales and place_of_axes == 3 else 1)
        if by_scales != (values.dtype.kind not in "iu"):
            raise AttributeValueError(f"shape_calculation_mode says otherwise than {values.dtype.name} of the input")
        chosen = {"axes": None if axes is None else integers(axes)}
        lines = _lines(chosen, x.shape, (None, None, *((values, None) if by_scales else (None, values))))
        mode = attributes["mode"]
        way = Way(
            mode.removesuffix("_onnx"),
            attributes["coordinate_transformation_mode"],
            attributes["nearest_mode"],
            _coefficient(attributes, "cube_coeff"),
            mode == "linear",
            attributes["antialias"] and mode == "linear",
        )
        return resized(x, lines, way, 0.0)

    return run


def _lines(attributes: Attributes, shape: tuple[int, ...], inputs: Inputs) -> list[Line]:
    axes = all_from_front(attributes.get("axes"), len(shape))
    scales, sizes = _values(optional(inputs, 2)), optional(inputs, 3)
    if "height_scale" in attributes:
        scales = (1.0, 1.0, attributes["height_scale"], attributes["width_scale"])
    elif attributes.get("scales") is not None:
        scales = attributes["scales"]
    targets = () if sizes is None else integers(sizes)
    if bool(scales) == bool(targets) and axes:
        raise ShapeError("exactly one of scales and sizes is needed")
    if len(scales or targets) != len(axes):
        raise ShapeError(f"{len(scales or targets)} scales or sizes are given; {len(axes)} axes are resized")
    lines = [Line(size, size, Fraction(1)) for size in shape]
    ratios = _ratios(attributes.get("keep_aspect_ratio_policy", "stretch"), [shape[axis] for axis in axes], targets)
    roi = (
        _values(optional(inputs, 1)) if attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize" else ()
    )
    if roi and len(roi) != 2 * len(axes):
        raise ShapeError(f"roi has {len(roi)} elements; {2 * len(axes)} are needed")
    for i, axis in enumerate(axes):
        size = shape[axis]
        if scales:
            if not 0 < scales[i] < np.inf:
                raise AttributeValueError(f"a scale is {scales[i]}; it has to be positive")
            wanted, ratio = _scaled(size, scales[i]), Fraction(scales[i])
        else:
            wanted, ratio = ratios[i]
        ends = (Fraction(roi[i]), Fraction(roi[i + len(axes)])) if roi else (Fraction(0), Fraction(1))
        lines[axis] = Line(size, wanted, ratio, *ends)
    checked([line.wanted for line in lines])
    return lines


def _scaled(size: int, scale: float) -> int:
    with np.errstate(all="ignore"):
        product = np.float32(size) * np.float32(scale)
    if not np.isfinite(product):
        raise ShapeError(f"an axis of {size} elements times the scale {scale} is beyond float32")
    return floor(product)


def _values(array: NDArray | None) -> tuple[float, ...]:
    values = () if array is None else tuple(array.astype(np.float64).ravel().tolist())
    if not np.isfinite(values).all():
        raise AttributeValueError(f"scales or roi are {list(values)}; finite numbers are allowed")
    return values


def _ratios(policy: str, sizes: Sequence[int], targets: Sequence[int]) -> list[tuple[int, Fraction]]:
    """The size and the scale of each axis whose size is asked for."""
    if any(target < 0 for target in targets):
        raise ShapeError(f"sizes are {list(targets)}; negative ones are not allowed")
    each = [Fraction(target, size) if size else Fraction(1) for size, target in zip(sizes, targets, strict=False)]
    if policy == "stretch" or not each:
        return [(target, ratio or Fraction(1)) for target, ratio in zip(targets, each, strict=False)]
    ratio = min(each) if policy == "not_larger" else max(each)
    return [(floor(ratio * size + _HALF), ratio or Fraction(1)) for size in sizes]


@shaped
def resized_fact(attributes: Attributes, shape: Shape, facts: Facts) -> Shape:
    """Of each dim the size that it becomes, where scales or sizes are known; unknown dims are tried with two sizes."""
    others = facts[1:] if "nearest_mode" in attributes else [None, *facts[1:]]
    if any(fact is not None and fact.value is None for fact in others):
        return (None,) * len(shape)
    values = [None, *(None if fact is None else fact.value for fact in others)]
    shapes = [tuple(size if dim is None else dim for dim in shape) for size in (840, 1680)]
    tried = [_lines(attributes, each, values) for each in shapes]
    return tuple(a.wanted if a.wanted == b.wanted else None for a, b in zip(*tried, strict=True))


@shaped
def interpolated_fact(_: Attributes, shape: Shape, __: Facts) -> Shape:
    """The type and the rank of the data."""
    return (None,) * len(shape)
