#include "exact/moments/wide_number.hpp"

#include <bit>
#include <cmath>

namespace samesum {

namespace {

constexpr int bits = 128;

int leading_zeros(u128 x) {
    const std::uint64_t high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(x));
}

// (high + low * 2^-128) * 2^exponent
WideNumber normalised(u128 high, u128 low, int exponent, bool negative) {
    if (high == 0) return {low, exponent - bits, negative};
    const int shift = leading_zeros(high);
    return {shift == 0 ? high : high << shift | low >> (bits - shift), exponent - shift, negative};
}

}  // namespace

WideNumber::WideNumber(u128 value, int power, bool is_negative) : negative(is_negative) {
    if (value == 0) return;
    const int shift = leading_zeros(value);
    significand = value << shift;
    exponent = power - shift;
}

WideNumber::WideNumber(double value) {
    int power;
    const double fraction = std::frexp(std::fabs(value), &power);
    *this = {static_cast<std::uint64_t>(fraction * 0x1p53), power - 53, value < 0};
}

WideNumber WideNumber::operator-() const {
    WideNumber result = *this;
    result.negative = !negative;
    return result;
}

WideNumber WideNumber::scaled(int power) const {
    WideNumber result = *this;
    result.exponent += power;
    return result;
}

double WideNumber::near() const {
    const double size =
        std::ldexp(static_cast<double>(static_cast<std::uint64_t>(significand >> 64)), exponent + 64);
    return negative ? -size : size;
}

WideNumber operator+(const WideNumber& a, const WideNumber& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    const bool is_less =
        a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand);
    const WideNumber &x = is_less ? b : a, &y = is_less ? a : b;
    const int shift = x.exponent - y.exponent;
    if (shift >= 2 * bits) return x;
    const u128 high = shift < bits ? y.significand >> shift : 0, low = shift == 0 ? 0
                                                                       : shift < bits
                                                                           ? y.significand << (bits - shift)
                                                                           : y.significand >> (shift - bits);
    if (x.negative != y.negative)
        return normalised(x.significand - high - (low != 0 ? 1 : 0), 0 - low, x.exponent, x.negative);
    const u128 sum = x.significand + high;
    if (sum >= high) return {sum, x.exponent, x.negative};
    return {u128{1} << (bits - 1) | sum >> 1, x.exponent + 1, x.negative};
}

WideNumber operator*(const WideNumber& a, const WideNumber& b) {
    const auto low_of = [](u128 x) { return u128{static_cast<std::uint64_t>(x)}; };
    const auto high_of = [](u128 x) { return x >> 64; };
    const u128 first = high_of(a.significand) * low_of(b.significand),
               second = low_of(a.significand) * high_of(b.significand),
               least = low_of(a.significand) * low_of(b.significand),
               middle = low_of(first) + low_of(second) + high_of(least),
               high = high_of(a.significand) * high_of(b.significand) + high_of(first) + high_of(second) +
                      high_of(middle);
    if (high == 0) return {};
    return normalised(high, middle << 64, a.exponent + b.exponent + bits, a.negative != b.negative);
}

// From a reciprocal that is off by less than 2^-50: the next terms of the series are below 2^-149.
WideNumber root(const WideNumber& x) {
    const int octaves = (x.exponent + bits) / 2 * 2;
    const WideNumber one(1.0),
        near_one = x.scaled(-octaves), start(1 / std::sqrt(near_one.near())),
        left = one + -(near_one * start * start),
        reciprocal = start + start * (left * WideNumber(0.5) + left * left * WideNumber(0.375));
    return (near_one * reciprocal).scaled(octaves / 2);
}

WideNumber inverse(const WideNumber& x) {
    const WideNumber near_one = x.scaled(-x.exponent - bits), one(1.0), start(1 / near_one.near()),
                     left = one + -(near_one * start);
    return (start + start * (left + left * left)).scaled(-x.exponent - bits);
}

std::uint64_t bits_of_code(std::uint64_t code, bool negative, Format format) {
    const FloatTraits& traits = traits_of(format);
    if (code > traits.largest) return overflow_bits(format, negative);
    return code | (negative && (code != 0 || traits.has_negative_zero) ? sign_bit(format) : 0);
}

// In places twice as large, so that the greater end has room.
std::optional<Codes> Estimate::codes(Format format) const {
    if (units >= value.significand >> 2) return std::nullopt;
    const u128 half = value.significand >> 1, by = (units >> 1) + 1;
    const auto code = [&](u128 significand) {
        return round_to_format(leading_of(significand, value.exponent + 1, false), false, format);
    };
    return Codes{code(half - by), code(half + by)};
}

}  // namespace samesum
