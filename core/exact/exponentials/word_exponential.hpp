// Exponentials as 64-bit words of one grid for all numbers, made in integers from the number alone: the same
// words everywhere and in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace samesum
