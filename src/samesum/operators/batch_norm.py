"""Batch normalization in inference: (x - mean) / sqrt(variance + epsilon) * scale + bias, rounded once."""

from __future__ import annotations

import numpy as np

from samesum.engine.norms import Channels, normalize_batch
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.pointwise import given
from samesum.operators.rows import Attributes, Inputs, Run


def batch_norm(order: tuple[int, ...] = (0, 1, 2, 3, 4)) -> Run:
    """The operator with data, scale, bias, mean and variance at these places among its inputs."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        x, *others = (given(inputs, i) for i in order)
        samples = x.reshape(-1, 1) if x.ndim < 2 else x
        axes = (1, 2 if attributes.get("spatial", True) else samples.ndim)
        scale, bias, mean, variance = (_of_channels(each, samples, axes) for each in others)
        channels = Channels(*axes, scale, bias, mean, variance, attributes["epsilon"])
        return normalize_batch(samples, channels).reshape(x.shape)

    return run


def _of_channels(array: NDArray, x: NDArray, axes: tuple[int, int]) -> NDArray:
    """The array in float64, which holds every element of the allowed types, a number for each channel of `x`."""
    allowed = x.shape[slice(*axes)]
    if array.shape != allowed:
        raise ShapeError(f"a scale, bias, mean or variance has shape {array.shape}; data {x.shape} allow {allowed}")
    return np.ascontiguousarray(array, np.float64)
