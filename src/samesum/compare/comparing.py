"""A model on several engines: whose outputs differ, at which nodes, and who is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from samesum.compare.branches import without_branches
from samesum.compare.engines import close, made
from samesum.compare.families import Judged, judged
from samesum.compare.graph import Graph, Node
from samesum.compare.hazards import hazards
from samesum.compare.inputs import Runs, made_up
from samesum.compare.judging import ORDER, Verdict
from samesum.compare.lines import axes_of, reduced
from samesum.compare.nodes import Seen, Truths, judged_node, merged
from samesum.compare.observing import Observed, Values, batches, differences, needed, same
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.reading import read
from samesum.compare.results import Comparison, Control, EngineFinding, Hazard, NodeFinding, OutputDifference
from samesum.compare.saving import Case
from samesum.compare.sizes import sizes_of
from samesum.errors import AttributeValueError
from samesum.runtimes.runtime import EngineError, Feeds, Session

ENGINES = ("onnxruntime", "openvino")
MEMORY = 1 << 29
"""Bytes of values that are exposed at a time."""

Advance = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done and how much there is."""

Save = Callable[[Case], None]


def compare(
    model: str | PathLike[str] | bytes | Any,
    inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    engines: Sequence[Any] = ENGINES,
    *,
    weights: str | PathLike[str] | bytes | None = None,
    seed: int = 0,
    isolated: bool = False,
    memory: int = MEMORY,
    advance: Advance = lambda *_: None,
    save: Save = lambda *_: None,
) -> Comparison:
    """Who is right: the model's outputs on each engine, and every reduction, scan and softmax beside the exact answer.

    `model` is a path to an .onnx file or an OpenVINO IR (its `weights` are the .bin beside it), the bytes of one, or an
    `onnx.ModelProto`. `inputs` are arrays by input name, or several such sets, whose worst counts; without them they
    are made up from the model's signature with `seed`. An engine is a name (onnxruntime, openvino, reference,
    samesum), a class as `module:Class`, or a class or an object with `run(model, feeds, wanted) -> {name: array}`.
    `isolated` engines run in processes of their own. `memory` bounds the bytes of values that are exposed at a time.
    `save` is called with a `Case` for each engine that is wrong at a node.

    Raises ModelError for a file that is no model, AttributeValueError for an engine that is not known, MissingPackage
    for one that is not installed.

    >>> import numpy as np, onnx
    >>> node = onnx.helper.make_node("ReduceSum", ["x"], ["y"], name="total", keepdims=0)
    >>> x, y = (onnx.helper.make_tensor_value_info(n, 1, s) for n, s in (("x", [4]), ("y", [])))
    >>> opset = [onnx.helper.make_opsetid("", 13)]
    >>> model = onnx.helper.make_model(onnx.helper.make_graph([node], "sum", [x], [y]), opset_imports=opset)
    >>> found = compare(model, {"x": np.float32([1e8, 1, -1e8, 1])}, ["reference"])
    >>> found.nodes[0].engines["reference"].verdict.value
    'inexact'
    """
    graph = read(model, weights)
    runtimes = made(engines, isolated)
    if not runtimes:
        raise AttributeValueError("no engine is given; at least one is needed")
    try:
        everyone = [Observed(name, runtime) for name, runtime in runtimes]
        return _Comparing(_title(model), graph, everyone, memory, advance, save).over(inputs, seed)
    finally:
        close([runtime for _, runtime in runtimes])


def _title(model: object) -> str:
    return str(model) if isinstance(model, str | PathLike) else "model"


