"""A model on several engines: whose outputs differ, at which nodes, and who is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from samesum.compare.effect import effects
from samesum.compare.graph import Graph
from samesum.compare.observing import ROUNDINGS, SHORT, Observed, differences, same
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.parting import merged_node, ordered, parting, settled, worst_controls, worst_outputs
from samesum.compare.reading import Runs, checked, made_up, read
from samesum.compare.records import Recorder, recording
from samesum.compare.results import (
    FULL,
    Comparison,
    Control,
    Effect,
    EngineFacts,
    Hazard,
    NodeFinding,
    OutputDifference,
    Parting,
)
from samesum.compare.walk import Save, Walk
from samesum.errors import AttributeValueError
from samesum.formats.arrays import boolean_of
from samesum.runtimes.catalogue import close, made
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.runtime import EngineError, Feeds, Format, Runtime, Session, Trouble, run

ENGINES = ("onnxruntime", "openvino")
MEMORY = 1 << 29
"""Bytes of values that are exposed at a time."""

MOSTLY = 4.0
"""How many times nearer outputs in float32 have to be for a shorter type to be mostly why they differ."""

Advance = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done and how much there is."""


def compare(
    model: str | PathLike[str] | bytes | Any,
    inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    engines: Sequence[Any] = ENGINES,
    *,
    weights: str | PathLike[str] | bytes | None = None,
    seed: int = 0,
    isolated: bool = False,
    memory: int = MEMORY,
    effect: bool = False,
    record: str | PathLike[str] | None = None,
    advance: Advance = lambda *_: None,
    save: Save = lambda *_: None,
) -> Comparison:
    """Who is right: the model's outputs on each engine, and every reduction, scan and softmax beside the exact answer.

    `model` is a path to an .onnx file or an OpenVINO IR (its `weights` are the .bin beside it), the bytes of one, or an
    `onnx.ModelProto`. `inputs` are arrays by input name, or several such sets, whose worst counts; without them they
    are made up from the model's signature with `seed`. An engine is a name (onnxruntime, openvino, reference,
    samesum), a class as `module:Class`, or a class or an object with `run(model, feeds, wanted) -> {name: array}`.
    `isolated` engines run in processes of their own. `memory` bounds the bytes of values that are exposed at a time.
    `effect` adds how far exact reductions move ONNX Runtime's outputs and how much nearer to a float64 run they
    come, which takes as long as NumPy needs for the model. `record` is a file to keep every engine's values in, for
    `compare_records`. `save` is called with a `Case` for each engine that is wrong at a node.

    Raises ModelError for a file that is no model, AttributeValueError for an engine or an input that is not known,
    DtypeError and ShapeError for arrays that do not fit their inputs, MissingPackage for an engine that is not
    installed.

    >>> import numpy as np, onnx
    >>> node = onnx.helper.make_node("ReduceSum", ["x"], ["y"], name="total", keepdims=0)
    >>> x, y = (onnx.helper.make_tensor_value_info(n, 1, s) for n, s in (("x", [4]), ("y", [])))
    >>> opset = [onnx.helper.make_opsetid("", 13)]
    >>> model = onnx.helper.make_model(onnx.helper.make_graph([node], "sum", [x], [y]), opset_imports=opset)
    >>> found = compare(model, {"x": np.float32([1e8, 1, -1e8, 1])}, ["reference"])
    >>> found.nodes[0].engines["reference"].verdict.value
    'inexact'
    """
    isolated, effect = boolean_of("isolated", isolated), boolean_of("effect", effect)
    graph = read(model, weights)
    runtimes = made(engines, isolated)
    if not runtimes:
        raise AttributeValueError("no engine is given; at least one is needed")
    try:
        notes, able = _able(graph, runtimes)
        everyone = [Observed(name, runtime) for name, runtime in able]
        return _Comparing(_title(model), graph, everyone, memory, effect, advance, save, notes).kept(
            record, inputs, seed
        )
    finally:
        close([runtime for _, runtime in runtimes])


