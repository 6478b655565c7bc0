"""What a comparison found: frozen, and as the document that `--json` prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from samesum.testing.figures import Figure, fields
from samesum.testing.truths import ORDER, Verdict

FULL = ":f32"
"""Behind the name of an engine that was run in float32 too, because it computes that in a shorter type by default."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """An engine's release, and the type in which it says that it computes float32."""

    version: str
    precision: str


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """How far an engine's output of the whole model is from that of the first engine."""

    name: str
    engine: str
    max_abs: float
    max_rel: float
    """Of the largest magnitude in the output."""
    differ: int
    """Elements whose values differ."""
    beyond: bool = False
    """True if that is more than the roundings of a model come to."""
    is_whole: bool = False
    """True of integers and truths."""


@dataclass(frozen=True, slots=True)
class Control:
    """Whether an engine gives the same bits again: run `twice`, with other `threads`, with values `exposed`."""

    engine: str
    kind: str
    same: bool


@dataclass(frozen=True, slots=True)
class EngineFinding:
    """What one engine makes of one node: in the model with its values exposed, and in a model of its own."""

    inside: Figure | None
    alone: Figure | None
    verdict: Verdict
    reason: str = ""

    @property
    def worst(self) -> float:
        """The largest error, in ulps of the fair magnitude."""
        return max((each.scaled for each in (self.inside, self.alone) if each is not None), default=0.0)

    @property
    def shown(self) -> Figure | None:
        """The figure that a reader can have again: alone where the node is wrong alone, else inside the model."""
        return self.alone if self.inside is None or (self.alone is not None and self.alone.wrong) else self.inside


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """One node: the shape of its data, how many elements make one result, and what each engine gives."""

    name: str
    operator: str
    domain: str
    body: str
    shape: tuple[int, ...]
    reduced: int
    engines: Mapping[str, EngineFinding]
    sampled: int | None = None
    """So many results are judged, evenly spaced; None: all of them."""

    @property
    def verdict(self) -> Verdict:
        """The worst of the engines'."""
        found = (each.verdict for each in self.engines.values())
        return max(found, key=ORDER.index, default=Verdict.NO_OPINION)

    @property
    def worst(self) -> float:
        """The largest error of any engine, in ulps of the fair magnitude."""
        return max((each.worst for each in self.engines.values()), default=0.0)


@dataclass(frozen=True, slots=True)
class Parting:
    """The first node whose output differs between two engines though its inputs do not, by how much of the largest."""

    name: str
    operator: str
    output: str
    engines: tuple[str, str]
    inputs_differ: float
    output_differs: float


OWN_OVERFLOW = "its own result overflows"
"""The kind of a result that overflows in the type that the model has."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """What a shorter type would do at a node on these data."""

    name: str
    operator: str
    type: str
    kind: str
    value: float


@dataclass(frozen=True, slots=True)
class Effect:
    """How far exact reductions move an output, and how many times nearer to a float64 run they bring it."""

    output: str
    moved: float
    nearer: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found; the nodes are ordered from the worst to the best.

    >>> found = Comparison("model.onnx", {})
    >>> found.wrong, found.to_dict()["nodes"]
    ((), [])
    """

    model: str
    engines: Mapping[str, EngineFacts]
    outputs: tuple[OutputDifference, ...] = ()
    control: tuple[Control, ...] = ()
    nodes: tuple[NodeFinding, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    effect: tuple[Effect, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What a reader has to know first; not part of the document."""
    seed: int | None = None
    """Of inputs that were made up; None where they were given."""
    parting: Parting | None = None
    """Where two engines part whose outputs differ by more than roundings; None also where they do not."""

    @property
    def wrong(self) -> tuple[NodeFinding, ...]:
        """The nodes at which an engine is wrong."""
        return tuple(node for node in self.nodes if node.verdict is Verdict.WRONG)

    @property
    def first(self) -> str:
        """Whose outputs the others stand beside: the first engine that ran, in float32 where it was run in that too."""
        name = next((name for name, each in self.engines.items() if each.precision), "")
        return f"{name}{FULL}" if f"{name}{FULL}" in self.engines else name

    @property
    def unexplained(self) -> tuple[OutputDifference, ...]:
        """Outputs that differ by more than roundings come to though neither engine is wrong at a judged node.

        Of an engine that was run in float32 too those outputs count.
        """
        faulty = {name for node in self.wrong for name, each in node.engines.items() if each.verdict is Verdict.WRONG}
        if self.first.removesuffix(FULL) in faulty:
            return ()
        left = [each for each in self.outputs if each.engine.removesuffix(FULL) not in faulty]
        return tuple(each for each in left if each.beyond and f"{each.engine}{FULL}" not in self.engines)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The engines of which nothing was looked at: those that do not run the model, and those that do where neither
        a node was judged nor an output put beside another engine's."""
        ran = {name.removesuffix(FULL) for name, each in self.engines.items() if each.precision}
        checked = ran if self.judged or (len(ran) > 1 and self.outputs) else {}
        return tuple(name for name in self.engines if name.removesuffix(FULL) == name and name not in checked)

    @property
    def judged(self) -> frozenset[str]:
        """The engines whose answer at some node was put beside the exact one."""
        found = (item for node in self.nodes for item in node.engines.items())
        return frozenset(name for name, each in found if each.inside or each.alone)

    @property
    def keep(self) -> dict[str, Any]:
        """The nodes to keep in float32, in the forms that converters take.

        `nodes_to_exclude` holds patterns between spaces, the others names.
        """
        names = sorted({hazard.name for hazard in self.hazards if hazard.type == "float16"})
        return {
            "node_block_list": names,
            "nodes_to_exclude": " ".join(map(re.escape, names)),
            "openvino": names,
        }

    def to_dict(self) -> dict[str, Any]:
        """The document of `--json`, whose keys are always the same.

        NaN and infinities are the strings nan, inf and -inf. `records` and `pairs` are of two records, and empty here.
        """
        return {
            "model": self.model,
            "inputs": {"made_up": self.seed is not None, "seed": self.seed},
            "engines": {name: fields(each, *EngineFacts.__slots__) for name, each in self.engines.items()},
            "outputs": [fields(each, "name", "engine", "max_abs", "max_rel", "differ") for each in self.outputs],
            "parting": self.parting and fields(self.parting, *Parting.__slots__),
            "control": [fields(each, *Control.__slots__) for each in self.control],
            "nodes": [_node(each) for each in self.nodes],
            "hazards": [fields(each, *Hazard.__slots__) for each in self.hazards],
            "keep": self.keep,
            "effect": [fields(each, *Effect.__slots__) for each in self.effect],
            "records": [],
            "pairs": [],
        }


def _node(node: NodeFinding) -> dict[str, Any]:
    engines = {
        name: {"inside": _figure(each.inside), "alone": _figure(each.alone)} | fields(each, "verdict", "reason")
        for name, each in node.engines.items()
    }
    return fields(node, "name", "operator", "domain", "body", "shape", "reduced", "sampled") | {"engines": engines}


def _figure(found: Figure | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return fields(found, "ulp", "scaled", "wrong") | {"worst": found.worst and found.worst.to_dict()}
