"""The branches of If in an OpenVINO IR that a run takes, put into the graph, so that their values can be exposed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from samesum.compare.ir_graph import IrGraph, children, document
from samesum.formats.arrays import NDArray
from samesum.frontends.models.ir_file.xml import Element, split_names

_Source = tuple[int, int]
MOST_LEVELS = 16

Values = Callable[[IrGraph, Sequence[str]], Mapping[str, NDArray]]
"""Gives the values of those names in a run of the graph."""


def without_branches(graph: IrGraph, values: Values) -> IrGraph:
    """The graph with each If replaced by the branch that its condition chooses; the same graph if there is none.

    An If stays where a branch gives what it was given, or one value twice. The conditions are taken from `values`,
    one level of nesting after the other.
    """
    stays: set[str] = set()
    for _ in range(MOST_LEVELS):
        forks = [each for each in graph.nodes if each.operator == "If" and each.observed and each.name not in stays]
        if not forks:
            return graph
        unknown = [name for each in forks if graph.constant(name := each.inputs[0]) is None]
        known = dict(values(graph, list(dict.fromkeys(unknown)))) if unknown else {}
        net = _Net(graph.copied(), dict(graph.bodies))
        for fork in forks:
            constant = graph.constant(fork.inputs[0])
            holds = bool((known[fork.inputs[0]] if constant is None else constant).reshape(-1)[0])
            if not net.put_branch(fork.native[0].number, "then" if holds else "else"):
                stays.add(fork.name)
        graph = IrGraph(document(net.root), graph.weights, net.bodies)
    return graph


@dataclass(slots=True, eq=False)
class _Net:
    """A tree of layers and edges that is changed in place."""

    root: Element
    bodies: dict[str, str]
    layers: list[Element] = field(init=False)
    edges: list[Element] = field(init=False)

    def __post_init__(self) -> None:
        sections = [self.root.only(tag) for tag in ("layers", "edges")]
        self.layers, self.edges = (section.children if section else [] for section in sections)

    def put_branch(self, number: int, which: str) -> bool:
        """Puts a branch in the place of an If, unless one of its outputs cannot have its name."""
        fork = next(each for each in self.layers if int(each.attributes["id"]) == number)
        branch = _Branch(fork, which, self._sources_of(number), 1 + max(int(e.attributes["id"]) for e in self.layers))
        results = branch.results()
        if len(set(results.values())) < len(results) or any(layer < branch.first for layer, _ in results.values()):
            return False
        title = fork.attributes.get("name", "")
        for layer in branch.layers():
            _under(layer, f"{title}/{which}_body/")
            self.bodies[layer.attributes["name"]] = f"{title}/{which}_body"
            self.layers.append(layer)
        self.layers.remove(fork)
        self._connect(number, results)
        self.edges += branch.edges()
        self._name_results(fork, results)
        return True

    def _sources_of(self, number: int) -> dict[int, _Source]:
        ends = (_ends(each) for each in self.edges)
        return {port: source for source, (layer, port) in ends if layer == number}

    def _connect(self, number: int, results: Mapping[int, _Source]) -> None:
        """What the If gave comes from the branch, and what it was given goes nowhere else."""
        for edge in list(self.edges):
            (layer, port), (to_layer, _) = _ends(edge)
            if to_layer == number:
                self.edges.remove(edge)
            elif layer == number:
                source = results[port]
                edge.attributes["from-layer"], edge.attributes["from-port"] = str(source[0]), str(source[1])

    def _name_results(self, fork: Element, results: Mapping[int, _Source]) -> None:
        """The values keep the names that they had as outputs of the If, before those in the branch."""
        given = {int(port.attributes["id"]): port for port in children(fork, "output", "port")}
        for number, (layer, port) in results.items():
            element = next(each for each in self.layers if int(each.attributes["id"]) == layer)
            for each in children(element, "output", "port"):
                if int(each.attributes["id"]) == port:
                    names = [given[number].attributes.get("names", ""), each.attributes.get("names", "")]
                    each.attributes["names"] = ",".join(filter(None, names))


class _Branch:
    """A branch of an If whose layers get numbers from `first` on."""

    def __init__(self, fork: Element, which: str, given: Mapping[int, _Source], first: int) -> None:
        body = fork.only(f"{which}_body")
        assert body is not None
        maps = f"{which}_port_map"
        self.first = first
        self._layers = {int(each.attributes["id"]): each for each in children(body, "layers", "layer")}
        self._edges = [_ends(each) for each in children(body, "edges", "edge")]
        self._given = {
            int(each.attributes["internal_layer_id"]): given[int(each.attributes["external_port_id"])]
            for each in children(fork, maps, "input")
        }
        self._gives = {
            int(each.attributes["external_port_id"]): int(each.attributes["internal_layer_id"])
            for each in children(fork, maps, "output")
        }
        kept = [
            number
            for number, each in self._layers.items()
            if number not in self._given and each.attributes["type"] != "Result"
        ]
        self._numbers = {number: first + i for i, number in enumerate(kept)}

    def _source(self, source: _Source) -> _Source:
        layer, port = source
        return self._given[layer] if layer in self._given else (self._numbers[layer], port)

    def results(self) -> dict[int, _Source]:
        """Where each output of the If comes from."""
        ends = {layer: source for source, (layer, _) in self._edges}
        return {port: self._source(ends[layer]) for port, layer in self._gives.items()}

    def layers(self) -> Iterator[Element]:
        """The layers but Parameters and Results."""
        for number, new in self._numbers.items():
            layer = self._layers[number]
            layer.attributes["id"] = str(new)
            yield layer

    def edges(self) -> Iterator[Element]:
        """The edges between them, and from outside."""
        for source, (layer, port) in self._edges:
            if layer in self._numbers:
                from_layer, from_port = self._source(source)
                said = (from_layer, from_port, self._numbers[layer], port)
                yield Element("edge", dict(zip(_ENDS, map(str, said), strict=True)))


_ENDS = ("from-layer", "from-port", "to-layer", "to-port")


def _ends(edge: Element) -> tuple[_Source, _Source]:
    a, b, c, d = (int(edge.attributes[name]) for name in _ENDS)
    return (a, b), (c, d)


def _under(layer: Element, prefix: str) -> None:
    """Names of a layer and of its tensors that no other has."""
    layer.attributes["name"] = prefix + (layer.attributes.get("name") or layer.attributes["id"])
    for port in children(layer, "output", "port"):
        names = [f"{prefix}{name}" for name in split_names(port.attributes.get("names", ""))]
        port.attributes["names"] = ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)
