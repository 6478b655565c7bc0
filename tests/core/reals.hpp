// Numbers of 64 bits or more, and whether results are theirs, rounded.
#pragma once

#include <cmath>
#include <limits>

#include "draws.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "guards.hpp"

namespace walk {

using Real = long double;

inline constexpr Format floats[] = {Format::f16, Format::bf16, Format::f32, Format::f64};

// Numbers of the sizes that functions are asked for, among those of the families.
inline std::uint64_t argument(Random& random, Format format, Family family) {
    if (family != Family::plain) return float_bits(random, format, family);
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return samesum::round_bits((2 * unit - 1) * (one_in(random, 2) ? 4 : 90), format);
}

inline char* arguments(Guarded& from, Random& random, Format format, Family family, std::size_t n) {
    const std::size_t size = samesum::size_of(format);
    char* const p = from.take(n * size, one_in(random, 4) ? Edge::front : Edge::end);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bits = argument(random, format, family);
        std::memcpy(p + i * size, &bits, size);
    }
    return p;
}

// With infinities and NaNs.
inline Real real_at(const char* p, std::size_t i, Format format) {
    const std::uint64_t bits = bits_of(p + i * samesum::size_of(format), format);
    const std::uint64_t sign = samesum::sign_bit(format), size = bits & (sign - 1);
    if (size > samesum::infinity_bits(format)) return std::numeric_limits<Real>::quiet_NaN();
    if (size == samesum::infinity_bits(format)) return (bits & sign) != 0 ? -HUGE_VALL : HUGE_VALL;
    return value_of(bits, format);
}

// Rounded once; what is beyond the range of every format counts as its end.
inline std::uint64_t rounded(Real y, Format format) {
    if (std::isnan(y)) return samesum::canonical_nan(format);
    const std::uint64_t sign = std::signbit(y) ? samesum::sign_bit(format) : 0;
    if (y == 0) return sign;
    if (std::fabs(y) > std::ldexp(Real{1}, 1100)) return sign | samesum::infinity_bits(format);
    int exponent;
    const Real fraction = std::frexp(std::fabs(y), &exponent);
    samesum::Superaccumulator total;
    total.add(static_cast<std::uint64_t>(std::ldexp(fraction, 64)), std::max(exponent - 64, -2000),
              sign != 0);
    return total.rounded({samesum::Finalize::itself, format, 1});
}

// Whether these are the bits of y, which is known within a part `error` of itself, when that is rounded once;
// or within so many units of the last place of it.
inline bool is_right(std::uint64_t bits, Real y, Real error, Format format, Real units) {
    if (bits == rounded(y, format)) return true;
    const Real low = y * (1 - error), high = y * (1 + error);
    if (bits == rounded(low, format) || bits == rounded(high, format)) return true;
    if (std::isnan(y) || std::isinf(y)) return false;
    const std::uint64_t sign = samesum::sign_bit(format);
    const bool is_zero = (bits & (sign - 1)) == 0;
    if (y == 0 || (is_zero && std::fabs(y) < std::ldexp(Real{1}, -1075))) return is_zero;
    if (is_zero && std::signbit(y) != ((bits & sign) != 0)) return false;
    if ((bits & (sign - 1)) > samesum::traits_of(format).largest) return false;
    const samesum::FloatTraits& traits = samesum::traits_of(format);
    const int exponent = std::max(std::ilogb(y), traits.min_exponent) - traits.precision + 1;
    return std::fabs(value_of(bits, format) - y) <=
           units * std::ldexp(Real{1}, exponent) + std::fabs(y) * error;
}

}  // namespace walk
