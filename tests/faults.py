"""Puts one known fault at a time into a copy of this checkout, and shows that the default test run finds it.

`python tests/faults.py` takes hours, most of them for compiling; `--python-only` compiles nothing. A line for each
fault says which test found it and after how many seconds; the exit status is 1 if one was not found.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
_LONGEST = 3600
"""Seconds after which a test run counts as one that does not end."""
_HOUSE = ("tests/test_checks.py", "tests/test_core_house.py")
"""What looks at the text of files finds faults for reasons of style."""
_HOOK = """import sys
sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "ScikitBuildRedirectingFinder"]
"""
"""An editable installation would lead past the copy."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`old`, which stands once in `file`, becomes `new`; the tests `first` are about it and run before others."""

    name: str
    file: str
    old: str
    new: str
    first: tuple[str, ...]

    @property
    def is_compiled(self) -> bool:
        return self.file.startswith("core/")

    def texts(self, top: Path) -> tuple[str, str]:
        """The file without the fault and with it; SystemExit where `old` does not stand once, or a test is missing."""
        path = top / self.file
        was = path.read_text(encoding="utf-8") if path.exists() else ""
        if was.count(self.old) != 1:
            sys.exit(f"{self.name}: {self.old!r} stands {was.count(self.old)} times in {self.file}; once is needed")
        if missing := [name for name in self.first if not (top / name).exists()]:
            sys.exit(f"{self.name}: there is no {missing[0]}")
        return was, was.replace(self.old, self.new)


_ACCURACY, _LAWS, _OPERATORS = "tests/accuracy/test_", "tests/laws/test_", "tests/operators/test_"
_SRC, _KERNELS = "src/samesum/", "core/kernels/"

