#include "exact/totals/leading.hpp"

#include <bit>
#include <cmath>

namespace samesum {

Leading leading_of(u128 value, int exponent, bool sticky) {
    const std::uint64_t high = static_cast<std::uint64_t>(value >> 64),
                        low = static_cast<std::uint64_t>(value);
    if (value == 0) return {0, exponent, sticky};
    const int shift = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
    const u128 top = value << shift;
    return {static_cast<std::uint64_t>(top >> 64), exponent + 64 - shift,
            sticky || static_cast<std::uint64_t>(top) != 0};
}

std::uint64_t floor_root(u128 x) {
    constexpr double limit = 0x1p64;
    const double near = std::sqrt(static_cast<double>(x));
    std::uint64_t root = near < limit ? static_cast<std::uint64_t>(near) : UINT64_MAX;
    if (root == 0) return 0;
    // Within some thousands: the rest tells how many.
    const __int128 rest = static_cast<__int128>(x - u128{root} * root);
    const double step = std::floor(static_cast<double>(rest) / (2 * static_cast<double>(root)));
    const __int128 next = static_cast<__int128>(root) + static_cast<__int128>(step);
    root = next > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(next);
    while (u128{root} * root > x) --root;
    while (root < UINT64_MAX && u128{root + 1} * (root + 1) <= x) ++root;
    return root;
}

std::uint64_t round_to_format(const Leading& v, bool negative, Format format) {
    if (v.significand == 0 && !v.sticky) return 0;
    const FloatTraits traits = traits_of(format);
    const int exponent = v.exponent + 63;  // of the leading bit
    if (v.significand != 0 && exponent > traits.max_exponent) return overflow_bits(format, negative);
    const bool subnormal = exponent < traits.min_exponent;
    const int kept =
        v.significand == 0 ? -1 : traits.precision - (subnormal ? traits.min_exponent - exponent : 0);
    std::uint64_t size = 0;
    if (kept >= 0) {
        const std::uint64_t integer = kept == 0 ? 0 : v.significand >> (64 - kept);
        const std::uint64_t rest = kept == 0 ? v.significand : v.significand << kept;
        const std::uint64_t half = std::uint64_t{1} << 63;
        // As good as random: no branches.
        const bool up = (rest > half) | ((rest == half) & (v.sticky | ((integer & 1) != 0)));
        // Normal: the hidden bit adds one to the exponent field; a carry moves on into it.
        const std::uint64_t field = subnormal ? 0
                                              : static_cast<std::uint64_t>(exponent - traits.min_exponent)
                                                    << (traits.precision - 1);
        size = field + integer + (up ? 1 : 0);
    }
    if (size > traits.largest) return overflow_bits(format, negative);
    return negative && (size != 0 || traits.has_negative_zero) ? sign_bit(format) | size : size;
}

}  // namespace samesum
