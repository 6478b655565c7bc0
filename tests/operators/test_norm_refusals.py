"""What the normalizations and the variances refuse, and with which error."""

from __future__ import annotations

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from oracle import assert_bits
from samesum.specs.lookup import operation_of

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ONE, CHANNELS = np.ones(4, np.float32), np.ones(3, np.float32)
HUGE = 10**400
layer, root, group = partial(ss.layer_norm, X), partial(ss.rms_norm, X), partial(ss.group_norm, X)
READ_ONLY = np.broadcast_to(np.float32(0), X.shape)

WITH_EPS = ((layer, 4), (root, 4), (group, 3))


@pytest.mark.parametrize(
    ("eps", "error"),
    [
        ("1e-5", ss.ArgumentTypeError),
        (b"1", ss.ArgumentTypeError),
        (1j, ss.ArgumentTypeError),
        (np.ones(2), ss.ArgumentTypeError),
        (HUGE, ss.ArgumentError),
        (-HUGE, ss.ArgumentError),
        (np.inf, ss.ArgumentError),
        (np.nan, ss.ArgumentError),
    ],
)
def test_an_eps_that_is_refused(eps: Any, error: type[Exception]) -> None:
    for call, shape in WITH_EPS:
        with pytest.raises(error, match=r"eps is"):
            call(shape, eps=eps)


@pytest.mark.parametrize(
    ("correction", "error"),
    [("1", ss.ArgumentTypeError), (None, ss.ArgumentTypeError), (HUGE, ss.ArgumentError), (np.nan, ss.ArgumentError)],
)
def test_a_correction_that_is_refused(correction: Any, error: type[Exception]) -> None:
    for call in (ss.var, ss.std):
        with pytest.raises(error, match="correction is"):
            call(X, correction=correction)


@pytest.mark.parametrize(
    "value", [4.0, "4", None, True, (4.0,), (3, "4"), [[3, 4]], [[1], [1, 2]], np.array([4.0]), {4}]
)
def test_shapes_and_groups_are_integers(value: Any) -> None:
    for call in (layer, root):
        with pytest.raises(ss.ArgumentTypeError, match=r"a length of normalized_shape has to be an integer; got "):
            call(value)
    with pytest.raises(ss.ArgumentTypeError, match=r"num_groups has to be an integer; got "):
        group(value)


@pytest.mark.parametrize(
    "dtype", [np.complex64, object, "U1", "M8[s]", np.longdouble, [("a", "f4")], ml_dtypes.int4], ids=str
)
def test_weights_of_other_types_are_refused(dtype: Any) -> None:
    weight = np.zeros(4, dtype)
    for call, given in ((layer, weight), (root, weight), (partial(ss.group_norm, np.ones((2, 4, 3))), weight)):
        with pytest.raises(ss.DtypeError, match=r"weight is .*; allowed are bfloat16, bool"):
            call(4, given)
    with pytest.raises(ss.DtypeError, match="bias is"):
        layer(4, None, weight)


def test_a_weight_that_float64_does_not_hold_is_refused() -> None:
    with pytest.raises(ss.ArgumentError, match="weight has an integer from 2\\^53 on"):
        layer(4, np.full(4, 2**53 + 1))
    assert_bits(layer(4, np.full(4, 2**53 - 1)), layer(4, np.full(4, 2.0**53 - 1)))


@pytest.mark.parametrize("shape", [(3,), (0,), (3, 4)])
def test_a_weight_that_does_not_fit_is_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(ss.ShapeError, match=r"weight has shape .* does not broadcast to the normalized shape, \(4,\)"):
        layer(4, np.ones(shape))


@pytest.mark.parametrize(
    ("out", "error"),
    [
        ([1], ss.ArgumentTypeError),
        ("out", ss.ArgumentTypeError),
        (READ_ONLY, ss.ShapeError),
        (np.zeros(3, np.float32), ss.ShapeError),
        (np.zeros(X.shape), ss.DtypeError),
    ],
    ids=["list", "text", "read-only", "shape", "dtype"],
)
def test_an_out_that_is_refused(out: Any, error: type[Exception]) -> None:
    for call, shape in WITH_EPS:
        with pytest.raises(error, match="out "):
            call(shape, out=out)


