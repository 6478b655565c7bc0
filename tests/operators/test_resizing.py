"""Resize, Upsample, Interpolate: exact coordinates, and what is weighted near to the real value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from building import integers, ir_run, onnx_bytes, onnx_run, same
from machines import same_everywhere
from naming import looped
from oracle import assert_bits, form_of
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.rounding import quotient
from samesum.frontends.models.load import load
from samesum.operators import resizing

HALF = Fraction(1, 2)
MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
CHOICES: dict[str, Callable[[Fraction], int]] = {
    "round_prefer_floor": lambda x: ceil(x - HALF),
    "round_prefer_ceil": lambda x: floor(x + HALF),
    "floor": floor,
    "ceil": ceil,
}


def coordinate(mode: str, at: int, size: int, wanted: int, scale: Fraction) -> Fraction:
    """By the text of the standard."""
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and wanted > 1):
        return (at + HALF) / scale - HALF
    if mode == "half_pixel_symmetric":
        adjustment = wanted / (scale * size)
        offset = Fraction(size, 2) * (1 - adjustment)
        return offset + (at + HALF) / scale - HALF
    if mode == "align_corners":
        return Fraction(at * (size - 1), wanted - 1) if wanted > 1 else Fraction(0)
    return at / scale if mode == "asymmetric" else Fraction(0)


def cubic(d: Fraction, a: Fraction) -> Fraction:
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else Fraction(0)


def line(
    x: list[Fraction],
    wanted: int,
    scale: Fraction,
    mode: str,
    how: str,
    a: Fraction = -HALF,
    excludes: bool = False,
    antialiases: bool = False,
) -> list[Fraction]:
    """One line resized, in rational numbers."""
    result = []
    stretch = min(scale, Fraction(1)) if antialiases else Fraction(1)
    reach = ceil((2 if how == "cubic" else 1) / stretch)
    for at in range(wanted):
        c = coordinate(mode, at, len(x), wanted, scale)
        taps = range(floor(c) - reach, floor(c) + reach + 2)
        distances = [abs(i - c) * stretch for i in taps]
        weights = [cubic(d, a) if how == "cubic" else max(1 - d, Fraction(0)) for d in distances]
        if excludes:
            weights = [w if 0 <= i < len(x) else Fraction(0) for i, w in zip(taps, weights, strict=True)]
        if excludes or antialiases:
            weights = [w / sum(weights) for w in weights]
        result.append(sum(x[min(max(i, 0), len(x) - 1)] * w for i, w in zip(taps, weights, strict=True)))
    return result


def rounded(x: Fraction, dtype: np.dtype[Any]) -> Fraction:
    """The number of the type next to `x`."""
    form = form_of(dtype)
    code = form.nearest(*quotient(x.numerator, 0, x.denominator)) if x else 0
    return Fraction(float(np.array(code, f"u{dtype.itemsize}").view(dtype)[()]))


def test_the_nearest_element_is_that_of_the_exact_coordinate() -> None:
    for size, mode, name in product((1, 2, 5, 7), MODES, CHOICES):
        x = np.arange(size, dtype=np.int8)
        for wanted in (1, 2, 3, 5, 8, 13):
            found = onnx_run("Resize", [x, None, None, integers(wanted)], 19, nearest_mode=name,
                             coordinate_transformation_mode=mode)  # fmt: skip
            exact = [CHOICES[name](coordinate(mode, i, size, wanted, Fraction(wanted, size))) for i in range(wanted)]
            assert same(found, np.clip(exact, 0, size - 1).astype(np.int8)), (size, mode, name, wanted)
        for scale in (np.float32(0.6), np.float32(1.5), np.float32(2.7)):
            wanted = floor(np.float32(size) * scale)
            found = onnx_run("Resize", [x, None, scale.reshape(1)], 19, nearest_mode=name,
                             coordinate_transformation_mode=mode)  # fmt: skip
            exact = [CHOICES[name](coordinate(mode, i, size, wanted, Fraction(float(scale)))) for i in range(wanted)]
            assert same(found, np.clip(exact, 0, size - 1).astype(np.int8)), (size, mode, name, scale)


@pytest.mark.parametrize("dtype", [np.float16, BFLOAT16, np.float32, np.float64], ids=str)
@looped("how,excludes", [("linear", 0), ("linear", 1), ("cubic", 0), ("cubic", 1)])
def test_weighted_elements_are_within_the_bound(how: str, excludes: int, dtype: Any) -> None:
    """Half a unit in the last place, and 2^-44 of the largest element besides."""
    random = np.random.default_rng(1)
    for mode, wanted in product(MODES, (1, 3, 5, 11)):
        x = random.standard_normal(5).astype(dtype)
        found = onnx_run("Resize", [x, None, None, integers(wanted)], 19, mode=how, exclude_outside=excludes,
                         coordinate_transformation_mode=mode, cubic_coeff_a=-0.5)  # fmt: skip
        exact = line([Fraction(float(v)) for v in x], wanted, Fraction(wanted, 5), mode, how, -HALF, bool(excludes))
        room = Fraction(float(np.abs(x.astype(float)).max())) / 2**44
        for got, real in zip(found, exact, strict=True):
            best = rounded(real, np.dtype(dtype))
            assert abs(Fraction(float(got)) - real) <= abs(best - real) + room, (mode, wanted, got, float(real))


@pytest.mark.parametrize("terms", [2**16, 12, 1])
def test_antialiased_elements_are_within_the_bound_and_blocks_of_terms_change_no_bit(
    terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies on one side of an element counts for as many results as the scale is small."""
    x = np.random.default_rng(6).standard_normal((2, 17, 3))
    for how, wanted in product(("linear", "cubic"), (1, 2, 5, 16)):
        asked = {"mode": how, "antialias": 1, "cubic_coeff_a": -0.5}
        whole = onnx_run("Resize", [x, None, None, integers(2, wanted, 3)], 19, **asked)
        monkeypatch.setattr(resizing, "_TERMS", terms)
        assert_bits(onnx_run("Resize", [x, None, None, integers(2, wanted, 3)], 19, **asked), whole)
        monkeypatch.undo()
        values = [Fraction(float(v)) for v in x[1, :, 2]]
        exact = line(values, wanted, Fraction(wanted, 17), "half_pixel", how, antialiases=True)
        np.testing.assert_allclose(whole[1, :, 2], [float(v) for v in exact], rtol=0, atol=np.abs(x).max() / 2**44)


