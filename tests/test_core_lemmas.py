"""Each lemma that the core names is in core/LEMMAS.md, each one there is named in the core, with all that it names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core"
LEMMAS = (CORE / "LEMMAS.md").read_text(encoding="utf-8")
SCRIPTS = sorted((ROOT / "tests" / "certificates" / "gappa").glob("*.g"))


def stated() -> list[int]:
    return [int(number) for number in re.findall(r"^\*\*Lemma (\d+)\*\*", LEMMAS, re.MULTILINE)]


def named() -> dict[int, list[str]]:
    """The files of the core that name each lemma."""
    found: dict[int, list[str]] = {}
    for path in sorted(CORE.rglob("*.?pp")):
        for number in re.findall(r"Lemma (\d+)", path.read_text(encoding="utf-8")):
            found.setdefault(int(number), []).append(path.name)
    return found


def test_lemmas_are_numbered_in_order() -> None:
    """A lemma keeps its number when one before it goes."""
    assert stated() == sorted(set(stated()))


def test_the_core_and_the_lemmas_name_each_other() -> None:
    assert sorted(named()) == stated()


def test_tests_and_scripts_that_lemmas_name_exist() -> None:
    """Names without a folder are of tests/certificates, tests/accuracy or tests/certificates/gappa."""
    folders = ("", "tests/certificates", "tests/accuracy", "tests/certificates/gappa")
    names = set(re.findall(r"`([\w/]+\.(?:py|cpp|g))`", LEMMAS))
    assert names
    assert {name for name in names if not any((ROOT / folder / name).exists() for folder in folders)} == set()


def test_every_script_is_named() -> None:
    assert {path.name for path in SCRIPTS} == set(re.findall(r"`(\w+\.g)`", LEMMAS))


@pytest.mark.skipif(shutil.which("gappa") is None, reason="gappa is not installed")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_gappa_proves(script: Path) -> None:
    done = subprocess.run(["gappa", str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_constants_in_scripts_are_those_of_the_sources() -> None:
    """A script proves something of the code only as long as it has the code's constants."""
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted(CORE.rglob("*.hpp")))
    for script in SCRIPTS:
        code = re.sub(r"#.*", "", script.read_text(encoding="utf-8"))
        constants = set(re.findall(r"0x[0-9a-f.]+p[+-]?\d+", code)) - LIMITS
        unknown = {each for each in constants if each not in sources and each + "f" not in sources}
        assert unknown == set(), script.name


LIMITS = {"0x1.6314p-6", "0x1.64p-7", "0x1.004p0"}
"""Of arguments, and 1 + 2^-10, which the code writes as that."""
