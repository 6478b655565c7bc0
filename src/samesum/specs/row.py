"""What a row of a standard is made of. Element types carry their NumPy names in every standard."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.formats.arrays import MAX_RANK


class Kind(Enum):
    """Which values an attribute may have, as a refusal says it."""

    FLAG = "true or false"
    INTEGER = "an integer"
    INTEGERS = "a list of integers"
    NUMBER = "a number"
    NUMBERS = "a list of numbers"
    EPSILON = "a finite number from 0 on"
    AXIS = "an integer that names an axis"
    AXIS_FROM_FRONT = "an integer from 0 on"
    AXES = "a list of axes"
    WORD = "a word"
    WORDS = "a list of words"
    TEXT = "a text"
    TYPE = "an element type"
    TENSOR = "a tensor of one element"
    GRAPH = "a graph"


class EmptySet(Enum):
    """What reducing no elements gives."""

    IDENTITY = "the identity of the combine, finalized"
    UNDEFINED = "NaN, and an error where the type has none"
    ZERO = "zero"
    LOWEST_FINITE = "the lowest finite value of the type"


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: `name` is the standard's word, `meaning` the one under which a bound operation has its value."""

    name: str
    kind: Kind
    default: object = None
    meaning: str = ""
    """The name itself unless it says something else."""
    required: bool = False
    words: tuple[str, ...] = ()
    """The words that are allowed, in lower case; none: any word."""
    only: object = None
    """The one value that is supported, where the standard allows others."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "meaning", self.meaning or self.name)


@dataclass(frozen=True, slots=True)
class Unread:
    """The value of an attribute that is not read with it: a graph, or of a kind that no supported operator takes."""

    kind: str


@dataclass(frozen=True, slots=True)
class Input:
    """One input; `types` None stands for T, the element types of the version, of which all such inputs have one."""

    name: str
    types: frozenset[str] | None = None
    min_rank: int = 0
    max_rank: int = MAX_RANK
    optional: bool = False
    repeated: bool = False
    """True for a last input that may be there any number of times; not zero times unless it is optional."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs in order and the attributes, as one or more versions share them."""

    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """What one version of an operator says."""

    since: int
    types: frozenset[str]
    signature: Signature
    as_matrix: bool = False
    """True if `axis` splits the data into a matrix, whose rows are what is normalized."""


class Made(Enum):
    """What is made of reductions."""

    NORMALIZATION = "normalization"
    POOL = "pool"
    SCATTER = "scatter"
    PRODUCT = "product"


@dataclass(frozen=True, slots=True)
class Operator:
    """All versions of one operator, oldest first, and what they have in common."""

    name: str
    versions: tuple[Version, ...]
    row: Reduction | Scan | Normalization | None = None
    """What the operator stands for in the algebra; None for the operators around the family."""
    empty_set: EmptySet = EmptySet.IDENTITY
    result: str | None = None
    """The element type of the result where it is not T."""
    holds_graphs: bool = False
    """True if it runs graphs that its node holds: branches, bodies."""
    made: Made | None = None
    """What it is, if it is made of reductions."""

    @property
    def is_of_reductions(self) -> bool:
        """True if it stands on a row of the algebra or is made of such."""
        return self.row is not None or self.made is not None


@dataclass(frozen=True, slots=True)
class Standard:
    """One standard: its operators and what holds for each of them."""

    name: str
    newest_opset: int
    operators: tuple[Operator, ...]
    empty_axes_reduce_all: bool
    """True if empty axes stand for all axes where no attribute says otherwise."""
    scalars_have_an_axis: bool
    """True if a rank-0 input accepts axis 0 (or -1), as if it had rank 1."""
    minds_case: bool
    """True if operator names are matched letter for letter."""
    spells_values: bool
    """True if a file spells the values of attributes as text."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One version of one operator of one standard: the row that a question finds."""

    standard: Standard
    operator: Operator
    version: Version
    identifier: str = field(init=False)
    """The name that messages and plans use: `onnx.ReduceSum-13`."""
    row: Reduction | Scan | Normalization | None = field(init=False)
    """What the operator stands for in the algebra."""
    types: frozenset[str] = field(init=False)
    """T, the element types of the data and, where the operator says nothing else, of the result."""
    inputs: tuple[Input, ...] = field(init=False)
    """In the standard's order; the first one is the data."""
    attributes: tuple[Attribute, ...] = field(init=False)
    """Those that the version knows."""

    def __post_init__(self) -> None:
        identifier = f"{self.standard.name}.{self.operator.name}-{self.version.since}"
        object.__setattr__(self, "identifier", identifier)
        object.__setattr__(self, "row", self.operator.row)
        object.__setattr__(self, "types", self.version.types)
        object.__setattr__(self, "inputs", self.version.signature.inputs)
        object.__setattr__(self, "attributes", self.version.signature.attributes)
