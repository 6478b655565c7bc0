"""Every number that chooses between ways of the core stands in core/select, with unit, meaning and measurement.

The rule. In run/, layout/, threads/, python/ and onnxruntime/ no integer constant is defined and no size is
compared with a number of more than one digit, unless it is in `FACTS`: sizes of the hardware, of buffers, of the
kernels' own blocks, of formats and protocols. Kernels (kernels/, methods/, exact/, arithmetic/) are not asked: what
they are built for, and the bounds of their errors, are no choices.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core"
SELECT = CORE / "select"
ASKED = ("run", "layout", "threads", "python", "contractions", "onnxruntime")

sys.path.insert(0, str(ROOT / "benchmarks"))
try:
    from threshold_calls import CALLS, FIXED
    from threshold_headers import read
finally:
    sys.path.pop(0)

FACTS = {
    "layout/plan.hpp max_rank": "NumPy's bound",
    "layout/copy.cpp line": "a cache line",
    "threads/tasks.hpp most_shares": "the size of an array",
    "run/layouts/block_transpose.hpp few": "rows of the kernels that transpose",
    "threads/pool.hpp most_threads": "what set_num_threads allows",
    "run/tiles.hpp most_results": "the size of an array",
    "run/reduce/accumulate.cpp gathered_rows": "the size of an array on the stack",
    "run/exact/exact_sums.cpp octaves": "numbers that no scale takes out of the range of the grids again",
    "run/layouts/block_transpose.hpp buffer_bytes": "the size of an array on the stack",
    "run/scans/scan_call.cpp pitch": "the size of an array on the stack",
    "run/bandwidth.cpp piece": "of a measurement of memory",
    "run/bandwidth.cpp copied": "of a measurement of memory",
    "layout/groups.hpp vector": "elements of the widest vector",
    "run/scans/scan_columns.cpp least": "rows of the kernels that scan columns",
    "run/elementwise.cpp exact": "2^53",
    "run/elementwise.cpp room_bytes": "a block of the widest elements",
    "run/elementwise.cpp vector": "elements of the widest vector",
    "run/elementwise.hpp most_rooms": "what a combination names, and the stack holds",
    "run/dots/dots.cpp some": "the size of an array on the stack",
    "run/dots/dots.cpp together": "vectors that are copied side by side",
    "contractions/attention.cpp block_rows": "the size of an array on the stack",
    "contractions/elements.cpp vector_elements": "elements of the widest vector",
    "contractions/plan.cpp near_elements": "the size of an array on the stack",
    "contractions/plan.hpp direct_columns": "the size of an array on the stack",
    "contractions/plan.hpp direct_rows": "rows of the kernel",
    "contractions/plan.hpp half_of_one": "the layout of a double",
    "run/scans/exponential_scan.cpp copied_rows": "the size of an array on the stack",
    "run/scans/scan_columns.cpp wide_pitch": "the size of an array on the stack",
    "run/scans/scan.cpp whole_line_bytes": "the size of an array on the stack",
    "run/states/float_totals.hpp page": "totals that are made together",
    "run/segments/states_by_label.hpp labelled_block": "the size of an array on the stack",
    "run/masks/masked_reduce.cpp slabs": "stretches of a look that the first NaN ends",
    "run/masks/masked.hpp most_bytes": "the size of an array on the stack",
    "contractions/winograd.cpp points": "the shape of F(4, 3)",
    "contractions/winograd.cpp most_rows": "sums of a task at six points, which a second-level cache holds",
    "run/masks/masked_loops.cpp together": "rows whose lines stay in an L1 cache",
    "run/windows/window_rows.cpp most_elements": "what the kernels of windows are made for",
    "run/states/kept_states.cpp most": "what the methods of integers count on",
    "run/states/kept_states.cpp size": "an element, and columns of a tile of the kernels",
    "run/segments/segment_order.cpp copies": "the size of an array",
    "run/statistics.cpp longest_part": "what counts of 32 bits hold",
    "run/statistics.cpp tables": "chains of increments of the kernel",
    "python/statistics.hpp far": "what numbers of bins of 32 bits hold",
    "run/segments/segment_order.cpp cache_line": "a cache line",
    "onnxruntime/registration.cpp optional_since": "a version of ONNX Runtime",
    "onnxruntime/registration.cpp fused_since": "a version of operators",
    "onnxruntime/c_api.hpp api_version": "ONNX Runtime's interface",
    "onnxruntime/c_api.hpp api_entries": "ONNX Runtime's interface",
}
DEFINED = re.compile(r"constexpr\s+(?:std::u?int\d*_t|std::size_t|int|unsigned|auto)\s+(\w+)(?:\[\])?\s*=([^;]*);")
COMPARED = re.compile(r"\b(?!sizeof)\w[\w.()>:-]*\s+(?:<|>|<=|>=)\s+([1-9][0-9]+)\b(?!\s*[<>]{2})")


def sources() -> list[Path]:
    return sorted(path for room in ASKED for path in (CORE / room).rglob("*.?pp"))


def without_comments(text: str) -> str:
    return re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', "", text)


def test_no_integer_constant_chooses_outside_of_select() -> None:
    found = {
        f"{path.relative_to(CORE)} {name}"
        for path in sources()
        for name, value in DEFINED.findall(without_comments(path.read_text(encoding="utf-8")))
        if re.search(r"\b[1-9]\d+\b|\b[2-9]\b", value)
    }
    assert found - set(FACTS) == set(), "core/select is the place of thresholds; facts are listed in FACTS"
    assert {name for name in FACTS if name not in found} == set(), "listed, and there no more"


def test_no_size_is_compared_with_a_number() -> None:
    found = {
        f"{path.relative_to(CORE)}: {match.group(0)}"
        for path in sources()
        for match in COMPARED.finditer(without_comments(path.read_text(encoding="utf-8")))
    }
    assert found == set()


def test_every_threshold_has_its_own_name_a_unit_and_a_meaning() -> None:
    headers = [path.read_text(encoding="utf-8") for path in sorted(SELECT.glob("*_thresholds.hpp"))]
    declared = [name for text in headers for name in re.findall(r"SAMESUM_THRESHOLD\((\w+)", text)]
    known = read(SELECT)
    assert sorted(declared) == sorted(known)
    assert all(unit for _, unit in known.values())
    meanings = [text for header in headers for text in re.findall(r'", "([^"]+)"\)$', header, re.MULTILINE)]
    assert len(meanings) == len(declared)


def test_every_threshold_is_measured_by_one_call_or_says_why_not() -> None:
    assert set(CALLS) & set(FIXED) == set()
    assert set(CALLS) | set(FIXED) == set(read(SELECT))


def test_the_table_of_measurements_has_every_threshold_with_its_value() -> None:
    table = (ROOT / "benchmarks" / "results" / "thresholds.md").read_text(encoding="utf-8")
    measured = dict(re.findall(r"^\| (\w+) \| (\d+) \|", table, re.MULTILINE))
    assert measured == {name: str(value) for name, (value, _) in read(SELECT).items()}


def test_every_threshold_is_used() -> None:
    words = {word for path in sources() for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    assert set(read(SELECT)) <= words
