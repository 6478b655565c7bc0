"""ONNX and OpenVINO reductions, products and attention, correctly rounded: the same bits everywhere.

The functions on arrays are here (`sum`, `mean`, ...); `samesum.onnx` and `samesum.openvino` hold the standards'
operators as functions, `samesum.torch` changes PyTorch's for a while, `load` reads models, `samesum.compare` says who
is right in a model, `samesum.testing` for one operator. Public are this module and those five, by the names in their
`__all__`; every other module is the package's own and may change without notice.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from samesum._public import public as _public
from samesum._public import publish as _publish
from samesum.engine.arrays import defer_with as _defer_with
from samesum.engine.environment import configure as _configure
from samesum.engine.environment import get_cache_limit, get_num_threads, set_cache_limit, set_num_threads
from samesum.errors import (
    ArgumentError,
    ArgumentTypeError,
    AttributeValueError,
    AxisError,
    DtypeError,
    MissingPackage,
    ModelError,
    SamesumError,
    ShapeError,
    UnsafeModelError,
    UnsupportedOperator,
)
from samesum.formats.arrays import NDArray
from samesum.frontends.arrays.namespace import __array_namespace_info__
from samesum.frontends.arrays.nans import nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from samesum.frontends.arrays.norms import group_norm, layer_norm, log_softmax, rms_norm, softmax
from samesum.frontends.arrays.reductions import (
    all,  # noqa: A004
    any,  # noqa: A004
    argmax,
    argmin,
    count_nonzero,
    l1_norm,
    l2_norm,
    log_sum,
    logsumexp,
    max,  # noqa: A004
    mean,
    min,  # noqa: A004
    prod,
    reduce,
    std,
    sum,  # noqa: A004
    sum_square,
    var,
)
from samesum.frontends.arrays.scans import (
    cumulative_logsumexp,
    cumulative_max,
    cumulative_min,
    cumulative_prod,
    cumulative_sum,
)

if TYPE_CHECKING:
    from samesum import compare, onnx, openvino, testing, torch
    from samesum.frontends.arrays.averages import average
    from samesum.frontends.arrays.contractions import conv, einsum, matmul, scaled_dot_product_attention, tensordot
    from samesum.frontends.arrays.dots import vecdot, vector_norm
    from samesum.frontends.arrays.scan_state import Scan
    from samesum.frontends.arrays.segments import scatter_reduce, segment_reduce
    from samesum.frontends.arrays.state import State
    from samesum.frontends.models.load import load
    from samesum.frontends.models.model import Model


def _deferred(*call: object) -> object:
    """What becomes of a call on a lazy collection."""
    return import_module("samesum.frontends.dask.calls").deferred(*call)


_configure()
_defer_with(_deferred)

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "AttributeValueError",
    "AxisError",
    "DtypeError",
    "MissingPackage",
    "Model",
    "ModelError",
    "NDArray",
    "SamesumError",
    "Scan",
    "ShapeError",
    "State",
    "UnsafeModelError",
    "UnsupportedOperator",
    "__array_namespace_info__",
    "__version__",
    "all",
    "any",
    "argmax",
    "argmin",
    "average",
    "compare",
    "conv",
    "count_nonzero",
    "cumulative_logsumexp",
    "cumulative_max",
    "cumulative_min",
    "cumulative_prod",
    "cumulative_sum",
    "einsum",
    "get_cache_limit",
    "get_num_threads",
    "group_norm",
    "l1_norm",
    "l2_norm",
    "layer_norm",
    "load",
    "log_softmax",
    "log_sum",
    "logsumexp",
    "matmul",
    "max",
    "mean",
    "min",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "onnx",
    "openvino",
    "prod",
    "reduce",
    "rms_norm",
    "scaled_dot_product_attention",
    "scatter_reduce",
    "segment_reduce",
    "set_cache_limit",
    "set_num_threads",
    "softmax",
    "std",
    "sum",
    "sum_square",
    "tensordot",
    "testing",
    "torch",
    "var",
    "vecdot",
    "vector_norm",
]

_LATER = {
    "Model": "models.model",
    "Scan": "arrays.scan_state",
    "State": "arrays.state",
    "average": "arrays.averages",
    "load": "models.load",
    "vecdot": "arrays.dots",
    "vector_norm": "arrays.dots",
    **dict.fromkeys(("conv", "einsum", "matmul", "scaled_dot_product_attention", "tensordot"), "arrays.contractions"),
    **dict.fromkeys(("scatter_reduce", "segment_reduce"), "arrays.segments"),
}
"""What comes on first use, and in which file of `frontends` it lies: `import samesum` takes milliseconds."""

_publish(globals())

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in ("compare", "onnx", "openvino", "testing", "torch"):
            return import_module(f"samesum.{name}")
        if name in _LATER:
            found = _public(__name__, getattr(import_module(f"samesum.frontends.{_LATER[name]}"), name))
            return globals().setdefault(name, found)
        raise AttributeError(f"module 'samesum' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
