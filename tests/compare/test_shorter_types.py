"""An engine that computes float32 in a shorter type is judged in float32, for each set of inputs, whatever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import faulty
import ml_dtypes
import numpy as np
import onnx
import pytest
from models import FLOAT, branches, model
from onnx import helper

from samesum.compare import Comparison, Verdict, compare
from samesum.compare.words import open_ends
from samesum.runtimes.runtime import DEFAULTS, EngineError, EngineModel, Format, Settings, Trouble

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(5)


class Session:
    def __init__(self, proto: Any, precision: str) -> None:
        self.proto, self.precision = proto, precision

    def run(self, feeds: dict[str, Array], wanted: Sequence[str]) -> dict[str, Array]:
        found = faulty.Right().run(self.proto, dict(feeds), list(wanted))
        if self.precision == "f32":
            return found
        return {name: x.astype(ml_dtypes.bfloat16).astype(x.dtype) for name, x in found.items()}


class Short:
    """Results are bfloat16 unless float32 is asked for; a model with an If is refused."""

    name, version, formats = "short", "1", frozenset({Format.ONNX})

    def prepare(self, given: EngineModel, settings: Settings = DEFAULTS) -> Session:
        proto = onnx.load_model_from_string(given.content)
        if any(node.op_type == "If" for node in proto.graph.node):
            raise EngineError(Trouble.REFUSED, "no If, please")
        return Session(proto, settings.precision or "bf16")


def compared(proto: Any, inputs: Any, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    from samesum.compare import comparing

    engines = comparing.made(["reference"], isolated=False)
    monkeypatch.setattr(comparing, "made", lambda *_: [*engines, ("short", Short())])
    return compare(proto, inputs)


def test_each_set_of_inputs_has_outputs_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"w": RANDOM.standard_normal((16, 16)).astype(np.float32)}
    proto = model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (FLOAT, [4, 16])}, {"y": (FLOAT, None)}, held)
    sets = [{"x": RANDOM.standard_normal((4, 16)).astype(np.float32)} for _ in range(3)]
    found = compared(proto, sets, monkeypatch)
    far = {each.engine: each.max_rel for each in found.outputs}
    assert 2.0**-10 < far["short"] < 2.0**-7
    assert far["short:f32"] < 1e-6
    assert all(each.same for each in found.control)
    assert found.engines["short"].precision == "bf16"
    assert (found.wrong, found.unexplained) == ((), ())
    assert "short computes float32 in bf16 here by default, which is mostly why outputs differ" in found.notes[0]


def test_nodes_of_a_model_that_it_does_not_run_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    feeds = {"x": RANDOM.uniform(0.5, 1.5, 300).astype(np.float32), "flag": np.array(True)}
    found = compared(branches(), feeds, monkeypatch)
    verdicts = {node.operator: node.engines["short"].verdict for node in found.nodes}
    assert verdicts["ReduceSum"] in (Verdict.RIGHT, Verdict.INEXACT)
    assert found.wrong == ()
    assert "short does not run this model: no If, please" in found.notes
    assert open_ends(found) == ["Of short nodes alone were checked: it does not run this model."]
