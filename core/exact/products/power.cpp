#include <bit>
#include <cmath>
#include <optional>

#include "exact/elements.hpp"
#include "exact/exponentials/fixed.hpp"
#include "exact/products/product.hpp"
#include "exact/totals/superaccumulator.hpp"

namespace samesum {

namespace {

std::uint64_t rounded(const Superaccumulator& total, Format format) {
    return total.rounded({Finalize::itself, format, 1});
}

// A number with an odd significand, zero apart.
struct OddNumber {
    std::uint64_t significand;
    int exponent;

    static OddNumber of(std::uint64_t significand, int exponent) {
        const int zeros = significand == 0 ? 0 : std::countr_zero(significand);
        return {significand >> zeros, exponent + zeros};
    }

    bool take_root() {
        if (exponent % 2 != 0) return false;
        auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(significand)));
        while (root * root > significand) --root;
        while ((root + 1) * (root + 1) <= significand) ++root;
        if (root * root != significand) return false;
        *this = {root, exponent / 2};
        return true;
    }
};

// Beyond every format's range.
constexpr int far_exponent = 3000;

// 2^exponent, rounded.
std::uint64_t power_of_two(int exponent, Format format) {
    Superaccumulator total;
    if (exponent > 1100) return infinity_bits(format);
    total.add(1, exponent < -1200 ? -1200 : exponent, false);
    return rounded(total, format);
}

// x^y where it has at most 64 significant bits, and so wherever it is a number of a format, or in the middle
// of two. Of an odd significand m > 1 a power with such a result has an exponent n / 2^f with 0 < n < 64 and
// m = s^(2^f), so f < 6.
std::optional<std::uint64_t> short_power(const OddNumber& x, const Exponent& y, Format format) {
    const OddNumber n = OddNumber::of(y.significand, y.exponent);
    OddNumber root = x;
    if (x.significand == 1) {
        if (x.exponent == 0) return power_of_two(0, format);
        const OddNumber e = OddNumber::of(static_cast<std::uint64_t>(std::abs(x.exponent)), 0);
        if (e.exponent + n.exponent < 0) return std::nullopt;
        const double size = std::ldexp(
            static_cast<double>(e.significand) * static_cast<double>(n.significand), e.exponent + n.exponent);
        const int exponent = size < far_exponent ? static_cast<int>(size) : far_exponent;
        return power_of_two((x.exponent < 0) != y.negative ? -exponent : exponent, format);
    }
    if (y.negative || n.exponent < -6 || n.exponent > 5) return std::nullopt;
    for (int f = n.exponent; f < 0; ++f)
        if (!root.take_root()) return std::nullopt;
    const std::uint64_t times = n.significand << (n.exponent > 0 ? n.exponent : 0);
    if (n.significand >= 64 || times >= 64) return std::nullopt;
    u128 product = 1;
    for (std::uint64_t i = 0; i < times; ++i) {
        product *= root.significand;
        if (product >> 64 != 0) return std::nullopt;
    }
    const int exponent = root.exponent * static_cast<int>(times);
    if (exponent > 1100) return infinity_bits(format);
    if (exponent < -1300) return power_of_two(exponent, format);
    Superaccumulator total;
    total.add(static_cast<std::uint64_t>(product), exponent, false);
    return rounded(total, format);
}

// |log x|, off by `units` of the last place.
template <std::size_t limbs>
struct LogarithmSize {
    Fixed<limbs> size;
    bool negative;
    static constexpr std::uint64_t units = Logarithm<limbs>::units + 2048;

    static LogarithmSize of(const OddNumber& x) {
        const int width = 63 - std::countl_zero(x.significand), octaves = x.exponent + width;
        const Fixed<limbs> z = Fixed<limbs>{x.significand} >> width,
                           log = Logarithm<limbs>::of_significand(z),
                           whole = ln2<limbs>() * static_cast<std::uint64_t>(std::abs(octaves));
        return octaves < 0 ? LogarithmSize{whole - log, true} : LogarithmSize{whole + log, false};
    }
};

