"""What a quotient of softmax may be off by, in last places: the terms of its lemma for every index of the tables."""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path

EXPONENTIALS = Path(__file__).resolve().parents[2] / "core" / "kernels" / "exponentials"
PROMISED = 0.6


def half_place(x: float, precision: int) -> float:
    return 2.0 ** (math.floor(math.log2(x)) - precision)


def table(file: str, roots: str, form: str, rests: str, count: int, step: int) -> list[tuple[float, float]]:
    """Of each index the root, from 1 to 2, and the magnitude of its rest."""
    text = (EXPONENTIALS / file).read_text(encoding="utf-8")
    bits = [int(each, 16) for each in re.findall(roots, text)][:count]
    rest = [abs(float.fromhex(each)) for each in re.findall(r"-?0x[0-9a-f.]+p[+-]\d+", text[text.index(rests) :])]
    code = {"f": "<I", "d": "<Q"}[form]
    words = (struct.unpack("<" + form, struct.pack(code, each + (k << step)))[0] for k, each in enumerate(bits))
    return list(zip(words, rest[:count], strict=True))


def test_float32() -> None:
    """The total may have the error of one power and of four products in floats with its growth; a quotient has that of
    its own power, and of two products with the growth."""
    growths = [0.01086 * i / 500 for i in range(1, 501)]
    pairs = table("powers.hpp", r"(0x3f[0-9a-f]{6}) \+", "f", "single_root_rest[32]", 32, 18)
    both = [(root, rest * g + half_place(g, 24) + 2.0**-33 + 2.0**-37, g) for root, rest in pairs for g in growths]
    total = max(power + 4 * half_place(root * g, 24) / root for root, power, g in both)
    worst = max(power for _, power, _ in both) + total + 2 * growths[-1] * 2.0**-24
    assert 0.5 + worst * 2**24 < PROMISED, worst


def test_float64() -> None:
    """The same in doubles, with totals in two words; the last places are those of the quotient, whatever its root, the
    reciprocal and the growth are."""
    pairs, most = table("exponential.hpp", r"0x3f[0-9a-f]{14}", "d", "root_rest[16]", 16, 48), 0.02167

    def power(rest: float, g: float) -> float:
        return rest * g + half_place(g, 53) + 2.0**-66

    growths = [most * i / 100 for i in range(1, 101)]
    total = max(power(rest, g) for _, rest in pairs for g in growths)
    worst = 0.0
    for root, rest in pairs:
        for g in growths:
            for k in range(200):
                inverse = 1 + k / 200
                products = root * half_place(g * inverse, 53) + half_place(root * g * inverse, 53)
                for quotient in (root * inverse * (1 + g), root * inverse * (1 - g)):
                    error = quotient * (power(rest, g) + total) + products
                    worst = max(worst, error / (2 * half_place(quotient, 53)))
    assert 0.5 + worst < PROMISED, worst
