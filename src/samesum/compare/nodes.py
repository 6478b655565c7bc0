"""One node under one engine: figures inside the model and alone, a verdict, and the rule that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from samesum.compare.graph import Graph
from samesum.compare.observing import Observed, Values, arrays_of, is_short, needed, same, same_array
from samesum.compare.results import EngineFinding
from samesum.errors import ModelError, SamesumError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.runtimes.catalogue import Samesum
from samesum.runtimes.runtime import EngineError, Feeds, one_line
from samesum.testing.families import MADE_OF_SUMS, Judged, Node, Order
from samesum.testing.figures import Figure
from samesum.testing.rules import reason, reason_of_order
from samesum.testing.trees import called
from samesum.testing.truths import ORDER, Arrays, Truth, Verdict, class_of, truth
from samesum.testing.updates import loses_updates

CHANGES = "changes from run to run"
LOST = f"{CHANGES} by more than any order of additions comes to: updates are lost"
PROBED = 2.0
"""Ulps of the fair magnitude from which on an error that no rule explains is worth probing for."""
MOST_JUDGED = 1 << 18
"""Results of what is no sum; of more these many are judged."""
RUNS = 3
"""How often a model of one node runs, so that an answer that changes is seen to."""


@dataclass(slots=True, eq=False)
class Truths:
    """The exact answers of the batch at hand: two engines mostly have the same inputs at a node."""

    graph: Graph
    _held: dict[str, tuple[Arrays, Truth | SamesumError]] = field(default_factory=dict)

    def of(self, node: Node, how: Judged, arrays: Arrays) -> Truth:
        """The exact answer; raises SamesumError where samesum has none."""
        before = self._held.get(node.name)
        if before is None or not _same_inputs(before[0], arrays):
            try:
                exact = truth(node, how, arrays, partial(computed, self.graph, node), Order.BLOCKS)
                is_sum = how.family in MADE_OF_SUMS
                found: Truth | SamesumError = exact if is_sum else exact.sample(MOST_JUDGED)
            except SamesumError as error:
                found = error
            before = self._held[node.name] = (arrays, found)
        if isinstance(before[1], SamesumError):
            raise before[1]
        return before[1]

    def judged(self, node: Node) -> int | None:
        """How many results of the node are judged; None: all of them, or none."""
        _, found = self._held.get(node.name, (None, None))
        return len(found.places) if isinstance(found, Truth) and found.places is not None else None

    def inputs(self, node: Node) -> Arrays | None:
        """Inputs that some engine had at the node."""
        before = self._held.get(node.name)
        return None if before is None else before[0]


def computed(graph: Graph, node: Node, arrays: Arrays) -> NDArray:
    """What samesum gives for a model of the node alone."""
    return graph.alone(node, arrays).put_to(Samesum())


def _same_inputs(a: Arrays, b: Arrays) -> bool:
    pairs = zip(a, b, strict=True)
    return all((x is None and y is None) or (x is not None and y is not None and same_array(x, y)) for x, y in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The values that an engine gave for a batch, twice; None where it does not run with values exposed."""

    values: Values | None
    again: Values | None
    keeps_outputs: bool = True
    """True if exposing the values has not changed a bit of the model's outputs."""


def judged_node(observed: Observed, node: Node, how: Judged, feeds: Feeds, seen: Seen, truths: Truths) -> EngineFinding:
    """What one engine makes of one node."""
    inside = None if seen.values is None else _inputs(truths.graph, node, feeds, seen.values)
    arrays = inside if inside is not None else truths.inputs(node)
    if arrays is None:
        return EngineFinding(None, None, Verdict.REFUSED, observed.trouble or "no values at this node")
    try:
        exact = truths.of(node, how, arrays)
    except SamesumError as error:
        return _without_truth(observed, node, arrays, seen, truths.graph, _no_opinion(node, error))
    if not exact.exact.size:
        return EngineFinding(None, None, Verdict.NO_OPINION, "it has no results here")
    work = _Work(observed, node, how, feeds, truths, arrays, exact)
    answer = seen.values[node.result] if inside is not None and seen.values is not None else None
    if (
        answer is not None
        and seen.again is not None
        and _changes(node, arrays, answer, feeds, seen.again, truths.graph)
    ):
        alone, _, words = work.alone()
        said = words if words == LOST else _change(node, arrays, [answer, seen.again[node.result]])
        return EngineFinding(exact.figure(answer), alone, Verdict.WRONG, said)
    return work.verdict(answer, seen.keeps_outputs)


def _without_truth(
    observed: Observed, node: Node, arrays: Arrays, seen: Seen, graph: Graph, unknown: str
) -> EngineFinding:
    """No opinion, but on answers that differ by more than an order of additions comes to."""
    runs = [each[node.result] for each in (seen.values, seen.again) if each is not None]
    try:
        answers = [*runs, *_runs_alone(observed, node, arrays, graph)]
    except (EngineError, ModelError):
        answers = runs
    if all(same_array(answers[0], each) for each in answers[1:]):
        return EngineFinding(None, None, Verdict.NO_OPINION, unknown)
    if loses_updates(node, arrays, answers):
        return EngineFinding(None, None, Verdict.WRONG, LOST)
    return EngineFinding(None, None, Verdict.NO_OPINION, f"{CHANGES}; {unknown}")


def _change(node: Node, arrays: Arrays, answers: Sequence[NDArray]) -> str:
    """What to say of answers that differ though their inputs do not."""
    return LOST if loses_updates(node, arrays, answers) else CHANGES