template <std::size_t limbs>
Fixed<limbs> shifted(const Fixed<limbs>& x, int left) {
    if (left < -Fixed<limbs>::fraction_bits - 63) return {};
    return left < 0 ? x >> -left : x << left;
}

// x^y between e^-800 and e^800 as 2^octaves * fraction, the fraction within `error` units. (Lemma 76)
template <std::size_t limbs>
struct Power {
    Fixed<limbs> fraction;
    int octaves;
    u128 error;

    static Power of(const OddNumber& x, const Exponent& y, double size) {
        const auto log = LogarithmSize<limbs>::of(x);
        const Fixed<limbs> high = log.size * (y.significand >> 32),
                           low = log.size * (y.significand & 0xffffffff);
        const Fixed<limbs> p = shifted(high, y.exponent + 32) + shifted(low, y.exponent);
        const double factor = std::ldexp(static_cast<double>(y.significand), y.exponent);
        const u128 off = static_cast<u128>(factor * static_cast<double>(log.units)) + log.units + 4;
        constexpr Fixed<limbs> octave = ln2<limbs>();
        std::uint64_t k = static_cast<std::uint64_t>(size / 0.6931471805599453);
        while (octave * k < p) ++k;
        const bool is_small = log.negative != y.negative;
        while (is_small && k > 0 && p < octave * k) --k;
        const Fixed<limbs> rest = is_small ? p - octave * k : octave * k - p;
        const int octaves = static_cast<int>(k);
        return {Exponential<limbs>::of_minus(rest), is_small ? -octaves : octaves,
                off + k + Exponential<limbs>::units};
    }

    std::uint64_t bits(const Fixed<limbs>& x, Format format) const {
        Superaccumulator total;
        for (std::size_t i = 0; i < limbs; ++i)
            total.add(x.limb(i), 64 * static_cast<int>(i) - Fixed<limbs>::fraction_bits + octaves, false);
        return rounded(total, format);
    }

    bool round(Format format, std::uint64_t& found) const {
        const Fixed<limbs> off = Fixed<limbs>::units(error);
        found = bits(fraction, format);
        return bits(fraction < off ? Fixed<limbs>{} : fraction - off, format) == found &&
               bits(fraction + off, format) == found;
    }
};

}  // namespace

Exponent Exponent::of(double y) {
    const Element e = float_at<Format::f64>(&y);
    return {e.significand, e.exponent, e.negative};
}

std::uint64_t power_bits(double x, const Exponent& y, Format format) {
    if (y.significand == 0) return power_of_two(0, format);
    const Element e = float_at<Format::f64>(&x);
    const OddNumber base = OddNumber::of(e.significand, e.exponent);
    if (const auto bits = short_power(base, y, format)) return *bits;
    const double log = x > 0.5 && x < 2 ? std::log1p(x - 1) : std::log(x);
    const double size = std::abs(log) * std::ldexp(static_cast<double>(y.significand), y.exponent);
    if (size < 0x1p-80) return power_of_two(0, format);
    if (size > 800) return power_of_two((log < 0) != y.negative ? -far_exponent : far_exponent, format);
    std::uint64_t bits;
    if (Power<4>::of(base, y, size).round(format, bits) || format == Format::f64) return bits;
    Power<21>::of(base, y, size).round(format, bits);
    return bits;
}

std::uint64_t integer_power_bits(double x, std::uint64_t magnitude, bool negative, Format format) {
    const bool is_odd = magnitude % 2 != 0;
    const std::uint64_t sign = std::signbit(x) && is_odd ? sign_bit(format) : 0;
    if (magnitude == 0 || x == 1) return power_of_two(0, format);
    if (x != x) return canonical_nan(format);
    if (x == 0 || std::isinf(x)) return sign | ((x == 0) != negative ? 0 : infinity_bits(format));
    return sign | power_bits(std::abs(x), {magnitude, 0, negative}, format);
}

}  // namespace samesum
