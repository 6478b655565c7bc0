"""Files of cases that come with the package, and arrays as they write them down."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray


def read_data(name: str) -> Any:
    """The JSON document `name` of the folder data."""
    return json.loads((files("samesum.conformance.suites") / "data" / name).read_text(encoding="utf-8"))


def dtype_named(name: str) -> np.dtype[Any]:
    """NumPy's dtype, with bfloat16 among the names."""
    return BFLOAT16 if name == BFLOAT16.name else np.dtype(name)


def array_of(values: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray:
    """`values` flat in row-major order, in one of the four forms that the ONNX Runtime vectors use."""
    if not isinstance(values, dict):
        whole = dtype.kind in "iub"
        flat = np.array(values if whole else [float(value) for value in values], None if values else dtype)
    elif "fill" in values:
        flat = np.full(math.prod(shape), values["fill"])
    elif "arange" in values:
        flat = np.arange(*values["arange"])
    else:
        raw = zlib.decompress(base64.b64decode(values["zlib"]))
        flat = np.frombuffer(raw, dtype.newbyteorder("<"))
    return flat.astype(dtype).reshape(shape)