def test_axes_are_resized_one_after_the_other_and_bits_are_the_same_everywhere() -> None:
    x = np.random.default_rng(2).standard_normal((2, 3, 9, 11)).astype(np.float32)
    scales = np.float32([1, 1, 1.7, 0.4])

    def run() -> list[NDArray]:
        return [onnx_run("Resize", [x, None, scales], 19, mode=mode) for mode in ("linear", "cubic", "nearest")]

    for each in same_everywhere(run):
        assert each.shape == (2, 3, 15, 4)
    whole = run()[0]
    assert_bits(onnx_run("Resize", [x[1:], None, scales], 19, mode="linear"), np.ascontiguousarray(whole[1:]))
    turned = np.ascontiguousarray(x.transpose(0, 1, 3, 2))
    found = onnx_run("Resize", [turned, None, scales[[0, 1, 3, 2]]], 19, mode="linear")
    np.testing.assert_allclose(found.transpose(0, 1, 3, 2), whole, rtol=1e-6)


def test_some_axes_by_policy() -> None:
    x = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    for policy, shape in (("stretch", (1, 6, 2)), ("not_larger", (1, 2, 2)), ("not_smaller", (1, 6, 8))):
        found = onnx_run("Resize", [x, None, None, integers(6, 2)], 18, axes=[1, 2], keep_aspect_ratio_policy=policy)
        assert found.shape == shape, policy


def test_a_region_is_cut_out() -> None:
    x = np.float32([[10, 20, 30, 40, 50]])
    roi = np.float32([0, 0.25, 1, 1.25])
    found = onnx_run("Resize", [x, roi, None, integers(1, 5)], 13, mode="linear", extrapolation_value=-1.0,
                     coordinate_transformation_mode="tf_crop_and_resize")  # fmt: skip
    assert same(found, np.float32([[20, 30, 40, 50, -1]]))


