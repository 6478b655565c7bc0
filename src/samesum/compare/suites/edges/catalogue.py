"""All edges."""

from __future__ import annotations

from samesum.compare.case import Case
from samesum.compare.suites.edges.axes import AXES
from samesum.compare.suites.edges.floats import FLOATS
from samesum.compare.suites.edges.integers import INTEGERS
from samesum.compare.suites.edges.lengths import LENGTHS
from samesum.compare.suites.edges.logarithms import LOGARITHMS
from samesum.compare.suites.edges.logical import LOGICAL
from samesum.compare.suites.edges.normalizations import NORMALIZATIONS
from samesum.compare.suites.edges.nothing import NOTHING
from samesum.compare.suites.edges.positions import POSITIONS
from samesum.compare.suites.edges.products import PRODUCTS
from samesum.compare.suites.edges.types import TYPES


def edges() -> tuple[Case, ...]:
    """Every one."""
    first = (*FLOATS, *INTEGERS, *AXES, *NOTHING, *TYPES, *LENGTHS)
    return (*first, *PRODUCTS, *POSITIONS, *LOGICAL, *LOGARITHMS, *NORMALIZATIONS)
