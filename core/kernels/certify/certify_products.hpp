// The rounding test for products, whose exponents go beyond those of a double. (Lemma 11)
#pragma once

#include "kernels/accumulators/factors.hpp"
#include "kernels/certify/certify.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Numbers beside the least normal one, rounded once to the float64 that may be subnormal.

// (hi + lo) * 2^exponent, of words from 2^-1 to 2^9 that are not zero and exponents from -1100 to -1000.
// (Lemma 12)
SAMESUM_INLINE Doubles rounded_gradually(Doubles hi, Doubles lo, Longs exponent) {
    constexpr std::int64_t least_subnormal = -1074, half_way = 540;
    Doubles s, t;
    two_sum(hi, lo, s, t);
    const Longs unit_field = least_subnormal - exponent + field_bias;
    const Doubles unit = reinterpret_cast<Doubles>(unit_field << fraction_bits), normal = unit * 0x1p52;
    const Doubles shift = with_sign_of(s, normal), near = (s + shift) - shift;
    // Only what is a tie without its low word can be moved by it.
    const Longs is_tie = (samesum::SAMESUM_ISA::magnitude(s - near) == unit * 0.5) & (t != 0);
    const Doubles subnormal = is_tie ? s + with_sign_of(t, unit * 0.5) : near;
    const Doubles rounded = with_sign_of(s, samesum::SAMESUM_ISA::magnitude(s) < normal ? subnormal : s);
    // Both steps are exact.
    return rounded * 0x1p-540 *
           reinterpret_cast<Doubles>((exponent + (half_way + field_bias)) << fraction_bits);
}

// Products as arrays, readable in whole vectors: (hi + lo) * 2^exponent, normalised or not, of which up to
// `bound` was lost, relatively, and where `lost` is not zero somewhat more.
struct Products {
    const double *hi, *lo, *bound;
    const std::int64_t *exponent, *mark, *lost;
};

// In these exponents no word under- or overflows; in a narrower format what lies outside does so anyway.
constexpr std::int64_t least_exponent = -900, greatest_exponent = 1000;

SAMESUM_INLINE Longs clamped(Longs x, std::int64_t low, std::int64_t high) {
    x = x < low ? Longs{} + low : x;
    return x > high ? Longs{} + high : x;
}

// The result where a mark decides it, in the sign of the significand.
inline std::uint64_t marked_bits(std::int64_t mark, bool negative, Format format) {
    const std::uint64_t sign = negative ? sign_bit(format) : 0;
    if ((mark & nan_mark) != 0 || mark == (zero_mark | infinity_mark)) return canonical_nan(format);
    return sign | ((mark & infinity_mark) != 0 ? infinity_bits(format) : 0);
}

// (hi + lo) * 2^(exponent - least_exponent), up to `bound`, as a subnormal number; false if that is in doubt.
inline bool settle_gradually(double hi, double lo, double bound, std::int64_t exponent, double& result) {
    constexpr double to_significand =
        1 / __builtin_bit_cast(double, (least_exponent + field_bias) << fraction_bits);
    const double doubt = bound * 1.01 + samesum::magnitude(lo) * 0x1p-51;
    const Doubles none = {}, high = none + hi * to_significand;
    const Longs power = Longs{} + exponent;
    const Doubles least = rounded_gradually(high, none + (lo - doubt) * to_significand, power),
                  greatest = rounded_gradually(high, none + (lo + doubt) * to_significand, power);
    result = least[0];
    return least[0] == greatest[0];
}

// Of float64 beyond the exponents above, where it was rounded as if on their edge: normal numbers are moved
// to their place, where those too great become infinite; far below it is zero.
inline bool settle(double hi, double lo, double bound, std::int64_t exponent, std::uint8_t failed, void* out,
                   std::size_t j) {
    constexpr std::int64_t surely_zero = -1090, surely_infinite = 1200, least_normal = -1021;
    char* place = static_cast<char*>(out) + j * sizeof(double);
    double x = hi < 0 ? -0.0 : 0.0;
    if (exponent >= least_normal) {
        if (failed) return false;
        std::memcpy(&x, place, sizeof x);
        const std::int64_t edge = exponent < 0 ? least_exponent : greatest_exponent;
        const std::int64_t power = (exponent < surely_infinite ? exponent : surely_infinite) - edge;
        x *= __builtin_bit_cast(double, (power + field_bias) << fraction_bits);
    } else if (exponent > surely_zero && !settle_gradually(hi, lo, bound, exponent, x)) {
        return false;
    }
    std::memcpy(place, &x, sizeof x);
    return true;
}

// As many in a call of the tests.
constexpr std::size_t certified_products = 256;

// Writes up to `certified_products` rounded products and which of them failed; returns how many.
inline std::size_t certify_few(const Products& x, double extra, std::size_t n, Format format, void* out,
                               std::uint8_t* failed) {
    alignas(64) double hi[certified_products], lo[certified_products], bound[certified_products];
    alignas(64) std::int64_t exponent[certified_products];
    Longs unusual = {};
    for (std::size_t j = 0; j < n; j += width) {
        Factors f{load<Doubles>(x.hi + j), load<Doubles>(x.lo + j), load<Longs>(x.exponent + j), Longs{}};
        f.normalise();
        store(exponent + j, f.exponent);
        const Longs usable = clamped(f.exponent, least_exponent, greatest_exponent);
        unusual |= (f.exponent ^ usable) | load<Longs>(x.mark + j);
        const Doubles scale = reinterpret_cast<Doubles>((usable + field_bias) << fraction_bits), none = {};
        store(hi + j, f.hi * scale);
        store(lo + j, f.lo * scale);
        const Doubles relative =
            load<Doubles>(x.bound + j) + (load<Longs>(x.lost + j) != 0 ? none + extra : none);
        store(bound + j, relative * (2 * scale));  // significands are below 2
    }
    const Finish how{Finalize::itself, format, 1};
    const bool narrow = format != Format::f64;
    std::size_t failures = narrow ? certify_interval({hi, lo, bound}, n, how, out, failed) : 1;
    if (failures > 0) failures = certify_words({hi, lo, bound}, n, how, out, failed);
    bool usual = true;
    for (std::size_t k = 0; k < width; ++k) usual = usual && unusual[k] == 0;
    for (std::size_t j = 0; j < n && !usual; ++j) {
        const bool negative = hi[j] < 0;
        const bool within = exponent[j] >= least_exponent && exponent[j] <= greatest_exponent;
        if (x.mark[j] == 0 && (narrow || within)) continue;
        const bool settled = x.mark[j] != 0 || settle(hi[j], lo[j], bound[j], exponent[j], failed[j], out, j);
        if (x.mark[j] != 0) store_bits(out, j, marked_bits(x.mark[j], negative, format), size_of(format));
        failures = failures - failed[j] + (settled ? 0 : 1);
        failed[j] = settled ? 0 : 1;
    }
    return failures;
}

// The same of any number of them.
inline std::size_t certify_products(const Products& x, double extra, std::size_t n, Format format, void* out,
                                    std::uint8_t* failed) {
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; j += certified_products) {
        const Products part{x.hi + j, x.lo + j, x.bound + j, x.exponent + j, x.mark + j, x.lost + j};
        const std::size_t now = n - j < certified_products ? n - j : certified_products;
        failures +=
            certify_few(part, extra, now, format, static_cast<char*>(out) + j * size_of(format), failed + j);
    }
    return failures;
}

}  // namespace samesum::SAMESUM_ISA
