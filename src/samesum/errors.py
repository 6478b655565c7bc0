"""The tree of errors. Each is also a built-in, so callers can catch what they already know.

A message says what was asked, what was found and what is allowed, with values.
"""

from __future__ import annotations


class SamesumError(Exception):
    """The root of every error that samesum raises on purpose."""


class AxisError(SamesumError, ValueError, IndexError):
    """An axis is out of range, repeated or not an integer."""


class DtypeError(SamesumError, TypeError):
    """A dtype is not supported by this operator or this version of it."""


class ShapeError(SamesumError, ValueError):
    """A shape does not fit: of an input, of `out`, or an empty set where a value is needed."""


class UnsupportedOperator(SamesumError, NotImplementedError):
    """A model or a call names an operator, version or attribute that is not implemented."""


class ModelError(SamesumError, ValueError):
    """A model file is not valid, or the inputs do not fit it."""


class UnsafeModelError(ModelError):
    """A model file asks for something a model has no business asking for."""
