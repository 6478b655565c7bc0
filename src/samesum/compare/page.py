"""A comparison as one page that needs nothing but itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from samesum import __version__
from samesum.compare.results import Comparison, EngineFinding, NodeFinding
from samesum.compare.words import (
    FIGURES,
    agreement,
    block,
    counts,
    detail,
    open_ends,
    parting_text,
    precision_text,
    ulps,
)
from samesum.testing.figures import figure_text
from samesum.testing.truths import Verdict

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --quiet: #667085; --paper: #ffffff; --line: #d7dce5;
 --right: #2f8f5b; --inexact: #3f6fb5; --wrong: #c4372f; --other: #8a8f99; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --quiet: #9aa3b2; --paper: #14171d; --line: #343a46;
 --right: #57c389; --inexact: #7da7e8; --wrong: #ff7b72; --other: #9aa0ab; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
 margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .3rem .6rem .3rem 0;
 border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-weight: 500; } th.n, td.n { text-align: right; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; } td.name { overflow-wrap: anywhere; min-width: 5rem; }
.wide { overflow-x: auto; } .wide svg { min-width: 28rem; }
pre { background: color-mix(in srgb, var(--line) 35%, transparent); padding: .8rem; overflow-x: auto; font-size: 13px;
 white-space: pre-wrap; overflow-wrap: break-word; }
.right { color: var(--right); } .inexact { color: var(--inexact); } .wrong { color: var(--wrong); font-weight: 600; }
.refused, .no-opinion { color: var(--other); } .quiet { color: var(--quiet); }
svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
"""


def page(found: Comparison) -> str:
    """The page as HTML, its pictures inside."""
    parts = [
        f"<h1>{escape(found.model)}</h1>",
        f'<p class="quiet">samesum {__version__} compare</p>',
        *(f"<p>{escape(note)}</p>" for note in found.notes),
        _engines(found),
        _outputs(found),
        f"<h2>Nodes</h2><p>{escape(counts(found.nodes))}. {escape(FIGURES if found.nodes else '')}</p>",
        *(f'<p class="wrong">{escape(each)}</p>' for each in (*parting_text(found), *open_ends(found))),
        _picture(found),
        _nodes(found.nodes),
        _hazards(found),
        f"<h2>To paste into an issue</h2><pre>{escape(block(found))}</pre>",
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(found.model)}: samesum compare</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML already; names, which stand in the columns of _NAMES, may break anywhere, and nothing else."""
    if not rows:
        return ""
    kinds = ["n" if each in _NUMBERS else "name" if each in _NAMES else "text" for each in headings]
    head = "".join(f'<th class="{kind}">{escape(each)}</th>' for kind, each in zip(kinds, headings, strict=True))
    lines = ("".join(f'<td class="{k}">{each}</td>' for k, each in zip(kinds, row, strict=True)) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


_NUMBERS = frozenset({"max abs", "max rel", "differ", "inside", "alone", "value"})
_NAMES = frozenset({"node", "output"})


def _engines(found: Comparison) -> str:
    kinds = list(dict.fromkeys(each.kind for each in found.control))
    same = {(each.engine, each.kind): each.same for each in found.control}
    rows = []
    for name, engine in found.engines.items():
        controls = [{True: "the same bits", False: "other bits", None: ""}[same.get((name, kind))] for kind in kinds]
        rows.append([escape(name), escape(engine.version), escape(precision_text(engine.precision)), *controls])
    return "<h2>Engines</h2>" + _table(["engine", "release", "types", *kinds], rows)


def _outputs(found: Comparison) -> str:
    if not found.outputs:
        return ""
    rows = [
        [escape(each.name), escape(each.engine), f"{each.max_abs:.3g}", f"{each.max_rel:.3g}", str(each.differ)]
        for each in found.outputs
    ]
    first = escape(found.first)
    return f"<h2>Outputs beside those of {first}</h2>" + _table(
        ["output", "engine", "max abs", "max rel", "differ"], rows
    )


def _picture(found: Comparison) -> str:
    """A bar for each engine at each of the worst nodes, on a logarithmic axis."""
    shown = [node for node in found.nodes if node.worst > 0][:12]
    if not shown:
        return ""
    bars = [(node, name, each) for node in shown for name, each in node.engines.items() if _error(each) is not None]
    top = max(8.0, *(min(_error(each) or 0, 2.0**24) for *_, each in bars))
    height = 18 * len(bars) + 30
    width, left = 760, 330
    head = f'<svg viewBox="0 0 {width} {height}" width="100%" role="img" aria-label="errors of the worst nodes">'
    lines = ['<div class="wide">', head]
    for tick in _ticks(top):
        x = left + _along(tick, top) * (width - left - 60)
        lines.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="16" y2="{height - 8}" stroke="var(--line)"/>')
        lines.append(f'<text x="{x:.0f}" y="11" text-anchor="middle">{figure_text(tick)}</text>')
    for row, (node, name, each) in enumerate(bars):
        lines += _bar(row, node, name, each, top, left, width)
    return "".join([*lines, "</svg></div>"])


def _bar(row: int, node: NodeFinding, name: str, each: EngineFinding, top: float, left: int, width: int) -> list[str]:
    error = _error(each) or 0.0
    y = 20 + 18 * row
    size = max(1.0, _along(min(error, top), top) * (width - left - 60))
    label = f"{node.name[-30:]} {name}"
    return [
        f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{escape(label)}</text>',
        f'<rect x="{left}" y="{y}" width="{size:.1f}" height="14" rx="2" fill="var(--{_css(each.verdict)})"/>',
        f'<text x="{left + size + 5:.0f}" y="{y + 11}">{figure_text(error)}</text>',
    ]


def _error(each: EngineFinding) -> float | None:
    figure = each.alone if each.inside is None else each.inside
    return None if figure is None or figure.scaled == 0 else figure.scaled


def _along(value: float, top: float) -> float:
    return math.log2(1 + value) / math.log2(1 + top)


def _ticks(top: float) -> list[float]:
    return [tick for tick in (1.0, 4.0, 16.0, 64.0, 256.0, 4096.0, 65536.0, 2.0**24) if tick <= top]


def _css(verdict: Verdict) -> str:
    return verdict.value if verdict in (Verdict.RIGHT, Verdict.INEXACT, Verdict.WRONG) else "other"


def _nodes(nodes: Sequence[NodeFinding]) -> str:
    rows = []
    for node in nodes:
        over = f" over {node.reduced}" if node.reduced else ""
        title = f"{escape(node.name)}<br><span class=quiet>{escape(node.operator)} {list(node.shape)}{over}</span>"
        if same_way := agreement(node):
            title += f"<br>{escape(same_way)}"
        for name, each in node.engines.items():
            rows.append([title, escape(name), ulps(each.inside), ulps(each.alone), _verdict(each)])
            title = ""
    return _table(["node", "engine", "inside", "alone", "verdict"], rows)


def _verdict(each: EngineFinding) -> str:
    kind = each.verdict.value.replace(" ", "-")
    said = f'<span class="{kind}">{each.verdict.value}</span>{": " if each.reason else ""}{escape(each.reason)}'
    if each.verdict is Verdict.WRONG and each.shown is not None:
        said += f"<br>{escape(detail(each.shown))}"
    return said


def _hazards(found: Comparison) -> str:
    if not found.hazards:
        return ""
    rows = [[escape(h.name), escape(h.operator), h.type, h.kind, figure_text(h.value)] for h in found.hazards]
    return "<h2>In shorter types on these data</h2>" + _table(["node", "operator", "type", "what", "value"], rows)
