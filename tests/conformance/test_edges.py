"""The edges of the operators as the documents decide them: by call and as models, bit for bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from edge import Edge
from edge_axes import AXES
from edge_floats import FLOATS
from edge_integers import INTEGERS
from edge_lengths import LENGTHS
from edge_nothing import NOTHING
from edge_types import TYPES
from running import Question, by_call, by_model

from oracle import assert_bits

NDArray = np.ndarray[Any, np.dtype[Any]]

EDGES = (*FLOATS, *INTEGERS, *AXES, *NOTHING, *TYPES, *LENGTHS)


def _by_model_with_constants(question: Question) -> NDArray:
    return by_model(question, constants=(1,) if len(question.inputs) > 1 and question.inputs[1] is not None else ())


WAYS = {"call": by_call, "model": by_model, "model-const": _by_model_with_constants}


@pytest.mark.parametrize("run", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.name)
def test_edge(edge: Edge, run: Callable[[Question], NDArray]) -> None:
    question = edge.question
    if isinstance(edge.expected, type):
        with pytest.raises(edge.expected, match=edge.says or None):
            run(question)
        return
    assert_bits(run(question), edge.expected, f"{edge}\ninputs = {question.inputs}"[:2000])


def test_every_edge_has_a_name_of_its_own() -> None:
    assert [name for name, count in Counter(edge.name for edge in EDGES).items() if count > 1] == []
    assert len(EDGES) >= 120
