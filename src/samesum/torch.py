"""`exact`: PyTorch's reductions, scans, softmaxes and norms on the CPU by samesum. It needs the torch package."""

from samesum._public import publish
from samesum.frontends.plugins.exact_torch import exact

__all__ = ["exact"]

publish(globals())
