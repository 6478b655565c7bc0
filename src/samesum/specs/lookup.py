"""Finding the row: the newest version of an operator that an opset has."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import NoReturn

from samesum.errors import ArgumentError, ArgumentTypeError, UnsupportedOperator
from samesum.specs.bind import Operation, bind
from samesum.specs.table import MICROSOFT, ONNX, OPENVINO, Operator, Spec, Standard

STANDARDS = {standard.name: standard for standard in (ONNX, OPENVINO, MICROSOFT)}


def folded(standard: Standard, name: str) -> str:
    """What names of one operator have in common: the name itself where the standard minds its case."""
    return name if standard.minds_case else name.casefold()


def _versions(standard: Standard, operator: Operator) -> tuple[Spec, ...]:
    return tuple(Spec(standard, operator, version) for version in operator.versions)


_SPECS = {
    (standard.name, folded(standard, operator.name)): _versions(standard, operator)
    for standard in STANDARDS.values()
    for operator in standard.operators
}

CATALOGUE = tuple(spec for specs in _SPECS.values() for spec in specs)
"""Every version of every operator, one standard after the other, the oldest version first."""

FAMILY = tuple(spec for spec in CATALOGUE if spec.row is not None)
"""Those of the operators that stand on a row of the algebra: reductions, scans and normalizations."""

OF_REDUCTIONS = tuple(spec for spec in CATALOGUE if spec.operator.is_of_reductions)
"""Those, and what is made of them."""


def lookup(standard: str, operator: str, opset: int | None = None) -> Spec:
    """The row with the greatest version not above `opset` (None: the newest).

    Raises UnsupportedOperator for an operator that has no row, for an opset older than its first
    version and for one that is newer than the newest known to the standard's rows.
    """
    specs = _SPECS.get((standard, folded(STANDARDS[standard], operator)))
    if specs is None:
        _refuse_operator(STANDARDS[standard], operator)
    if opset is None:
        return specs[-1]
    wanted = _checked_opset(STANDARDS[standard], operator, opset)
    for spec in reversed(specs):
        if spec.version.since <= wanted:
            return spec
    listed = ", ".join(str(spec.version.since) for spec in specs)
    raise UnsupportedOperator(f"{standard}.{operator} does not exist in opset {wanted}; it has version {listed}")


def has_operator(standard: str, operator: str) -> bool:
    """True if there are rows of the standard and they have the operator in any version."""
    return standard in STANDARDS and (standard, folded(STANDARDS[standard], operator)) in _SPECS


def versions_with_type(spec: Spec, dtype: str) -> tuple[Spec, ...]:
    """The versions of the same operator that accept data of `dtype`, the oldest first."""
    specs = _SPECS[spec.standard.name, folded(spec.standard, spec.operator.name)]
    return tuple(each for each in specs if dtype in each.types)


def _checked_opset(standard: Standard, operator: str, opset: object) -> int:
    newest = standard.newest_opset
    try:
        wanted = index(opset)  # type: ignore[arg-type]
    except TypeError:
        wanted = 0
    if isinstance(opset, bool) or not 1 <= wanted <= newest:
        raise UnsupportedOperator(
            f"{standard.name}.{operator} was asked for in opset {opset!r}; known are the opsets 1 to {newest}"
        )
    return wanted


def _refuse_operator(standard: Standard, operator: str) -> NoReturn:
    from difflib import get_close_matches  # only a refusal needs it

    names = {folded(standard, each.name): each.name for each in standard.operators}
    close = [names[match] for match in get_close_matches(folded(standard, operator), names, n=3)]
    hint = f"; close: {', '.join(close)}" if close else ""
    raise UnsupportedOperator(f"{standard.name} has no operator {operator!r} that is supported{hint}")


def operation_of(standard: str, operator: str, opset: int | None, /, **attributes: object) -> Operation:
    """A call by name: what `bind(lookup(standard, operator, opset), attributes)` gives, and the same errors."""
    return bind(lookup(standard, operator, opset), attributes)


# Which operators of a standard another runtime is to leave to samesum.


def names_in(operators: Iterable[str]) -> tuple[str, ...]:
    """The names, each of them once.

    Raises ArgumentError for one text and for no name, ArgumentTypeError for what is no sequence of names.
    """
    if isinstance(operators, str):
        raise ArgumentError(f"operators is the text {operators!r}; a sequence of names is needed")
    names = tuple(operators) if isinstance(operators, Iterable) else None
    if names is None or not all(isinstance(each, str) for each in names):
        raise ArgumentTypeError(f"operators is {operators!r}; a sequence of names is needed")
    if not names:
        raise ArgumentError("operators names none; allowed are one name or more, None, and 'all'")
    return tuple(dict.fromkeys(names))


def chosen_names(
    standard: Standard, operators: Iterable[str] | None, offered: Iterable[Operator], more: Iterable[Operator] = ()
) -> tuple[str, ...]:
    """The names asked for, as the standard spells them; for None those of all operators that are offered, for "all"
    those of `more` besides.

    Raises UnsupportedOperator for a name of another operator, ArgumentError for one text and for no name,
    ArgumentTypeError for what is no sequence of names.
    """
    usual = tuple(operator.name for operator in offered)
    known = (*usual, *(operator.name for operator in more))
    if operators is None or operators == "all":
        return usual if operators is None else known
    names = {folded(standard, each): each for each in names_in(operators)}
    allowed = {folded(standard, name) for name in known}
    if others := [repr(each) for key, each in names.items() if key not in allowed]:
        raise UnsupportedOperator(
            f"operators names {', '.join(others)}, which samesum does not take over; allowed are {', '.join(known)}"
        )
    return tuple(name for name in known if folded(standard, name) in names)
