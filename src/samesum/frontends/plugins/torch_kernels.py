"""Kernels for PyTorch's operators on the CPU: samesum's results, or the kernel's that was there before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from samesum.frontends.plugins.torch_norms import NORMS
from samesum.frontends.plugins.torch_overrides import Kernel
from samesum.frontends.plugins.torch_products import ATTENTION, PRODUCTS
from samesum.frontends.plugins.torch_reductions import LINES, REDUCTIONS, SCATTERS


class Replaced(Protocol):
    """An overload of an aten operator whose kernels are replaced."""

    @property
    def overload(self) -> str:
        """Its name, such as `sum.dim_IntList`."""

    def kernels(self) -> Iterator[tuple[str, Kernel]]:
        """The new ones, by dispatch key."""


OVERRIDES: Mapping[str, Sequence[Replaced]] = {**REDUCTIONS, **LINES, **NORMS, **SCATTERS, **PRODUCTS, **ATTENTION}
"""By the name that PyTorch's users know, the overloads that their calls reach."""