FAULTS = (
    Fault("lost-tail-element", f"{_KERNELS}loops/lanes.hpp",
          "if (n > 0) part[chains > 1].take(rest_of<Load>(p, n, has_vectors));",
          "if (n > 1) part[chains > 1].take(rest_of<Load>(p, n, has_vectors));",
          (f"{_ACCURACY}lengths.py",)),
    Fault("row-off-by-one", f"{_KERNELS}loops/columns.hpp",
          "together(one, r);", "together(one, r - 1);",
          (f"{_ACCURACY}positions.py",)),
    Fault("mask-ignored-in-last-vector", f"{_KERNELS}masks/mask_table.cpp",
          "        fill_some(p, mask, n, other, out);", "        __builtin_memcpy(out, p, n * sizeof(Bits));",
          (f"{_LAWS}masks.py",)),
    Fault("last-of-equal-elements", f"{_KERNELS}short/short_extreme.hpp",
          "const auto wins = last ? x >= best : x > best;", "const auto wins = x >= best;",
          (f"{_ACCURACY}positions.py",)),
    Fault("nan-lost-in-join", f"{_KERNELS}accumulators/extreme.hpp",
          "if constexpr (is_real) size = greater_key(size, other.size);", "if constexpr (is_real) size = other.size;",
          ("tests/operators/test_operators.py", f"{_ACCURACY}families.py")),
    Fault("bound-without-a-term", f"{_KERNELS}certify/certify.hpp",
          "count < exact_count ? carried + (remainder != 0 ? rounding : none) : unknown}",
          "count < exact_count ? carried : unknown}",
          ("tests/certificates/test_finishing.py", f"{_ACCURACY}near_ties.py")),
    Fault("failure-lost-in-last-vector", f"{_KERNELS}certify/certify.hpp",
          "            std::memcpy(failed + j, &flags, n - j);\n            any |= v.wrong;\n",
          "            std::memcpy(failed + j, &flags, n - j);\n",
          (f"{_ACCURACY}near_ties.py", "tests/certificates/test_finishing.py")),
    Fault("missing-carry-after-vectors", f"{_KERNELS}search/extreme_scan.hpp",
          "const Keys v = joined(Keys{} + best, prefixes_of<ExtremeScan>(first(x + whole * size, rest)));",
          "const Keys v = prefixes_of<ExtremeScan>(first(x + whole * size, rest));",
          (f"{_LAWS}extreme_scans.py",)),
    Fault("lost-last-product", f"{_KERNELS}dots/dot_table.cpp",
          "for (std::size_t k = 0; k < n - i; ++k) total", "for (std::size_t k = 0; k + 1 < n - i; ++k) total",
          (f"{_LAWS}dot_laws.py", f"{_ACCURACY}dots.py")),
    Fault("minimum-for-maximum", f"{_KERNELS}windows/window_table.cpp",
          "row[1] = WindowExtreme<Key, format, true>::make;", "row[1] = WindowExtreme<Key, format, false>::make;",
          (f"{_OPERATORS}pools.py",)),
    Fault("mirrored-off-by-one", "core/run/reduce/ways.cpp",
          "out[k] = count - 1 - out[k];", "out[k] = count - out[k];",
          (f"{_ACCURACY}positions.py", f"{_LAWS}layout.py")),
    Fault("missing-carry-between-chunks", "core/run/scans/scan_call.cpp",
          "method_.join(carry, totals[p * blocks + i]);", "method_.join(carry, totals[i]);",
          (f"{_ACCURACY}scan_parts.py", f"{_LAWS}machine.py")),
    Fault("identity-of-another-type", "core/run/reduce/finish.cpp",
          "bits = is_float(format) ? round_bits(1, format) : 1;", "bits = 1;",
          (f"{_OPERATORS}empty_sets.py",)),
    Fault("wrong-stride", "core/run/segments/segment_order.cpp",
          "for (std::int64_t i = 0; i < n; ++i, from += pitch(), to += bytes)\n        std::memcpy(to, from, ",
          "for (std::int64_t i = 0; i < n; ++i, from += bytes, to += bytes)\n        std::memcpy(to, from, ",
          (f"{_LAWS}segment_laws.py", f"{_ACCURACY}segments.py")),
    Fault("tie-rounded-up", "core/exact/totals/superaccumulator.cpp",
          "((rest == half) & (v.sticky | ((integer & 1) != 0)))", "(rest == half)",
          (f"{_ACCURACY}exact.py", f"{_ACCURACY}near_ties.py")),
    Fault("zero-without-its-sign", "core/exact/totals/superaccumulator.cpp",
          "negative && (size != 0 || traits.has_negative_zero)", "negative && size != 0",
          (f"{_ACCURACY}zero_signs.py", f"{_ACCURACY}exact_products.py")),
    Fault("shape-rounded-down", f"{_SRC}operators/pool_windows.py",
          "outputs = -(-room // stride) + 1", "outputs = room // stride + 1",
          (f"{_OPERATORS}pools.py",)),
    Fault("axes-swapped", f"{_SRC}operators/pools.py",
          "steps[2:] = _steps(x.shape[:1:-1])[::-1]", "steps[2:] = _steps(x.shape[:1:-1])",
          (f"{_OPERATORS}pools.py",)),
    Fault("wrong-dtype", f"{_SRC}operators/rows_around.py",
          'attributes.get("output_type", np.int64)', 'attributes.get("output_type", np.int32)',
          (f"{_OPERATORS}shaping.py", "tests/graph/test_program.py")),
    Fault("offset-ignored", f"{_SRC}files/gguf.py",
          "partial(stretch, path, begin + offset)", "partial(stretch, path, begin)",
          ("tests/files/test_tensor_readers.py",)),
    Fault("order-ignored", f"{_SRC}files/npy.py",
          'return _dtype(given["descr"], label), shape, order',
          'return _dtype(given["descr"], label), shape, order and False',
          ("tests/files/test_numpy_files.py",)),
    Fault("rule-that-always-holds", f"{_SRC}testing/rule.py",
          "return not bool(steps(a, b).any())", "return bool(steps(a, b).any() + 1)",
          ("tests/compare",)),
    Fault("nan-lost-in-difference", f"{_SRC}stats/differences.py",
          "size if math.isnan(size) or size > most else most", "size if size > most else most",
          ("tests/cli/test_stats_differences.py", "tests/stats")),
    Fault("sign-of-zero-ignored", f"{_SRC}conformance/case.py",
          "(both_nan | ((wide == literal) & (np.signbit(wide) == np.signbit(literal))))",
          "(both_nan | (wide == literal))",
          ("tests/conformance/test_verdict.py", "tests/conformance")),
)  # fmt: skip


