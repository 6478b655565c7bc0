"""The engines by name, and the reference evaluator of the onnx package as one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from samesum import __version__
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import (
    DEFAULTS,
    BackendError,
    EngineError,
    EngineModel,
    Feeds,
    Format,
    Runtime,
    Settings,
    Trouble,
    of_python,
    require,
)

# An engine of the user's own, named module:Class.


Call = Callable[[Any, Feeds, Sequence[str]], Any]


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


class Samesum:
    """`samesum.load`."""

    name = "samesum"
    version = __version__
    formats = frozenset({Format.ONNX, Format.IR})

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> SamesumSession:  # noqa: ARG002
        """A loaded model; no setting changes a bit."""
        if model.format is Format.ONNX:
            return SamesumSession(load(model.content))
        return SamesumSession(load(model.content, weights=model.weights))


class SamesumSession:
    """A loaded model."""

    precision = "exact, rounded once"

    def __init__(self, model: Model) -> None:
        self._model = model

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs; a model of one output has it whatever its name."""
        outputs = self._model.run(feeds)
        if len(outputs) == 1 == len(wanted):
            return {wanted[0]: np.asarray(next(iter(outputs.values())))}
        return {name: np.asarray(outputs[name]) for name in wanted}


class Reference:
    """`onnx.reference.ReferenceEvaluator`."""

    name = "reference"
    formats = frozenset({Format.ONNX})

    def __init__(self) -> None:
        require("onnx", "the engine reference")

    @property
    def version(self) -> str:
        """That of the onnx package."""
        return version("onnx")

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> ReferenceSession:  # noqa: ARG002
        """An evaluator; it has no settings."""
        from onnx.reference import ReferenceEvaluator

        with of_python():
            return ReferenceSession(ReferenceEvaluator(model.content))


class ReferenceSession:
    """One evaluator, which computes in NumPy in the types of the model."""

    precision = "as stored"

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs."""
        with of_python(), np.errstate(all="ignore"):
            outputs = self._evaluator.run(list(wanted), dict(feeds))
            return {name: np.asarray(output) for name, output in zip(wanted, outputs, strict=True)}


# Those of other libraries.
OTHERS: dict[str, Callable[[], Runtime]] = {each.name: each for each in (OnnxRuntime, OpenVino, Reference)}

ENGINES: dict[str, Callable[[], Runtime]] = {**OTHERS, Samesum.name: Samesum}


def started(name: str, seconds: float) -> Remote:
    """The engine of that name, or a class as `module:Class`, in a process of its own with so long for each answer.

    Raises MissingPackage for an engine that is not installed, BackendError for one that does not start.
    """
    if name in ENGINES:
        ENGINES[name]()
    return Remote(maker(name), seconds).start(name)


def maker(name: str) -> Callable[[], Runtime]:
    """What makes the engine of that name: one of ENGINES, or a class of the user's own as `module:Class`."""
    return ENGINES[name] if name in ENGINES else partial(Custom, name)


# The engines of a comparison, by name or as objects.


SECONDS = 600.0
"""How long an engine in a process of its own may take for one answer."""


def made(engines: Sequence[Any], isolated: bool) -> list[tuple[str, Runtime]]:
    """Each engine with the name that results call it by.

    A string is one of ENGINES or a class as `module:Class`; anything else is a class or an object with
    `run(model, feeds, wanted)`. `isolated` ones run in processes of their own, which need a name.
    Raises AttributeValueError for another name, BackendError for an engine that does not start, MissingPackage for one
    that is not installed.
    """
    found: list[tuple[str, Runtime]] = []
    try:
        for each in engines:
            name = each if isinstance(each, str) else _name(each)
            if name in [known for known, _ in found]:
                raise AttributeValueError(f"the engine {name!r} is given twice")
            found.append((name, _made(each, name, isolated)))
    except BaseException:
        close([runtime for _, runtime in found])
        raise
    return found


def _made(engine: Any, name: str, isolated: bool) -> Runtime:
    if not isinstance(engine, str):
        return Custom(name, engine)
    if engine not in ENGINES and ":" not in engine:
        known = ", ".join(ENGINES)
        raise AttributeValueError(f"there is no engine {engine!r}; allowed are {known} and a class as module:Class")
    return started(engine, SECONDS) if isolated else maker(engine)()


def _name(engine: Any) -> str:
    said = getattr(engine, "name", None)
    if isinstance(said, str):
        return said
    kind = engine if isinstance(engine, type) else type(engine)
    return kind.__name__


def close(runtimes: Sequence[Runtime]) -> None:
    """Ends the processes of those that have one."""
    for runtime in runtimes:
        if isinstance(runtime, Remote):
            runtime.close()
