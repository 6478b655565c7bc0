// Whole numbers of any length times a power of two: what exact totals are multiplied and compared in.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/moments/wide_number.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"

namespace samesum {

class Dyadic {
  public:
    Dyadic() = default;
    // Of a finite number.
    explicit Dyadic(double value);
    // value * 2^exponent
    Dyadic(std::uint64_t value, int exponent, bool negative);
    // Of a finite total.
    explicit Dyadic(const Superaccumulator& total);
    explicit Dyadic(const WideNumber& number);

    // -1, 0 or 1.
    int sign() const { return limb_.empty() ? 0 : negative_ ? -1 : 1; }
    Dyadic operator-() const;
    // Its magnitude is below two to this power, and not below 2^-64 of that.
    int top() const { return exponent_ + 64 * static_cast<int>(limb_.size()); }
    // Its leading bits: within a part of 2^-127 of it.
    WideNumber leading() const;
    // The same times 2^exponent.
    Dyadic scaled(int exponent) const;

    friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
    friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + -b; }
    friend Dyadic operator*(const Dyadic& a, const Dyadic& b);

  private:
    using Limbs = std::vector<std::uint64_t>;

    // Without zeros at either end.
    void trim();
    // The limbs from 2^exponent on, which is not above the own one.
    Limbs limbs_from(int exponent) const;

    Limbs limb_;  // from the lowest
    int exponent_ = 0;
    bool negative_ = false;
};

// The sign of p + q * sqrt(t), t being 0 or more.
int sign_with_root(const Dyadic& p, const Dyadic& q, const Dyadic& t);

// The finite number that a code below that of the least number out of range stands for, without its sign.
Dyadic value_of_code(std::uint64_t code, Format format);

// The bits of a value known by comparison: compare(d) is the sign of the value less d. To nearest even; a
// negative value that underflows is -0 where there is one, and zero is +0. (Lemma 77)
template <class Compare>
std::uint64_t nearest(Format format, const Compare& compare, const Estimate& near) {
    std::optional<Codes> codes = near.codes(format);
    bool negative = near.value.negative;
    if (!codes) {
        const int sign = compare(Dyadic());
        if (sign == 0) return 0;
        negative = sign < 0;
        codes = all_codes(format);
    }
    auto [low, high] = *codes;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        const Dyadic half = (value_of_code(middle, format) + value_of_code(middle + 1, format)).scaled(-1);
        const int beyond = negative ? -compare(-half) : compare(half);
        if (beyond == 0) return bits_of_code(middle + middle % 2, negative, format);
        if (beyond > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return bits_of_code(low, negative, format);
}

}  // namespace samesum
