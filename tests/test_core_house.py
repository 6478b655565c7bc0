"""The rooms of the core include what is below them, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from core_definitions import Definition, definitions

CORE = Path(__file__).resolve().parents[1] / "core"
BELOW = {
    "formats": "",
    "arithmetic": "formats",
    "methods": "formats arithmetic",
    "exact": "formats arithmetic methods",
    "kernels": "formats arithmetic methods exact",
    "select": "",
    "layout": "formats select",
    "threads": "select",
    "memory": "",
    "run": "formats arithmetic methods exact kernels select layout memory threads",
    "contractions": "formats arithmetic methods exact kernels select layout threads run",
    "onnxruntime": "formats methods kernels select layout threads run",
    "python": "formats arithmetic methods kernels select layout threads memory run contractions onnxruntime",
}
"""What each room may include besides itself. No room is above itself, so there is no circle of rooms."""


def included(room: str) -> set[tuple[str, str]]:
    """The files of a room, and the other rooms of the core that they include."""
    return {
        (path.name, other)
        for path in sorted((CORE / room).rglob("*.?pp"))
        for other in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE)
        if other != room
    }


def test_every_room_is_in_the_table() -> None:
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(BELOW)


@pytest.mark.parametrize("room", BELOW)
def test_a_room_includes_only_what_is_below_it(room: str) -> None:
    upwards = {(file, other) for file, other in included(room) if other not in BELOW[room].split()}
    assert upwards == set()


def test_no_room_is_below_itself() -> None:
    """The table itself has an order: each room comes after all that it may include."""
    order = list(BELOW)
    assert all(order.index(other) < order.index(room) for room, below in BELOW.items() for other in below.split())


KERNELS = CORE / "kernels"
"""The folders of kernels are below the families in this order; families may include each other."""
FOUNDATIONS = ["vectors", "accumulators", "loops"]
IN_TWO_HALVES = {"dots/dot_table.cpp", "exponentials/logarithm.hpp"}
"""Files whose loops still differ by instruction set: none is to join them."""
WITH_RUNS_OF_THEIR_OWN = {
    "integers/modular_scan.hpp",
    "search/extreme_scan.hpp",
}


@pytest.mark.parametrize("folder", FOUNDATIONS)
def test_what_kernels_are_made_of_does_not_know_them(folder: str) -> None:
    below = FOUNDATIONS[: FOUNDATIONS.index(folder) + 1]
    included = {
        (path.name, other)
        for path in sorted((KERNELS / folder).glob("*.?pp"))
        for other in re.findall(r'^#include "kernels/(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {(file, other) for file, other in included if other not in below} == set()


def test_sums_and_products_have_no_runs_of_their_own() -> None:
    """Runs are gone through by kernels/loops, but for those of scans."""
    asking = {
        f"{folder}/{path.name}"
        for folder in ("sums", "products", "integers", "search")
        for path in (KERNELS / folder).glob("*.?pp")
        if re.search(r"i \+ [\w:* ]+ <= n; i \+=", path.read_text("utf-8"))
    }
    assert asking == WITH_RUNS_OF_THEIR_OWN


def test_only_vectors_ask_for_an_instruction_set() -> None:
    asking = {
        str(path.relative_to(KERNELS))
        for path in KERNELS.glob("*/*.?pp")
        if path.parent.name != "vectors"
        and re.search(
            r"^#\s*(el)?if.*(__AVX|__SSE|__FMA|__aarch64|SAMESUM_FUSED)", path.read_text("utf-8"), re.MULTILINE
        )
    }
    assert asking == IN_TWO_HALVES


def places_of(files: Iterable[Path]) -> dict[Definition, list[str]]:
    """Where each class and function is defined that more than one file defines."""
    places: dict[Definition, list[str]] = {}
    for path in files:
        for definition in definitions(path):
            places.setdefault(definition, []).append(path.name)
    return {definition: names for definition, names in places.items() if len(names) > 1}


def test_a_name_is_defined_once() -> None:
    """The linker keeps one of two members of one name, and nobody hears of it."""
    files = sorted(CORE.rglob("*.?pp"))
    assert sum(len(definitions(path)) for path in files) > 1000
    assert places_of(files) == {}


def test_what_is_defined_twice_is_found(tmp_path: Path) -> None:
    first = """
        namespace house::room {
        // struct Comment {};
        template <class F, int n = 2> struct Sums : Base<F> { struct Inner { int x; }; void f() { { } } };
        enum class Kind { a, b };
        inline Doubles with_sign(Doubles size, Doubles x) { if (size < x) { return x; } return size; }
        static int apart(int x) { return x; }
        template <class V> requires Wide<V> int told(V x) { return 1; }
        int declared(int x);
        constexpr int table[] = {1, 2};
        namespace { struct Own { int x; }; }
        }
        namespace other { struct Elsewhere { int x; }; }
    """
    second = """
        namespace house::room {
        #define struct_like struct Comment { int x; };
        template <class G>
        class Sums final { char text = '}'; };
        enum Kind { c };
        inline Doubles with_sign(const Doubles& sign, int x) { return "}"; }
        Doubles with_sign(Doubles sign, Doubles magnitude) { return sign; }
        static int apart(int x) { return -x; }
        template <class V> requires Narrow<V> int told(V x) { return 2; }
        int declared(int x) { return x; }
        constexpr int table[] = {1, 3};
        struct Own { int y; };
        struct Inner { int y; };
        struct Elsewhere { int y; };
        int Own::member(int x) { return x; }
        }
    """
    (tmp_path / "first.hpp").write_text(first)
    (tmp_path / "second.hpp").write_text(second)
    found = {str(definition) for definition in places_of(sorted(tmp_path.iterdir()))}
    space = "house::room"
    assert found == {f"{space}::Sums", f"{space}::Kind", f"{space}::with_sign(Doubles, Doubles)"}
