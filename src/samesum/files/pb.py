"""ONNX's TensorProto in a .pb file, as its test data hold inputs and outputs; read without the onnx package.

Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, message TensorProto.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.initializers import opener_of, scanned
from samesum.files.opening import opened, size_of
from samesum.files.protobuf import Field
from samesum.files.source import NO_LIMITS, Limits, Source
from samesum.files.tensor import Opener, bytes_of
from samesum.formats.elements import ONNX_ELEMENTS, Element
from samesum.formats.packing import decoded


def pb_source(path: Path, limits: Limits = NO_LIMITS) -> tuple[str, Source]:
    """The name and the array of a .pb file; the name may be empty.

    Raises ModelError for what is no tensor, UnsafeModelError for data in other files and beyond `limits`.
    """
    said = str(path)
    with opened(path) as file:
        found = scanned(file, Field(0, size_of(file), 0, 0), said)
    element, shape = ONNX_ELEMENTS.get(found.type), tuple(found.dims)
    if found.is_external or found.external:
        raise UnsafeModelError(f"{said}: its data lie in another file; a .pb input holds its own")
    if found.is_segment:
        raise ModelError(f"{said} is not a whole tensor: it holds a segment, a sequence or something else")
    if element is None:
        allowed = ", ".join(each.name for each in ONNX_ELEMENTS.values())
        raise ModelError(f"{said} holds no tensor of numbers: its data type is {found.type}; allowed: {allowed}")
    limits.check(said, element.dtype, shape)
    there = opener_of(found, element, shape, path, said, [])
    if element.bits < 8 or element.dtype == np.bool_:
        there = partial(_unpacked, there, element, shape, said)
    return found.name, Source(said, element.dtype, shape, element.dtype, False, there)


@contextmanager
def _unpacked(there: Opener, element: Element, shape: tuple[int, ...], said: str) -> Iterator[IO[bytes]]:
    needed = bytes_of(element, math.prod(shape))
    with there() as stream:
        data = stream.read(needed)
    if len(data) < needed:
        raise ModelError(f"{said} ends after {len(data)} of {needed} bytes: the file is truncated")
    yield io.BytesIO(decoded(np.frombuffer(data, np.uint8), element, shape).tobytes())


def numbered(folder: Path, prefix: str = "input") -> Sequence[Path]:
    """The files `input_0.pb`, `input_1.pb` and so on of a folder, in that order; ModelError if one is missing."""
    pattern = re.compile(rf"{prefix}_([0-9]{{1,6}})\.pb")
    found = {int(match[1]): path for path in folder.iterdir() if (match := pattern.fullmatch(path.name))}
    if not found or sorted(found) != list(range(len(found))):
        there = ", ".join(found[number].name for number in sorted(found)) or f"none of {prefix}_*.pb"
        raise ModelError(f"{folder} holds {there}; needed are {prefix}_0.pb, {prefix}_1.pb and so on")
    return [found[number] for number in range(len(found))]
