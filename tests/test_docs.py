"""docs/conformance.md tells of every suite, its result is of these suites; other pages name every public function."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import samesum
from samesum.conformance.explaining import SITUATIONS
from samesum.conformance.suites.catalogue import SUITES
from samesum.specs.table import ONNX, OPENVINO

DOCS = Path(__file__).resolve().parent.parent / "docs"
CONTENTS = (DOCS / "contents.md").read_text(encoding="utf-8")
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "conformance.md").read_text(encoding="utf-8")


def test_every_suite_is_described_with_its_size() -> None:
    described = dict(re.findall(r"^\| `([a-z-]+)` \| (\d+(?: and more)?) \|", PAGE, re.MULTILINE))
    assert list(described) == list(SUITES)
    for name, said in described.items():
        count = len(list(SUITES[name].cases()))
        number = int(said.partition(" ")[0])
        assert count == number or (said.endswith("more") and count > number), (name, said, count)


def test_the_readme_tells_how_many_cases_there_are() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    sizes = re.findall(r"^\| `[a-z-]+` \| (\d+)(?: and more)? \|", PAGE, re.MULTILINE)
    assert re.findall(r"(\d+) cases, none needs a network", readme) == [str(sum(map(int, sizes)))]


def test_the_result_has_a_line_for_each_suite() -> None:
    _, _, table = PAGE.partition("| suite | samesum ")
    assert re.findall(r"^\| ([a-z-]+) \| \d", table, re.MULTILINE) == [*SUITES, "all"]


def test_what_a_model_may_contain_is_on_its_page() -> None:
    rows = [line.split("|") for line in CONTENTS.splitlines() if line.startswith("| ") and line.count("|") == 4]
    for column, standard in ((2, ONNX), (3, OPENVINO)):
        named = set(re.findall(r"[A-Z][A-Za-z0-9]+", " ".join(cells[column] for cells in rows)))
        assert {operator.name for operator in standard.operators if operator.row is None} - named == set()


def test_no_two_pages_have_one_title() -> None:
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in sorted(DOCS.rglob("*.md"))]
    assert len(titles) > 20
    assert [title for title in titles if titles.count(title) > 1] == []


def test_the_cases_of_the_agreement_picture_are_explained_beside_it() -> None:
    page = (DOCS / "agreement.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)
    assert explained == [(each.name, each.shows) for each in SITUATIONS]


def test_the_pages_that_messages_name_are_there() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (DOCS.parent / "src").rglob("*.py"))
    named = set(re.findall(r"(?:\{SITE\}|samesum\.readthedocs\.io/en/stable/)([\w/]+)\.html", sources))
    assert {"dask", "howto/libraries", "howto/reproduce", "states"} <= named
    assert {page for page in named if not (DOCS / f"{page}.md").is_file()} == set()


def test_every_function_on_arrays_is_on_its_page() -> None:
    page = (DOCS / "arrays.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)[`(]", page))
    functions = {name for name in samesum.__all__ if inspect.isfunction(getattr(samesum, name))}
    assert functions - named == {"load"}


def test_every_operator_that_is_a_function_is_on_its_page() -> None:
    named = set(re.findall(r"[A-Za-z0-9]+", (DOCS / "operators.md").read_text(encoding="utf-8")))
    for module in (samesum.onnx, samesum.openvino):
        operators = {name for name in module.__all__ if inspect.isfunction(getattr(module, name)) and name[0].isupper()}
        assert len(operators) > 20
        assert operators - named == set()


def test_the_files_that_the_map_of_the_architecture_names_are_there() -> None:
    root = DOCS.parent
    _, _, decided = (root / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Where things are decided")
    package, _, core = decided.partition("In `core/`:")
    for part, folder in ((package, root / "src/samesum"), (core, root / "core")):
        named = re.findall(r"`([\w.]+/[\w./]*)`", part)
        assert len(named) > 30
        assert [path for path in named if not ((folder / path).exists() or (root / path).exists())] == []


def test_lines_of_pages_fit_a_screen() -> None:
    root = DOCS.parent
    pages = [*root.glob("*.md"), *DOCS.rglob("*.md"), *root.glob("benchmarks/**/*.md")]
    long = [
        f"{page.name}:{i}"
        for page in pages
        for i, line in enumerate(page.read_text().splitlines(), 1)
        if len(line) > 180
    ]
    assert long == []
