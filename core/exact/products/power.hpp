// Powers decided exactly, one at a time.
#pragma once

#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

// An exponent: significand * 2^exponent.
struct Exponent {
    std::uint64_t significand;
    int exponent;
    bool negative;

    static Exponent of(double y);
};

// The bits of x^y for a positive finite x, rounded once to float16, bfloat16 or float32; into float64 off by
// 2^-100 at most before it is rounded.
std::uint64_t power_bits(double x, const Exponent& y, Format format);

// The same of any x and a 64-bit integer with a sign.
std::uint64_t integer_power_bits(double x, std::uint64_t magnitude, bool negative, Format format);

}  // namespace samesum