def _able(graph: Graph, runtimes: Sequence[tuple[str, Runtime]]) -> tuple[list[str], list[tuple[str, Runtime]]]:
    """The engines that read the model's format, and a note for each of the others."""
    form = graph.model.format
    able = [(name, runtime) for name, runtime in runtimes if form in runtime.formats]
    left = [name for name, runtime in runtimes if form not in runtime.formats]
    words = {Format.ONNX: "ONNX", Format.IR: "OpenVINO IR"}[form]
    if not able:
        raise AttributeValueError(f"the model is {words}, which none of the engines reads: {', '.join(left)}")
    return [f"{name} does not read {words} and is left out" for name in left], able


def _title(model: object) -> str:
    return str(model) if isinstance(model, str | PathLike) else "model"


@dataclass(slots=True, eq=False)
class _Comparing:
    """One comparison."""

    title: str
    graph: Graph
    engines: list[Observed]
    memory: int
    effect: bool
    advance: Advance
    save: Save
    notes: list[str] = field(default_factory=list)
    hazards: dict[tuple[str, str, str], Hazard] = field(default_factory=dict)
    recorder: Recorder | None = None
    seed: int | None = None
    parting: Parting | None = None

    def kept(
        self,
        path: str | PathLike[str] | None,
        inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
        seed: int,
    ) -> Comparison:
        """The comparison over all sets of inputs; what engines give for the first set is written to `path`."""
        if path is None:
            return self.over(inputs, seed)
        facts: dict[str, EngineFacts] = {}
        with recording(Path(path), self.title, facts) as recorder:
            self.recorder = recorder
            found = self.over(inputs, seed)
            facts.update(found.engines)
            return found

    def over(self, inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, seed: int) -> Comparison:
        """The comparison over all sets of inputs."""
        outputs: list[OutputDifference] = []
        controls: list[Control] = []
        nodes: dict[str, list[NodeFinding]] = {}
        sets = self._sets(inputs, seed)
        for number, feeds in enumerate(sets):
            said = f" of set {number + 1} of {len(sets)}" if len(sets) > 1 else ""
            self.advance(f"outputs{said}", 0, 1)
            self._look(feeds)
            self._record(feeds)
            outputs += self._differences()
            controls += [each for engine in self.engines for each in engine.controls(self.graph, feeds)]
            walk = Walk(self.graph, self.engines, feeds, self.memory, self.save, self.hazards, self.recorder)
            found, exposed = walk.over(partial(self.advance, f"nodes{said}"))
            controls += exposed
            self.recorder = None
            self._part(feeds, outputs)
            for node in found:
                nodes.setdefault(node.name, []).append(node)
        self.notes[:0] = [_shortened(each, outputs) for each in self.engines if each.is_shortened]
        merged = {name: merged_node(each) for name, each in nodes.items()}
        return Comparison(
            self.title,
            self._facts(),
            worst_outputs(settled(self.graph, outputs, merged)),
            worst_controls(controls),
            ordered(list(merged.values())),
            tuple(self.hazards.values()),
            self._effects(sets[0]) if self.effect else (),
            tuple(dict.fromkeys(self.notes)),
            self.seed,
            self.parting,
        )

    def _part(self, feeds: Feeds, outputs: Sequence[OutputDifference]) -> None:
        """For the first set of inputs whose outputs differ by more than roundings."""
        if self.parting is None and any(each.max_rel > ROUNDINGS or each.beyond for each in outputs):
            self.advance("where the engines part", 0, 1)
            with np.errstate(all="ignore"):
                graph = Walk(self.graph, self.engines, feeds, self.memory, self.save, self.hazards).flat()
                self.parting = parting(graph, self.engines, feeds, graph.sizes(feeds), self.memory)

    def _effects(self, feeds: Feeds) -> tuple[Effect, ...]:
        """For the first set of inputs."""
        session = next((each for each in self.engines if each.name == OnnxRuntime.name), None)
        if session is None or session.judged is None or not isinstance(self.graph, OnnxGraph):
            self.notes.append("the effect of exact reductions is known for ONNX models that ONNX Runtime runs")
            return ()
        self.advance("exact reductions, float64", 0, 1)
        plain = run(session.runtime, self.graph.model, feeds, self.graph.outputs, session.settings)
        found, words = effects(self.graph, feeds, plain)
        if words:
            self.notes.append(words)
        return tuple(found)

    def _sets(self, inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, seed: int) -> Sequence[Feeds]:
        if inputs is not None:
            sets = [inputs] if isinstance(inputs, Mapping) else list(inputs)
            if not sets:
                raise AttributeValueError("the sequence of inputs is empty; give at least one set, or None")
            return [checked(self.graph.inputs, each) for each in sets]
        feeds, words = made_up(self.graph, seed, self._tried())
        self.notes.append(f"inputs {words}")
        self.seed = seed
        return [feeds]

    def _tried(self) -> Runs:
        """Says of each engine why it does not run the model on some inputs, "" where it does.

        Says nothing where no engine takes the model at all.
        """
        sessions: list[Session | str] = []
        for engine in self.engines:
            try:
                sessions.append(engine.runtime.prepare(self.graph.model))
            except EngineError as error:
                sessions.append(str(error))
        asked = [each for each in sessions if not isinstance(each, str)] and sessions
        return lambda feeds: [_failure(session, feeds, self.graph.outputs) for session in asked]

    def _record(self, feeds: Feeds) -> None:
        if self.recorder is not None:
            for engine in self.engines:
                for name, array in (engine.judged or {}).items():
                    self.recorder.output(engine.name, name, array, feeds)

    def _look(self, feeds: Feeds) -> None:
        for engine in self.engines:
            engine.look(self.graph, feeds)
            if engine.trouble and engine.outputs is None:
                self.notes.append(f"{engine.name} does not run this model: {engine.trouble}")

    def _facts(self) -> dict[str, Any]:
        found = {}
        for engine in self.engines:
            found[engine.name] = engine.facts
            if engine.is_shortened:
                found[f"{engine.name}{FULL}"] = type(engine.facts)(engine.runtime.version, "f32")
        return found

    def _differences(self) -> list[OutputDifference]:
        ran = [engine for engine in self.engines if engine.outputs is not None]
        if not ran:
            return []
        first = ran[0].judged
        assert first is not None
        limit = SHORT if self.graph.is_short else ROUNDINGS
        found: list[OutputDifference] = []
        for engine in ran:
            assert engine.outputs is not None
            if engine is not ran[0] or engine.is_shortened:
                found += differences(first, engine.name, engine.outputs, limit)
            if engine.full is not None and engine is not ran[0]:
                found += differences(first, f"{engine.name}{FULL}", engine.full, limit)
        return found


