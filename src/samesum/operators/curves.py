"""Functions of each element that the core computes, as the operators of both standards have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.engine import elementwise
from samesum.engine.norms import Channels, normalize_batch
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.pointwise import given
from samesum.operators.rows import Attributes, Inputs


def erf(x: NDArray) -> Any:
    """The error function; of integers, whose exact result is between -1 and 1, truncated toward zero."""
    return np.zeros_like(x) if x.dtype.kind in "iu" else elementwise.erf(x)


def gelu(attributes: Attributes, inputs: Inputs) -> NDArray:
    """x times the normal distribution of x, or the formula with tanh that stands for it."""
    word = attributes.get("approximate", attributes.get("approximation_mode", "none"))
    return (elementwise.gelu_tanh if word == "tanh" else elementwise.gelu)(given(inputs, 0))


def hard_sigmoid(attributes: Attributes, inputs: Inputs) -> NDArray:
    """HardSigmoid of ONNX: alpha x + beta, with the attributes' float32 values, between 0 and 1."""
    alpha, beta = (np.array(attributes[name], np.float64) for name in ("alpha", "beta"))
    return _line(given(inputs, 0), alpha, beta)


def hard_sigmoid_ir(_: Attributes, inputs: Inputs) -> NDArray:
    """HardSigmoid of OpenVINO, whose alpha and beta are inputs."""
    for i, name in ((1, "alpha"), (2, "beta")):
        if given(inputs, i).size != 1:
            raise ShapeError(f"{name} has shape {given(inputs, i).shape}; one element is needed")
    alpha, beta = (given(inputs, i).reshape(()).astype(np.float64) for i in (1, 2))
    return _line(given(inputs, 0), alpha, beta)


def _line(x: NDArray, alpha: NDArray, beta: NDArray) -> NDArray:
    """alpha x + beta between 0 and 1, rounded once: a normalization about 0 by 1, whose scale and bias they are."""
    scale, bias, mean, variance = (np.array([each], np.float64) for each in (alpha, beta, 0.0, 1.0))
    y = normalize_batch(x, Channels(0, 0, scale, bias, mean, variance, 0.0))
    zero, one, nan = (y.dtype.type(each) for each in (0.0, 1.0, np.nan))
    return np.asarray(np.where(y > one, one, np.where(y > zero, y, np.where(np.isnan(y), nan, zero))))