def test_what_lies_outside_of_a_region_is_cast_to_the_type_of_the_data() -> None:
    x, roi = np.uint8([[0, 3, 200, 7]]), np.float32([0, 0, 1, 2])
    asked: dict[str, Any] = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
    for value in (-1.0, 0.5, 300.0, 1e30):
        found = onnx_run("Resize", [x, roi, None, integers(1, 3)], 13, extrapolation_value=value, **asked)
        cast = onnx_run("Cast", [np.float32([value])], 13, to=2)
        assert same(found.ravel()[2:], cast), value
    with pytest.raises(AttributeValueError, match="extrapolation_value is nan; uint8 needs a finite number"):
        onnx_run("Resize", [x, roi, None, integers(1, 3)], 13, extrapolation_value=np.nan, **asked)


def test_an_axis_without_elements_stays_one() -> None:
    for mode, antialias in product(("nearest", "linear", "cubic"), (0, 1)):
        for shape in ((1, 0, 3), (0, 2, 3)):
            x = np.zeros(shape, np.float32)
            asked = {"mode": mode, "antialias": antialias}
            assert onnx_run("Resize", [x, None, np.float32([1, 2, 2])], 18, **asked).shape == (
                shape[0],
                2 * shape[1],
                6,
            )
            assert onnx_run("Resize", [x, None, None, integers(*shape[:2], 5)], 18, **asked).shape == (*shape[:2], 5)
            full = np.ones((1, 2, 3), np.float32)
            assert onnx_run("Resize", [full, None, np.float32([1, 1, 1e-30])], 18, **asked).shape == (1, 2, 0)


def test_what_is_known_of_shapes_beforehand() -> None:
    from onnx import TensorProto, helper

    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear")
    inputs = {"x": (TensorProto.FLOAT, ["n", 3, 5])}
    model = load(onnx_bytes([node], inputs, {"y": (0, None)}, {"s": np.float32([1, 2, 0.5])}, opset=13))
    assert model.outputs[0].shape == (None, 6, 2)


def test_integers_are_truncated_and_with_antialias_rounded() -> None:
    x = np.uint8([[0, 3, 200, 7]])
    assert onnx_run("Resize", [x, None, None, integers(1, 7)], 18, mode="linear").ravel().tolist() == [
        0,
        1,
        2,
        101,
        186,
        75,
        7,
    ]
    assert onnx_run("Resize", [x, None, None, integers(1, 2)], 18, mode="linear", antialias=1).dtype == np.uint8


def test_what_does_not_fit_is_refused() -> None:
    x = np.ones((1, 2, 3), np.float32)
    for inputs, error, words in (
        ([x], ShapeError, "exactly one of scales and sizes"),
        ([x, None, np.float32([1, 1, 1]), integers(1, 2, 3)], ShapeError, "exactly one of scales and sizes"),
        ([x, None, np.float32([1, 2])], ShapeError, "2 scales or sizes are given; 3 axes are resized"),
        ([x, None, np.float32([1, 2, -1])], AttributeValueError, "a scale is -1.0"),
        ([x, None, np.float32([1, 2, np.nan])], AttributeValueError, "finite numbers"),
        ([x, None, None, integers(1, 2, -3)], ShapeError, "negative ones"),
        ([x, None, np.float32([1e15, 1e15, 1])], ShapeError, "elements"),
        (
            [x, None, np.float32([1, 1, 3e38])],
            ShapeError,
            "an axis of 3 elements times the scale 3.* is beyond float32",
        ),
        ([x[:, :0], None, None, integers(1, 2, 3)], ShapeError, "no elements to be resized"),
    ):
        with pytest.raises(error, match=words):
            onnx_run("Resize", inputs, 18)
    for a in (np.nan, np.inf):
        with pytest.raises(AttributeValueError, match=f"cubic_coeff_a is {a}; a finite number is needed"):
            onnx_run("Resize", [x, None, None, integers(1, 2, 5)], 18, mode="cubic", cubic_coeff_a=a)


