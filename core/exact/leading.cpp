#include "exact/leading.hpp"

namespace samesum {

std::uint64_t round_to_format(const Leading& v, bool negative, Format format) {
    if (v.significand == 0 && !v.sticky) return 0;
    const FloatTraits traits = traits_of(format);
    const std::uint64_t sign = negative ? sign_bit(format) : 0;
    const int exponent = v.exponent + 63;  // of the leading bit
    if (v.significand == 0) return sign;
    if (exponent > traits.max_exponent) return sign | infinity_bits(format);
    const bool subnormal = exponent < traits.min_exponent;
    const int kept = traits.precision - (subnormal ? traits.min_exponent - exponent : 0);
    if (kept < 0) return sign;
    const std::uint64_t integer = kept == 0 ? 0 : v.significand >> (64 - kept);
    const std::uint64_t rest = kept == 0 ? v.significand : v.significand << kept;
    const std::uint64_t half = std::uint64_t{1} << 63;
    const bool up = rest > half || (rest == half && (v.sticky || (integer & 1) != 0));
    // Normal: the hidden bit adds one to the exponent field; a carry moves on into it, up to infinity.
    const std::uint64_t field =
        subnormal ? 0 : static_cast<std::uint64_t>(exponent - traits.min_exponent) << (traits.precision - 1);
    return sign | (field + integer + (up ? 1 : 0));
}

}  // namespace samesum
