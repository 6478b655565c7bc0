"""The classes and functions that the core's files define, by namespace: read from the source, without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

HIDDEN = re.compile(
    r'R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M
)
CLASS = re.compile(
    r"(?:struct|class|union|enum(?: class)?) (?:alignas\([^)]*\) )?(\w+(?: ?<.*>)?)(?: final)?(?: :(?!:).*)?"
)
FUNCTION = re.compile(r"(?:^|[\s*&])((?:\w+|operator ?\S+)(?:<.*>)?)$")
NO_FUNCTIONS = ("alignas", "asm", "static_assert")


@dataclass(frozen=True)
class Definition:
    """A class, or a function with the types of its parameters."""

    namespace: str
    name: str
    parameters: str | None = None

    def __str__(self) -> str:
        return f"{self.namespace}::{self.name}" + ("" if self.parameters is None else f"({self.parameters})")


def definitions(path: Path) -> set[Definition]:
    """Those of a file that other files could define as well: none of an unnamed namespace, no members."""
    return {found for namespace, head in _bodies(_bare(path)) if (found := _definition(namespace, head))}


def _bare(path: Path) -> str:
    """Without comments, text and directives."""
    return HIDDEN.sub(lambda m: '""' if m[0][0] in "R\"'" else " ", path.read_text(encoding="utf-8"))


def _bodies(text: str) -> Iterator[tuple[str, str]]:
    """The namespace of each body outside of functions and classes, and what stands before it."""
    spaces: list[str] = []
    depth, start = 0, 0
    for brace in re.finditer("[{};]", text):
        if depth == 0 or brace[0] == "}":
            head = " ".join(text[start : brace.start()].split())
        if brace[0] == ";":
            start = brace.end() if depth == 0 else start
        elif brace[0] == "}":
            depth, closed = max(depth - 1, 0), depth == 0
            if closed:
                spaces.pop()
            start = brace.end() if depth == 0 else start
        elif depth == 0 and (space := re.fullmatch(r'(?:inline )?namespace ?([\w:]*)|extern ""', head)):
            spaces.append(space[1] or "" if space[1] is None else space[1] or "(unnamed)")
            start = brace.end()
        else:
            if depth == 0 and "(unnamed)" not in spaces:
                yield "::".join(filter(None, spaces)), head
            depth += 1
    assert (depth, spaces) == (0, []), f"braces do not match: {depth} are open in {spaces}"


def _definition(namespace: str, head: str) -> Definition | None:
    template, head = _split_template(head)
    head = re.sub(r"\[\[.*?\]\]|__attribute__ ?\(\(.*?\)\)", "", head).strip()
    if found := CLASS.fullmatch(head):
        return Definition(namespace, found[1].replace(" ", ""))
    before, parameters = _split_parameters(head)
    name = FUNCTION.search(before.strip())
    if parameters is None or name is None or name[1] in NO_FUNCTIONS or re.match(r"static\b", before):
        return None
    # Overloads may differ in what they require alone.
    conditions = " ".join(re.findall(r"requires .*|enable_if.*", template + before))
    return Definition(namespace, f"{conditions} {name[1]}".strip(), ", ".join(map(_type_of, _parts(parameters))))


def _type_of(parameter: str) -> str:
    """Without the parameter's name and default."""
    return re.sub(r"(?<=[\w>&*] |.[&*])\w+$", "", re.sub(r"\s*=.*", "", parameter)).strip()


def _split_template(head: str) -> tuple[str, str]:
    """`template <...>` and what comes behind it."""
    template = ""
    while head.startswith("template"):
        depths = accumulate({"<": 1, ">": -1}.get(letter, 0) for letter in head)
        end = next(i for i, depth in enumerate(depths) if head[i] == ">" and depth == 0)
        template, head = template + head[: end + 1], head[end + 1 :].strip()
    return template, head


def _split_parameters(head: str) -> tuple[str, str | None]:
    """What comes before the first brackets outside of <>, and what is in them."""
    angle = 0
    for i, letter in enumerate(head):
        angle += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and angle == 0:
            depth = 0
            for j in range(i, len(head)):
                depth += {"(": 1, ")": -1}.get(head[j], 0)
                if depth == 0:
                    return head[:i], head[i + 1 : j]
    return head, None


def _parts(parameters: str) -> list[str]:
    """Split at commas outside of brackets of any kind."""
    depths, cuts = 0, [-1]
    for i, letter in enumerate(parameters):
        depths += {"<": 1, ">": -1, "(": 1, ")": -1, "{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depths == 0:
            cuts.append(i)
    return [parameters[a + 1 : b].strip() for a, b in pairwise([*cuts, len(parameters)])]
