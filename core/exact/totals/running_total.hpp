// An exact sum of floats that is asked for after every addition: two's complement in 64-bit words, whose
// carries go on at once.
#pragma once

#include <array>
#include <cstdint>

#include "exact/totals/leading.hpp"
#include "exact/totals/superaccumulator.hpp"

namespace samesum {

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
