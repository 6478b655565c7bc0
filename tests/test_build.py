"""How the core is compiled: for which processors, what others hear of it, and products apart from sums."""

from __future__ import annotations

import ast
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from samesum import _core

ROOT = Path(__file__).resolve().parents[1]
EMULATOR, CMAKE, CLANG, CROSS = map(shutil.which, ("qemu-x86_64", "cmake", "clang", "aarch64-linux-gnu-g++"))
LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
IMPORT = "import samesum as ss; print(ss._core.instruction_sets(), ss.sum([1e16, 1, -1e16]))"
LOAD = "import sys, importlib.machinery as m; m.ExtensionFileLoader('_core', sys.argv[1]).load_module('_core')"
PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(check LANGUAGES CXX)
include({root}/cmake/flags.cmake)
include({root}/cmake/instruction_sets.cmake)
samesum_check_arithmetic(${{SAMESUM_SETS}} {flags} ${{SAMESUM_FLAGS_${{SAMESUM_SETS}}}})
"""


def on_processor(name: str, code: str) -> subprocess.CompletedProcess[str]:
    """What Python does with the compiled module on an emulated processor."""
    if EMULATOR is None or platform.machine() != "x86_64":
        pytest.skip("there is no qemu-x86_64 (qemu-user of the distribution), or no Python of x86-64")
    command = [
        EMULATOR,
        "-cpu",
        name,
        os.path.realpath(sys.executable),
        "-W",
        "ignore",
        "-c",
        code,
        str(_core.__file__),
    ]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


@pytest.mark.parametrize(
    ("processor", "count", "code"),
    [("core2duo", 0, LOAD), ("Nehalem", 1, IMPORT), ("max", 2, IMPORT), ("max,-f16c", 1, LOAD)],
)
def test_a_processor_without_the_instructions_is_told_so(processor: str, count: int, code: str) -> None:
    """Never a signal; an emulated processor has `count` levels, and none has AVX-512."""
    ran = on_processor(processor, code)
    served = set(_core.instruction_sets()) & {"baseline", *LEVELS[:count]}
    if served:
        assert ran.returncode == 0, ran.stderr
        assert code == LOAD or ran.stdout.endswith("] 1.0\n")
        return
    own = LEVELS[count - 1] if count else "none of x86-64-v2 to x86-64-v4"
    assert ran.returncode == 1, ran
    error = ran.stderr.splitlines()[-1]
    assert error.startswith(f"ImportError: this samesum was compiled for {_core.instruction_sets()[0]}"), error
    assert own in error
    assert "compile it here (`pip install .` in a checkout)" in error


def configured(folder: Path, flags: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What CMake says of flags with which an instruction set is compiled."""
    if CMAKE is None:
        pytest.skip("there is no cmake")
    (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT.as_posix(), flags=flags), encoding="utf-8")
    command = [CMAKE, "-S", str(folder), "-B", str(folder / "build"), *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "SAMESUM_INSTRUCTION_SETS"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


@pytest.mark.parametrize("machine", ["own", "x86_64_v3", pytest.param("clang", marks=pytest.mark.slow), "aarch64"])
def test_products_and_sums_are_rounded_apart(machine: str, tmp_path: Path) -> None:
    """By running the check, and where this machine cannot, by the instructions."""
    if (machine == "aarch64" and CROSS is None) or (machine == "clang" and CLANG is None):
        pytest.skip("the compiler is not here")
    if machine == "x86_64_v3" and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("this machine's compiler has no x86-64")
    arguments = {
        "x86_64_v3": ["-DSAMESUM_INSTRUCTION_SETS=x86_64_v3"],
        "clang": ["-DCMAKE_CXX_COMPILER=clang++"],
        "aarch64": ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_CXX_COMPILER={CROSS}"],
    }.get(machine, [])
    apart = configured(tmp_path, "-ffp-contract=off", *arguments)
    assert apart.returncode == 0, apart.stderr
    assert "could not be checked" not in apart.stderr
    once = configured(tmp_path, "-ffp-contract=fast", *arguments)
    assert once.returncode == 1
    assert "a * b - c is rounded once and not twice" in " ".join(once.stderr.split())


def test_flags_that_change_arithmetic_are_refused(tmp_path: Path) -> None:
    fast = configured(tmp_path, "-ffp-contract=off", "-DCMAKE_CXX_FLAGS=-ffast-math")
    assert fast.returncode == 1
    assert "samesum cannot be compiled with -ffast-math" in fast.stderr


@pytest.mark.parametrize("asked", ["x86_64_v5", "all;native"])
def test_an_unknown_instruction_set_is_refused(asked: str, tmp_path: Path) -> None:
    refused = configured(tmp_path, "", f"-DSAMESUM_INSTRUCTION_SETS={asked}")
    assert refused.returncode == 1
    assert f"SAMESUM_INSTRUCTION_SETS is '{asked}'; allowed" in " ".join(refused.stderr.split())


def test_msvc_s_command_line_gets_the_flags_too(tmp_path: Path) -> None:
    """clang-cl fuses products and sums unless the flag comes in its own form."""
    if CMAKE is None or CLANG is None:
        pytest.skip("there is no cmake or no clang")
    script = tmp_path / "flags.cmake"
    flags = 'message("${SAMESUM_FLAG_PREFIX}")'
    script.write_text(f"set(CMAKE_CXX_COMPILER_FRONTEND_VARIANT MSVC)\ninclude({ROOT}/cmake/flags.cmake)\n{flags}")
    prefix = subprocess.run([CMAKE, "-P", script], capture_output=True, text=True, check=True).stderr.strip()
    source = tmp_path / "source.cpp"
    source.write_text("double less(double a, double b, double c) { return a * b - c; }")
    options = [f"{prefix}{flag}" for flag in ("-O2", "-S", "-o-", "-march=x86-64-v3")]
    driver = [CLANG, "--driver-mode=cl", "--target=x86_64-pc-windows-msvc", str(source), *options]
    fused, apart = (
        subprocess.run([*driver, *more], capture_output=True, text=True, check=True).stdout
        for more in ([], [f"{prefix}-ffp-contract=off"])
    )
    assert "vfmsub" in fused
    assert "vmulsd" in apart
    assert "vfmsub" not in apart


def test_the_sdist_has_what_its_tests_import() -> None:
    excluded = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]["sdist"]
    kept = {Path(name[1:]).stem.rstrip("*") for name in excluded["exclude"] if name.startswith("!/tests/")}
    helpers = {path.stem for path in (ROOT / "tests").glob("*.py")}
    golden = (ROOT / "tests" / "golden").glob("*.py")
    read = [*golden, *(ROOT / "tests" / f"{name}.py" for name in kept & helpers)]
    imported = {
        name.partition(".")[0]
        for path in read
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert {"goldens", "cases", "bits"} <= imported & helpers
    assert imported & helpers <= kept
