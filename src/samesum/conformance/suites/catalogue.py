"""The suites by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import ml_dtypes
import numpy as np

from samesum import errors
from samesum.conformance.case import EXACT, Case, Tolerance
from samesum.conformance.suites.node_tests import exported_tests, node_tests, older_tests, other_tests
from samesum.conformance.suites.vectors import dtype_named, instances, own_choices, vectors
from samesum.formats.arrays import Dtype, NDArray

# The edges: lines of edges.txt in the folder data, whose first lines say how they are written.

_ARRAY = re.compile(r"(?:(\d+) x )?(\w+)\[([\d,]*)\] ?(.*)")
_REPEATED = re.compile(r"\(([^)]*)\)\*(\d+)")


@cache
def edges() -> tuple[Case, ...]:
    """What the standards and samesum's contract decide, bit for bit."""
    text = (files("samesum.conformance.suites") / "data" / "edges.txt").read_text(encoding="utf-8")
    return tuple(case for line in text.splitlines() if not line.startswith("#") for case in _cases(line))


def _cases(line: str) -> Iterator[Case]:
    """One for each opset and type of the line."""
    title, *parts = line.split(" | ")
    standard, operator, opsets, name, types = title.split()
    attributes = json.loads(parts.pop(0)) if parts[0].startswith("{") else {}
    *given, answer = parts
    for opset in opsets.split(","):
        for kind in types.split(","):
            expected = _expected(answer, kind)
            is_array = isinstance(expected, np.ndarray)
            yield Case(
                suite="edge",
                name=f"{standard}-{operator}-{opset}-{kind}-{name}",
                standard=standard,
                operator=operator,
                opset=int(opset),
                inputs=tuple(array for each in given for array in _arrays(each, kind)),
                attributes=attributes,
                expected=expected,
                dtype=expected.dtype if isinstance(expected, np.ndarray) else None,
                tolerance=_within_an_ulp(expected) if answer.startswith("~") else EXACT,
                says="" if is_array else answer[2:].partition(" ")[2],
            )


def _expected(answer: str, kind: str) -> NDArray | type[Exception]:
    if answer.startswith("!"):
        error: type[Exception] = vars(errors)[answer[2:].partition(" ")[0]]
        return error
    (array,) = _arrays(answer[2:], kind)
    assert array is not None
    return array


def _within_an_ulp(expected: Any) -> Tolerance:
    """Room for one unit in the last place, where that is what is promised."""
    return Tolerance(relative=2.0 ** -ml_dtypes.finfo(expected.dtype).nmant)  # type: ignore[no-untyped-call]


def _arrays(text: str, kind: str) -> list[NDArray | None]:
    if text == "none":
        return [None]
    found = _ARRAY.fullmatch(text)
    assert found is not None, text
    count, name, shape, values = found.groups()
    dims = tuple(map(int, filter(None, shape.split(","))))
    return [_values(values, dtype_named(kind if name == "T" else name)).reshape(dims)] * int(count or 1)


def _values(text: str, dtype: Dtype) -> NDArray:
    """The values one after the other; many that are the same take the memory of one."""
    plain = _REPEATED.sub(lambda found: " ".join([found[1]] * int(found[2])), text).split()
    if len(plain) == 1 and "*" in plain[0]:
        value, _, count = plain[0].partition("*")
        return np.broadcast_to(_number(value, dtype), (int(count),))
    parts = [np.empty(0, dtype)]
    for each in plain:
        value, _, count = each.partition("*")
        first, _, last = value.partition("..")
        if last:
            parts.append(np.arange(int(first), int(last) + 1).astype(dtype))
        else:
            parts.append(np.full(int(count or 1), _number(value, dtype)))
    return np.concatenate(parts)


def _number(text: str, dtype: Dtype) -> NDArray:
    if text.startswith("nan:"):
        return np.array(int(text[4:], 16), f"u{dtype.itemsize}").view(dtype)
    return np.array(int(text) if dtype.kind in "iub" else float(text)).astype(dtype)


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases with one source; `cases` makes them, which takes a second or less."""

    name: str
    title: str
    cases: Callable[[], Iterable[Case]]
    standards: tuple[str, ...] = ("onnx",)


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("onnx-node", "ONNX's node tests of the family, as they are, spelt out and exported", node_tests),
        Suite("onnx-exported", "five more exported models, of Softmax and LogSoftmax", exported_tests),
        Suite("onnx-node-others", "ONNX's node tests of the other operators that samesum has", other_tests),
        Suite("onnx-older", "the node tests in the opsets that had axes as an attribute", older_tests),
        Suite("openvino-op-reference", "OpenVINO's own reference cases", instances, ("openvino",)),
        Suite("onnxruntime", "the expectations of ONNX Runtime's own tests", vectors),
        Suite("onnxruntime-own", "those that follow its own choices, put right", own_choices),
        Suite("edge", "the edges as the documents decide them, bit for bit", edges, ("onnx", "openvino")),
    )
}
