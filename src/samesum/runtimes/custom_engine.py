"""An engine of the user's own, named `module:Class`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import (
    DEFAULTS,
    EngineError,
    EngineModel,
    Feeds,
    Format,
    Settings,
    Trouble,
    of_python,
    require,
)

Call = Callable[[Any, Feeds, Sequence[str]], Any]


class BackendError(SamesumError):
    """A class cannot be imported, or is nothing that runs models; the message says what is needed."""


class Ir(NamedTuple):
    """An IR as a class of the user's own gets it: the bytes of the .xml and of the .bin."""

    xml: bytes
    weights: bytes


class Custom:
    """A class with `run(model, feeds, wanted)` or `run(model, inputs)`, or in the style of `onnx.backend.base.Backend`.

    Its attribute `formats` names what it reads, `("onnx",)` if there is none. A model in ONNX comes as a ModelProto, an
    IR as a pair of bytes. A list of inputs is in the order of the model's.
    """

    def __init__(self, name: str, backend: Any = None) -> None:
        """The class that `name` names, or `backend` itself under that name."""
        self._backend = _imported(name) if backend is None else backend
        self._call = _caller(name, self._backend)
        self.name = name
        self.version = str(getattr(self._backend, "version", ""))
        self.formats = _formats(name, self._backend)
        if Format.ONNX in self.formats:
            require("onnx", f"the backend {name}")

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> CustomSession:  # noqa: ARG002
        """The model as the class takes it; there are no settings."""
        return CustomSession(self._native(model), self._call)

    def _native(self, model: EngineModel) -> Any:
        if model.format is Format.IR:
            return Ir(model.content, model.weights)
        import onnx

        native = onnx.load_model_from_string(model.content)
        is_compatible = getattr(self._backend, "is_compatible", None)
        if is_compatible is not None:
            with of_python():
                if not is_compatible(native):
                    raise EngineError(Trouble.NOT_SUPPORTED, "is_compatible says no")
        return native


class CustomSession:
    """A model for a class of the user's own, which is called for each run."""

    precision = "not said"

    def __init__(self, model: Any, call: Call) -> None:
        self._model = model
        self._call = call

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs, which the class gives by name or in the model's order."""
        with of_python():
            outputs = self._call(self._model, feeds, wanted)
            if isinstance(outputs, Mapping):
                return {name: np.asarray(outputs[name]) for name in wanted}
            names = list(wanted) if isinstance(self._model, Ir) else [each.name for each in self._model.graph.output]
            given = dict(zip(names, outputs, strict=False))
            return {name: np.asarray(given[name]) for name in wanted}


def _imported(name: str) -> Any:
    """The object that `module:Class` names; modules of the current folder are found too."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise BackendError(f"a backend is given as module:Class, got {name!r}")
    with _current_folder_first():
        try:
            found: Any = import_module(module)
        except (Exception, SystemExit) as error:
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


def _formats(name: str, backend: Any) -> frozenset[Format]:
    said = getattr(backend, "formats", (Format.ONNX.value,))
    try:
        return frozenset(map(Format, said))
    except (TypeError, ValueError):
        raise BackendError(
            f"{name}.formats is {said!r}; allowed are names of {[each.value for each in Format]}"
        ) from None


def _caller(name: str, backend: Any) -> Call:
    """How the class runs a model: by `run_model`, by `prepare` or, of an instance, by `run`."""
    if hasattr(backend, "run_model"):
        return lambda model, feeds, _: backend.run_model(model, _listed(model, feeds))
    if hasattr(backend, "prepare"):
        return lambda model, feeds, _: backend.prepare(model).run(_listed(model, feeds))
    if not hasattr(backend, "run"):
        raise BackendError(
            f"{name} has neither run(model, inputs), run(model, feeds, wanted) nor the run_model or prepare of "
            "onnx.backend.base"
        )
    try:
        instance = backend() if isinstance(backend, type) else backend
    except (Exception, SystemExit) as error:
        raise BackendError(f"{name}() cannot be made: {type(error).__name__}: {error}") from error
    if _takes_names(instance.run):
        return lambda model, feeds, wanted: instance.run(model, dict(feeds), list(wanted))
    return lambda model, feeds, _: instance.run(model, _listed(model, feeds))


def _takes_names(run: Callable[..., Any]) -> bool:
    needed = [each for each in inspect.signature(run).parameters.values() if each.default is each.empty]
    return len([each for each in needed if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]) >= 3


def _listed(model: Any, feeds: Feeds) -> list[NDArray]:
    """The arrays in the order of the model's inputs; feeds for an IR are in that order already."""
    if isinstance(model, Ir):
        return list(feeds.values())
    return [feeds[each.name] for each in model.graph.input if each.name in feeds]
