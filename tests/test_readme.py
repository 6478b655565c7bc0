"""The README and the pages of the documentation are true: their commands, their tables, examples and links hold."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import subprocess
import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import samesum
from samesum.cli.info import markdown
from samesum.cli.main import main
from samesum_bench.command import main as measure

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)
PAGES = (
    *("README.md", "NUMERICS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"),
    *("benchmarks/README.md", *DOCS),
)
WITH_EXAMPLES = [page for page in PAGES if "\n>>> " in (ROOT / page).read_text(encoding="utf-8")]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(samesum.__path__, "samesum.")
    if module.name not in ("samesum._core", "samesum.__main__")
)
NEEDED = {
    "samesum.frontends.plugins.exact_session": "onnxruntime",
    **{f"samesum.frontends.plugins.{name}": "openvino" for name in ("exact_model", "openvino_node")},
    **{f"samesum.onnx.{name}": "onnxruntime" for name in ("custom_ops_library", "exact_session")},
    **{module: "torch" for module in MODULES if re.fullmatch(r"samesum.frontends.plugins.(exact_)?torch.*", module)},
    **dict.fromkeys(("samesum.openvino", "samesum.openvino.exact"), "openvino"),
    **dict.fromkeys(("samesum.torch", "samesum.torch.exact"), "torch"),
    "docs/products.md": "torch",
    "docs/runtimes.md": "onnxruntime",
    "docs/howto/group_by.md": "xarray",
}
"""The packages beyond those of the extra `test` that examples need; without them these are skipped."""
PUBLIC = ("samesum", "samesum.compare", "samesum.onnx", "samesum.openvino", "samesum.torch")


def bash_blocks(text: str) -> list[str]:
    return re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


PROGRAMS = {"samesum ": main, "cd benchmarks && python -m samesum_bench ": measure}


def commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands of all bash blocks that are samesum's own: which program, and its arguments."""
    lines = "".join(bash_blocks(text)).replace("\\\n", " ").splitlines()
    return [
        (program, shlex.split(line.removeprefix(program), comments=True))
        for line in lines
        for program in PROGRAMS
        if line.startswith(program)
    ]


WITH_COMMANDS = [page for page in PAGES if commands((ROOT / page).read_text(encoding="utf-8"))]


def test_the_first_two_commands_install_and_run_then_install_and_test() -> None:
    first, second = bash_blocks(README)[:2]
    assert "pip install .\n" in first
    assert "samesum run examples/" in first
    assert 'pip install ".[test]" -C cmake.define.SAMESUM_TEST_HOOKS=ON\n' in second
    assert second.endswith("python -m pytest -n auto\n")


def test_ci_runs_the_second_block() -> None:
    script = str(ROOT / ".ci" / "run")
    shown = subprocess.run(["bash", script, "--show"], capture_output=True, text=True, check=True).stdout
    assert shown == bash_blocks(README)[1]


def test_the_table_of_operators_is_current() -> None:
    page = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- operators: begin -->\n(.*?)\n<!-- operators: end -->", page, re.DOTALL)
    assert table is not None
    assert table[1] == markdown(), "write it again: nox -s table"


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_every_command_shown_works(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    shown = commands((ROOT / page).read_text(encoding="utf-8"))
    assert shown
    for program, arguments in shown:
        assert PROGRAMS[program](arguments) == 0, f"{program}{shlex.join(arguments)}"


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_every_python_example_prints_what_the_page_says(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in NEEDED:
        pytest.importorskip(NEEDED[page])
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "overflow", RuntimeWarning)  # NumPy's, in the lines that show its overflow
        failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_every_docstring_example_is_true(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if module in NEEDED:
        pytest.importorskip(NEEDED[module])
    warnings.filterwarnings("ignore", "OpenVINO's CPU plugin computes in", RuntimeWarning)  # on some processors
    failed, _ = doctest.testmod(importlib.import_module(module), extraglobs={"np": np})
    assert failed == 0


def published() -> list[tuple[str, str]]:
    """The functions and classes of the public modules."""
    names = [(module, name) for module in PUBLIC for name in importlib.import_module(module).__all__]
    return [each for each in names if inspect.isroutine(_found(*each)) or inspect.isclass(_found(*each))]


def _found(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(("module", "name"), published())
def test_every_public_docstring_example_is_true(module: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if f"{module}.{name}" in NEEDED:
        pytest.importorskip(NEEDED[f"{module}.{name}"])
    warnings.filterwarnings("ignore", "OpenVINO's CPU plugin computes in", RuntimeWarning)  # on some processors
    each = _found(module, name)
    names = dict(getattr(each, "__globals__", {})) | {name: each, "np": np}
    examples = [test for test in doctest.DocTestFinder().find(each, name, module=False, globs=names) if test.examples]
    assert examples or issubclass(each, Exception), f"{module}.{name} shows no example"
    runner = doctest.DocTestRunner()
    assert [runner.run(test).failed for test in examples] == [0] * len(examples)


def test_the_version_that_contributing_shows_is_the_one_in_the_rows() -> None:
    (shown,) = re.findall(
        r"^```text\n(Reduce.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.S | re.M
    )
    assert shown in (ROOT / "src/samesum/specs/operators.txt").read_text(encoding="utf-8")


def test_a_package_index_shows_the_readme_with_links_into_the_repository() -> None:
    hooks = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"]["hooks"]
    shown = README
    for each in hooks["fancy-pypi-readme"]["substitutions"]:
        shown = re.sub(each["pattern"], each["replacement"], shown)
    relative = re.findall(r"\]\(([^)#]+)\)", README)
    absolute = re.findall(r"\]\(https://[\w.]+/samesum/samesum/(?:blob/)?main/([^)]+)\)", shown)
    assert relative == absolute
    assert "docs/images/agreement.png" in relative
    assert shown.count("](") == README.count("](") == len(relative)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page: str) -> None:
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (path.parent / target).exists()]
    assert not missing, f"{page} links to {missing}"
