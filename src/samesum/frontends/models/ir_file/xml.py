"""XML as a tree of elements, from a parser that knows no DOCTYPE, no entity and no endless nesting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from samesum.errors import ModelError, UnsafeModelError
from samesum.formats.arrays import Shape, excess

# Numbers, shapes and names as an IR spells them.

_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)
_RANGE = re.compile(r"\?|-1|[0-9]{1,18}\.\.([0-9]{1,18})?|\.\.[0-9]{1,18}", re.ASCII)


def whole(text: str | None, what: str) -> int:
    """An unsigned integer, or ModelError."""
    if text is None or not _WHOLE.fullmatch(text.strip()):
        found = "missing" if text is None else repr(text[:40])
        raise ModelError(f"{what} is {found}; an unsigned integer is needed")
    return int(text)


def port_dim(text: str, what: str) -> int | None:
    """A dim of a port; -1 is an unknown one."""
    return None if text.strip() == "-1" else whole(text, f"{what}: a dim")


def shape(text: str | None, what: str) -> Shape | None:
    """A shape attribute: sizes, `?`, `-1` and ranges, separated by commas; "" is a scalar, `...` an unknown rank."""
    if text is None:
        raise ModelError(f"{what} has no shape")
    text = text.strip()
    if text == "...":
        return None
    dims = tuple(_dim(item.strip(), what) for item in text.split(",")) if text else ()
    if reason := excess(dims):
        raise UnsafeModelError(f"{what}: {reason}")
    return dims


def _dim(text: str, what: str) -> int | None:
    if _RANGE.fullmatch(text):
        return None
    return whole(text, f"{what}: a dim of the shape")


def static_shape(text: str | None, what: str) -> tuple[int, ...]:
    """A shape attribute without unknown dims."""
    dims = shape(text, what)
    if dims is None or None in dims:
        raise ModelError(f"{what} has shape {text!r}; every dim must be known")
    return tuple(dim for dim in dims if dim is not None)


def split_names(text: str) -> tuple[str, ...]:
    """Names between commas; a backslash takes a comma (or itself) into the name."""
    names = [re.sub(r"\\(.)", r"\1", item) for item in re.findall(r"(?:\\.|[^,\\]|\\$)+", text, re.DOTALL)]
    return tuple(name for name in (name.strip() for name in names) if name)


MAX_BYTES = 2**30
MAX_DEPTH = 64
MAX_ELEMENTS = 2**21
_SKIPPED = "rt_info"


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with its attributes, children and, for a dim, its text."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """The children of that tag."""
        return (child for child in self.children if child.tag == tag)

    def only(self, tag: str) -> Element | None:
        """The one child of that tag, None if there is none; ModelError if there are more."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise ModelError(f"<{self.tag}> has {len(found)} <{tag}>; at most one is allowed")
        return found[0] if found else None


class _Builder:
    """Puts elements together as the parser meets them."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.depth = 0
        self.skipping = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH:
            raise UnsafeModelError(f"<{tag}> is nested {self.depth} deep; at most {MAX_DEPTH} are allowed")
        if self.count > MAX_ELEMENTS:
            raise UnsafeModelError(f"more than {MAX_ELEMENTS} elements")
        if self.skipping or tag == _SKIPPED:
            self.skipping += 1
            return
        element = Element(tag, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        self.depth -= 1
        if self.skipping:
            self.skipping -= 1
        else:
            self.open.pop()

    def text(self, text: str) -> None:
        if self.open and not self.skipping and self.open[-1].tag == "dim":
            self.open[-1].text.append(text)


def _refuse_doctype(name: str, *_: object) -> None:
    raise UnsafeModelError(f"the file has a DOCTYPE ({name!r}); none is allowed")


def parse(data: bytes) -> Element:
    """The root element; what `rt_info` holds is left out."""
    if len(data) > MAX_BYTES:
        raise UnsafeModelError(f"the file has {len(data)} bytes; at most {MAX_BYTES} are allowed")
    builder = _Builder()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(f"not well-formed XML: {error}") from None
    assert builder.root is not None
    return builder.root
