"""Tensor data outside the model file, as the onnx package describes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samesum.errors import UnsafeModelError
from samesum.files.opening import entries, opened_at, place


def external_data(folder: Path | None, tensor: Any, said: str, needed: int) -> bytes:
    """The `needed` bytes that the tensor's entries point to."""
    found = entries(((entry.key, entry.value) for entry in tensor.external_data), said)
    if folder is None:
        raise UnsafeModelError(f"{said}: external data {found['location']!r}; a model given as bytes may have none")
    path, offset = place(folder, found, needed, said)
    with opened_at(path, offset, needed, said) as file:
        return file.read(needed)
