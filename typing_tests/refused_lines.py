"""Lines that no type checker may take: each has a comment that is an error itself where nothing is to be ignored."""

from __future__ import annotations

import numpy as np

import samesum as ss

X = np.ones((3, 4), np.float32)


def wrong_keywords() -> None:
    """Keywords that a function does not have."""
    ss.min(X, dtype="f4")  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
    ss.mean(X, initial=1)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
    ss.softmax(X, dim=0)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


def wrong_values() -> None:
    """Values of another type."""
    ss.sum(X, keepdims="no")  # type: ignore[call-overload] # pyright: ignore[reportCallIssue, reportArgumentType]
    ss.sum(X, split_every="8")  # type: ignore[call-overload] # pyright: ignore[reportCallIssue, reportArgumentType]
    ss.sum(X, axis=1.5)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue, reportArgumentType]
    ss.cumulative_sum(X, axis=(0, 1))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ss.State("sum", axis=0.5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ss.load(3)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ss.scatter_reduce(X, 0, [0], X[:1], "var")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
