#include "exact/moments/norm.hpp"

#include <cmath>

#include "arithmetic/rounding.hpp"

namespace samesum {

namespace {

Dyadic greater(const Dyadic& a, const Dyadic& b) { return (a - b).sign() < 0 ? b : a; }

// Of numbers that are not all finite, by the sign of a quotient.
double special_result(int sign, double scale, double bias) { return sign * scale + bias; }

}  // namespace

ExactNorm::ExactNorm(const NormRow& row, const Superaccumulator& sum, const Superaccumulator& others,
                     std::int64_t count)
    : is_finite_(sum.is_finite() && others.is_finite()) {
    if (!is_finite_) return;
    const bool divides = row.centred || row.over_count;
    count_ = Dyadic(divides ? static_cast<std::uint64_t>(count) : 1, 0, false);
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
}

ExactNorm::ExactNorm(double mean, double variance, double epsilon)
    : is_finite_(true), count_(1.0), total_(mean), power_(Dyadic(variance) + Dyadic(epsilon)) {}

int ExactNorm::compared(const Dyadic& numerator, const Dyadic& scale, const Dyadic& bias,
                        const Dyadic& value) const {
    const Dyadic distance = bias - value;
    return sign_with_root(scale * numerator + distance * outside_, distance, power_);
}

std::uint64_t ExactNorm::result(double x, double scale, double bias, Format format) const {
    const Dyadic numerator = count_ * Dyadic(x) - total_;
    const bool is_nothing = power_.sign() == 0 && outside_.sign() == 0;
    const int sign = is_nothing ? 0 : numerator.sign();
    if (!std::isfinite(scale) || !std::isfinite(bias))
        return round_bits(special_result(sign, scale, bias), format);
    const Dyadic b(bias);
    // Whatever the signs of zeros.
    if (sign == 0) return round_bits(bias + 0.0, format);
    const Dyadic s(scale);
    const double part = scale * numerator.near() / (std::sqrt(power_.near()) + outside_.near()),
                 error = (std::fabs(part) + std::fabs(bias)) * 0x1p-48;
    return nearest(
        format, [&](const Dyadic& value) { return compared(numerator, s, b, value); },
        codes_about(std::fabs(part + bias), error, format));
}

std::uint64_t ExactNorm::inverse(Format format) const {
    if (power_.sign() == 0 && outside_.sign() == 0) return overflow_bits(format, false);
    const Dyadic one(1.0);
    const double size = count_.near() / (std::sqrt(power_.near()) + outside_.near());
    return nearest(
        format, [&](const Dyadic& value) { return compared(count_, one, Dyadic(), value); },
        codes_about(size, size * 0x1p-48, format));
}

}  // namespace samesum
