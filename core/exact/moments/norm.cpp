#include "exact/moments/norm.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/rounding.hpp"

namespace samesum {

namespace {

Dyadic greater(const Dyadic& a, const Dyadic& b) { return (a - b).sign() < 0 ? b : a; }

// Of numbers that are not all finite, by the sign of a quotient.
double special_result(int sign, double scale, double bias) { return sign * scale + bias; }

// What an inverse is off by at most, in its last places, and a sum by its own rounding. (Lemma 84)
constexpr int inverse_bits = 10, sum_units = 16;
// More of them say nothing.
constexpr int most_bits = 120;

}  // namespace

ExactNorm::ExactNorm(const NormRow& row, const Superaccumulator& sum, const Superaccumulator& others,
                     std::int64_t count)
    : is_finite_(sum.is_finite() && others.is_finite()) {
    if (!is_finite_) return;
    const bool divides = row.centred || row.over_count;
    number_ = divides ? static_cast<std::uint64_t>(count) : 1;
    count_ = Dyadic(number_, 0, false);
    if (row.centred) total_ = Dyadic(sum);
    outside_ = count_ * Dyadic(row.outside);
    if (row.divisor == Divisor::one) {
        power_ = count_ * count_;
    } else if (row.divisor == Divisor::magnitudes) {
        const Dyadic magnitudes = count_ * Dyadic(others);
        power_ = magnitudes * magnitudes;
    } else {
        // The squares times the count are those about the mean and the square of the total.
        const Dyadic squares = count_ * Dyadic(others) - total_ * total_;
        const Dyadic own = row.over_count ? squares : squares * count_;
        const Dyadic inside = count_ * count_ * Dyadic(row.inside);
        power_ = row.at_least ? greater(own, inside) : own + inside;
    }
    find_leading();
}

ExactNorm::ExactNorm(double mean, double variance, double epsilon)
    : is_finite_(true), count_(1.0), total_(mean), power_(Dyadic(variance) + Dyadic(epsilon)) {
    find_leading();
}

void ExactNorm::find_leading() {
    if (is_nothing()) return;
    leading_total_ = total_.leading();
    next_total_ = (total_ - Dyadic(leading_total_)).leading();
    const WideNumber outside = outside_.leading();
    inverse_ = samesum::inverse(power_.sign() == 0 ? outside : root(power_.leading()) + outside);
}

int ExactNorm::compared(const Dyadic& numerator, const Dyadic& scale, const Dyadic& bias,
                        const Dyadic& value) const {
    const Dyadic distance = bias - value;
    return sign_with_root(scale * numerator + distance * outside_, distance, power_);
}

Estimate ExactNorm::estimate(double x, double scale, double bias) const {
    const double size = std::fabs(x);
    int power;
    const auto significand = static_cast<std::uint64_t>(std::frexp(size, &power) * 0x1p53);
    const WideNumber first = WideNumber(u128{significand} * number_, power - 53, x < 0) + -leading_total_,
                     numerator = first + -next_total_, part = WideNumber(scale) * numerator * inverse_,
                     value = part + WideNumber(bias);
    if (numerator.is_zero() || value.is_zero()) return {};
    const int lost = std::max(0, first.exponent - numerator.exponent) + 4,
              by = part.is_zero() ? -most_bits : part.exponent - value.exponent;
    if (std::max(lost, inverse_bits) + std::max(by, 0) > most_bits) return {};
    const u128 units = (u128{1} << lost) + (u128{1} << inverse_bits);
    return {value, (by > 0 ? units << by : units >> std::min(-by, most_bits)) + sum_units};
}

std::uint64_t ExactNorm::result(double x, double scale, double bias, Format format) const {
    const bool is_finite = std::isfinite(scale) && std::isfinite(bias);
    const auto numerator = [&] { return count_ * Dyadic(x) - total_; };
    if (is_finite && !is_nothing()) {
        const Estimate near = estimate(x, scale, bias);
        const auto compare = [&](const Dyadic& value) {
            return compared(numerator(), Dyadic(scale), Dyadic(bias), value);
        };
        if (!near.value.is_zero() || numerator().sign() != 0) return nearest(format, compare, near);
    }
    const int sign = is_nothing() ? 0 : numerator().sign();
    // Whatever the signs of zeros.
    return round_bits(is_finite ? bias + 0.0 : special_result(sign, scale, bias), format);
}

std::uint64_t ExactNorm::inverse(Format format) const {
    if (is_nothing()) return overflow_bits(format, false);
    const Estimate near{WideNumber(number_, 0, false) * inverse_, (u128{1} << inverse_bits) + sum_units};
    const auto compare = [&](const Dyadic& value) { return compared(count_, Dyadic(1.0), Dyadic(), value); };
    return nearest(format, compare, near);
}

}  // namespace samesum
