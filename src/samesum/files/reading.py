"""The arrays of a file, whichever of the known formats it has; told apart by content, a .pb file by its name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from samesum.errors import ModelError
from samesum.files.npy import MAGIC, npy_source
from samesum.files.npz import MAGIC as ARCHIVE
from samesum.files.npz import Archive
from samesum.files.opening import opened
from samesum.files.pb import pb_source
from samesum.files.source import Limits, Source
from samesum.formats.limits import MAX_ELEMENTS

PROTOBUF = ".pb"


def open_arrays(
    path: Path, *, max_bytes: int | None = None, max_elements: int = MAX_ELEMENTS
) -> Mapping[str | None, Source]:
    """The arrays of a .npz or .pb file by name, the one of a .npy file (or of a .pb file without a name) under None.

    Nothing but headers is read. `max_bytes` and `max_elements` are what one array may have at most. Raises OSError
    for a file that cannot be opened, ModelError for one that is not what it claims to be, UnsafeModelError for pickled
    objects and for an array beyond the limits.
    """
    limits = Limits(max_bytes, max_elements)
    with opened(path) as file:
        magic = file.read(len(MAGIC))
    if magic.startswith(ARCHIVE):
        return Archive(path, limits)
    if magic == MAGIC:
        return {None: npy_source(path, limits)}
    if path.suffix.lower() == PROTOBUF:
        name, source = pb_source(path, limits)
        return {name or None: source}
    raise ModelError(f"{path} is neither a .npy, a .npz nor a .pb file: it starts with {magic!r}")
