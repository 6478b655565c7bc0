"""What a file or a store holds, whichever of the known formats it has: arrays as sources, tensors by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from samesum.errors import ModelError, UnsafeModelError
from samesum.files import gguf, ir_constants, safetensors, zarr_arrays
from samesum.files.initializers import initializers, pb_source
from samesum.files.npy import ARCHIVE, MAGIC, Archive, npy_source
from samesum.files.opening import opened
from samesum.files.source import Limits, Source
from samesum.files.tensor import Contents, contents, from_source
from samesum.formats.arrays import MAX_ELEMENTS

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


FORMATS = (
    ".npy, .npz, .pb, .safetensors (or the .safetensors.index.json of several, or their folder), .onnx, .xml (with a "
    ".bin), .gguf or the folder of a Zarr array or group"
)
_PICKLED = (".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".bin")
_PICKLE = "is a pickle, as torch.save writes it: loading one may run any code, and none is loaded. To convert tensors"
_CONVERSION = (
    'python -c "import torch; from safetensors.torch import save_file; save_file({{k: v.contiguous().clone() for k, v '
    "in torch.load({!r}, map_location='cpu', weights_only=True).items()}}, {!r})\""
)
_BY_SUFFIX = {
    safetensors.SUFFIX: safetensors.safetensors,
    ".onnx": initializers,
    ir_constants.SUFFIX: ir_constants.ir_constants,
    ".gguf": gguf.gguf,
}


def open_tensors(path: Path, *, max_bytes: int | None = None, max_elements: int = MAX_ELEMENTS) -> Contents:
    """The named tensors of a file; headers alone are read. The array of a .npy file has the file's stem as its name.

    `max_bytes` and `max_elements` are what one tensor may have at most. Raises OSError for a file that cannot be
    opened, ModelError for one that is not what it claims to be, UnsafeModelError for pickled objects, for what reaches
    beyond the file and beyond the limits, MissingPackage for a Zarr store without the zarr package.
    """
    limits = Limits(max_bytes, max_elements)
    if path.is_dir():
        return _of_folder(path, limits)
    if path.name.endswith(safetensors.INDEX):
        return safetensors.sharded(path, limits)
    with opened(path) as file:
        magic = file.read(len(MAGIC))
    if _is_pickled(path, magic):
        raise UnsafeModelError(f"{path} {_PICKLE}: {_CONVERSION.format(path.name, path.stem + safetensors.SUFFIX)}")
    if magic == MAGIC or magic.startswith(ARCHIVE) or path.suffix.lower() == PROTOBUF:
        return _of_arrays(path, max_bytes, max_elements)
    if magic.startswith(gguf.MAGIC):
        return gguf.gguf(path, limits)
    reader = _BY_SUFFIX.get(path.suffix.lower())
    if reader is None:
        raise ModelError(f"{path} starts with {magic!r}; allowed are {FORMATS}")
    return reader(path, limits)


def _is_pickled(path: Path, magic: bytes) -> bool:
    """Whether it is a pickle of version 2 or later, or PyTorch's archive around one."""
    if not magic.startswith(ARCHIVE):
        return magic.startswith(b"\x80") and path.suffix.lower() in _PICKLED
    return any(str(name).endswith("/data.pkl") for name in Archive(path))


def _of_folder(path: Path, limits: Limits) -> Contents:
    if zarr_arrays.is_store(path):
        return zarr_arrays.zarr_arrays(path, limits)
    found = safetensors.folder(path, limits)
    if found is None:
        nodes = ", ".join(zarr_arrays.NODES)
        raise ModelError(f"{path} is a folder without {nodes} or *{safetensors.SUFFIX}; allowed are {FORMATS}")
    return found


def _of_arrays(path: Path, max_bytes: int | None, max_elements: int) -> Contents:
    found = open_arrays(path, max_bytes=max_bytes, max_elements=max_elements).items()
    return contents(from_source(path.stem if name is None else name, path, source) for name, source in found)
