"""A backend of the user's own, named `module:Class`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from samesum.conformance.as_onnx import onnx_model
from samesum.conformance.case import Case
from samesum.conformance.engines.engine import Form
from samesum.conformance.verdict import NotSupported
from samesum.formats.arrays import NDArray
from samesum.runtimes.packages import require

Run = Callable[[Any, Sequence[NDArray]], Any]


class BackendError(Exception):
    """A backend cannot be imported, or is nothing that runs models; the message says what is needed."""


class Custom:
    """A class with `run(model, inputs)`, or one in the style of `onnx.backend.base.Backend`."""

    def __init__(self, name: str) -> None:
        require("onnx", f"the backend {name}")
        self._backend = _imported(name)
        self._run = _runner(name, self._backend)
        self.name = name
        self.version = ""

    def forms(self, case: Case) -> tuple[Form, ...]:
        """ONNX models."""
        return (Form.MODEL,) if case.standard == "onnx" else ()

    def answer(self, case: Case, form: Form) -> NDArray:
        """The first output that the backend gives."""
        assert form is Form.MODEL
        from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

        model, feeds = onnx_model(case)
        is_compatible = getattr(self._backend, "is_compatible", None)
        if is_compatible is not None and not is_compatible(model):
            raise NotSupported("is_compatible says no")
        try:
            outputs = self._run(model, list(feeds.values()))
        except BackendIsNotSupposedToImplementIt as error:
            raise NotSupported(str(error)) from error
        return np.asarray(outputs[0])


def _imported(name: str) -> Any:
    """The object that `module:Class` names; modules of the current folder are found too."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise BackendError(f"a backend is given as module:Class, got {name!r}")
    with _current_folder_first():
        try:
            found: Any = import_module(module)
        except Exception as error:
            raise BackendError(f"cannot import {module}: {type(error).__name__}: {error}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise BackendError(f"{module} has no {attribute}; it has {_classes_of(found)}")
        found = getattr(found, part)
    return found


def _classes_of(module: Any) -> str:
    names = [name for name, each in vars(module).items() if isinstance(each, type) and not name.startswith("_")]
    return ", ".join(names) or "no classes"


@contextmanager
def _current_folder_first() -> Iterator[None]:
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _runner(name: str, backend: Any) -> Run:
    """How the backend runs a model: by `run_model`, by `prepare` or, of an instance, by `run`."""
    if hasattr(backend, "run_model"):
        return lambda model, inputs: backend.run_model(model, inputs)
    if hasattr(backend, "prepare"):
        return lambda model, inputs: backend.prepare(model).run(inputs)
    if not hasattr(backend, "run"):
        raise BackendError(f"{name} has neither run(model, inputs) nor the run_model or prepare of onnx.backend.base")
    try:
        instance = backend() if isinstance(backend, type) else backend
    except Exception as error:
        raise BackendError(f"{name}() cannot be made: {type(error).__name__}: {error}") from error
    return lambda model, inputs: instance.run(model, inputs)