def test_an_out_of_the_other_byte_order_is_taken() -> None:
    for call, shape in WITH_EPS:
        out = np.zeros(X.shape, ">f4")
        assert call(shape, out=out) is out
        assert_bits(out.astype("<f4"), call(shape))


@pytest.mark.parametrize("axis", [None, 1.5, "1", (0,), True])
def test_the_axis_of_softmax_is_an_integer(axis: Any) -> None:
    for call in (ss.softmax, ss.log_softmax):
        with pytest.raises(ss.AxisError, match="an axis has to be an integer"):
            call(X, axis)


@pytest.mark.parametrize("axes", [None, 1, 1.5, np.array(1)], ids=repr)
def test_axes_that_are_no_list_are_refused(axes: Any) -> None:
    with pytest.raises(ss.AttributeValueError, match=r"MeanVarianceNormalization-13: axes is"):
        ss.onnx.MeanVarianceNormalization(X, axes=axes)


@pytest.mark.parametrize("axes", [(1.0,), (True,), [1.0], np.array([1.0])], ids=str)
def test_axes_that_only_equal_integers_are_refused(axes: Any) -> None:
    ss.onnx.MeanVarianceNormalization(X, axes=(1,))
    with pytest.raises(ss.AxisError, match="an axis has to be an integer"):
        ss.onnx.MeanVarianceNormalization(X, axes=axes)


@pytest.mark.parametrize("outputs", [2, 1.0, "3", None, np.array([1, 3])], ids=str)
def test_other_counts_of_outputs_are_refused(outputs: Any) -> None:
    with pytest.raises(ss.AttributeValueError, match="outputs is"):
        ss.onnx.LayerNormalization(X, ONE, outputs=outputs)


@pytest.mark.parametrize("epsilon", [1e39, 10**40, HUGE, -1e39])
def test_an_epsilon_beyond_float32_is_refused_without_a_warning(epsilon: float) -> None:
    calls = (
        partial(ss.onnx.LayerNormalization, X, ONE, epsilon=epsilon),
        partial(ss.onnx.InstanceNormalization, X, CHANNELS, CHANNELS, epsilon=epsilon),
        partial(ss.openvino.GroupNormalization, X, CHANNELS, CHANNELS, num_groups=3, epsilon=epsilon),
        partial(ss.openvino.MVN, X, [1], eps=epsilon),
        partial(ss.openvino.NormalizeL2, X, [1], eps=epsilon),
    )
    for call in calls:
        with pytest.raises(ss.AttributeValueError, match="eps"):
            call()


@pytest.mark.parametrize("mode", ["outside_sqrt", None, np.ones(2)], ids=str)
def test_what_the_old_mvn_has_not_is_refused(mode: Any) -> None:
    with pytest.raises(ss.UnsupportedOperator, match=r"MVN-2 has no attribute 'eps_mode'; it has across_channels"):
        ss.openvino.MVN(X, opset=2, eps_mode=mode)
    with pytest.raises(ss.AttributeValueError, match="MVN-2: got 2 inputs; allowed are data"):
        ss.openvino.MVN(X, [1], opset=2)


def test_what_the_new_mvn_has_not_is_refused() -> None:
    with pytest.raises(ss.UnsupportedOperator, match=r"MVN-6 has no attribute 'across_channels'; it has"):
        ss.openvino.MVN(X, [1], across_channels=True)
    for opset in (0, 99, "6", [6]):
        with pytest.raises(ss.UnsupportedOperator, match="known are the opsets 1 to"):
            ss.openvino.MVN(X, [1], opset=opset)  # type: ignore[arg-type]


@pytest.mark.parametrize("eps", ["1_0", "\u0661", "", "0x1", "1,2"])
def test_a_number_of_an_ir_file_is_written_as_in_c(eps: str) -> None:
    with pytest.raises(ss.AttributeValueError, match="allowed is a finite number from 0 on"):
        operation_of("openvino", "MVN", 6, eps=eps, eps_mode="inside_sqrt", normalize_variance="true")
