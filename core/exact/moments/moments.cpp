#include "exact/moments/moments.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/rounding.hpp"
#include "exact/moments/dyadic.hpp"

namespace samesum {

namespace {

bool is_central(const Moment& how) { return how.kind != MomentKind::root_mean_square; }

std::uint64_t rounded(const Dyadic& sum, const Dyadic& squares, const Moment& how) {
    const Dyadic n(static_cast<std::uint64_t>(how.count), 0, false);
    const Dyadic divisor = is_central(how) ? n - Dyadic(how.correction) : n;
    if (how.count <= 0 || divisor.sign() <= 0) return canonical_nan(how.format);
    const Dyadic above = is_central(how) ? n * squares - sum * sum : squares,
                 below = is_central(how) ? n * divisor : n;
    // Such sums are those of no set of elements.
    if (above.sign() < 0) return canonical_nan(how.format);
    const bool is_root = how.kind != MomentKind::variance;
    const auto compare = [&](const Dyadic& value) {
        const Dyadic power = is_root ? value * value : value;
        return (above - power * below).sign();
    };
    const Scaled quotient = above.leading() * inverse(below.leading());
    const Estimate near{is_root && !quotient.is_zero() ? root(quotient) : quotient, 0x1p-48};
    return nearest(how.format, compare, near);
}

}  // namespace

std::uint64_t rounded_moment(const Superaccumulator& sum, const Superaccumulator& squares,
                             const Moment& how) {
    if (!is_central(how) && !squares.is_finite() && how.count > 0) return squares.special_bits(how.format);
    if (!sum.is_finite() || !squares.is_finite()) return canonical_nan(how.format);
    return rounded(Dyadic(sum), Dyadic(squares), how);
}

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
    const Scaled outside = outside_.leading();
    inverse_ = samesum::inverse(power_.sign() == 0 ? outside : root(power_.leading()) + outside);
}

int ExactNorm::compared(const Dyadic& numerator, const Dyadic& scale, const Dyadic& bias,
                        const Dyadic& value) const {
    const Dyadic distance = bias - value;
    return sign_with_root(scale * numerator + distance * outside_, distance, power_);
}

Estimate ExactNorm::estimate(double x, double scale, double bias) const {
    const Scaled own = Scaled::of(x) * Scaled::of(static_cast<double>(number_)),
                 numerator = own + -leading_total_, part = Scaled::of(scale) * numerator * inverse_,
                 value = part + Scaled::of(bias);
    if (numerator.is_zero() || value.is_zero()) return {};
    // In these octaves the difference and the sum have cancelled. (Lemma 84)
    const auto above = [&](const Scaled& term) {
        return term.is_zero() ? 0 : std::max(0, term.exponent - numerator.exponent);
    };
    const int lost = std::max(above(own), above(leading_total_)),
              by = part.is_zero() ? -100 : std::clamp(part.exponent - value.exponent, -100, 100);
    return {value, std::ldexp(0x1p-45, std::min(lost, 100) + by) + 0x1p-50};
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
    const Estimate near{Scaled::of(static_cast<double>(number_)) * inverse_, 0x1p-48};
    const auto compare = [&](const Dyadic& value) { return compared(count_, Dyadic(1.0), Dyadic(), value); };
    return nearest(format, compare, near);
}

}  // namespace samesum