def _shortened(engine: Observed, outputs: Sequence[OutputDifference]) -> str:
    """What a reader has to know first of an engine that computes float32 in a shorter type."""
    moved = engine.outputs is not None and engine.full is not None and not same(engine.outputs, engine.full)
    far, left = (
        max((each.max_rel for each in outputs if each.engine == name), default=0.0)
        for name in (engine.name, f"{engine.name}{FULL}")
    )
    said = f"{engine.name} computes float32 in {engine.precision} here by default"
    if not moved:
        said += "; here the outputs are the same with INFERENCE_PRECISION_HINT=f32."
    elif math.isfinite(left) and left <= far / MOSTLY:
        said += ", which is mostly why outputs differ; INFERENCE_PRECISION_HINT=f32 ends that."
    else:
        said += "; with INFERENCE_PRECISION_HINT=f32 its outputs are others, and do not come much nearer."
    return f"{said} The nodes below were judged in float32."


def _failure(session: Session | str, feeds: Feeds, wanted: Sequence[str]) -> str:
    if isinstance(session, str):
        return session
    try:
        session.run(feeds, wanted)
    except EngineError as error:  # no other inputs help an engine that does not have an operator
        return "" if error.trouble is Trouble.NOT_SUPPORTED else str(error) or "it fails"
    return ""
