"""RNN, GRU and LSTM: each gate's sum is the exact one rounded once, each further step is rounded as it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from building import ir_outputs, onnx_outputs, same
from machines import same_everywhere
from naming import looped
from oracle import assert_bits, form_of
from samesum.engine import elementwise
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.rounding import quotient

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
TIME, BATCH, INPUTS, SIZE = 4, 3, 5, 2
Terms = Sequence[tuple[Any, Any]]


def exactly(terms: Terms, dtype: np.dtype[Any]) -> Any:
    """The sum of products, in rational numbers, rounded once."""
    total = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in terms), Fraction(0))
    form = form_of(dtype)
    code = form.nearest(*quotient(total.numerator, 0, total.denominator)) if total else 0
    return np.array(code, f"u{dtype.itemsize}").view(dtype)[()]


class Oracle:
    """One direction by the formulas of the standard, with scalars."""

    def __init__(self, w: NDArray, r: NDArray, b: NDArray, p: NDArray | None = None) -> None:
        self.w, self.r, self.size = w, r, r.shape[1]
        self.of_w, self.of_r = np.split(b, 2)
        self.p = p

    def gate(self, g: int, x: NDArray, h: NDArray, *more: tuple[NDArray, NDArray]) -> NDArray:
        """W x + R h + Wb + Rb and an element-wise product, of gate `g`."""
        rows = range(g * self.size, (g + 1) * self.size)
        sums = [
            exactly(
                [*zip(self.w[i], x, strict=True), *zip(self.r[i], h, strict=True), (self.of_w[i], 1), (self.of_r[i], 1)]
                + [(a[j], b[j]) for a, b in more],
                x.dtype,
            )
            for j, i in enumerate(rows)
        ]
        return np.array(sums, x.dtype)

    def rnn(self, x: NDArray, h: NDArray) -> tuple[NDArray, ...]:
        return (elementwise.tanh(self.gate(0, x, h)),)

    def gru(self, x: NDArray, h: NDArray) -> tuple[NDArray, ...]:
        z, r = (elementwise.sigmoid(self.gate(g, x, h)) for g in (0, 1))
        return (self.mixed(z, elementwise.tanh(self.gate(2, x, r * h)), h),)

    def gru_linear(self, x: NDArray, h: NDArray) -> tuple[NDArray, ...]:
        z, r = (elementwise.sigmoid(self.gate(g, x, h)) for g in (0, 1))
        zero = Oracle(self.w * 0, self.r, np.concatenate([self.of_w * 0, self.of_r]))
        alone = Oracle(self.w, self.r * 0, np.concatenate([self.of_w, self.of_r * 0]))
        return (self.mixed(z, elementwise.tanh(alone.gate(2, x, h, (r, zero.gate(2, x, h)))), h),)

    def mixed(self, z: NDArray, candidate: NDArray, h: NDArray) -> NDArray:
        return (np.ones((), z.dtype) - z) * candidate + z * h

    def lstm(self, x: NDArray, h: NDArray, c: NDArray) -> tuple[NDArray, ...]:
        p = np.zeros(3 * self.size, x.dtype) if self.p is None else self.p
        for_i, for_o, for_f = np.split(p, 3)
        i, f = (elementwise.sigmoid(self.gate(g, x, h, (q, c))) for g, q in ((0, for_i), (2, for_f)))
        c = f * c + i * elementwise.tanh(self.gate(3, x, h))
        o = elementwise.sigmoid(self.gate(1, x, h, (for_o, c)))
        return (o * elementwise.tanh(c), c)


def along(
    step: Callable[..., tuple[NDArray, ...]], x: NDArray, states: list[NDArray], lengths: Sequence[int], back: bool
) -> NDArray:
    """The outputs of one direction; `states` become the last ones."""
    y = np.zeros((*x.shape[:2], states[0].shape[1]), x.dtype)
    for b, length in enumerate(lengths):
        for t in reversed(range(length)) if back else range(length):
            new = step(x[t, b], *(each[b] for each in states))
            for state, each in zip(states, new, strict=True):
                state[b] = each
            y[t, b] = new[0]
    return y


def drawn(kind: str, dtype: Any, directions: int, seed: int, cancels: bool = False) -> list[NDArray]:
    """X, W, R, B, lengths and initial states; with `cancels` half of each row of W is the opposite of the other."""
    random = np.random.default_rng(seed)

    def made(*shape: int) -> NDArray:
        return np.asarray(random.standard_normal(shape)).astype(dtype)

    x, rows = made(TIME, BATCH, INPUTS), GATES[kind] * SIZE
    w = made(directions, rows, INPUTS)
    if cancels:
        x[..., 1:3], w[..., 1:3] = x[..., 3:5], -w[..., 3:5]
        w[..., 1] *= np.asarray(1 + 2.0**-7, dtype)
        x *= np.asarray(64, dtype)
    states = [made(directions, BATCH, SIZE) for _ in range(1 + (kind == "LSTM"))]
    return [x, w, made(directions, rows, SIZE), made(directions, 2 * rows), np.int32([4, 2, 3]), *states]


def check(kind: str, inputs: list[Any], step: str, opset: int = 22, **attributes: Any) -> None:
    x, w, r, b, lengths, *rest = inputs
    states, p = rest[: 1 + (kind == "LSTM")], rest[2] if len(rest) > 2 else None
    names = ["Y", "h", "c"][: 1 + len(states)]
    direction = {1: attributes.get("direction", "forward"), 2: "bidirectional"}[len(w)]
    found = onnx_outputs(kind, inputs, names, opset, **attributes | {"direction": direction}, hidden_size=SIZE)
    for d in range(len(w)):
        own = [each[d].copy() for each in states]
        oracle = Oracle(w[d], r[d], b[d], None if p is None else p[d])
        y = along(getattr(oracle, step), x, own, lengths, d == 1 or direction == "reverse")
        assert_bits(found[0][:, d], y, f"{kind} {direction} {x.dtype}")
        for state, last in zip(found[1:], own, strict=True):
            assert_bits(state[d], last, f"{kind} {direction} {x.dtype}")


STEPS = [
    ("RNN", "rnn", {}),
    ("GRU", "gru", {}),
    ("GRU", "gru_linear", {"linear_before_reset": 1}),
    ("LSTM", "lstm", {}),
]


@pytest.mark.parametrize("dtype", [np.float16, BFLOAT16, np.float32, np.float64], ids=str)
@looped("kind,step,attributes", STEPS)
def test_gates_are_exact_sums_rounded_once(kind: str, step: str, attributes: Any, dtype: Any) -> None:
    for seed, (directions, cancels) in enumerate(((1, False), (1, True), (2, False))):
        check(kind, drawn(kind, dtype, directions, seed, cancels), step, **attributes)
    check(kind, drawn(kind, dtype, 1, 3), step, direction="reverse", **attributes)


def test_peepholes_belong_to_the_sum() -> None:
    for dtype in (np.float16, np.float32):
        for directions in (1, 2):
            inputs = drawn("LSTM", dtype, directions, 5)
            p = np.random.default_rng(6).standard_normal((directions, 3 * SIZE)).astype(dtype)
            check("LSTM", [*inputs, p], "lstm", 14)


def test_the_batch_lies_first_where_the_layout_says_so() -> None:
    for kind in GATES:
        inputs = drawn(kind, np.float32, 2, 7)
        names = ["Y", "h", "c"][: 2 + (kind == "LSTM")]
        y, *states = onnx_outputs(kind, inputs, names, 14, direction="bidirectional")
        turned = [each.swapaxes(0, 1) if i in (0, 5, 6) else each for i, each in enumerate(inputs)]
        found = onnx_outputs(kind, [np.ascontiguousarray(each) for each in turned], names, 14, layout=1,
                             direction="bidirectional")  # fmt: skip
        assert_bits(found[0], np.ascontiguousarray(y.transpose(2, 0, 1, 3)))
        for state, each in zip(found[1:], states, strict=True):
            assert_bits(state, np.ascontiguousarray(each.swapaxes(0, 1)))


@pytest.mark.parametrize("kind", GATES)
def test_no_bit_depends_on_the_batch_or_the_machine(kind: str) -> None:
    random = np.random.default_rng(8)
    x, rows = random.standard_normal((5, 6, 40)).astype(np.float32), GATES[kind] * 24
    w, r = (random.standard_normal((1, rows, n)).astype(np.float32) for n in (40, 24))
    whole = same_everywhere(lambda: onnx_outputs(kind, [x, w, r], ["Y", "h"], 22))
    for b in range(6):
        alone = onnx_outputs(kind, [x[:, b : b + 1], w, r], ["Y", "h"], 22)
        assert_bits(alone[0], np.ascontiguousarray(whole[0][:, :, b : b + 1]))
        assert_bits(alone[1], np.ascontiguousarray(whole[1][:, b : b + 1]))


def test_clip_bounds_the_sums_and_input_forget_couples_the_gates() -> None:
    x, w, r = np.float32([[[100]]]), np.float32([[[1]]]), np.float32([[[0]]])
    (y,) = onnx_outputs("RNN", [x, w, r], ["Y"], 14, clip=0.5)
    assert same(y.ravel(), elementwise.tanh(np.float32([0.5])))
    four = np.float32([[[0.01], [0.02], [0.03], [0.04]]])
    inputs = [x, four, 0 * four, np.zeros((1, 8), np.float32), np.int32([1]), 0 * x, x]
    i, o, cell = (elementwise.sigmoid(np.float32([1])), elementwise.sigmoid(np.float32([2])), np.float32([4]))
    c = (1 - i) * 100 + i * elementwise.tanh(cell)
    found = onnx_outputs("LSTM", inputs, ["Y", "h", "c"], 14, input_forget=1)
    assert same(found[2].ravel(), c)
    assert same(found[1].ravel(), o * elementwise.tanh(c))


def test_activations_take_their_parameters_in_order() -> None:
    x, two = np.float32([[[-0.5]], [[2]]]), np.float32([[[1]], [[1]]])
    names = ["LeakyRelu", "HardSigmoid"]
    (y,) = onnx_outputs("RNN", [x, two, 0 * two], ["Y"], 14, direction="bidirectional", activations=names,
                        activation_alpha=[0.25, 0.125], activation_beta=[0.5])  # fmt: skip
    assert same(y[:, :, 0, 0], np.float32([[-0.125, 0.4375], [2, 0.75]]))
    with pytest.raises(AttributeValueError, match="1 activations are listed; 2 are needed"):
        onnx_outputs("RNN", [x, two, two], ["Y"], 14, direction="bidirectional", activations=names[:1])


def test_a_bound_and_lists_that_mean_nothing_are_refused() -> None:
    for kind in GATES:
        x, w, r, b, lengths, *states = drawn(kind, np.float32, 1, 12)
        for clip in (0.0, -1.0, np.nan):
            with pytest.raises(AttributeValueError, match=f"clip is {clip}; it has to be above 0"):
                onnx_outputs(kind, [x, w, r], ["Y"], 14, clip=clip)
        unbounded = onnx_outputs(kind, [x, w, r], ["Y"], 14)[0]
        assert_bits(onnx_outputs(kind, [x, w, r], ["Y"], 14, clip=np.inf)[0], unbounded)
        default = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}[kind]
        assert_bits(onnx_outputs(kind, [x, w, r], ["Y"], 14, activations=default * 2)[0], unbounded)
        for names in (["Relu"] * (len(default) + 1), default * 3):
            with pytest.raises(AttributeValueError, match=f"{len(names)} activations are listed; {len(default)} are"):
                onnx_outputs(kind, [x, w, r], ["Y"], 14, activations=names)
        names = ["LeakyRelu", "HardSigmoid", "Elu"][: len(default)]
        with pytest.raises(AttributeValueError, match=f"activation_alpha has 4 numbers; of .* {len(default)} take one"):
            onnx_outputs(kind, [x, w, r], ["Y"], 14, activations=names, activation_alpha=[0.1] * 4)
        with pytest.raises(AttributeValueError, match=r"activation_beta has 1 numbers; of .* 0 take one"):
            onnx_outputs(kind, [x, w, r], ["Y"], 14, activation_beta=[0.1])
        turned = [np.ascontiguousarray(each.swapaxes(0, 1)) for each in (x, *states)]
        inputs = [*turned, lengths, w, r, b[:, : w.shape[1]]]
        with pytest.raises(AttributeValueError, match=r"clip is -1\.0"):
            ir_outputs(
                f"{kind}Sequence",
                inputs,
                1 + len(states),
                f'hidden_size="{SIZE}" direction="forward" clip="-1"',
                "opset5",
            )


def test_a_sequence_of_no_elements_keeps_its_states() -> None:
    inputs = drawn("LSTM", np.float32, 1, 9)
    inputs[4] = np.int32([0, 0, 0])
    y, h, c = onnx_outputs("LSTM", inputs, ["Y", "h", "c"], 14)
    assert not y.any()
    assert same(h, inputs[5])
    assert same(c, inputs[6])


def test_what_does_not_fit_is_refused() -> None:
    x, w, r, b, lengths, h = drawn("GRU", np.float32, 1, 10)
    for changed, words in (
        ([x, w[:, :5], r], r"W has shape \(1, 5, 5\); \(1, 6, 5\) is needed"),
        ([x, w, r[:, :4]], r"R has shape \(1, 4, 2\)"),
        ([x, w, r, b[:, 1:]], r"B has shape \(1, 11\)"),
        ([x, w, r, b, np.int32([1, 2, 5])], r"sequence_lens is \[1, 2, 5\]; 3 lengths from 0 to 4"),
        ([x, w, r, b, lengths, h[:, :2]], r"initial state has shape \(1, 2, 2\); \(1, 3, 2\)"),
    ):
        with pytest.raises(ShapeError, match=words):
            onnx_outputs("GRU", changed, ["Y"], 14)
    with pytest.raises(AttributeValueError, match="hidden_size is 3"):
        onnx_outputs("GRU", [x, w, r], ["Y"], 14, hidden_size=3)


ORDER = {"RNN": (0,), "GRU": (0, 1, 2), "LSTM": (2, 0, 3, 1)}
"""Where ONNX has the gates of OpenVINO: f, i, c, o."""


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("kind", GATES)
def test_openvino_has_its_own_order_of_gates(kind: str, linear: bool) -> None:
    x, w, r, b, lengths, *states = drawn(kind, np.float32, 2, 11)
    both = np.split(b, 2, axis=1)
    linear = linear and kind == "GRU"
    if linear:
        both[1][:, : 2 * SIZE] = 0
    else:
        both[1][:] = 0
    attributes = {"linear_before_reset": 1} if linear else {}
    onnx = [x, w, r, np.concatenate(both, 1), lengths, *states]
    names = ["Y", "h", "c"][: 1 + len(states)]
    y, *last = onnx_outputs(kind, onnx, names, 14, direction="bidirectional", **attributes)

    def turned(each: NDArray) -> NDArray:
        blocks = np.split(each, GATES[kind], axis=1)
        return np.concatenate([blocks[i] for i in ORDER[kind]], 1)

    bias = turned(both[0])
    if linear:
        bias = np.concatenate([bias, both[1][:, 2 * SIZE :]], 1)
    by_batch = [np.ascontiguousarray(each.swapaxes(0, 1)) for each in (x, *states)]
    arrays = [*by_batch, lengths, turned(w), turned(r), bias]
    said = f'hidden_size="{SIZE}" direction="bidirectional"' + ' linear_before_reset="true"' * linear
    found = ir_outputs(f"{kind}Sequence", arrays, 1 + len(states), said, "opset5")
    assert_bits(found[0], np.ascontiguousarray(y.transpose(2, 1, 0, 3)))
    for state, each in zip(found[1:], last, strict=True):
        assert_bits(state, np.ascontiguousarray(each.swapaxes(0, 1)))
    cell = [by_batch[0][:, 0], *(each[:, 0] for each in by_batch[1:]), *(each[0] for each in arrays[-3:])]
    version = {"RNN": "opset1", "GRU": "opset3", "LSTM": "opset4"}[kind]
    said = f'hidden_size="{SIZE}"' + ' linear_before_reset="true"' * linear
    step = ir_outputs(f"{kind}Cell", [np.ascontiguousarray(each) for each in cell], len(states), said, version)
    assert_bits(step[0], np.ascontiguousarray(found[0][:, 0, 0]))
