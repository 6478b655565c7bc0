// An exact sum of floats, of their squares and of integers (after Neal's small superaccumulator,
// arXiv:1505.05571): fixed point in 32-bit digits kept in 64-bit limbs, so that carries wait.
#pragma once

#include <array>
#include <cstdint>

#include "exact/totals/leading.hpp"
#include "formats/format.hpp"
#include "methods/method.hpp"

namespace samesum {

// What is not finite among the elements of a sum: nothing else counts where there is some.

class Specials {
  public:
    void add_nan() { has_nan_ = true; }
    void add_infinity(bool negative) { (negative ? has_negative_infinity_ : has_positive_infinity_) = true; }

    bool has_negative_infinity() const { return has_negative_infinity_; }
    bool is_nan() const { return has_nan_ || (has_negative_infinity_ && has_positive_infinity_); }
    bool is_finite() const { return !has_nan_ && !has_negative_infinity_ && !has_positive_infinity_; }

    // Of the sum, if it is not finite.
    std::uint64_t special_bits(Format format) const {
        return is_nan() ? canonical_nan(format) : overflow_bits(format, has_negative_infinity_);
    }

  protected:
    void merge(const Specials& other) {
        has_nan_ |= other.has_nan_;
        has_negative_infinity_ |= other.has_negative_infinity_;
        has_positive_infinity_ |= other.has_positive_infinity_;
    }

  private:
    bool has_nan_ = false, has_negative_infinity_ = false, has_positive_infinity_ = false;
};

class Superaccumulator : public Specials {
  public:
    // value * 2^exponent, added or subtracted. The exponent is at least lowest_exponent.
    void add(std::uint64_t value, int exponent, bool negative) {
        make_room(1);
        add_within(value, exponent, negative);
    }

    void add_wide(u128 value, int exponent, bool negative) {
        make_room(2);
        add_wide_within(value, exponent, negative);
    }

    static constexpr std::uint32_t most_additions = 1u << 20;

    // For so many additions that carry nothing on. (Lemma 70)
    void make_room(std::uint32_t additions) {
        if (pending_ + additions > (1u << 30)) propagate();
        pending_ += additions;
    }

    void add_within(std::uint64_t value, int exponent, bool negative) {
        const unsigned position = static_cast<unsigned>(exponent - lowest_exponent), shift = position % 32;
        const int index = static_cast<int>(position / 32);
        const u128 shifted = u128{value} << shift;
        // Signs are as good as random: no branches.
        const std::int64_t sign = -static_cast<std::int64_t>(negative);
        const auto signed_digit = [sign](std::uint64_t digit) {
            return (static_cast<std::int64_t>(digit) ^ sign) - sign;
        };
        std::int64_t* limb = limb_.data() + index;
        limb[0] += signed_digit(static_cast<std::uint32_t>(shifted));
        limb[1] += signed_digit(static_cast<std::uint32_t>(shifted >> 32));
        limb[2] += signed_digit(static_cast<std::uint64_t>(shifted >> 64));
        first_ = index < first_ ? index : first_;
        last_ = index + 2 > last_ ? index + 2 : last_;
    }

    // As two additions.
    void add_wide_within(u128 value, int exponent, bool negative) {
        add_within(static_cast<std::uint64_t>(value), exponent, negative);
        add_within(static_cast<std::uint64_t>(value >> 64), exponent + 64, negative);
    }

    void merge(const Superaccumulator& other);
    const Superaccumulator& total() const { return *this; }

    // The magnitude of the total in base 2^32, from 2^lowest_exponent on, and its sign; without what is not
    // finite.
    static constexpr std::size_t words = 143;
    std::array<std::uint32_t, words> magnitude_words(bool& negative) const;

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

    static_assert(words == limbs + 1);

    void propagate();
    Digits digits(bool& negative) const;
    std::uint64_t rounded_float(Digits& digits, bool negative, const Finish& how) const;
    std::uint64_t logarithm(const Digits& digits, bool negative, const Finish& how) const;
    std::uint64_t truncated(Digits& digits, bool negative, const Finish& how) const;

    std::array<std::int64_t, limbs> limb_{};
    int first_ = limbs, last_ = -1;  // limbs outside are zero; all but the last are digits after propagate()
    std::uint32_t pending_ = 0;
};

// Exact sums of products.

// Adds the products of n contiguous elements of a and b, of a float format of 16 bits or more.
void add_products(Superaccumulator& total, const char* a, const char* b, std::size_t n, Format format);

// An exact sum of floats that is asked for after every addition: two's complement in 64-bit words, whose
// carries go on at once.

class RunningTotal : public Specials {
  public:
    // value * 2^exponent, added or subtracted. The exponent is at least lowest_exponent.
    void add_within(std::uint64_t value, int exponent, bool negative) {
        const unsigned position = static_cast<unsigned>(exponent - lowest_exponent);
        const int index = static_cast<int>(position / 64);
        while (top_ < index + 2) word(top_ + 1) = word(top_), ++top_;
        lowest_ = index < lowest_ ? index : lowest_;
        // Signs are as good as random: no branches.
        const std::uint64_t sign = 0 - std::uint64_t{negative};
        const u128 all_signs = u128{sign} << 64 | sign;
        const u128 part = ((u128{value} << position % 64) ^ all_signs) - all_signs;
        u128 sum = u128{word(index)} + static_cast<std::uint64_t>(part);
        word(index) = static_cast<std::uint64_t>(sum);
        sum = u128{word(index + 1)} + static_cast<std::uint64_t>(part >> 64) +
              static_cast<std::uint64_t>(sum >> 64);
        word(index + 1) = static_cast<std::uint64_t>(sum);
        const std::uint64_t above = sign + static_cast<std::uint64_t>(sum >> 64);
        if (value != 0 && above != 0) carry_on(index + 2, above);
        settle();
    }

    // Nothing waits.
    void make_room(std::uint32_t) {}
    static constexpr std::uint32_t most_additions = 1u << 20;

    // Rounded once.
    std::uint64_t rounded(Format format) const;

  private:
    static constexpr int lowest_exponent = -1088;  // a multiple of 64 below the least double (Lemma 71)
    static constexpr int words = 36;  // up to 2^1216: the greatest double, 2^64 times, and a sign

    std::uint64_t& word(int i) { return word_[static_cast<std::size_t>(i)]; }
    std::uint64_t word(int i) const { return word_[static_cast<std::size_t>(i)]; }

    // One up or down.
    void carry_on(int index, std::uint64_t one) {
        const std::uint64_t last = one == 1 ? 0 : ~std::uint64_t{0};
        for (int i = index; i <= top_; ++i) {
            word(i) += one;
            if (word(i) != last) break;
        }
    }

    // The top word is nothing but a sign again, and so is one below it at most: totals about the end of a
    // word do not change it time and again.
    void settle() {
        if (word(top_) + 1 > 1) word(top_ + 1) = word(top_) >> 63 != 0 ? ~std::uint64_t{0} : 0, ++top_;
        while (top_ > 3 && word(top_ - 1) == word(top_) && word(top_ - 2) == word(top_)) --top_;
    }

    bool is_more_below(int index) const;

    std::array<std::uint64_t, words> word_{};  // set up to the top
    int top_ = 3, lowest_ = words;             // words below the lowest are zero
};

}  // namespace samesum
