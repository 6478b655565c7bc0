"""What an engine is to the rest of this room."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from samesum.conformance.case import Case
from samesum.formats.arrays import NDArray


class Form(Enum):
    """The ways in which a case is put to an engine."""

    CALL = "call"
    """The operator as a function on arrays."""
    MODEL = "model"
    """A model whose inputs are fed: ONNX, or IR 11 for OpenVINO's operators."""
    CONSTANTS = "constants"
    """An ONNX model that holds the axes as initializers."""
    IR10 = "ir10"
    """IR 10 that holds the axes, its booleans written 0 and 1."""
    IR11 = "ir11"
    """IR 11 that holds the axes."""
    SAVED = "saved"
    """The same, read and saved again by OpenVINO."""


FORMS = {form.value: form for form in Form}


class Engine(Protocol):
    """Something that answers cases."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def version(self) -> str:
        """The release, empty if it has none."""

    def forms(self, case: Case) -> tuple[Form, ...]:
        """The forms in which the case can be put to this engine; none if it is of a standard that it does not read."""

    def answer(self, case: Case, form: Form) -> NDArray:
        """What it gives; raises NotSupported for what it says it does not have, else whatever it raises."""