def test_upsample_and_the_first_resize_divide_by_the_scale() -> None:
    x = np.float32([[[[1, 2], [3, 4]]]])
    scales = np.float32([1, 1, 1, 2])
    wide = np.float32([[[[1, 1, 2, 2], [3, 3, 4, 4]]]])
    assert same(onnx_run("Upsample", [x], 1, height_scale=1.0, width_scale=2.0), wide)
    assert same(onnx_run("Upsample", [x], 7, scales=[1.0, 1.0, 1.0, 2.0]), wide)
    assert same(onnx_run("Upsample", [x, scales], 9), wide)
    assert same(onnx_run("Resize", [x, scales], 10), wide)
    linear = np.float32([[[[1, 1.5, 2, 2], [3, 3.5, 4, 4]]]])
    assert same(onnx_run("Resize", [x, scales], 10, mode="linear"), linear)
    assert same(onnx_run("Upsample", [x], 1, height_scale=1.0, width_scale=2.0, mode="bilinear"), linear)


def test_openvino_interpolates_alike() -> None:
    x = np.random.default_rng(3).standard_normal((1, 2, 5, 7)).astype(np.float32)
    for mode, how in product(("linear", "cubic", "nearest"), MODES[:4]):
        said = f'mode="{mode + "_onnx" * (mode == "linear")}" coordinate_transformation_mode="{how}"'
        asked = {"mode": mode, "coordinate_transformation_mode": how}
        by_size = onnx_run("Resize", [x, None, None, integers(1, 2, 8, 3)], 19, **asked)
        arrays = [x, integers(8, 3), integers(2, 3)]
        assert same(ir_run("Interpolate", arrays, said + ' shape_calculation_mode="sizes"', "opset11", (1, 2)), by_size)
        old = [x, integers(8, 3), np.float32([1, 1]), integers(2, 3)]
        assert same(ir_run("Interpolate", old, said + ' shape_calculation_mode="sizes"', "opset4", (1, 2, 3)), by_size)
        scales = np.float32([1.5, 0.7])
        by_scale = onnx_run("Resize", [x, None, np.float32([1, 1, *scales])], 19, **asked)
        arrays = [x, scales, integers(2, 3)]
        said += ' shape_calculation_mode="scales"'
        assert same(ir_run("Interpolate", arrays, said, "opset11", (1, 2)), by_scale)
    padded = 'mode="nearest" shape_calculation_mode="sizes" pads_begin="0,0,1,0" pads_end="0,0,0,1"'
    found = ir_run("Interpolate", [x, integers(6, 8), integers(2, 3)], padded, "opset11", (1, 2))
    assert same(found, np.pad(x, [(0, 0), (0, 0), (1, 0), (0, 1)]))
    alone = ir_run("Interpolate", [np.float32(3), integers(), integers()], padded, "opset11", (1, 2))
    assert same(alone, np.float32(3))
    for pads, error, words in (
        ("0,0,-1,0", AttributeValueError, "none may be negative"),
        ("0,0,9223372036854775807", ShapeError, "more than 2\\^40 elements"),
    ):
        with pytest.raises(error, match=words):
            ir_run(
                "Interpolate", [x, integers(6, 8), integers(2, 3)], padded.replace("0,0,1,0", pads), "opset11", (1, 2)
            )
    with pytest.raises(AttributeValueError, match="shape_calculation_mode says otherwise"):
        ir_run("Interpolate", [x, np.float32([1, 2]), integers(2, 3)], padded, "opset11", (1, 2))


def test_onnx_runtime_gives_nearly_the_same() -> None:
    """Where coordinates are exact in float32, too; linear and cubic weights are not."""
    onnxruntime = pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper

    x = np.random.default_rng(4).standard_normal((1, 2, 6, 8)).astype(np.float32)
    for mode, how, target in product(("linear", "cubic", "nearest"), MODES, ([3, 16], [12, 4], [1, 8])):
        node = helper.make_node("Resize", ["x", "", "", "s"], ["y"], mode=mode, coordinate_transformation_mode=how)
        kinds = {"x": (TensorProto.FLOAT, x.shape)}
        outputs = {"y": (TensorProto.FLOAT, None)}
        data = onnx_bytes([node], kinds, outputs, {"s": integers(1, 2, *target)}, opset=19, ir_version=9)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        (theirs,) = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})
        np.testing.assert_allclose(load(data).run({"x": x})["y"], theirs, atol=1e-5, err_msg=f"{mode} {how} {target}")
