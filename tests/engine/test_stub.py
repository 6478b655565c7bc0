"""The stub of the compiled core names what is there: functions, classes, parameters, defaults and numbers."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from samesum import _core
from samesum.engine import memory

STUB = ast.parse(Path(memory.__file__).parents[1].joinpath("_core.pyi").read_text(encoding="utf-8"))
FLAGS = {name for name, value in vars(_core).items() if name.isupper() and isinstance(value, int)}


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Each with whether it has a default; those without a name for callers as `_`."""
    spelled = [*(ast.arg("_") for _ in function.args.posonlyargs), *function.args.args]
    bare = len(spelled) - len(function.args.defaults)
    return [(each.arg, place >= bare) for place, each in enumerate(spelled)]


def described(body: list[ast.stmt]) -> dict[str, Any]:
    """What the stub says of functions, classes and numbers."""
    names: dict[str, Any] = {}
    for each in body:
        if isinstance(each, ast.FunctionDef):
            names[each.name] = parameters(each)
        elif isinstance(each, ast.ClassDef):
            names[each.name] = described(each.body)
        elif isinstance(each, ast.AnnAssign):
            names[ast.unparse(each.target)] = ast.unparse(each.annotation)
    return names


def found(names: dict[str, Any]) -> dict[str, Any]:
    """The same, as the module itself says it."""
    result: dict[str, Any] = {}
    for name, each in names.items():
        signatures = getattr(each, "__nb_signature__", None)
        if signatures:
            ((signature, *_),) = signatures
            (function,) = ast.parse(re.sub(r"\\[0-9]+", "...", signature) + ": ...").body
            assert isinstance(function, ast.FunctionDef)
            result[name] = parameters(function)
        elif isinstance(each, type):
            result[name] = found(dict(vars(each)))
        elif name in FLAGS:
            result[name] = type(each).__name__
    return result


def test_the_stub_says_what_the_module_has() -> None:
    assert described(STUB.body) == found(vars(_core))


def test_flags_are_one_bit_each_and_python_has_all_of_them() -> None:
    numbers = sorted(getattr(_core, name) for name in FLAGS)
    assert numbers == [1 << bit for bit in range(len(numbers))]
    assert {name: getattr(memory, name) for name in FLAGS} == {name: getattr(_core, name) for name in FLAGS}