def _runs_alone(observed: Observed, node: Node, arrays: Arrays, graph: Graph) -> list[NDArray]:
    """What a model of the node gives in some runs."""
    asked = graph.alone(node, arrays)
    session = observed.prepare(asked.model)
    return [session.run(asked.feeds, [asked.wanted])[asked.wanted] for _ in range(RUNS)]


def _no_opinion(node: Node, error: SamesumError) -> str:
    if isinstance(error, UnsupportedOperator):
        return f"samesum does not have {node.operator} in opset {node.opset}"
    return f"samesum refuses it: {one_line(error)}"


def _inputs(graph: Graph, node: Node, feeds: Feeds, values: Values) -> Arrays | None:
    try:
        return arrays_of(graph, node, feeds, values)
    except KeyError:
        return None


def _changes(node: Node, arrays: Arrays, answer: NDArray, feeds: Feeds, again: Values, graph: Graph) -> bool:
    """True if the same inputs gave another answer in a second run."""
    inputs = _inputs(graph, node, feeds, again)
    return inputs is not None and _same_inputs(arrays, inputs) and not same_array(answer, again[node.result])


@dataclass(slots=True, eq=False)
class _Work:
    """An engine at a node whose exact answer is known."""

    observed: Observed
    node: Node
    how: Judged
    feeds: Feeds
    truths: Truths
    arrays: Arrays
    exact: Truth

    def alone(self) -> tuple[Figure | None, NDArray | None, str]:
        """The figure and the answer of a model of this node, or why there are none."""
        try:
            answers = _runs_alone(self.observed, self.node, self.arrays, self.truths.graph)
        except EngineError as error:
            return None, None, one_line(error)
        is_steady = all(same_array(answers[0], each) for each in answers[1:])
        words = "" if is_steady else _change(self.node, self.arrays, answers)
        return self.exact.figure(answers[0]), answers[0], words

    def verdict(self, answer: NDArray | None, keeps_outputs: bool) -> EngineFinding:
        """The node's own figure counts; one that rests on exposed values is marked and accuses nobody.

        What is no sum is looked at alone only where it is wrong inside.
        """
        if answer is not None and self.how.family not in MADE_OF_SUMS:
            inside = self.exact.figure(answer)
            if not inside.wrong:
                return EngineFinding(inside, None, class_of(inside))
        alone, answer_alone, words = self.alone()
        if words in (CHANGES, LOST):
            return EngineFinding(None if answer is None else self.exact.figure(answer), alone, Verdict.WRONG, words)
        if answer is None:
            if alone is None or answer_alone is None:
                return EngineFinding(None, None, Verdict.REFUSED, words)
            return EngineFinding(None, alone, class_of(alone), self._reason(answer_alone, alone, answer_alone))
        inside = self.exact.figure(answer)
        worst = class_of(inside)
        said = self._reason(answer, inside, answer_alone)
        if worst is Verdict.WRONG and not self._stands(alone, inside, keeps_outputs):
            fallback = Verdict.INEXACT if alone is None else class_of(alone)
            return EngineFinding(inside, alone, fallback, f"{RESTS}{said}".removesuffix(": "))
        if not said and alone is not None and alone.scaled < inside.scaled and self._is_short:
            said = WIDER
        if worst is Verdict.WRONG and alone is not None and not alone.wrong:
            said = f"inside the model, not alone{said and ': '}{said}"
        return EngineFinding(inside, alone, worst, said)

    def _stands(self, alone: Figure | None, inside: Figure, keeps_outputs: bool) -> bool:
        """True if exposing is not what makes the figure: the node is wrong alone too, or exposing changed nothing."""
        if alone is not None and alone.wrong:
            return True
        if self._is_short:
            return False
        return keeps_outputs or self._faithful(inside)

    @property
    def _is_short(self) -> bool:
        """True if an input is of 16 bits, which engines hold in a wider type between nodes."""
        return any(array is not None and is_short(array) for array in self.arrays)

    def _faithful(self, inside: Figure) -> bool:
        """True if the model's outputs keep their bits with this node's values exposed alone, and the error stays."""
        graph, before = self.truths.graph, self.observed.judged
        if before is None:
            return False
        names = needed(graph, self.node, self.feeds)
        try:
            session = self.observed.prepare(graph.exposed(names))
            values = session.run(self.feeds, [*graph.outputs, *names])
        except EngineError:
            return False
        if not same(before, values):
            return False
        arrays = _inputs(graph, self.node, self.feeds, values)
        if arrays is None or not _same_inputs(arrays, self.arrays):
            return False
        return self.exact.figure(values[self.node.result]).wrong > 0 < inside.wrong

    def _reason(self, answer: NDArray, found: Figure, alone: NDArray | None) -> str:
        if found.is_exact:
            return ""
        said = reason(self.node, self.how.family, self.arrays, answer, self.exact.exact).words
        return said or ("" if found.scaled < PROBED else self._probed(answer, alone))

    def _probed(self, answer: NDArray, alone: NDArray | None) -> str:
        """The order of the engine's additions, which a model of the node alone reveals."""
        tree = self.observed.order(self.truths.graph, self.node, self.how.family, self.arrays)
        if tree is None:
            return ""
        said = reason_of_order(self.node, self.how.family, self.arrays, answer, self.exact.exact, tree).words
        if said:
            return f"probed: {said}"
        if alone is None or same_array(answer, alone):
            return f"probed: {called(tree)}, which does not give its bits"
        return f"another order than alone, where probing finds {called(tree)}"


WIDER = "nearer alone: inside the model the values are held in a wider type"
RESTS = "rests on exposed values: "


def merged(found: Sequence[EngineFinding]) -> EngineFinding:
    """The worst of what one engine made of a node for several inputs."""
    return max(found, key=lambda each: (ORDER.index(each.verdict), each.worst))
