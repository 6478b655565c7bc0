"""Writes the tables of docs/tolerance.md: what is fair for twelve operators, and programs that `allclose` lets pass.

`python benchmarks/fair_tolerances.py` with the extra `torch`; `--print` shows the tables and writes nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from samesum.testing import judge

PAGE = Path(__file__).parents[1] / "docs" / "tolerance.md"
LINES, LENGTH = 256, 1024
TYPES = ("float16", "bfloat16", "float32", "float64")
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Program:
    """A program for a problem in the manner of KernelBench's level 1, with a fault that `allclose` does not see."""

    problem: str
    fault: str
    operator: str
    shape: tuple[int, ...]
    attributes: dict[str, Any]
    answer: Callable[[Array], Array]
    positional: tuple[Any, ...] = ()


def _short(x: Array) -> Array:
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def _in_float16(x: Array) -> Array:
    terms = x.astype(np.float16).reshape(x.shape[0], -1, 64)
    return np.add.accumulate(terms, axis=1)[:, -1].sum(axis=-1).astype(np.float32)


def _softmax(x: Array) -> Array:
    made = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(made / made.sum(axis=-1, keepdims=True))


def _last_left(x: Array) -> Array:
    return _softmax(x) * np.concatenate([np.ones(x.shape[-1] - 64), np.zeros(64)]).astype(np.float32)


def _without_epsilon(x: Array) -> Array:
    return np.asarray(x / np.sqrt(np.square(_short(x)).mean(axis=-1, keepdims=True)))


def _by_subtraction(x: Array) -> Array:
    mean = x.mean(axis=-1, keepdims=True)
    return np.asarray((x - mean) / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) - np.square(mean) + 1e-5))


PROGRAMS = (
    Program("softmax, 16 x 16384", "returns zeros", "softmax", (16, 16384), {"axis": 1}, np.zeros_like),
    Program("softmax, 16 x 16384", "the last 64 columns stay zero", "softmax", (16, 16384), {"axis": 1}, _last_left),
    Program(
        "softmax, 16 x 16384",
        "rounds its input to bfloat16",
        "softmax",
        (16, 16384),
        {"axis": 1},
        lambda x: _softmax(_short(x)),
    ),
    Program(
        "sum over 4096", "leaves the last 16 rows out", "sum", (4096, 64), {"axis": 0}, lambda x: x[:-16].sum(axis=0)
    ),
    Program("sum over 4096", "adds in float16", "sum", (64, 4096), {"axis": 1}, _in_float16),
    Program(
        "mean over 4096",
        "rounds its result to bfloat16",
        "mean",
        (64, 4096),
        {"axis": 1},
        lambda x: _short(x.mean(axis=1)),
    ),
    Program(
        "max over 4096", "rounds its input to bfloat16", "max", (64, 4096), {"axis": 1}, lambda x: _short(x).max(axis=1)
    ),
    Program(
        "cumulative sum of 4000",
        "rounds each block's total to float16",
        "cumulative_sum",
        (8, 4000),
        {"axis": 1},
        lambda x: (
            np.cumsum(x, axis=1)
            + (np.cumsum(x, axis=1)[:, ::500].astype(np.float16) - np.cumsum(x, axis=1)[:, ::500]).repeat(500, axis=1)
        ),
    ),
    Program(
        "norm of 65536",
        "leaves the last 256 out",
        "l2_norm",
        (16, 65536),
        {"axis": 1},
        lambda x: np.sqrt(np.square(x[:, :-256]).sum(axis=1)),
    ),
    Program(
        "rms_norm of 1024",
        "squares in bfloat16, no epsilon",
        "rms_norm",
        (64, 1024),
        {"eps": 1e-5},
        _without_epsilon,
        (1024,),
    ),
    Program(
        "layer_norm of 1024, mean 30",
        "variance as E[x^2] - E[x]^2",
        "layer_norm",
        (64, 1024),
        {},
        _by_subtraction,
        (1024,),
    ),
)


