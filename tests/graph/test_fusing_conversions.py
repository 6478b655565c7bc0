"""Normalizations written out with conversions between float types before, on and behind the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from written_out import Writer, constants, dtype_named, feeds, in_onnx, in_openvino, sample

import samesum as ss
from naming import looped
from oracle import assert_bits

WRITERS = pytest.mark.parametrize("write", [in_onnx, in_openvino])
SHORT = pytest.mark.parametrize("short", ["float16", "bfloat16"])
_MOMENTS = "ReduceMean h m; Sub h m d; Pow d two32 d2; ReduceMean d2 v; Add v eps32 a; Sqrt a s; Div d s "
_SQUARES = "Pow h two32 x2; ReduceMean x2 v; Add v eps32 a; Pow a minus_half32 i; Mul h i "
LAYER_NORMS = {
    "between conversions": "Cast>float32 x h; " + _MOMENTS + "n; Cast>{short} n y",
    "weights before the conversion": "Cast>float32 x h; "
    + _MOMENTS
    + "n; Mul n gamma32 g; Add g beta32 b; Cast>{short} b y",
    "weights behind it": "Cast>float32 x h; " + _MOMENTS + "n; Cast>{short} n o; Mul o gamma g; Add g beta y",
    "weights that are converted": "Cast>float32 gamma w; Cast>float32 x h; "
    + _MOMENTS
    + "n; Mul n w g; Cast>{short} g y",
    "moments alone": "ReduceMean x m; Sub x m d; Cast>float32 d e; Pow e two32 d2; ReduceMean d2 v; "
    "Add v eps32 a; Sqrt a s; Cast>{short} s t; Div d t n; Mul n gamma g; Add g beta y",
    "converted twice": "Cast>float32 x h; Cast>float32 x k; ReduceMean h m; Sub h m d; Pow d two32 d2; "
    "ReduceMean d2 v; Add v eps32 a; Sqrt a s; Sub k m e; Div e s n; Cast>{short} n y",
}
RMS_NORMS = {
    "Llama's": "Cast>float32 x h; " + _SQUARES + "n; Cast>{short} n o; Mul gamma o y",
    "in float32": "Cast>float32 x h; " + _SQUARES + "n; Mul n gamma32 g; Cast>{short} g y",
    "the data as they are": "Cast>float32 x h; Pow h two32 x2; ReduceMean x2 v; Add v eps32 a; Sqrt a s; "
    "Cast>{short} s t; Div x t n; Mul n gamma y",
}


def _weights(lines: str, known: Any) -> dict[str, Any]:
    weight = known["gamma"] if "gamma" in lines else None
    return {"weight": weight} | ({"bias": known["beta"]} if "beta" in lines else {})


@looped("write", [in_onnx, in_openvino])
@looped("short", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", LAYER_NORMS)
def test_a_layer_norm_in_float32_of_shorter_data_is_rounded_once(name: str, short: str, write: Writer) -> None:
    lines, dtype = LAYER_NORMS[name].format(short=short), dtype_named(short)
    x, known = sample(dtype) * dtype.type(37), constants(dtype)
    model = write(lines, dtype, fuse_normalizations=True)
    assert model.operators == ("fused.LayerNorm",)
    wanted = ss.layer_norm(x, 16, **_weights(lines, known), eps=float(known["eps32"]))
    assert_bits(model.run(x)["y"], wanted)


@WRITERS
@SHORT
@pytest.mark.parametrize("name", RMS_NORMS)
def test_an_rms_norm_in_float32_of_shorter_data_is_rounded_once(name: str, short: str, write: Writer) -> None:
    lines, dtype = RMS_NORMS[name].format(short=short), dtype_named(short)
    x, known = sample(dtype) * dtype.type(37), constants(dtype)
    model = write(lines, dtype, fuse_normalizations=True)
    assert model.operators == ("fused.RMSNorm",)
    wanted = ss.rms_norm(x, 16, known["gamma"], eps=float(known["eps32"]))
    assert_bits(model.run(x)["y"], wanted)
    if name == "Llama's":
        assert (write(lines, dtype).run(x)["y"] != wanted).any(), "the nodes round before the weight"


@WRITERS
def test_weights_that_no_shorter_type_holds_are_taken_as_they_are(write: Writer) -> None:
    lines = LAYER_NORMS["weights before the conversion"].replace("gamma32", "odd32").format(short="float16")
    x, known = sample(np.float16), constants(np.float16)
    model = write(lines, np.float16, fuse_normalizations=True)
    wanted = ss.layer_norm(x, 16, known["odd32"], known["beta32"], eps=float(known["eps32"]))
    assert_bits(model.run(x)["y"], wanted)


@WRITERS
def test_a_result_that_stays_in_float32_keeps_the_conversion_before_it(write: Writer) -> None:
    lines = "Cast>float32 x h; " + _MOMENTS + "n; Cast>float32 n y"
    x, known = sample(np.float16), constants(np.float16)
    model = write(lines, np.float16, fuse_normalizations=True)
    assert [name.split("-")[0].split(".")[1] for name in model.operators] in (
        ["Cast", "LayerNorm"],
        ["Convert", "LayerNorm"],
    )
    assert_bits(model.run(x)["y"], ss.layer_norm(x.astype(np.float32), 16, eps=float(known["eps32"])))


@WRITERS
def test_a_conversion_to_the_same_type_is_left_out(write: Writer) -> None:
    lines = "Cast>float32 x h; " + _SQUARES + "n; Cast>float32 n y"
    x, known = sample(np.float32), constants(np.float32)
    model = write(lines, np.float32, fuse_normalizations=True)
    assert model.operators == ("fused.RMSNorm",)
    assert_bits(model.run(x)["y"], ss.rms_norm(x, 16, eps=float(known["eps32"])))


@WRITERS
def test_a_conversion_that_loses_bits_makes_the_data(write: Writer) -> None:
    lines = "Cast>float16 x k; Cast>float32 k h; " + _SQUARES + "y"
    x, known = sample(np.float32) + np.float32(2.0**-15), constants(np.float32)
    model = write(lines, np.float32, fuse_normalizations=True)
    assert len(model.operators) == 3
    wanted = ss.rms_norm(x.astype(np.float16).astype(np.float32), 16, eps=float(known["eps32"]))
    assert_bits(model.run(x)["y"], wanted)


@WRITERS
def test_a_conversion_to_a_longer_type_behind_it_stays(write: Writer) -> None:
    lines = "Mul x x x2; ReduceMean x2 v; Add v eps a; Sqrt a s; Div x s n; Cast>float32 n y"
    x, known = sample(np.float16), constants(np.float16)
    model = write(lines, np.float16, fuse_normalizations=True)
    assert len(model.operators) == 2
    assert_bits(model.run(x)["y"], ss.rms_norm(x, 16, eps=float(known["eps"])).astype(np.float32))


@WRITERS
def test_a_converted_value_that_leaves_the_model_is_kept(write: Writer) -> None:
    lines, x = RMS_NORMS["Llama's"].format(short="float16"), sample(np.float16)
    plain, asked = (
        write(lines, np.float16, fuse_normalizations=each, outputs=("y", "h")).run(x) for each in (False, True)
    )
    assert_bits(asked["h"], plain["h"])
    known = constants(np.float16)
    assert_bits(asked["y"], ss.rms_norm(x, 16, known["gamma"], eps=float(known["eps32"])))


@WRITERS
def test_no_elements_run_node_by_node(write: Writer) -> None:
    for lines in (RMS_NORMS["Llama's"], LAYER_NORMS["weights that are converted"], LAYER_NORMS["moments alone"]):
        model = write(lines.format(short="float16"), np.float16, fuse_normalizations=True)
        got = model.run(feeds(lines, np.zeros((0, 4, 16), np.float16)))["y"]
        assert (got.shape, got.dtype) == ((0, 4, 16), np.float16)


@WRITERS
def test_nothing_overflows_on_the_way_through_a_shorter_type(write: Writer) -> None:
    """The root of the mean of squares is beyond what float16 holds: the nodes give zeros."""
    lines = "Cast>float32 x h; Pow h two32 x2; ReduceMean x2 v; Add v eps32 a; Cast>float16 a b; Sqrt b s; Div x s y"
    x = np.full((1, 1, 16), 300, np.float16)
    assert not write(lines, np.float16).run(x)["y"].any()
    assert_bits(write(lines, np.float16, fuse_normalizations=True).run(x)["y"], np.ones((1, 1, 16), np.float16))
