"""A backend that prints as it is imported, made and run, in Python and from C."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from onnx.reference import ReferenceEvaluator

LIBC = ctypes.CDLL(None)


def say() -> None:
    print("this is not for standard output")
    LIBC.puts(b"this neither")
    LIBC.fflush(None)


say()


class AtEveryTurn:
    def __init__(self) -> None:
        say()

    def run(self, model: Any, feeds: dict[str, np.ndarray], wanted: list[str]) -> dict[str, np.ndarray]:
        say()
        with np.errstate(all="ignore"):
            return dict(zip(wanted, ReferenceEvaluator(model).run(wanted, feeds), strict=True))
