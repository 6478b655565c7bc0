// Exponentials as 64-bit words of one grid for all numbers, made in integers from the number alone: the same
// words everywhere and in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "exact/exponentials/fixed.hpp"

namespace samesum {

using i128 = __int128;

// The leading bits of a positive number, the lowest limb first: an integer times 2^(exponent - 256). Few of
// the highest bits are zero.
struct LeadingLimbs {
    static constexpr std::size_t count = 4;
    static constexpr int bits = 64 * static_cast<int>(count);
    std::array<std::uint64_t, count> limb;
    i128 exponent;
};

// |x| of a number whose exponential is wanted: a whole number and 2^-80 times `fraction`; where that is not
// all of it, x is tiny: significand * 2^exponent < 2^-27.
struct Magnitude {
    std::uint64_t whole;
    unsigned __int128 fraction;
    std::uint64_t significand;
    int exponent;
    bool is_tiny, negative;

    // |x| < far_away.
    static Magnitude of(double x);
    static Magnitude of(std::int64_t x);
    static Magnitude of(std::uint64_t x);
    Magnitude operator-() const {
        Magnitude opposite = *this;
        opposite.negative = !negative;
        return opposite;
    }
};

// Doubles from here on are not worked with: their neighbours are further away than any sum reaches.
constexpr double far_away = 0x1p62;

// e^x, off by less than 2^-238 of it. (Lemma 80)
LeadingLimbs exponential_limbs(const Magnitude& x);

// The words of e^x, the lowest first: off by less than 2^-237 of it. The leading bit is in the last of them,
// which counts 2^(64 top).
struct WordExponential {
    static constexpr std::size_t count = LeadingLimbs::count + 1;
    std::int64_t top;
    std::array<std::uint64_t, count> word;

    template <class Value>
    static WordExponential of(Value x) {
        return WordExponential(exponential_limbs(Magnitude::of(x)));
    }

  private:
    explicit WordExponential(const LeadingLimbs& x);
};

// Sums of exponentials in the words of their grid: those below the greatest one's that matter, each added up
// without carries, so that what falls below is left out in every order alike.

class WordWindow {
  public:
    static constexpr int words = 6;
    using Words = std::array<u128, words>;

    bool is_empty() const { return is_empty_; }
    // The greatest exponential's word; the others count from 2^(64 lowest()) on.
    std::int64_t top() const { return top_; }
    std::int64_t lowest() const { return top_ - (words - 1); }
    const Words& word() const { return word_; }

    void add(const WordExponential& x, std::uint64_t times) {
        raise(x.top);
        constexpr std::int64_t least = words - static_cast<std::int64_t>(WordExponential::count);
        const std::int64_t first = least - (top_ - x.top);
        if (first == least && times == 1) {
            for (std::size_t i = 0; i < WordExponential::count; ++i) word_[i + least] += x.word[i];
            return;
        }
        for (std::int64_t i = first < 0 ? -first : 0; i < static_cast<std::int64_t>(WordExponential::count);
             ++i)
            word_[static_cast<std::size_t>(first + i)] += u128{x.word[static_cast<std::size_t>(i)]} * times;
    }

    void merge(const WordWindow& other);

    static WordWindow of(std::int64_t top, const Words& word) {
        WordWindow window;
        window.top_ = top;
        window.word_ = word;
        window.is_empty_ = false;
        return window;
    }

  private:
    void raise(std::int64_t top) {
        if (!is_empty_ && top <= top_) return;
        move_to(top);
    }
    void move_to(std::int64_t top);

    std::int64_t top_ = 0;
    Words word_{};
    bool is_empty_ = true;
};

}  // namespace samesum