@dataclass(slots=True, eq=False)
class _Comparing:
    """One comparison."""

    title: str
    graph: Graph
    engines: list[Observed]
    memory: int
    advance: Advance
    save: Save
    notes: list[str] = field(default_factory=list)
    hazards: dict[tuple[str, str, str], Hazard] = field(default_factory=dict)

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
            outputs += self._differences()
            controls += [each for engine in self.engines for each in engine.controls(self.graph, feeds)]
            found, exposed = self._nodes(feeds, said)
            controls += exposed
            for node in found:
                nodes.setdefault(node.name, []).append(node)
        return Comparison(
            self.title,
            self._facts(),
            _worst_outputs(outputs),
            _worst_controls(controls),
            _sorted([_merged(each) for each in nodes.values()]),
            tuple(self.hazards.values()),
            (),
            tuple(dict.fromkeys(self.notes)),
        )

    def _sets(self, inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, seed: int) -> Sequence[Feeds]:
        if isinstance(inputs, Mapping):
            return [inputs]
        if inputs is not None:
            if not inputs:
                raise AttributeValueError("the sequence of inputs is empty; give at least one set, or None")
            return list(inputs)
        feeds, words = made_up(self.graph, seed, self._tried())
        self.notes.append(f"inputs {words}")
        return [feeds]

    def _tried(self) -> Runs:
        """Says of each engine why it does not run the model on some inputs, "" where it does."""
        sessions: list[Session | str] = []
        for engine in self.engines:
            try:
                sessions.append(engine.prepare(self.graph.model))
            except EngineError as error:
                sessions.append(str(error))
        return lambda feeds: [_failure(session, feeds, self.graph.outputs) for session in sessions]

    def _look(self, feeds: Feeds) -> None:
        for engine in self.engines:
            engine.look(self.graph, feeds)
            if engine.is_shortened:
                self.notes.append(
                    f"{engine.name} computes float32 in {engine.precision} here by default, which is mostly why "
                    "outputs differ; INFERENCE_PRECISION_HINT=f32 ends that. The nodes below were judged in float32."
                )
            if engine.trouble and engine.outputs is None:
                self.notes.append(f"{engine.name} does not run this model: {engine.trouble[:200]}")

    def _facts(self) -> dict[str, Any]:
        found = {}
        for engine in self.engines:
            found[engine.name] = engine.facts
            if engine.is_shortened:
                found[f"{engine.name}:f32"] = type(engine.facts)(engine.runtime.version, "f32")
        return found

    def _differences(self) -> list[OutputDifference]:
        ran = [engine for engine in self.engines if engine.outputs is not None]
        if not ran:
            return []
        first = ran[0].judged
        assert first is not None
        found: list[OutputDifference] = []
        for engine in ran:
            assert engine.outputs is not None
            if engine is not ran[0] or engine.is_shortened:
                found += differences(first, engine.name, engine.outputs)
            if engine.full is not None and engine is not ran[0]:
                found += differences(first, f"{engine.name}:f32", engine.full)
        return found

    def _nodes(self, feeds: Feeds, said: str) -> tuple[list[NodeFinding], list[Control]]:
        """Every node that is judged, and whether exposing values changed the outputs of each engine."""
        graph = self._flat(feeds)
        chosen = [(node, how) for node in graph.nodes if (how := judged(node)) is not None]
        hows = {node.name: how for node, how in chosen}
        seen_nodes = [node for node, _ in chosen if node.observed]
        found = [_unseen(node, self.engines) for node, _ in chosen if not node.observed]
        kept = {engine.name: True for engine in self.engines if engine.outputs is not None}
        done = 0
        for batch in batches(seen_nodes, sizes_of(graph, feeds), self.memory):
            rows, faithful = self._batch(graph, batch, hows, feeds)
            found += rows
            done += len(batch)
            self.advance(f"nodes{said}", done, len(seen_nodes))
            for name, same_outputs in faithful.items():
                kept[name] = kept.get(name, True) and same_outputs
        return found, [Control(name, "exposed", is_same) for name, is_same in kept.items()] if seen_nodes else []

    def _flat(self, feeds: Feeds) -> Graph:
        """The graph with the branches that are taken put into it."""
        graph = self.graph
        if not isinstance(graph, OnnxGraph):
            return graph
        for engine in self.engines:
            try:
                return without_branches(graph, lambda at, names, it=engine: _values(it, at, names, feeds))  # type: ignore[misc]
            except EngineError:
                continue
        return graph

    def _batch(
        self, graph: Graph, batch: Sequence[Node], hows: Mapping[str, Judged], feeds: Feeds
    ) -> tuple[list[NodeFinding], dict[str, bool]]:
        truths = Truths(graph)
        rows: dict[str, dict[str, EngineFinding]] = {node.name: {} for node in batch}
        kept: dict[str, bool] = {}
        shapes: dict[str, tuple[tuple[int, ...], int]] = {}
        for engine in self.engines:
            seen = _seen(engine, graph, batch, feeds)
            if seen.values is not None and engine.judged is not None:
                kept[engine.name] = seen.keeps_outputs
            for node in batch:
                found = judged_node(engine, node, hows[node.name], feeds, seen, truths)
                rows[node.name][engine.name] = found
                arrays = truths.inputs(node)
                if found.verdict is Verdict.WRONG and arrays is not None:
                    exact = truths.of(node, hows[node.name], arrays).exact
                    self.save(Case(graph, node, arrays, exact, engine.name, engine.facts, found))
                if arrays is not None and node.name not in shapes and arrays[0] is not None:
                    shapes[node.name] = arrays[0].shape, reduced(arrays[0], axes_of(node, arrays))
                    for each in hazards(node, hows[node.name], arrays):
                        self.hazards.setdefault((each.name, each.type, each.kind), each)
        findings = [
            NodeFinding(
                node.name, node.operator, node.domain, node.body, *shapes.get(node.name, ((), 0)), rows[node.name]
            )
            for node in batch
        ]
        return findings, kept


