"""Numbers, shapes and names as an IR spells them."""

from __future__ import annotations

import re

from samesum.errors import ModelError, UnsafeModelError
from samesum.formats.arrays import Shape
from samesum.formats.limits import excess

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
