"""docs/conformance.md tells of every suite, its result is of these suites; docs/contents.md names every operator."""

from __future__ import annotations

import re
from pathlib import Path

from samesum.conformance.suites.catalogue import SUITES
from samesum.specs.onnx_around import ONNX_AROUND
from samesum.specs.onnx_control import ONNX_CONTROL
from samesum.specs.onnx_elements import ONNX_ELEMENTWISE
from samesum.specs.onnx_moving import ONNX_MOVING
from samesum.specs.onnx_norms import ONNX_NORMS
from samesum.specs.openvino_around import OPENVINO_AROUND
from samesum.specs.openvino_control import OPENVINO_CONTROL
from samesum.specs.openvino_elements import OPENVINO_ELEMENTWISE
from samesum.specs.openvino_moving import OPENVINO_MOVING
from samesum.specs.openvino_norms import OPENVINO_NORMS

DOCS = Path(__file__).resolve().parent.parent / "docs"
CONTENTS = (DOCS / "contents.md").read_text(encoding="utf-8")
AROUND_OF_ONNX = (*ONNX_AROUND, *ONNX_ELEMENTWISE, *ONNX_MOVING, *ONNX_NORMS, *ONNX_CONTROL)
AROUND_OF_OPENVINO = (
    *OPENVINO_AROUND,
    *OPENVINO_ELEMENTWISE,
    *OPENVINO_MOVING,
    *OPENVINO_NORMS,
    *OPENVINO_CONTROL,
)
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "conformance.md").read_text(encoding="utf-8")


def test_every_suite_is_described_with_its_size() -> None:
    described = dict(re.findall(r"^\| `([a-z-]+)` \| (\d+(?: and more)?) \|", PAGE, re.MULTILINE))
    assert list(described) == list(SUITES)
    for name, said in described.items():
        count = len(list(SUITES[name].cases()))
        number = int(said.partition(" ")[0])
        assert count == number or (said.endswith("more") and count > number), (name, said, count)


def test_the_result_has_a_line_for_each_suite() -> None:
    _, _, table = PAGE.partition("| suite | samesum ")
    assert re.findall(r"^\| ([a-z-]+) \| \d", table, re.MULTILINE) == [*SUITES, "all"]


def test_what_a_model_may_contain_is_on_its_page() -> None:
    rows = [line.split("|") for line in CONTENTS.splitlines() if line.startswith("| ") and line.count("|") == 4]
    for column, operators in ((2, AROUND_OF_ONNX), (3, AROUND_OF_OPENVINO)):
        named = set(re.findall(r"[A-Z][A-Za-z0-9]+", " ".join(cells[column] for cells in rows)))
        assert {operator.name for operator in operators} - named == set()
