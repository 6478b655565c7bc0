"""RNN, GRU, LSTM: along a sequence step by step.

The sum of a gate, W x + R h + Wb + Rb with what a peephole or a reset adds, is the exact one, rounded once to the type
of the data. Each further step (a clip, an activation, a product, a sum of two) is rounded to it, as the standards write
the formulas. The bits depend neither on the batch nor on how long other sequences are. A sequence of length zero
has no Y, and its last states are its first ones (ONNX Runtime and OpenVINO have zeros).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from samesum.engine.contractions import contract, vecdot
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import NDArray, Shape
from samesum.operators.activations import NAMED
from samesum.operators.facts import first
from samesum.operators.pointwise import given, optional
from samesum.operators.rows import UNKNOWN, Attributes, Fact, Facts, InferAll, Inputs, Make

Activation = Callable[[NDArray], NDArray]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One direction: its weights, and how sums are bounded and curved."""

    weights: NDArray
    """A row for each unit of each gate: W, its bias, R, its bias."""
    size: int
    peepholes: NDArray | None
    curves: Sequence[Activation]
    clip: float | None
    flag: bool
    """GRU: linear_before_reset; LSTM: input_forget."""

    def sums(self, operands: NDArray, gates: slice, extra: tuple[NDArray, NDArray] | None = None) -> NDArray:
        """Of each unit of the gates the exact sum over `operands` and the product of the two `extra`, rounded once."""
        weights = self.weights[gates.start * self.size : gates.stop * self.size]
        return self.bounded(sums_of(operands, weights, extra))

    def bounded(self, x: NDArray) -> NDArray:
        if self.clip is None:
            return x
        return np.asarray(np.minimum(np.maximum(x, x.dtype.type(-self.clip)), x.dtype.type(self.clip)))


def sums_of(a: NDArray, b: NDArray, extra: tuple[NDArray, NDArray] | None = None) -> NDArray:
    """The sums of products of each row of `a` with each of `b`, and the product of the two in `extra` at each place."""
    if extra is None:
        return contract(a, ["row", "term"], b, ["column", "term"], ["row", "column"], a.dtype)
    shape = (len(a), len(b))
    left, right = (
        np.concatenate([np.broadcast_to(each, (*shape, each.shape[-1])), np.broadcast_to(more, shape)[..., None]], -1)
        for each, more in zip((a[:, None], b[None]), extra, strict=True)
    )
    return np.asarray(vecdot(left, right, -1, None, None))


def operands(x: NDArray, h: NDArray) -> NDArray:
    """What the columns of a layer's weights are multiplied with."""
    ones = np.ones((len(x), 1), x.dtype)
    return np.concatenate([x, ones, h, ones], axis=1)


def _gates(sums: NDArray, count: int) -> list[NDArray]:
    """Those of each gate; `np.split` takes ten times as long."""
    size = sums.shape[1] // count
    return [sums[:, i * size : (i + 1) * size] for i in range(count)]


def rnn_step(layer: Layer, x: NDArray, states: Sequence[NDArray]) -> tuple[NDArray, ...]:
    """H' = f(W x + R H + Wb + Rb)."""
    return (layer.curves[0](layer.sums(operands(x, states[0]), slice(0, 1))),)


def gru_step(layer: Layer, x: NDArray, states: Sequence[NDArray]) -> tuple[NDArray, ...]:
    """Gates z, r, h: H' = (1 - z) h + z H, where the reset r acts on H before or after the product with R."""
    (h,) = states
    both = operands(x, h)
    z, r = _gates(layer.curves[0](layer.sums(both, slice(0, 2))), 2)
    if layer.flag:
        weights, split = layer.weights[2 * layer.size :], x.shape[1] + 1
        of_h = sums_of(both[:, split:], weights[:, split:])
        candidate = layer.bounded(sums_of(both[:, :split], weights[:, :split], (r, of_h)))
    else:
        candidate = layer.sums(operands(x, r * h), slice(2, 3))
    return ((z.dtype.type(1) - z) * layer.curves[1](candidate) + z * h,)


