"""Two random generators of the C++ standard, whose numbers some vectors are made of."""

from __future__ import annotations

import numpy as np

from samesum.formats.arrays import NDArray

_WORDS, _MIDDLE = 312, 156
_MATRIX = np.uint64(0xB5026F5AA96619E9)
_LOW = np.uint64((1 << 31) - 1)
_HIGH = ~_LOW
_ONE = np.uint64(1)


def twister(seed: int, count: int) -> NDArray:
    """The first `count` numbers of std::mt19937_64, the 64-bit Mersenne Twister, as uint64."""
    state = _seeded(seed)
    blocks = []
    for _ in range(-(-count // _WORDS)):
        state = _next(state)
        blocks.append(state)
    return _tempered(np.concatenate(blocks)[:count])


def minstd(count: int) -> NDArray:
    """The first `count` numbers of std::minstd_rand0, as int64: from 1 to 2^31 - 2."""
    return np.array([pow(16807, i, (1 << 31) - 1) for i in range(1, count + 1)], np.int64)


def _seeded(seed: int) -> NDArray:
    words = [seed]
    for i in range(1, _WORDS):
        words.append((6364136223846793005 * (words[-1] ^ (words[-1] >> 62)) + i) % (1 << 64))
    return np.array(words, np.uint64)


def _next(old: NDArray) -> NDArray:
    """The next 312 words: each from two neighbours and the word 156 further on, which is new in the second half."""
    new = np.empty_like(old)
    new[:_MIDDLE] = old[_MIDDLE:] ^ _twisted(old[:_MIDDLE], old[1 : _MIDDLE + 1])
    new[_MIDDLE:-1] = new[: _MIDDLE - 1] ^ _twisted(old[_MIDDLE:-1], old[_MIDDLE + 1 :])
    new[-1:] = new[_MIDDLE - 1 : _MIDDLE] ^ _twisted(old[-1:], new[:1])
    return new


def _twisted(upper: NDArray, lower: NDArray) -> NDArray:
    word = (upper & _HIGH) | (lower & _LOW)
    return (word >> _ONE) ^ ((word & _ONE) * _MATRIX)


def _tempered(word: NDArray) -> NDArray:
    word = word ^ ((word >> np.uint64(29)) & np.uint64(0x5555555555555555))
    word = word ^ ((word << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000))
    word = word ^ ((word << np.uint64(37)) & np.uint64(0xFFF7EEE000000000))
    return np.asarray(word ^ (word >> np.uint64(43)))
