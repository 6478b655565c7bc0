"""Which operators of a standard another runtime is to leave to samesum."""

from __future__ import annotations

from collections.abc import Iterable

from samesum.errors import ArgumentError, ArgumentTypeError, UnsupportedOperator
from samesum.specs.lookup import folded
from samesum.specs.row import Operator, Standard


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
