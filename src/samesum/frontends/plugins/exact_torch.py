"""PyTorch's reductions, scans, softmaxes and normalizations on the CPU, for a while."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal

from samesum.errors import MissingPackage, UnsupportedOperator, imported
from samesum.specs.lookup import names_in

NAMES = (
    *("sum", "mean", "amin", "amax", "prod", "var", "std", "norm", "cumsum", "cumprod"),
    *("logsumexp", "softmax", "log_softmax", "layer_norm", "rms_norm", "group_norm"),
    *("scatter_add", "scatter_reduce", "index_add"),
)
"""What is exact unless `operators` says otherwise."""
PRODUCTS = ("mm", "bmm", "dot", "addmm", "addmv", "baddbmm", "linear", "convolution", "scaled_dot_product_attention")
"""What `operators` may name besides."""

_lock = Lock()
_active: dict[str, tuple[int, Any]] = {}
"""How many blocks ask for an operator, and the library that holds its kernels."""


@contextmanager
def exact(operators: Iterable[str] | Literal["all"] | None = None) -> Iterator[None]:
    """Within the block PyTorch's reductions, scans, softmaxes, norms and reducing scatters on the CPU are samesum's.

    The kernels of `torch.sum`, `mean`, `amin`, `amax`, `prod`, `var`, `std` (and `var_mean`, `std_mean`), `norm` (and
    `torch.linalg.vector_norm`), `cumsum`, `cumprod`, `logsumexp`, `softmax`, `log_softmax`, `layer_norm`, `rms_norm`,
    `group_norm`, `scatter_add`, `scatter_reduce` and `index_add` are replaced for dense tensors of integers and of
    float16, bfloat16, float32 and float64, whoever calls them, in all threads of the process; autograd works as ever.
    A result then depends on what is reduced alone, not on the batch around it. A normalization is rounded once, after
    its weight and bias. Other arguments (complex numbers, other norms, variances of too few elements) stay PyTorch's,
    and so do what `torch.compile` has compiled and an `rms_norm` that `torch.func` or a tracer looks into.
    `operators` chooses some by name. Only by their names, or by "all", are products exact too, which takes time:
    `mm`, `bmm`, `dot`, `addmm`, `addmv`, `baddbmm`, which `torch.matmul` comes to, `linear` and `convolution`, the
    transposed one too, of float16, bfloat16, float32 and float64; each is rounded once, with its bias, alpha and beta.
    So is `scaled_dot_product_attention` without dropout, of the first three of these types, the whole formula.
    At the end of the block everything is as it was. Raises MissingPackage without torch, UnsupportedOperator for a name
    that is not listed here, ArgumentError for another text and for no name, ArgumentTypeError for what is no sequence
    of names.
    Source: https://pytorch.org/docs/stable/library.html.

    >>> import torch
    >>> values = torch.tensor([3e30, 4e30])
    >>> with exact():
    ...     float(torch.tensor([1e8, 1.0, -1e8]).sum()), bool(values.norm().isfinite())
    (1.0, True)
    """
    names = _chosen(operators)
    _enter(names)
    try:
        yield
    finally:
        _exit(names)


def _chosen(operators: Iterable[str] | None) -> tuple[str, ...]:
    known = NAMES + PRODUCTS
    names = NAMES if operators is None else known if operators == "all" else names_in(operators)
    if unknown := [name for name in names if name not in known]:
        raise UnsupportedOperator(f"no operator {', '.join(map(repr, unknown))}; allowed are {', '.join(known)}")
    return names


def _enter(names: tuple[str, ...]) -> None:
    new_library = _library_class()
    from samesum.frontends.plugins.torch_products import OVERRIDES

    with _lock:
        for name in names:
            if name in _active:
                count, library = _active[name]
                _active[name] = (count + 1, library)
                continue
            library = new_library("aten", "IMPL")
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Warning only once for all operators", UserWarning)
                for override in OVERRIDES[name]:
                    for key, kernel in override.kernels():
                        library.impl(override.overload, kernel, key, with_keyset=True)
            _active[name] = (1, library)


def _library_class() -> Any:
    torch = imported("torch", "exact")
    library = imported("torch", "exact", "torch.library")
    if not hasattr(library, "get_kernel"):
        raise MissingPackage(f"exact needs torch 2.9 or newer; this is {torch.__version__}")
    return library.Library


def _exit(names: tuple[str, ...]) -> None:
    with _lock:
        for name in names:
            count, library = _active.pop(name)
            if count > 1:
                _active[name] = (count - 1, library)
            else:
                library._destroy()
