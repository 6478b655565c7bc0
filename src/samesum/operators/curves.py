"""Functions of each element that the core computes, as the operators of both standards have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.engine import elementwise
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
