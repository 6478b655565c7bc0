"""Operators of ONNX (domain ai.onnx) that go along a sequence step by step: RNN, GRU, LSTM."""

from __future__ import annotations

from samesum.formats.elements import FLOATS, FLOATS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

ACTIVATIONS = (
    "relu", "tanh", "sigmoid", "affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu", "softsign",
    "softplus",
)  # fmt: skip
"""The functions of gates and states, in lower case."""

_INT32 = frozenset({"int32"})
_DIRECTION = Attribute("direction", Kind.WORD, "forward", words=("forward", "reverse", "bidirectional"))
_ALPHA, _BETA = Attribute("activation_alpha", Kind.NUMBERS), Attribute("activation_beta", Kind.NUMBERS)
_CLIP, _SIZE = Attribute("clip", Kind.NUMBER), Attribute("hidden_size", Kind.INTEGER)
_LAYOUT = Attribute("layout", Kind.FLAG, False)
_SEQUENCE = Attribute("output_sequence", Kind.FLAG, False)
_LINEAR = Attribute("linear_before_reset", Kind.FLAG, False)
_FORGET = Attribute("input_forget", Kind.FLAG, False)
_X, _W, _R = (Input(name, min_rank=3, max_rank=3) for name in "XWR")
_LENGTHS = Input("sequence_lens", _INT32, 1, 1, optional=True)


def _optional(name: str, rank: int) -> Input:
    return Input(name, min_rank=rank, max_rank=rank, optional=True)


_STATE = (_X, _W, _R, _optional("B", 2), _LENGTHS, _optional("initial_h", 3))
_STATES = (*_STATE, _optional("initial_c", 3), _optional("P", 2))


def _recurrent(
    name: str, inputs: tuple[Input, ...], activations: object = None, *own: Attribute, since: int = 1
) -> Operator:
    """An operator whose attributes `own` came with the version `since`."""
    listed = Attribute("activations", Kind.WORDS, activations, words=ACTIVATIONS)
    first = (_DIRECTION, _CLIP, _BETA, _ALPHA, _SIZE, listed)
    versions = [Version(1, FLOATS, Signature(inputs, (*first, *(own if since == 1 else ()), _SEQUENCE)))]
    if since > 1:
        versions.append(Version(since, FLOATS, Signature(inputs, (*first, *own, _SEQUENCE))))
    versions += [
        Version(7, FLOATS, Signature(inputs, (*first, *own))),
        Version(14, FLOATS, Signature(inputs, (*first, *own, _LAYOUT))),
        Version(22, FLOATS_PLUS, Signature(inputs, (*first, *own, _LAYOUT))),
    ]
    return Operator(name, tuple(versions))


ONNX_RECURRENT = (
    _recurrent("RNN", _STATE, ("Tanh", "Tanh")),
    _recurrent("GRU", _STATE, None, _LINEAR, since=3),
    _recurrent("LSTM", _STATES, None, _FORGET),
)
