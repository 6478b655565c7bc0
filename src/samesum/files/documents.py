"""JSON in the headers of files of others: bounded before it is read, and without names that are there twice."""

from __future__ import annotations

import json
from typing import Any

from samesum.errors import ModelError, UnsafeModelError

MAX_BYTES = 1 << 25
# What keeps a document below 200 MB in memory, and the time to read it below a second.
MAX_VALUES = 1 << 19


def json_object(data: bytes, label: str, max_bytes: int = MAX_BYTES, max_values: int = MAX_VALUES) -> dict[str, Any]:
    """The object that is the whole document; ModelError for anything else, UnsafeModelError beyond the limits."""
    if len(data) > max_bytes:
        raise UnsafeModelError(f"{label} has {len(data)} bytes of JSON; at most {max_bytes} are allowed")
    values = sum(data.count(mark) for mark in (b",", b"{", b"["))
    if values > max_values:
        raise UnsafeModelError(f"{label} has {values} values of JSON; at most {max_values} are allowed")
    try:
        document = json.loads(data, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{label} is no JSON document: {str(error)[:80]}") from None
    if not isinstance(document, dict):
        raise ModelError(f"{label} is JSON of type {type(document).__name__}; an object is needed")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {twice[:40]!r} is there twice")
    return found


def is_integers(value: Any) -> bool:
    """Whether it is a list of integers from 0 on."""
    return isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)
