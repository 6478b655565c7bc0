// Floating-point numbers of 128 bits and any exponent: nearly always they tell a result whose exact
// comparisons take a hundred times as long.
#pragma once

#include <cstdint>
#include <optional>

#include "exact/totals/leading.hpp"

namespace samesum {

// significand * 2^exponent; the significand is zero or not below 2^127. What an operation cuts off is below
// 2^-125 of its result. (Lemma 84)
struct WideNumber {
    u128 significand = 0;
    int exponent = 0;
    bool negative = false;

    WideNumber() = default;
    // Exact; a double has to be finite.
    WideNumber(u128 value, int power, bool is_negative);
    explicit WideNumber(double value);

    bool is_zero() const { return significand == 0; }
    WideNumber operator-() const;
    WideNumber scaled(int power) const;
    // The nearest double but for a part of 2^-52, of a number that is in the range of double.
    double near() const;

    friend WideNumber operator+(const WideNumber& a, const WideNumber& b);
    friend WideNumber operator*(const WideNumber& a, const WideNumber& b);
};

// Within a part of 2^-122, of positive numbers.
WideNumber root(const WideNumber& x);
WideNumber inverse(const WideNumber& x);

// Codes, without signs, of which a magnitude is rounded to one.
struct Codes {
    std::uint64_t low, high;
};

// All of a format; the last one is one beyond the largest.
constexpr Codes all_codes(Format format) { return {0, traits_of(format).largest + 1}; }

// The number with a code, one beyond the largest among them, and a sign.
std::uint64_t bits_of_code(std::uint64_t code, bool negative, Format format);

// A number that is `units` of the last place from the value at most; nothing is known of it if the value is
// zero.
struct Estimate {
    WideNumber value;
    u128 units = 0;

    // What both ends are rounded to; nothing if so little is known.
    std::optional<Codes> codes(Format format) const;
};

}  // namespace samesum
