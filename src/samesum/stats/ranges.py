"""Ranges of activations as onnxruntime.quantization reads them (`quantize_static(calibration_cache_path=...)`).

Source: `save_tensors_data` and `TensorsData` of onnxruntime 1.32, onnxruntime/quantization/calibrate.py.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from samesum.files.opening import write_text
from samesum.stats.activation import Activation


def range_of(activation: Activation, percentile: float | None) -> tuple[float, float] | None:
    """The least and the greatest finite element, or what leaves out half of 100 - percentile at either end."""
    if percentile is not None:
        outside = (100 - percentile) / 2
        low, high = activation.percentile(outside), activation.percentile(100 - outside)
    else:
        state = activation.exact()
        low, high = (None if value is None else float(value) for value in (state.least, state.greatest))
    return None if low is None or high is None else (low, high)


def write_ranges(path: Path, activations: Iterable[Activation], percentile: float | None) -> int:
    """Writes the ranges of float16 and float32 activations that have one, and says how many. Raises OSError."""
    data = {}
    for each in activations:
        found = range_of(each, percentile)
        if found is not None and each.dtype in ("float16", "float32") and all(map(math.isfinite, found)):
            lowest, highest = ({"data": value, "dtype": each.dtype, "CLS": "numpy.array"} for value in found)
            data[each.name] = {"lowest": lowest, "highest": highest, "CLS": "TensorData"}
    method = "MinMax" if percentile is None else "Percentile"
    document: dict[str, Any] = {
        "CLS": "TensorsData",
        "data": data,
        "calibration_method": {"CLS": "CalibrationMethod", "value": f"CalibrationMethod.{method}"},
        "smooth_quant": False,
    }
    write_text(path, json.dumps(document))
    return len(data)
