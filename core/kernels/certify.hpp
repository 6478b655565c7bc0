// The rounding test (Ziv): a result is right when every number within the bound rounds to it.
#pragma once

#include <type_traits>

#include "exact/rounding.hpp"
#include "kernels/method.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

constexpr double infinity = __builtin_huge_val();

// Wide enough that the rounding of `value - bound` itself cannot hide a boundary; exact values need none.
SAMESUM_INLINE double widened(double bound, double value) {
    return bound > 0 ? bound * (1 + 0x1p-20) + samesum::magnitude(value) * 0x1p-52 + 0x1p-1070 : bound;
}

struct Interval {
    double value, bound;
};

template <Finalize finalize>
SAMESUM_INLINE Interval finalized(double value, double bound, double count) {
    if constexpr (finalize == Finalize::over_count) {
        const double quotient = value / count;
        return {quotient, bound / count + samesum::magnitude(quotient) * 0x1p-53};
    }
    if constexpr (finalize == Finalize::root) {
        const double root = __builtin_sqrt(value);
        return {root, root > 0 ? bound / root + root * 0x1p-53 : 0};
    }
    return {value, bound};
}

template <Format format, Finalize finalize>
std::size_t certify_interval_as(const double* hi, const double* lo, const double* bound, std::size_t n, double count,
                                void* out, std::uint8_t* failed) {
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const bool finite = samesum::magnitude(hi[j]) < infinity;
        const double sum = (finite ? hi[j] + lo[j] : hi[j]) + 0.0;
        const double joined = bound[j] + (lo[j] != 0 ? samesum::magnitude(sum) * 0x1p-53 : 0);
        const Interval result = finalized<finalize>(sum, joined, count);
        const double b = widened(result.bound, result.value);
        bool wrong;
        if constexpr (format == Format::f32) {
            const float low = static_cast<float>(result.value - b), high = static_cast<float>(result.value + b);
            wrong = __builtin_bit_cast(std::uint32_t, low) != __builtin_bit_cast(std::uint32_t, high);
            const float value = static_cast<float>(result.value);
            static_cast<float*>(out)[j] = value == value ? value : __builtin_nanf("");
        } else {
            wrong = round_bits(result.value - b, format) != round_bits(result.value + b, format);
            static_cast<std::uint16_t*>(out)[j] = static_cast<std::uint16_t>(round_bits(result.value, format));
        }
        wrong = finite & (wrong | !(b < infinity));
        failed[j] = wrong;
        failures += wrong;
    }
    return failures;
}

template <Format format>
std::size_t certify_interval_in(const double* hi, const double* lo, const double* bound, std::size_t n,
                                const Finish& how, void* out, std::uint8_t* failed) {
    const double count = static_cast<double>(how.count);
    switch (how.finalize) {
        case Finalize::over_count:
            return certify_interval_as<format, Finalize::over_count>(hi, lo, bound, n, count, out, failed);
        case Finalize::root:
            return certify_interval_as<format, Finalize::root>(hi, lo, bound, n, count, out, failed);
        default: return certify_interval_as<format, Finalize::itself>(hi, lo, bound, n, count, out, failed);
    }
}

// For sums that overflow no double, into formats narrower than double: what is not finite is the result.
inline std::size_t certify_interval(const double* hi, const double* lo, const double* bound, std::size_t n,
                                    const Finish& how, void* out, std::uint8_t* failed) {
    switch (how.format) {
        case Format::f16: return certify_interval_in<Format::f16>(hi, lo, bound, n, how, out, failed);
        case Format::bf16: return certify_interval_in<Format::bf16>(hi, lo, bound, n, how, out, failed);
        default: return certify_interval_in<Format::f32>(hi, lo, bound, n, how, out, failed);
    }
}

// Below this a remainder could underflow.
constexpr double safe_floor = 0x1p-900, safe_ceiling = 0x1p1000;

// The total finalized, with its bound; a bound of infinity when that cannot be told.
template <Finalize finalize>
SAMESUM_INLINE Sum finalized_words(Sum total, double count) {
    two_sum(total.hi, total.lo, total.hi, total.lo);
    if constexpr (finalize == Finalize::itself) return total;
    const double size = samesum::magnitude(total.hi);
    const bool safe = (size > safe_floor) & (size < safe_ceiling) & (count < 0x1p53);
    const bool zero = (size == 0) & (total.bound == 0);
    constexpr bool mean = finalize == Finalize::over_count;
    const double q = mean ? total.hi / count : __builtin_sqrt(total.hi);
    const double divisor = mean ? count : 2 * q;
    double remainder = __builtin_fma(-q, mean ? count : q, total.hi), lost;
    two_sum(remainder, total.lo, remainder, lost);
    const double correction = remainder / divisor, known = total.bound + samesum::magnitude(lost);
    const double curvature = mean ? 0 : correction * correction / q;
    const double bound = known / divisor * (1 + 0x1p-20) + samesum::magnitude(correction) * 0x1p-50 + curvature;
    return {zero ? 0 : q, zero ? 0 : correction, zero ? 0 : safe ? bound : infinity};
}

template <Format format>
using BitsOf = std::conditional_t<format == Format::f64, std::uint64_t,
                                  std::conditional_t<format == Format::f32, std::uint32_t, std::uint16_t>>;

template <Format format, Finalize finalize>
std::size_t certify_words_as(const double* hi, const double* lo, const double* bound, std::size_t n, double count,
                             void* out, std::uint8_t* failed) {
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const Sum result = finalized_words<finalize>({hi[j], lo[j], bound[j]}, count);
        const double b = widened(result.bound, result.lo);
        const std::uint64_t low = round_bits(result.hi, result.lo - b, format);
        const std::uint64_t high = round_bits(result.hi, result.lo + b, format);
        const bool wrong = (low != high) | !(samesum::magnitude(result.hi) < infinity) | !(b < infinity);
        static_cast<BitsOf<format>*>(out)[j] = static_cast<BitsOf<format>>(low);
        failed[j] = wrong;
        failures += wrong;
    }
    return failures;
}

template <Format format>
std::size_t certify_words_in(const double* hi, const double* lo, const double* bound, std::size_t n,
                             const Finish& how, void* out, std::uint8_t* failed) {
    const double count = static_cast<double>(how.count);
    switch (how.finalize) {
        case Finalize::over_count:
            return certify_words_as<format, Finalize::over_count>(hi, lo, bound, n, count, out, failed);
        case Finalize::root: return certify_words_as<format, Finalize::root>(hi, lo, bound, n, count, out, failed);
        default: return certify_words_as<format, Finalize::itself>(hi, lo, bound, n, count, out, failed);
    }
}

inline std::size_t certify_words(const double* hi, const double* lo, const double* bound, std::size_t n,
                                 const Finish& how, void* out, std::uint8_t* failed) {
    switch (how.format) {
        case Format::f16: return certify_words_in<Format::f16>(hi, lo, bound, n, how, out, failed);
        case Format::bf16: return certify_words_in<Format::bf16>(hi, lo, bound, n, how, out, failed);
        case Format::f32: return certify_words_in<Format::f32>(hi, lo, bound, n, how, out, failed);
        default: return certify_words_in<Format::f64>(hi, lo, bound, n, how, out, failed);
    }
}

}  // namespace samesum::SAMESUM_ISA
