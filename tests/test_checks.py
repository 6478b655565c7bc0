"""The tools that read the source find nothing: ruff, mypy --strict, import-linter."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

CHECKS = {
    "ruff check": ["-m", "ruff", "check", "--no-cache", "."],
    "ruff format": ["-m", "ruff", "format", "--no-cache", "--check", "."],
    "mypy --strict": ["-m", "mypy", "--cache-dir", "CACHE"],
    "import-linter": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"],
}


@pytest.mark.checks
@pytest.mark.parametrize("check", CHECKS)
def test_the_source_passes(check: str, tmp_path: Path) -> None:
    command = [sys.executable, *(str(tmp_path) if part == "CACHE" else part for part in CHECKS[check])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{check} finds:\n{done.stdout}{done.stderr}"


def test_texts_name_addresses_and_no_files_of_the_repository() -> None:
    """An installed package has neither pages nor benchmarks."""
    named = []
    for path in (ROOT / "src" / "samesum").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = re.sub(r"https?://\S+", "", node.value)
                named += [f"{path.name}: {each}" for each in re.findall(r"\bdocs/\w\S*|\b\w[\w/]*\.md\b", text)]
    assert named == []


def test_only_the_engine_imports_the_compiled_core() -> None:
    """import-linter sees Python modules only, so the compiled one is looked for here."""
    package = ROOT / "src" / "samesum"
    importers = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom) and "_core" in ast.unparse(node)
    }
    assert importers == {"engine"}
