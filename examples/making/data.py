"""Arrays that look like a network's activations: most near zero, some channels far out, a few spikes."""

from __future__ import annotations

import numpy as np

from making.catalogue import SHAPE

LARGE_SHAPE = (2, 8, 1024)


def activations(shape: tuple[int, ...], channel_axis: int, seed: int) -> np.ndarray:
    """Float32 values after a GELU: channels of different scales, one value in a thousand 50 times as large."""
    source = np.random.RandomState(seed)
    channels = [shape[i] if i == channel_axis % len(shape) else 1 for i in range(len(shape))]
    scale = np.exp(source.normal(0, 0.8, channels)) * np.where(source.random_sample(channels) < 0.03, 30, 1)
    raw = source.normal(0, 1, shape) * scale
    gated = raw * (1 + np.tanh(0.851 * raw)) / 2
    spikes = np.where(source.random_sample(shape) < 1e-3, 50, 1)
    return (gated * spikes).astype("<f4")


def arrays() -> dict[str, np.ndarray]:
    """Every file of data/: name, array."""
    return {
        "activations.npy": activations(SHAPE, 1, seed=1),
        "activations_large.npy": activations(LARGE_SHAPE, -1, seed=2),
        "cum_sum_x.npy": np.array([1, 2, 3, 4, 5], "<f4"),
    }