def _failure(session: Session | str, feeds: Feeds, wanted: Sequence[str]) -> str:
    if isinstance(session, str):
        return session
    try:
        session.run(feeds, wanted)
    except EngineError as error:
        return str(error) or "it fails"
    return ""


def _values(engine: Observed, graph: OnnxGraph, names: Sequence[str], feeds: Feeds) -> Values:
    inner = [name for name in names if name not in feeds]
    given = {name: feeds[name] for name in names if name in feeds}
    return given | (engine.prepare(graph.exposed(inner)).run(feeds, inner) if inner else {})


def _seen(engine: Observed, graph: Graph, batch: Sequence[Node], feeds: Feeds) -> Seen:
    """The values at the nodes of a batch, from two runs of one session."""
    names = list(dict.fromkeys(name for node in batch for name in needed(graph, node, feeds)))
    try:
        session = engine.prepare(graph.exposed(names))
        everything = list(dict.fromkeys([*graph.outputs, *names]))
        values, again = (session.run(feeds, everything) for _ in range(2))
    except EngineError as error:
        engine.trouble = " ".join(str(error).split())[:200]
        return Seen(None, None)
    before = engine.judged
    return Seen(values, again, before is not None and same(before, values))


def _unseen(node: Node, engines: Sequence[Observed]) -> NodeFinding:
    said = EngineFinding(None, None, Verdict.NO_OPINION, f"in the body of {node.body}, whose values are not exposed")
    return NodeFinding(
        f"{node.body}/{node.name}", node.operator, node.domain, node.body, (), 0, {each.name: said for each in engines}
    )


def _merged(found: Sequence[NodeFinding]) -> NodeFinding:
    """One node over all sets of inputs."""
    names = found[0].engines
    engines = {name: merged([each.engines[name] for each in found]) for name in names}
    first = found[0]
    return NodeFinding(first.name, first.operator, first.domain, first.body, first.shape, first.reduced, engines)


def _sorted(nodes: Sequence[NodeFinding]) -> tuple[NodeFinding, ...]:
    """The worst verdict first, of one verdict the largest error."""
    return tuple(sorted(nodes, key=lambda node: (-ORDER.index(node.verdict), -node.worst)))


def _worst_outputs(found: Sequence[OutputDifference]) -> tuple[OutputDifference, ...]:
    worst: dict[tuple[str, str], OutputDifference] = {}
    for each in found:
        key = each.engine, each.name
        if key not in worst or each.max_rel > worst[key].max_rel:
            worst[key] = each
    return tuple(worst.values())


def _worst_controls(found: Sequence[Control]) -> tuple[Control, ...]:
    worst: dict[tuple[str, str], Control] = {}
    for each in found:
        key = each.engine, each.kind
        if key not in worst or not each.same:
            worst[key] = each
    return tuple(worst.values())
