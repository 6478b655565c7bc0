"""All edges."""

from __future__ import annotations

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.axes import AXES
from samesum.conformance.suites.edges.floats import FLOATS
from samesum.conformance.suites.edges.integers import INTEGERS
from samesum.conformance.suites.edges.lengths import LENGTHS
from samesum.conformance.suites.edges.logarithms import LOGARITHMS
from samesum.conformance.suites.edges.logical import LOGICAL
from samesum.conformance.suites.edges.normalizations import NORMALIZATIONS
from samesum.conformance.suites.edges.norms import NORMS
from samesum.conformance.suites.edges.nothing import NOTHING
from samesum.conformance.suites.edges.pools import POOLS
from samesum.conformance.suites.edges.positions import POSITIONS
from samesum.conformance.suites.edges.products import PRODUCTS
from samesum.conformance.suites.edges.quantized import QUANTIZED
from samesum.conformance.suites.edges.scatters import SCATTERS
from samesum.conformance.suites.edges.types import TYPES


def edges() -> tuple[Case, ...]:
    """Every one."""
    first = (*FLOATS, *INTEGERS, *AXES, *NOTHING, *TYPES, *LENGTHS)
    made = (*NORMALIZATIONS, *NORMS, *POOLS, *SCATTERS, *QUANTIZED)
    return (*first, *PRODUCTS, *POSITIONS, *LOGICAL, *LOGARITHMS, *made)
