// An exact total that is kept: a few words on a grid, where its blocks have one, and a superaccumulator for
// what is on no such grid.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "exact/totals/superaccumulator.hpp"
#include "methods/kept_blocks.hpp"

namespace samesum {

// How two totals become one: both are scaled to the smaller of their exponents, where one whose exponent is d
// greater is 2^d blocks. None where there are more than `most` of them.
struct CommonScale {
    std::int32_t exponent, blocks, mine, others;  // the shifts of the two

    static std::optional<CommonScale> of(std::int32_t my_exponent, std::int32_t my_blocks,
                                         std::int32_t exponent, std::int32_t blocks, std::uint32_t most) {
        if (my_blocks == 0) my_exponent = exponent;
        const std::int32_t apart = exponent - my_exponent, mine = apart < 0 ? -apart : 0,
                           others = apart > 0 ? apart : 0;
        if (mine + others >= static_cast<std::int32_t>(std::bit_width(most))) return std::nullopt;
        const std::int64_t all = (std::int64_t{my_blocks} << mine) + (std::int64_t{blocks} << others);
        if (all > std::int64_t{most}) return std::nullopt;
        return CommonScale{my_exponent < exponent ? my_exponent : exponent, static_cast<std::int32_t>(all),
                           mine, others};
    }
};

// Two words count 2^(exponent + unit[i]). A block adds less than 2^102 to each, so that 2^25 of them fit.
class KeptTotal {
    using i128 = __int128;

  public:
    static constexpr std::int32_t most_blocks = 1 << 25;
    static constexpr int unit[] = {kept_units[1], kept_units[3]};
    static_assert(kept_units[0] - unit[0] == 44 && kept_units[2] - unit[1] == 44);

    KeptTotal() = default;
    explicit KeptTotal(const Superaccumulator& total) : rest_(std::make_unique<Superaccumulator>(total)) {}
    // value * 2^exponent, of at most `most_bytes` bytes.
    KeptTotal(u128 value, int exponent, bool negative)
        : word_{negative ? -static_cast<i128>(value) : static_cast<i128>(value), 0},
          exponent_(exponent - unit[0]),
          blocks_(1) {}
    static constexpr std::size_t most_bytes = 12;

    // Adds the parts of so many blocks with this exponent.
    void add(const std::int64_t (&part)[kept_parts], std::int32_t exponent, std::int32_t blocks) {
        constexpr i128 step = i128{1} << 44;
        take({part[0] * step + part[1], part[2] * step + part[3]}, exponent, blocks);
    }

    void merge(const KeptTotal& other) {
        if (other.blocks_ > 0) take({other.word_[0], other.word_[1]}, other.exponent_, other.blocks_);
        if (other.rest_) rest().merge(*other.rest_);
    }

    // What is on no grid.
    Superaccumulator& rest() {
        if (!rest_) rest_ = std::make_unique<Superaccumulator>();
        return *rest_;
    }

    Superaccumulator total() const {
        Superaccumulator total = rest_ ? *rest_ : Superaccumulator{};
        if (blocks_ > 0) give({word_[0], word_[1]}, exponent_, total);
        return total;
    }

    // As that of the total.
    std::uint64_t rounded(const Finish& how) const {
        if (rest_ || word_[1] != 0 || how.finalize != Finalize::itself || !is_float(how.format))
            return total().rounded(how);
        const bool negative = word_[0] < 0;
        const u128 size = static_cast<u128>(negative ? -word_[0] : word_[0]);
        return round_to_format(leading_of(size, exponent_ + unit[0], false), negative, how.format);
    }

    // The total as bytes, the same for the same one; reads one and moves on, false if there is none in this
    // form.
    void encode(bool, std::string& to) const;
    static bool decode(const char*& from, const char* end, bool, KeptTotal& kept);

  private:
    struct Words {
        i128 word[2];
    };

    static void give(const Words& words, std::int32_t exponent, Superaccumulator& total) {
        for (std::size_t i = 0; i < 2; ++i) {
            const bool negative = words.word[i] < 0;
            const u128 size = static_cast<u128>(negative ? -words.word[i] : words.word[i]);
            if (size != 0) total.add_wide(size, exponent + unit[i], negative);
        }
    }

    void take(Words words, std::int32_t exponent, std::int32_t blocks) {
        const auto scale = CommonScale::of(exponent_, blocks_, exponent, blocks, most_blocks);
        if (!scale) return give(words, exponent, rest());
        for (std::size_t i = 0; i < 2; ++i)
            word_[i] = (word_[i] << scale->mine) + (words.word[i] << scale->others);
        exponent_ = scale->exponent;
        blocks_ = scale->blocks;
    }

    i128 word_[2] = {};
    std::int32_t exponent_ = 0, blocks_ = 0;
    std::unique_ptr<Superaccumulator> rest_;
};

}  // namespace samesum
