// Whole numbers of any length times a power of two: what exact totals are multiplied and compared in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"

namespace samesum {

// fraction * 2^exponent, the fraction from 1/2 to 1 but for its sign, or zero: doubles without limits of
// range. An operation rounds its result by 2^-53 of it. (Lemma 84)
struct Scaled {
    double fraction = 0;
    int exponent = 0;

    static Scaled of(double x, int power = 0);
    bool is_zero() const { return fraction == 0; }
    Scaled operator-() const { return {-fraction, exponent}; }
    friend Scaled operator+(const Scaled& a, const Scaled& b);
    friend Scaled operator*(const Scaled& a, const Scaled& b) {
        return of(a.fraction * b.fraction, a.exponent + b.exponent);
    }
};

// Of positive numbers.
Scaled root(const Scaled& x);
inline Scaled inverse(const Scaled& x) { return Scaled::of(1 / x.fraction, -x.exponent); }

// Codes, without signs, of which a magnitude is rounded to one.
struct Codes {
    std::uint64_t low, high;
};

// All of a format; the last one is one beyond the largest.
constexpr Codes all_codes(Format format) { return {0, traits_of(format).largest + 1}; }

// The number with a code, one beyond the largest among them, and a sign.
std::uint64_t bits_of_code(std::uint64_t code, bool negative, Format format);

// A number that is off by `error` of itself at most; nothing is known of it if the value is zero.
struct Estimate {
    Scaled value;
    double error = 0;

    // What both ends are rounded to; nothing if so little is known.
    std::optional<Codes> codes(Format format) const;
};

class Dyadic {
  public:
    Dyadic() = default;
    // Of a finite number.
    explicit Dyadic(double value);
    // value * 2^exponent
    Dyadic(std::uint64_t value, int exponent, bool negative);
    // Of a finite total.
    explicit Dyadic(const Superaccumulator& total);

    // -1, 0 or 1.
    int sign() const { return limb_.empty() ? 0 : negative_ ? -1 : 1; }
    Dyadic operator-() const;
    // Its magnitude is below two to this power, and not below 2^-64 of that.
    int top() const { return exponent_ + 64 * static_cast<int>(limb_.size()); }
    // Within a part of 2^-52 of it.
    Scaled leading() const;
    // Rounded once.
    std::uint64_t rounded(Format format) const;
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
    bool negative = near.value.fraction < 0;
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
