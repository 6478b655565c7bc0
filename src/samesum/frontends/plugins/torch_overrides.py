"""How a kernel of PyTorch's on the CPU is replaced: tensors as arrays, and calls that go back to the kernel before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import torch

from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray

Kernel = Callable[..., Any]

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool)


class NotHere(Exception):
    """What is asked for is left to PyTorch's own kernel."""


@dataclass(frozen=True, slots=True)
class Override:
    """An overload of an aten operator, and what it is to compute: `compute(x, ...)` with the overload's arguments.

    It gives a tensor or a tuple of them and raises NotHere for arguments that it does not serve. `outs` are the names
    of the tensors that results are written to.
    """

    overload: str
    compute: Kernel
    takes_dtype: bool = False
    outs: tuple[str, ...] = ("out",)

    def kernels(self) -> Iterator[tuple[str, Kernel]]:
        """What PyTorch is to call, by dispatch key: the set of keys comes first, tensors to write to may come last."""
        before = torch.library.get_kernel(f"aten::{self.overload}", "CPU")

        def run(keys: Any, x: torch.Tensor, *arguments: Any, **named: Any) -> Any:
            try:
                outs = self._outs(x, named)
                results = self._results(x, outs, arguments, {k: v for k, v in named.items() if k not in self.outs})
            except (NotHere, SamesumError):
                return before.call_boxed(keys, x, *arguments, **named)
            for out, result in zip(outs, results, strict=False):
                out.copy_(result)
            given = tuple(outs) or results
            return given[0] if len(given) == 1 else given

        yield "CPU", run

    def _outs(self, x: torch.Tensor, named: dict[str, Any]) -> list[torch.Tensor]:
        is_in_place = self.overload.partition(".")[0].endswith("_")
        return [x] if is_in_place else [named[name] for name in self.outs if name in named]

    def _results(
        self, x: torch.Tensor, outs: list[torch.Tensor], arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[torch.Tensor, ...]:
        check(x, FLOATS + INTEGERS)
        if outs and self.takes_dtype and named.get("dtype") is None:
            named["dtype"] = outs[0].dtype
        found = self.compute(x.detach(), *arguments, **named)
        results: tuple[torch.Tensor, ...] = found if isinstance(found, tuple) else (found,)
        if any(o.dtype != r.dtype or o.shape != r.shape for o, r in zip(outs, results, strict=False)):
            raise NotHere
        return results


@dataclass(frozen=True, slots=True)
class Composed:
    """An operator that PyTorch composes of others, or chooses kernels for, and derives its gradients from theirs.

    `arguments` makes of a call's arguments those of `compute` and of `derived`, which has gradients of its own.
    """

    overload: str
    arguments: Callable[..., tuple[Any, ...]]
    compute: Kernel
    derived: Any

    def kernels(self) -> Iterator[tuple[str, Kernel]]:
        """The same for calls whose gradients are asked for and for others."""
        before = torch.library.get_kernel(f"aten::{self.overload}", "CPU")

        def run(keys: Any, *given: Any, **named: Any) -> Any:
            try:
                if _is_transformed(keys):
                    raise NotHere
                arguments = self.arguments(*given, **named)
                is_derived = torch.is_grad_enabled() and any(getattr(x, "requires_grad", False) for x in arguments)
                return self.derived.apply(*arguments) if is_derived else self.compute(*arguments)
            except (NotHere, SamesumError):
                return before.call_boxed(keys, *given, **named)

        yield "CPU", run
        yield "AutogradCPU", run


def _is_transformed(keys: Any) -> bool:
    """Whether the call is one that torch.func, a tracer or forward derivatives look into."""
    key = torch._C.DispatchKey
    return bool(
        keys.has(key.Python)
        or keys.has(key.FuncTorchDynamicLayerBackMode)
        or torch.autograd.forward_ad._current_level >= 0
    )


def with_out(overload: str, out: str, compute: Kernel, takes_dtype: bool = False) -> tuple[Override, ...]:
    """The overload that makes its result and the one that writes it to a tensor."""
    return Override(overload, compute), Override(out, compute, takes_dtype)


def check(x: torch.Tensor, dtypes: Sequence[torch.dtype]) -> None:
    """Raises NotHere for a tensor that is no dense one of elements of these types."""
    if x.dtype not in dtypes or x.numel() == 0 or x.layout != torch.strided:
        raise NotHere


def array_of(x: torch.Tensor) -> NDArray:
    """The tensor's memory as an array. NumPy has no bfloat16 of its own."""
    if x.dtype == torch.bfloat16:
        halves: NDArray = x.view(torch.int16).numpy()
        return halves.view(ml_dtypes.bfloat16)
    array: NDArray = x.numpy()
    return array


def tensor_of(array: NDArray) -> torch.Tensor:
    """The array's memory as a tensor."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
