"""The table of situations and engines: who gives what samesum gives, as Markdown or as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from samesum.conformance.explaining import Answer, Explained, text_of
from samesum.errors import AttributeValueError, missing
from samesum.files.opening import write_text

FORMATS = (".md", ".png", ".svg")
_SAME, _OTHER = "=", "\N{NOT EQUAL TO}"
_AGREES, _DIFFERS, _ABSENT = "#d7ecd9", "#f6c9c4", "#bbbbbb"
# On the colours, and on a page of any colour.
_INK, _GREY = "#222222", "#7a7a7a"


def checked(path: Path) -> Path:
    """The path, whose ending names a format; raises AttributeValueError, and MissingPackage for pictures."""
    if path.suffix not in FORMATS:
        raise AttributeValueError(f"the matrix is to go to {path}; allowed are files that end in {', '.join(FORMATS)}")
    if path.suffix in (".png", ".svg") and find_spec("matplotlib") is None:
        raise missing("matplotlib", "a picture")
    return path


def write(found: Sequence[Explained], versions: dict[str, str], path: Path) -> None:
    """The matrix in the format that the ending of `path` names."""
    if path.suffix == ".md":
        write_text(path, markdown(found, versions) + "\n")
    else:
        _draw(found, versions, path)


def counts(found: Sequence[Explained], engine: str) -> tuple[int, int]:
    """How many cases an engine answers as samesum does, and how many it was put to."""
    answers = [answer for each in found if (answer := _answer(each, engine)) is not None]
    return sum(not answer.differs for answer in answers), len(answers)


def markdown(found: Sequence[Explained], versions: dict[str, str]) -> str:
    """What the cases show, a table of those in which an engine differs, and how often each agrees."""
    shown = {each.situation.name: each.situation.shows for each in found}
    cases = ["| case | data |", "| --- | --- |", *(f"| `{name}` | {shows} |" for name, shows in shown.items())]
    lines = [["operator", "case", "data", *(f"{name} {version}" for name, version in versions.items())]]
    lines += [["---"] * len(lines[0])]
    lines += [["all cases", "", "", *("{}/{}".format(*counts(found, name)) for name in versions)]]
    for each in found:
        answers = [_answer(each, name) for name in versions]
        if any(answer is not None and answer.differs for answer in answers):
            data = f"{each.data.dtype.name} {text_of(each.data)}"
            lines.append(
                [each.spec.identifier, each.situation.name, data, *(_cell(answer, answers[0]) for answer in answers)]
            )
    return "\n".join([*cases, "", *(f"| {' | '.join(line)} |" for line in lines)])


def _answer(each: Explained, engine: str) -> Answer | None:
    return next((answer for answer in each.answers if answer.engine == engine), None)


def _cell(answer: Answer | None, own: Answer | None) -> str:
    """The answer, in bold if it differs from samesum's own, which is not repeated."""
    if answer is None:
        return "-"
    if answer is not own and not answer.differs and own is not None and answer.text == own.text:
        return "same"
    return f"**{answer.text}**" if answer.differs else answer.text


def _look(answer: Answer | None) -> tuple[str, str]:
    """The colour and the sign of a field."""
    if answer is None:
        return _ABSENT, ""
    return (_DIFFERS, _OTHER) if answer.differs else (_AGREES, _SAME)


def _draw(found: Sequence[Explained], versions: dict[str, str], path: Path) -> None:
    """Operators down, situations across, in each field one bar for each engine beside samesum, on no background."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, Rectangle

    others = list(versions)[1:]
    rows = list(dict.fromkeys(each.spec.identifier for each in found))
    columns = list(dict.fromkeys(each.situation.name for each in found))
    figure = Figure(figsize=(3.5 + 0.75 * len(columns), 1.6 + 0.3 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    for each in found:
        x, y = columns.index(each.situation.name), rows.index(each.spec.identifier)
        for i, name in enumerate(others):
            left, width = x + 0.06 + 0.88 * i / len(others), 0.84 / len(others)
            colour, sign = _look(_answer(each, name))
            axes.add_patch(Rectangle((left, y + 0.08), width, 0.84, facecolor=colour, edgecolor=_GREY))
            axes.text(left + width / 2, y + 0.52, sign, color=_INK, ha="center", va="center")
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    axes.set_xticks([i + 0.5 for i in range(len(columns))], columns, rotation=30, ha="right")
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
    axes.tick_params(length=0, labelcolor=_GREY)
    axes.spines[:].set_color(_GREY)
    named = ", ".join(f"{name} {versions[name]}" for name in others)
    axes.set_title(f"From left to right in each field: {named}", color=_GREY)
    legend = [
        (f"{_SAME} the answer of samesum", _AGREES),
        (f"{_OTHER} another answer", _DIFFERS),
        ("does not read this standard", _ABSENT),
    ]
    patches = [Patch(facecolor=colour, edgecolor=_GREY, label=text) for text, colour in legend]
    figure.legend(handles=patches, loc="outside lower center", ncols=3, labelcolor=_GREY, frameon=False)
    figure.savefig(path, dpi=150, transparent=True)