def data(program: Program) -> Array:
    """Uniform numbers, as most problems have them, float32."""
    drawn = np.random.default_rng(1).random(program.shape)
    return (drawn + 30 * ("mean 30" in program.problem)).astype(np.float32)


def rows_of_programs() -> list[str]:
    """What `allclose` says of each program with 1e-2 and 1e-4, and what `judge` does."""
    rows = ["| problem | the program | allclose 1e-2 | allclose 1e-4 | judge | |", "|---|---|---|---|---|---|"]
    for each in PROGRAMS:
        x = data(each)
        got = each.answer(x)
        exact = _exact(each, x)
        near = ["passes" if np.allclose(got, exact, rtol=t, atol=t) else "fails" for t in (1e-2, 1e-4)]
        found = judge(each.operator, got, x, *each.positional, **each.attributes)
        said = f"{found.scaled:.3g} of {found.allowed:.3g} {found.unit}"
        rows.append(f"| {each.problem} | {each.fault} | {near[0]} | {near[1]} | {found.verdict} | {said} |")
    return rows


def _exact(program: Program, x: Array) -> Array:
    import samesum

    return np.asarray(getattr(samesum, program.operator)(x, *program.positional, **program.attributes))


def rows_of_operators() -> list[str]:
    """What is allowed for each operator and type, and how far PyTorch's answers are at most."""
    import torch

    functional, linalg = torch.nn.functional, torch.linalg
    size = (LENGTH,)
    ways: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...], dict[str, Any]]] = {
        "sum": (lambda x: x.sum(1), (), {"axis": 1}),
        "mean": (lambda x: x.mean(1), (), {"axis": 1}),
        "l1_norm": (lambda x: linalg.vector_norm(x, 1, dim=1), (), {"axis": 1}),
        "l2_norm": (lambda x: linalg.vector_norm(x, dim=1), (), {"axis": 1}),
        "var": (lambda x: x.var(1), (), {"axis": 1, "correction": 1}),
        "cumulative_sum": (lambda x: x.cumsum(1), (), {"axis": 1}),
        "logsumexp": (lambda x: x.logsumexp(1), (), {"axis": 1}),
        "softmax": (lambda x: x.softmax(1), (), {"axis": 1}),
        "log_softmax": (lambda x: x.log_softmax(1), (), {"axis": 1}),
        "layer_norm": (lambda x: functional.layer_norm(x, size), size, {}),
        "rms_norm": (lambda x: functional.rms_norm(x, size, eps=1e-6), size, {"eps": 1e-6}),
        "matmul": (lambda x: x @ x.T, (), {}),
    }
    rows = [f"| {LENGTH} terms | errors in | {' | '.join(TYPES)} |", "|---|---|---|---|---|---|"]
    wide = torch.randn((LINES, LENGTH), generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for name, (run, positional, attributes) in ways.items():
        cells, unit = [], ""
        for dtype in TYPES:
            x = wide.to(getattr(torch, dtype))
            inputs = (x, x.T) if name == "matmul" else (x, *positional)
            found = judge(name, run(x), *inputs, **attributes)
            unit = found.unit
            cells.append(f"{_number(found.allowed)} ({_number(found.scaled)})")
        rows.append(f"| `{name}` | {unit} | {' | '.join(cells)} |")
    return rows


def _number(value: float) -> str:
    return f"{value:.3g}"


def written(page: str, name: str, rows: list[str]) -> str:
    """The page with these rows between its two marks of that name."""
    head, mark, rest = page.partition(f"<!-- {name} -->\n")
    _, end, tail = rest.partition(f"<!-- end of {name} -->")
    assert mark
    assert end
    return f"{head}{mark}{chr(10).join(rows)}\n{end}{tail}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true", help="show the tables and write nothing")
    arguments = parser.parse_args()
    tables = {"operators": rows_of_operators(), "programs": rows_of_programs()}
    if arguments.print:
        print("\n\n".join("\n".join(rows) for rows in tables.values()))
        return
    page = PAGE.read_text(encoding="utf-8")
    for name, rows in tables.items():
        page = written(page, name, rows)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