class Copy:
    """A copy of the checkout with a build of its own."""

    def __init__(self, top: Path) -> None:
        self.top, self._build = top, top / "build" / "faults"
        listed = ("git", "-C", str(TOP), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, subprocess.check_output(listed, text=True).split("\0")):
            source, target = TOP / name, top / name
            # What is as it was keeps its time, so that it is not compiled again.
            if source.is_file() and not (target.exists() and filecmp.cmp(source, target, shallow=False)):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        (top / "hook").mkdir(exist_ok=True)
        (top / "hook" / "sitecustomize.py").write_text(_HOOK, encoding="utf-8")
        path = os.pathsep.join((str(top / "hook"), str(top / "src")))
        self._environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def take_module(self) -> None:
        """The module that is installed here is good for faults in Python files."""
        from samesum import _core

        shutil.copy2(str(_core.__file__), self.top / "src" / "samesum")
        self._check()

    def compile(self) -> None:
        """Compiles what changed, for this machine alone and with what the default run asks of the core."""
        options = ("-DSAMESUM_INSTRUCTION_SETS=native", "-DSAMESUM_TEST_HOOKS=ON")
        configure = ("cmake", "-S", self.top, "-B", self._build, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}")
        steps = ((*configure, *options),) if not self._build.exists() else ()
        for step in (*steps, ("cmake", "--build", self._build)):
            done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                sys.exit(f"{done.stdout[-4000:]}\nthe core does not compile")
        for module in self._build.glob("_core*.so"):
            shutil.copy2(module, self.top / "src" / "samesum")
        self._check()

    def _check(self) -> None:
        command = (sys.executable, "-c", "import samesum._core as core; print(core.__file__)")
        found = subprocess.check_output(command, text=True, env=self._environment, cwd=self.top).strip()
        if not Path(found).is_relative_to(self.top):
            sys.exit(f"the copy in {self.top} is not what Python imports, but {found}")

    def found_by(self, *arguments: str) -> str:
        """The first test that fails, "" if none does."""
        command = (sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *arguments)
        ignored = [f"--ignore={name}" for name in _HOUSE]
        try:
            done = subprocess.run((*command, *ignored), cwd=self.top, env=self._environment, timeout=_LONGEST,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no end after {_LONGEST} s of {arguments[0]}"
        if done.returncode == 0:
            return ""
        if done.returncode < 0:
            return f"a crash (signal {-done.returncode}) in {' '.join(arguments)}"
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
        if failed is None:  # with several workers a stop at the first failure has a status of its own
            sys.exit(f"{done.stdout[-4000:]}\npytest ended with status {done.returncode}, and no test failed")
        return failed.group(1)

    def tried(self, fault: Fault) -> str:
        """The first test that fails with this fault; the tests about it are run first, then all others."""
        path, (was, now) = self.top / fault.file, fault.texts(self.top)
        path.write_text(now, encoding="utf-8")
        try:
            if fault.is_compiled:
                self.compile()
            ignored = [f"--ignore={name}" for name in fault.first]
            return self.found_by(*fault.first) or self.found_by("tests", "-n", "auto", *ignored)
        finally:
            path.write_text(was, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", nargs="+", help="these faults only")
    parser.add_argument("--python-only", action="store_true", help="those that need no compiler")
    parser.add_argument("--list", action="store_true", help="print the faults, if all can be put in, and do no more")
    parser.add_argument("--work", metavar="DIR", type=Path, help="a folder for the copy, to be used again")
    asked = parser.parse_args()
    if unknown := set(asked.only or ()) - {fault.name for fault in FAULTS}:
        parser.error(f"{', '.join(sorted(unknown))}: no such fault; --list names them")
    chosen = [each for each in FAULTS if asked.only is None or each.name in asked.only]
    chosen = [each for each in chosen if not (asked.python_only and each.is_compiled)]
    if not chosen:
        parser.error("no fault is left to try")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(asked.work or Path(folder))
        for fault in chosen:
            fault.texts(copy.top)
            if asked.list:
                print(f"{fault.name:30} {fault.file}")
        return 0 if asked.list else _report(copy, chosen)


def _report(copy: Copy, chosen: list[Fault]) -> int:
    missed, tests = 0, []
    compiled = [fault for fault in chosen if fault.is_compiled]
    copy.compile() if compiled else copy.take_module()
    for fault in sorted(chosen, key=lambda fault: fault.is_compiled):
        begin = time.monotonic()
        test = copy.tried(fault)
        seconds = time.monotonic() - begin
        print(f"{fault.name:30} {'found' if test else 'NOT FOUND':9} {seconds:6.0f} s  {test}", flush=True)
        missed += not test
        tests += [test] if test.startswith("tests/") else []
    if compiled:
        copy.compile()
    if tests and (test := copy.found_by(*dict.fromkeys(tests))):
        print(f"{test} fails without a fault, too", flush=True)
        missed += 1
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
