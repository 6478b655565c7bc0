"""Writes the table of docs/operators.md that shows what engines lose in normalizations, pools and scatters.

`python benchmarks/what_is_lost.py` with the extra `compare`; `--print` shows the table and writes nothing. The right
answers are computed here with 60 decimal digits, by no engine.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from samesum.runtimes.catalogue import ENGINES
from samesum.runtimes.runtime import EngineError, EngineModel, Format, Settings, run

PAGE = Path(__file__).parents[1] / "docs" / "operators.md"
SHOWN = ("samesum", "onnxruntime", "openvino", "reference")
REPEATS = 5
RANDOM = np.random.default_rng(37)

Lines = Callable[[list[Decimal]], list[Decimal]]


@dataclass(frozen=True)
class Question:
    """One node with its inputs, and the right answer, as near as float64 holds it."""

    said: str
    operator: str
    inputs: tuple[np.ndarray, ...]
    right: np.ndarray
    attributes: dict[str, Any]


def lines_of(x: np.ndarray, count: int, make: Lines) -> np.ndarray:
    """What `make` gives for each of the lines of `count` elements, in the shape of `x`."""
    with localcontext(prec=60):
        rows = [make([Decimal(float(v)) for v in row]) for row in x.reshape(-1, count)]
        return np.array([[float(v) for v in row] for row in rows]).reshape(x.shape)


def centred(epsilon: float, beside: Decimal = Decimal(0)) -> Lines:
    """Over the deviation, with epsilon under the root or a number added to it."""

    def make(row: list[Decimal]) -> list[Decimal]:
        mean = sum(row) / len(row)
        square = sum((v - mean) ** 2 for v in row) / len(row)
        root = (square + Decimal(epsilon)).sqrt() + beside
        return [(v - mean) / root for v in row]

    return make


def over_root(epsilon: float, over_count: bool) -> Lines:
    """Over the root of the sum or of the mean of the squares."""

    def make(row: list[Decimal]) -> list[Decimal]:
        square = sum(v * v for v in row) / (len(row) if over_count else 1)
        root = (square + Decimal(epsilon)).sqrt()
        return [v / root for v in row]

    return make


def questions() -> list[Question]:
    """The rows of the table."""
    eps = float(np.float32(1e-5))
    images = (1000 + RANDOM.standard_normal((1, 8, 64, 64))).astype("f4")
    hundred = (100 + 0.01 * RANDOM.standard_normal((1, 2, 32, 32))).astype("f4")
    ramp, twenty = np.float32([[1, 2, 3, 4]]) * np.float32(1e30), np.full((1, 4), 1e20, "f4")
    pair, ones = np.float32([[3e30, 4e30]]), np.ones(8, "f4")
    tenth = np.float32(0.1)
    tenths = np.full((1, 1, 4096, 4096), tenth)
    updates, index = np.full(2**20, tenth), np.zeros(2**20, "i8")
    one = np.zeros(1, "f4")
    window = np.float32([[[2**24, 1, 1]]])
    return [
        Question(
            "GroupNormalization, mean 1000, deviation 1",
            "GroupNormalization",
            (images, ones, 0 * ones),
            lines_of(images, 4 * 64 * 64, centred(eps)),
            {"num_groups": 2},
        ),
        Question(
            "MeanVarianceNormalization, mean 100, deviation 0.01",
            "MeanVarianceNormalization",
            (hundred,),
            lines_of(hundred, 32 * 32, centred(0, Decimal("1e-9"))),
            {"axes": [2, 3]},
        ),
        Question(
            "LayerNormalization of [1, 2, 3, 4] x 1e30",
            "LayerNormalization",
            (ramp, ones[:4]),
            lines_of(ramp, 4, centred(eps)),
            {},
        ),
        Question(
            "RMSNormalization of 1e20 four times",
            "RMSNormalization",
            (twenty, ones[:4]),
            lines_of(twenty, 4, over_root(eps, True)),
            {},
        ),
        Question(
            "LpNormalization of [3e30, 4e30]", "LpNormalization", (pair,), lines_of(pair, 2, over_root(0, False)), {}
        ),
        Question(
            "GlobalAveragePool of 2^24 times 0.1",
            "GlobalAveragePool",
            (tenths,),
            np.full((1, 1, 1, 1), float(tenth)),
            {},
        ),
        Question(
            "AveragePool of [2^24, 1, 1]",
            "AveragePool",
            (window,),
            np.full((1, 1, 1), (2**24 + 2) / 3),
            {"kernel_shape": [3]},
        ),
        Question("Sum of 1e8, 1 and -1e8", "Sum", tuple(np.float32([v]) for v in (1e8, 1, -1e8)), np.ones(1), {}),
        Question(
            "ScatterElements, 2^20 times 0.1 into one element",
            "ScatterElements",
            (one, index, updates),
            np.full(1, float(tenth) * 2**20),
            {"reduction": "add"},
        ),
        Question(
            "ScatterND, the same on two threads",
            "ScatterND",
            (one, index.reshape(-1, 1), updates),
            np.full(1, float(tenth) * 2**20),
            {"reduction": "add"},
        ),
    ]


def model_of(question: Question) -> tuple[EngineModel, dict[str, np.ndarray]]:
    """A model of one node with its inputs fed."""
    feeds = {f"x{i}": array for i, array in enumerate(question.inputs)}
    node = helper.make_node(question.operator, list(feeds), ["y"], **question.attributes)
    given = [
        helper.make_tensor_value_info(name, numpy_helper.from_array(x).data_type, x.shape) for name, x in feeds.items()
    ]
    wanted = helper.make_tensor_value_info("y", TensorProto.FLOAT, question.right.shape)
    graph = helper.make_graph([node], question.operator, given, [wanted])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    return EngineModel(Format.ONNX, model.SerializeToString()), feeds


def told(question: Question, got: list[np.ndarray]) -> str:
    """How far the worst answer is from the right one, and how many there are."""
    expected = question.right.astype("f4")
    if all(each.tobytes() == expected.tobytes() for each in got):
        return "right"
    different = len({each.tobytes() for each in got})
    more = f", {different} results in {len(got)} runs" if different > 1 else ""
    if not all(np.isfinite(each).all() for each in got):
        return f"NaN{more}"
    if expected.size == 1:
        values = sorted({float(each.item()) for each in got})
        return f"{values[0]:.7g}{more}" if len(values) == 1 else f"{values[0]:.7g} to {values[-1]:.7g}{more}"
    if not any(each.any() for each in got):
        return f"zeros{more}"
    return f"off by {max(float(np.abs(each - question.right).max()) for each in got):.2g}{more}"


def answered(name: str, question: Question) -> str:
    """What the engine's answers are, of some runs on two threads."""
    engine = ENGINES[name]()
    model, feeds = model_of(question)
    settings = Settings(threads=2, precision="f32")
    try:
        with np.errstate(all="ignore"):
            got = [np.asarray(run(engine, model, feeds, ["y"], settings)["y"]) for _ in range(REPEATS)]
    except EngineError:
        return "no answer"
    return told(question, got)


def right(question: Question) -> str:
    """The right answer in words."""
    values = question.right.ravel()
    if values.size > 4:
        return f"within {np.abs(values).max():.2g}"
    return ", ".join(f"{np.float32(v):.7g}" for v in values)


def table() -> str:
    """In Markdown, with the engines' releases."""
    heads = [f"{name} {ENGINES[name]().version}" for name in SHOWN]
    lines = [f"| float32 | right | {' | '.join(heads)} |", f"|---|---{'|---' * len(SHOWN)}|"]
    for question in questions():
        cells = [answered(name, question) for name in SHOWN]
        lines.append(f"| {question.said} | {right(question)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Writes the page, or shows the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true", help="show the table and write nothing")
    text = table()
    if parser.parse_args().print:
        print(text, end="")
        return
    page = PAGE.read_text(encoding="utf-8")
    between = re.compile(r"(?<=<!-- what is lost: begin -->\n).*(?=<!-- what is lost: end -->)", re.DOTALL)
    PAGE.write_text(between.sub(lambda _: text, page), encoding="utf-8")


if __name__ == "__main__":
    main()
