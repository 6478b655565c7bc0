"""Who answers cases: any engine by models, samesum also by call."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from samesum import __version__, onnx, openvino
from samesum.conformance.case import Case
from samesum.conformance.forms import Form, model_forms, own_forms, question
from samesum.formats.arrays import NDArray
from samesum.runtimes.own_engine import Samesum
from samesum.runtimes.packages import require
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import Runtime, Settings, run
from samesum.specs.lookup import FAMILY

_MODULES = {"onnx": vars(onnx), "openvino": vars(openvino)}

FUNCTIONS: dict[tuple[str, str], Callable[..., NDArray]] = {
    key: _MODULES[key[0]][key[1]] for key in {(spec.standard.name, spec.operator.name) for spec in FAMILY}
}
"""The operators of both standards as functions."""

ALONE = frozenset(Form) - {Form.SAVED}
"""The forms that need no other engine."""


AS_STORED = Settings(precision="accuracy")
"""No engine may compute a type in a shorter one."""


class Contestant(Protocol):
    """Something that answers cases."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def version(self) -> str:
        """The release, empty if it has none."""

    def forms(self, case: Case) -> tuple[Form, ...]:
        """The forms in which the case can be put to it; none if it does not read the standard of the case."""

    def answer(self, case: Case, form: Form) -> NDArray:
        """What it gives; raises EngineError or SamesumError."""

    def close(self) -> None:
        """Ends what was started for it."""


@dataclass(frozen=True, slots=True)
class ByModels:
    """An engine, to which every case is put as one model."""

    runtime: Runtime

    @property
    def name(self) -> str:
        """The engine's."""
        return self.runtime.name

    @property
    def version(self) -> str:
        """The engine's."""
        return self.runtime.version

    def forms(self, case: Case) -> tuple[Form, ...]:
        """ONNX models, or IR that holds the axes."""
        return model_forms(case, self.runtime.formats)

    def answer(self, case: Case, form: Form) -> NDArray:
        """The output of the model, computed in the types that it names."""
        return _answered(self.runtime, case, form)

    def close(self) -> None:
        """Ends the process of an engine that has one."""
        if isinstance(self.runtime, Remote):
            self.runtime.close()


@dataclass(frozen=True, slots=True)
class Own:
    """samesum, by call and as a model in each of the forms `wanted` that the standard of a case has."""

    wanted: Collection[Form] = ALONE
    name = Samesum.name
    version = __version__

    def __post_init__(self) -> None:
        if Form.SAVED in self.wanted:
            require("openvino", "the form saved")

    def forms(self, case: Case) -> tuple[Form, ...]:
        """A function where there is one, and the models."""
        called = (Form.CALL,) if case.is_one_call and (case.standard, case.operator) in FUNCTIONS else ()
        return tuple(form for form in (*called, *own_forms(case)) if form in self.wanted)

    def answer(self, case: Case, form: Form) -> NDArray:
        """What samesum gives in that form."""
        if form is not Form.CALL:
            return _answered(Samesum(), case, form)
        inputs = [None if array is None else np.array(array) for array in case.inputs]
        return FUNCTIONS[case.standard, case.operator](*inputs, opset=case.opset, **case.attributes)

    def close(self) -> None:
        """There is nothing to end."""


def _answered(runtime: Runtime, case: Case, form: Form) -> NDArray:
    asked = question(case, form)
    return run(runtime, asked.model, asked.feeds, [asked.wanted], AS_STORED)[asked.wanted]
