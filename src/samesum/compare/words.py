"""Findings in words: figures, one engine at one node, several engines at once, and the block to paste."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Sequence
from textwrap import wrap

from samesum import __version__
from samesum.compare.results import OWN_OVERFLOW, Comparison, EngineFacts, EngineFinding, NodeFinding, OutputDifference
from samesum.testing.figures import Figure, Worst, figure_text
from samesum.testing.truths import Verdict

FIGURES = (
    "Errors in ulps: of the sum of magnitudes for sums, means and products, of the line's largest for softmax and "
    "norms, of the result for most others."
)
FENCE = "```"
MOST_LINES = 32
WIDTH = 80


def ulps(found: Figure | None) -> str:
    """The fair figure, or a dash where there is none."""
    return "-" if found is None else figure_text(found.scaled)


def engine_line(name: str, found: EngineFinding) -> str:
    """What one engine gives at one node."""
    if found.verdict in (Verdict.NO_OPINION, Verdict.REFUSED):
        return f"{name}: {found.verdict.value}{_behind(found.reason)}"
    figures = f"{ulps(found.inside)} ulp inside, {ulps(found.alone)} alone"
    return f"{name}: {found.verdict.value}, {figures}{_behind(found.reason)}"


def _behind(reason: str) -> str:
    return f"; {reason}" if reason else ""


def agreement(node: NodeFinding) -> str:
    """Where several engines are wrong in the same way, that they are; "" otherwise."""
    wrong = [(name, each.reason) for name, each in node.engines.items() if each.verdict is Verdict.WRONG]
    if len(wrong) < 2 or len({reason for _, reason in wrong}) > 1:
        return ""
    names = " and ".join([", ".join(name for name, _ in wrong[:-1]), wrong[-1][0]])
    reason = wrong[0][1]
    return f"{names} are wrong in the same way: {reason}" if reason else f"{names} are wrong; not explained"


def worst_text(worst: Worst | None) -> str:
    """The worst element: where, what was given, what is exact."""
    if worst is None:
        return ""
    return f"the worst at {list(worst.index)} got {worst.got!r}, exact {worst.exact!r}"


def detail(found: Figure) -> str:
    """How many elements are wrong, the worst of them, and how far any is in ulps of its own result."""
    elements = f"{found.wrong} {'element' if found.wrong == 1 else 'elements'} beyond what is allowed"
    parts = [elements, worst_text(found.worst), f"up to {figure_text(found.ulp)} ulp of the result"]
    return ", ".join(part for part in parts if part)


def engine_name(name: str, facts: EngineFacts) -> str:
    """The engine with its release, if it has one."""
    return f"{name} {facts.version}".rstrip()


def precision_text(precision: str) -> str:
    """The types that an engine computes in."""
    known = {"as stored": "types as stored", "": "does not run this model", "not said": "types not said"}
    return known.get(precision, precision if "," in precision else f"float32 in {precision}")


def open_ends(found: Comparison) -> list[str]:
    """What nothing explains, and what was not checked; empty where a comparison leaves nothing open."""
    lines = []
    for engine in dict.fromkeys(each.engine for each in found.unexplained):
        worst = max((each for each in found.unexplained if each.engine == engine), key=lambda each: each.max_rel)
        much = "in kind" if math.isinf(worst.max_rel) else f"by up to {worst.max_rel:.2g} of the largest value"
        lines.append(
            f"The outputs of {engine} differ from those of {found.first} {much} (output {worst.name!r}), "
            f"and {_explained(found, worst)}"
        )
    for engine in found.unchecked:
        if found.engines[engine].precision:
            lines.append(f"Nothing of {engine} was checked: no node was judged, and no output has another beside it.")
        elif engine in found.judged:
            lines.append(f"Of {engine} nodes alone were checked: it does not run this model.")
        else:
            lines.append(f"{engine} was not checked: it does not run this model.")
    return lines


def _explained(found: Comparison, worst: OutputDifference) -> str:
    """An overflow in the model's own type makes outputs of two kinds, where an engine holds a wider type there."""
    over = next((each for each in found.hazards if each.kind == OWN_OVERFLOW), None)
    if over is None or not math.isinf(worst.max_rel):
        return "nothing that was judged explains it."
    return f"{over.name!r} explains it: {figure_text(over.value)} is beyond {over.type}; an engine may hold more there."


def parting_text(found: Comparison) -> list[str]:
    """Where two engines part, if they do; a list of no line or one."""
    each = found.parting
    if each is None:
        return []
    much = "in kind" if math.isinf(each.output_differs) else f"by {each.output_differs:.2g} of the largest value"
    inputs = f"its inputs by {each.inputs_differ:.2g}" if each.inputs_differ else "its inputs not at all"
    where = f"{each.operator} {each.name!r}, output {each.output!r}"
    return [f"The engines part at {where}: {' and '.join(each.engines)} differ {much} there, {inputs}."]


def title(node: NodeFinding) -> str:
    """The node with its operator, the shape of its data and how many elements make one result."""
    over = f" over {node.reduced}" if node.reduced else ""
    inside = f" in {node.body}" if node.body else ""
    return f"{node.operator} {node.name!r} {list(node.shape)}{over}{inside}"


def block(found: Comparison) -> str:
    """What to paste into an issue, between two lines of three backticks; long lines go on in the next.

    The first wrong node is there, and others as long as there are no more than MOST_LINES.
    """
    head, tail = wrapped(_head(found)), wrapped([counts(found.nodes), *parting_text(found), *open_ends(found)])
    shown = found.wrong or [node for node in found.nodes if node.verdict is Verdict.INEXACT][:1]
    for number, node in enumerate(shown):
        part = wrapped(_node_lines(node))
        if number and len(head) + len(part) + len(tail) > MOST_LINES:
            break
        head += part
    return "\n".join([FENCE, *head, *tail, FENCE])


def _head(found: Comparison) -> list[str]:
    engines = [f"{engine_name(name, e)} ({precision_text(e.precision)})" for name, e in found.engines.items()]
    lines = [
        f"samesum {__version__} compare {found.model.rpartition('/')[2]}",
        ", ".join(engines),
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        *found.notes[:4],
    ]
    differing = [each for each in found.outputs if each.differ]
    for each in differing[:3]:
        lines.append(
            f"output {each.name!r}: {each.engine} differs by {each.max_abs:.3g} ({each.max_rel:.3g} of the largest)"
        )
    if found.outputs and not differing:
        lines.append("the outputs are the same")
    changed = [f"{each.engine} ({each.kind})" for each in found.control if not each.same]
    if changed:
        lines.append(f"bits that do not come again: {', '.join(changed)}")
    return lines


def _node_lines(node: NodeFinding) -> list[str]:
    lines = [f"node {title(node)}"]
    for name, each in node.engines.items():
        lines.append(f"  {engine_line(name, each)}")
        if each.verdict is Verdict.WRONG and each.shown is not None:
            lines.append(f"    {detail(each.shown)}")
    return lines


def counts(nodes: Sequence[NodeFinding]) -> str:
    """How many nodes there are, and of each verdict, the worst first."""
    found = [node.verdict for node in nodes]
    parts = [f"{found.count(verdict)} {verdict.value}" for verdict in reversed(Verdict) if verdict in found]
    if not nodes:
        return "no node judged"
    return f"{len(nodes)} {'node' if len(nodes) == 1 else 'nodes'} judged: {', '.join(parts)}"


def wrapped(lines: Iterable[str]) -> list[str]:
    """Printable lines that go on in the next where they are too long, between words."""
    return [part for line in lines for part in _parts("".join(c if c.isprintable() else "?" for c in line))]


def _parts(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]
