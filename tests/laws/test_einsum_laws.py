"""Einstein's sums of two operands: NumPy's for small whole numbers, and the same bits for every order of letters."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import samesum as ss
from oracle import assert_bits
from samesum.formats.arrays import NDArray

LETTERS = "abCd"


@st.composite
def sums(draw: st.DrawFn) -> tuple[str, str, str, dict[str, int]]:
    """The letters of two operands and of the result, and the lengths that they stand for."""
    first, second = ("".join(draw(st.lists(st.sampled_from(LETTERS), max_size=4))) for _ in range(2))
    named = sorted(set(first + second))
    result = "".join(draw(st.permutations(draw(st.lists(st.sampled_from(named), unique=True)) if named else [])))
    return first, second, result, {letter: draw(st.integers(0, 4)) for letter in named}


def array(letters: str, lengths: dict[str, int], seed: int, is_whole: bool) -> NDArray:
    rng, shape = np.random.default_rng(seed), [lengths[letter] for letter in letters]
    if is_whole:
        return np.asarray(rng.integers(-9, 10, shape)).astype(np.float32)
    return np.asarray(rng.normal(size=shape) * 2.0 ** rng.integers(-30, 30, shape)).astype(np.float32)


@settings(deadline=None, max_examples=60)
@given(sums(), st.integers(0, 99))
def test_any_sum_of_two_operands(drawn: tuple[str, str, str, dict[str, int]], seed: int) -> None:
    first, second, result, lengths = drawn
    a, b = array(first, lengths, seed, True), array(second, lengths, seed + 1, True)
    equation = f"{first},{second}->{result}"
    np.testing.assert_array_equal(ss.einsum(equation, a, b), np.einsum(equation, a, b), strict=True)
    implicit = f"{first},{second}"
    np.testing.assert_array_equal(ss.einsum(implicit, a, b), np.einsum(implicit, a, b), strict=True)
    x, y = array(first, lengths, seed, False), array(second, lengths, seed + 1, False)
    expected = np.asarray(ss.einsum(equation, x, y))
    order = np.random.default_rng(seed).permutation(len(first))
    turned = f"{''.join(first[i] for i in order)},{second}->{result}"
    assert_bits(np.asarray(ss.einsum(turned, x.transpose(order), y)), expected, "letters in another order")
    assert_bits(np.asarray(ss.einsum(f"{second},{first}->{result}", y, x)), expected, "operands in the other order")
    back = f"{first},{second}->{result[::-1]}"
    assert_bits(np.asarray(ss.einsum(back, x, y)).T, expected, "the result turned around")