def lstm_step(layer: Layer, x: NDArray, states: Sequence[NDArray]) -> tuple[NDArray, ...]:
    """Gates i, o, f, c: C' = f C + i c, H' = o h(C'); peepholes see C, that of o sees C'."""
    c, (f, g, last), both = states[1], layer.curves, operands(x, states[0])
    if layer.peepholes is None:
        i, o, forget, cell = _gates(layer.sums(both, slice(0, 4)), 4)
    else:
        for_i, for_o, for_f = np.split(layer.peepholes, 3)
        i, forget = (layer.sums(both, slice(at, at + 1), (c, p)) for at, p in ((0, for_i), (2, for_f)))
        cell = layer.sums(both, slice(3, 4))
    i = f(i)
    forget = i.dtype.type(1) - i if layer.flag else f(forget)
    c = forget * c + i * g(cell)
    if layer.peepholes is not None:
        o = layer.sums(both, slice(1, 2), (c, for_o))
    return (f(o) * last(c), c)


Step = Callable[[Layer, NDArray, Sequence[NDArray]], tuple[NDArray, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What tells the operators apart."""

    step: Step
    gates: int
    states: int
    activations: tuple[str, ...]
    """Of one direction, by default."""
    flag: str = ""


RNN = Kind(rnn_step, 1, 1, ("tanh",))
GRU = Kind(gru_step, 3, 1, ("sigmoid", "tanh"), "linear_before_reset")
LSTM = Kind(lstm_step, 4, 2, ("sigmoid", "tanh", "tanh"), "input_forget")


def along(
    layer: Layer, step: Step, x: NDArray, lengths: NDArray | None, states: list[NDArray], backwards: bool
) -> NDArray:
    """The states H after each element of the sequences x [time, batch, size]; `states` are carried on in their place.

    What lies beyond the length of a sequence is zero, and does not change its states; without lengths nothing does.
    """
    time, batch = x.shape[:2]
    result = np.zeros((time, batch, layer.size), x.dtype)
    for t in range(time):
        running: NDArray | slice = slice(None)
        at: NDArray | int = time - 1 - t if backwards else t
        if lengths is not None:
            (running,) = np.nonzero(lengths > t)
            if not running.size:
                break
            at = lengths[running] - 1 - t if backwards else np.full(running.size, t)
        new = step(layer, x[at, running], [each[running] for each in states])
        for state, each in zip(states, new, strict=True):
            state[running] = each
        result[at, running] = new[0]
    return result


@dataclass(frozen=True, slots=True)
class Layers:
    """What attributes, weights and biases make of a kind."""

    kind: Kind
    layers: tuple[Layer, ...]
    """Of each direction."""
    width: int
    """Of an element of a sequence."""
    is_reverse: bool
    is_batch_first: bool

    def run(self, x: NDArray, lengths: NDArray | None, states: Sequence[NDArray | None]) -> tuple[NDArray, ...]:
        """Y [time, directions, batch, size], then the last states [directions, batch, size]."""
        x = np.swapaxes(x, 0, 1) if self.is_batch_first else x
        if x.shape[2] != self.width:
            raise ShapeError(f"W has rows of {self.width} elements; X {x.shape} needs {x.shape[2]}")
        shape = (len(self.layers), x.shape[1], self.layers[0].size)
        held = [_initial(each, shape, x, self.is_batch_first) for each in states]
        counts, outputs = _lengths(lengths, x), []
        with np.errstate(all="ignore"):
            for d, layer in enumerate(self.layers):
                backwards = d == 1 or self.is_reverse
                outputs.append(along(layer, self.kind.step, x, counts, [each[d] for each in held], backwards))
        y = outputs[0][:, None] if len(outputs) == 1 else np.stack(outputs, axis=1)
        if self.is_batch_first:
            return (np.moveaxis(y, 2, 0), *(np.swapaxes(each, 0, 1) for each in held))
        return (y, *held)


def layers_of(kind: Kind) -> Make:
    """The layers of the operator of ONNX, from its inputs W, R, B and P."""
    return lambda attributes, inputs: _layers(
        kind, attributes, given(inputs, 1), given(inputs, 2), optional(inputs, 3), optional(inputs, 7)
    )


def recurrent(of: Layers, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """The operator of ONNX."""
    states = [optional(inputs, 5 + i) for i in range(of.kind.states)]
    return of.run(given(inputs, 0), optional(inputs, 4), states)[:count]


def _layers(kind: Kind, attributes: Attributes, w: NDArray, r: NDArray, b: NDArray | None, p: NDArray | None) -> Layers:
    directions = 2 if attributes["direction"] == "bidirectional" else 1
    _check(kind, attributes, directions, w, r, b, p)
    curves = _activations(kind, attributes, directions)
    flag = bool(kind.flag) and attributes.get(kind.flag, False)
    biases = np.zeros((directions, 2, w.shape[1], 1), w.dtype) if b is None else b.reshape(directions, 2, -1, 1)
    layers = []
    for d in range(directions):
        weights = np.concatenate([w[d], biases[d, 0], r[d], biases[d, 1]], axis=1)
        layers.append(Layer(weights, r.shape[2], None if p is None else p[d], curves[d], attributes["clip"], flag))
    is_reverse = attributes["direction"] == "reverse"
    return Layers(kind, tuple(layers), w.shape[2], is_reverse, attributes.get("layout", False))


def _activations(kind: Kind, attributes: Attributes, directions: int) -> list[list[Activation]]:
    """The functions of each direction; alpha and beta are taken by those that have them, in their order."""
    default = kind.activations * directions
    names = tuple(name.lower() for name in attributes["activations"] or default)
    if names == kind.activations * 2:  # the schema's own list is one for both directions
        names = default
    if len(names) != len(default):
        raise AttributeValueError(f"{len(names)} activations are listed; {len(default)} are needed")
    numbers = []
    for i, name in enumerate(("activation_alpha", "activation_beta")):
        listed, taken = attributes[name] or (), sum(len(NAMED[each][1]) > i for each in names)
        if len(listed) > taken:
            raise AttributeValueError(f"{name} has {len(listed)} numbers; of {', '.join(names)} {taken} take one")
        numbers.append(iter(listed))
    found = [_activation(name, *numbers) for name in names]
    each = len(kind.activations)
    return [found[d * each : (d + 1) * each] for d in range(directions)]


def _activation(name: str, alphas: Iterator[float], betas: Iterator[float]) -> Activation:
    function, defaults = NAMED[name]
    numbers = [np.float64(next(each, default)) for each, default in zip((alphas, betas), defaults, strict=False)]
    return lambda x: np.asarray(function(x, *numbers))


def _lengths(lengths: NDArray | None, x: NDArray) -> NDArray | None:
    time, batch = x.shape[:2]
    if lengths is None:
        return None
    if lengths.shape != (batch,) or ((lengths < 0) | (lengths > time)).any():
        raise ShapeError(f"sequence_lens is {lengths.tolist()}; {batch} lengths from 0 to {time} are needed")
    return lengths.astype(np.int64)


def _initial(state: NDArray | None, shape: tuple[int, ...], x: NDArray, is_batch_first: bool) -> NDArray:
    if state is None:
        return np.zeros(shape, x.dtype)
    state = np.swapaxes(state, 0, 1) if is_batch_first else state
    if state.shape != shape:
        raise ShapeError(f"an initial state has shape {state.shape}; {shape} is needed (directions, batch, size)")
    return np.array(state)


def _check(
    kind: Kind, attributes: Attributes, directions: int, w: NDArray, r: NDArray, b: NDArray | None, p: NDArray | None
) -> None:
    size, gates = r.shape[-1], kind.gates
    if attributes["clip"] is not None and not attributes["clip"] > 0:
        raise AttributeValueError(f"clip is {attributes['clip']}; it has to be above 0")
    if attributes["hidden_size"] not in (None, size):
        raise AttributeValueError(f"hidden_size is {attributes['hidden_size']}; R has shape {r.shape}")
    needed = (
        ("W", w, (directions, gates * size, w.shape[-1])),
        ("R", r, (directions, gates * size, size)),
        ("B", b, (directions, 2 * gates * size)),
        ("P", p, (directions, 3 * size)),
    )
    for name, array, shape in needed:
        if array is not None and array.shape != shape:
            raise ShapeError(f"{name} has shape {array.shape}; {shape} is needed for {directions} times size {size}")


def recurrent_facts(attributes: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
    """Y and the last states, from the shapes of X and R."""
    x = first(facts)
    r = (facts[2] if len(facts) > 2 else None) or UNKNOWN
    is_batch_first = attributes.get("layout", False)
    directions = 2 if attributes["direction"] == "bidirectional" else 1
    size = r.shape[-1] if r.shape else None
    if x.shape is None or len(x.shape) != 3:
        return (Fact(x.dtype),) * count
    batch, time = x.shape[:2] if is_batch_first else x.shape[1::-1]
    y: Shape = (batch, time, directions, size) if is_batch_first else (time, directions, batch, size)
    last: Shape = (batch, directions, size) if is_batch_first else (directions, batch, size)
    return (Fact(x.dtype, y), *(Fact(x.dtype, last),) * (count - 1))


_ORDER_OF_IR = {RNN: (0,), GRU: (0, 1, 2), LSTM: (1, 3, 0, 2)}
"""Where OpenVINO has the gates of ONNX's order."""


def layers_of_ir(kind: Kind, at: int) -> Make:
    """The layers of a sequence or a step of OpenVINO, whose inputs W, R and B begin at this place.

    The bias is that of W and R together; only with linear_before_reset has the last gate of GRU one of each.
    """

    def make(attributes: Attributes, inputs: Inputs) -> Layers:
        w, r, b = (given(inputs, at + i) for i in range(3))
        if w.ndim == 2:
            w, r, b = w[None], r[None], b[None]
        size, asked = r.shape[-1], {"direction": "forward", **attributes, "clip": attributes["clip"] or None}
        for name in ("activations", "activation_alpha", "activation_beta"):  # both directions have the same ones
            asked[name] = (attributes[name] or ()) * (2 if asked["direction"] == "bidirectional" else 1)
        given_biases = kind.gates + bool(attributes.get("linear_before_reset"))
        if b.shape != (len(r), given_biases * size):
            raise ShapeError(f"B has shape {b.shape}; {(len(r), given_biases * size)} is needed")
        both = np.zeros((len(r), 2 * kind.gates * size), b.dtype)
        both[:, : kind.gates * size] = _in_order(b[:, : kind.gates * size], kind)
        both[:, both.shape[1] + (kind.gates - given_biases) * size :] = b[:, kind.gates * size :]
        return _layers(kind, asked | {"layout": True}, _in_order(w, kind), _in_order(r, kind), both, None)

    return make


def sequence_of_ir(of: Layers, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """Y [batch, directions, time, size] and last states [batch, directions, size]."""
    x, *states, lengths = (given(inputs, i) for i in range(2 + of.kind.states))
    y, *last = of.run(x, lengths, states)
    return (np.swapaxes(y, 1, 2), *last)[:count]


def step_of_ir(of: Layers, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """The states [batch, size] after one step."""
    x, *states = (given(inputs, i)[:, None] for i in range(1 + of.kind.states))
    return tuple(each[:, 0] for each in of.run(x, None, states)[1:])[:count]


def _in_order(weights: NDArray, kind: Kind) -> NDArray:
    """Of each direction the gates in the order of ONNX."""
    blocks = np.split(weights, kind.gates, axis=1) if weights.shape[1] % kind.gates == 0 else []
    if not blocks:
        raise ShapeError(f"weights have shape {weights.shape}; {kind.gates} gates are needed")
    return np.concatenate([blocks[i] for i in _ORDER_OF_IR[kind]], axis=1)


def recurrent_ir_facts(is_cell: bool = False) -> InferAll:
    """The states' shapes, and of a sequence Y besides."""

    def infer(_: Attributes, facts: Facts, count: int) -> tuple[Fact, ...]:
        x, state = first(facts), facts[1] or UNKNOWN
        last = Fact(x.dtype, state.shape)
        if is_cell:
            return (last,) * count
        if x.shape is None or state.shape is None or len(x.shape) != 3 or len(state.shape) != 3:
            return (Fact(x.dtype), *(last,) * (count - 1))
        return (Fact(x.dtype, (*state.shape[:2], x.shape[1], state.shape[2])), *(last,) * (count - 1))

    return infer
