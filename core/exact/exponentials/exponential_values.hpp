// Elements of sums of exponentials: doubles or 64-bit integers, whose differences are exact.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "exact/elements.hpp"
#include "exact/exponentials/fixed.hpp"

namespace samesum {

// |x| rounded down to a unit of the last place, or its complement; |x| < 2^63.
template <std::size_t limbs>
Fixed<limbs> fixed(double x) {
    const Element e = float_at<Format::f64>(&x);
    const Fixed<limbs> unit = Fixed<limbs>::units(e.significand);
    const int shift = e.exponent + Fixed<limbs>::fraction_bits;
    const Fixed<limbs> size = shift < 0 ? unit >> -shift : unit << shift;
    return e.negative ? Fixed<limbs>{} - size : size;
}

// e^(less - greater), off by at most Exponential<limbs>::units. Zero where it is less than a unit of the last
// place: differences as great as that are not made exactly. Of doubles whose difference is smaller neither is
// above 2^62, or they would be equal.
template <std::size_t limbs, class Value>
Fixed<limbs> exponential_below(Value greater, Value less) {
    constexpr std::uint64_t limit = Fixed<limbs>::fraction_bits;
    if constexpr (std::is_same_v<Value, double>) {
        if (!(greater - less < static_cast<double>(limit))) return {};
        return Exponential<limbs>::of_minus(fixed<limbs>(greater) - fixed<limbs>(less));
    } else {
        const std::uint64_t difference =
            static_cast<std::uint64_t>(greater) - static_cast<std::uint64_t>(less);
        return difference < limit ? Exponential<limbs>::of_minus(Fixed<limbs>{difference}) : Fixed<limbs>{};
    }
}

template <class Value>
void add_value(Superaccumulator& total, Value x) {
    if constexpr (std::is_same_v<Value, double>) {
        add_double(total, x);
    } else {
        const bool negative = x < 0;
        const std::uint64_t bits = static_cast<std::uint64_t>(x);
        total.add(negative ? 0 - bits : bits, 0, negative);
    }
}

// The element of a format, -0 as 0; infinities and NaNs as they are.
template <Format format>
double double_at(const void* p) {
    if constexpr (format == Format::f64) return std::bit_cast<double>(bits_at<std::uint64_t>(p)) + 0.0;
    const Element x = float_at<format>(p);
    if (x.kind == Element::Kind::nan) return std::numeric_limits<double>::quiet_NaN();
    if (x.kind == Element::Kind::infinity) return x.negative ? -HUGE_VAL : HUGE_VAL;
    const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + x.exponent) << 52),
                 size = static_cast<double>(x.significand) * unit;
    return x.negative ? 0.0 - size : size;
}

}  // namespace samesum
