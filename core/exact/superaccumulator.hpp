// An exact sum of floats, of their squares and of integers (after Neal's small superaccumulator,
// arXiv:1505.05571): fixed point in 32-bit digits kept in 64-bit limbs, so that carries wait.
#pragma once

#include <array>
#include <cstdint>

#include "exact/leading.hpp"
#include "formats/format.hpp"
#include "kernels/method.hpp"

namespace samesum {

class Superaccumulator {
  public:
    // value * 2^exponent, added or subtracted. The exponent is at least lowest_exponent.
    void add(std::uint64_t value, int exponent, bool negative) {
        const unsigned position = static_cast<unsigned>(exponent - lowest_exponent);
        const u128 shifted = u128{value} << (position % 32);
        add_digits(shifted, static_cast<int>(position / 32), negative);
    }

    void add_wide(u128 value, int exponent, bool negative) {
        add(static_cast<std::uint64_t>(value), exponent, negative);
        add(static_cast<std::uint64_t>(value >> 64), exponent + 64, negative);
    }

    void add_nan() { has_nan_ = true; }
    void add_infinity(bool negative) { (negative ? has_negative_infinity_ : has_positive_infinity_) = true; }
    bool is_nan() const { return has_nan_ || (has_negative_infinity_ && has_positive_infinity_); }

    void merge(const Superaccumulator& other);

    // The total, finalized and rounded once to how.format. Integers: truncated toward zero, modulo 2^k.
    std::uint64_t rounded(const Finish& how) const;

    static constexpr int lowest_exponent = -2176;  // a multiple of 32 below the square of the least double

  private:
    static constexpr int limbs = 142;  // up to 2^2368: squares of doubles, 2^64 of them and a sign

    // A magnitude in base 2^32, with four zero digits below for the bits of a quotient; zero outside [first,
    // last].
    struct Digits {
        std::array<std::uint32_t, limbs + 5> digit{};
        int first = 0, last = -1;
    };

    void add_digits(u128 shifted, int index, bool negative) {
        const std::int64_t d0 = static_cast<std::uint32_t>(shifted);
        const std::int64_t d1 = static_cast<std::uint32_t>(shifted >> 32);
        const std::int64_t d2 = static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted >> 64));
        std::int64_t* limb = limb_.data() + index;
        limb[0] += negative ? -d0 : d0;
        limb[1] += negative ? -d1 : d1;
        limb[2] += negative ? -d2 : d2;
        if (index < first_) first_ = index;
        if (index + 2 > last_) last_ = index + 2;
        if (++pending_ == (1u << 30)) propagate();
    }

    void propagate();
    Digits digits(bool& negative) const;
    std::uint64_t rounded_float(Digits& digits, bool negative, const Finish& how) const;
    std::uint64_t logarithm(const Digits& digits, bool negative, const Finish& how) const;
    std::uint64_t truncated(Digits& digits, bool negative, const Finish& how) const;

    std::array<std::int64_t, limbs> limb_{};
    int first_ = limbs, last_ = -1;  // limbs outside are zero; all but the last are digits after propagate()
    std::uint32_t pending_ = 0;
    bool has_nan_ = false, has_negative_infinity_ = false, has_positive_infinity_ = false;
};

}  // namespace samesum
