#include "exact/moments/moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arithmetic/rounding.hpp"
#include "exact/moments/dyadic.hpp"

namespace samesum {

namespace {

// Whether a is less than b, and the difference; both have as many limbs.
bool is_less(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    for (std::size_t i = a.size(); i-- > 0;)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

std::vector<std::uint64_t> difference(const std::vector<std::uint64_t>& a,
                                      const std::vector<std::uint64_t>& b) {
    std::vector<std::uint64_t> result(a.size());
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const u128 part = u128{a[i]} - b[i] - borrow;
        result[i] = static_cast<std::uint64_t>(part);
        borrow = static_cast<std::uint64_t>(part >> 64) & 1;
    }
    return result;
}

std::vector<std::uint64_t> total(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    std::vector<std::uint64_t> result(a.size() + 1);
    u128 carry = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        carry += u128{a[i]} + b[i];
        result[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    result[a.size()] = static_cast<std::uint64_t>(carry);
    return result;
}

}  // namespace

Scaled Scaled::of(double x, int power) {
    int own;
    const double fraction = std::frexp(x, &own);
    return fraction == 0 ? Scaled{} : Scaled{fraction, power + own};
}

Scaled operator+(const Scaled& a, const Scaled& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    const Scaled &x = a.exponent < b.exponent ? b : a, &y = a.exponent < b.exponent ? a : b;
    return Scaled::of(x.fraction + std::ldexp(y.fraction, std::max(y.exponent - x.exponent, -100)),
                      x.exponent);
}

Scaled root(const Scaled& x) {
    const int odd = x.exponent & 1;
    return Scaled::of(std::sqrt(odd != 0 ? 2 * x.fraction : x.fraction), (x.exponent - odd) / 2);
}

std::uint64_t bits_of_code(std::uint64_t code, bool negative, Format format) {
    const FloatTraits& traits = traits_of(format);
    if (code > traits.largest) return overflow_bits(format, negative);
    return code | (negative && (code != 0 || traits.has_negative_zero) ? sign_bit(format) : 0);
}

std::optional<Codes> Estimate::codes(Format format) const {
    if (value.is_zero() || !(error < 0x1p-3)) return std::nullopt;
    const auto code = [&](double factor) {
        const double size = std::fabs(value.fraction) * factor;
        const auto significand = static_cast<std::uint64_t>(std::ldexp(size, 62));
        return round_to_format(leading_of(significand, value.exponent - 62, false), false, format);
    };
    return Codes{code(1 - error), code(1 + error)};
}

Dyadic::Dyadic(std::uint64_t value, int exponent, bool negative)
    : limb_{value}, exponent_(exponent), negative_(negative) {
    trim();
}

Dyadic::Dyadic(double value) {
    int exponent;
    const double fraction = std::frexp(std::fabs(value), &exponent);
    *this = Dyadic(static_cast<std::uint64_t>(fraction * 0x1p53), exponent - 53, value < 0);
}

Dyadic::Dyadic(const Superaccumulator& sum) : exponent_(Superaccumulator::lowest_exponent) {
    const auto words = sum.magnitude_words(negative_);
    limb_.resize((words.size() + 1) / 2);
    for (std::size_t i = 0; i < words.size(); ++i) limb_[i / 2] |= std::uint64_t{words[i]} << (i % 2 * 32);
    trim();
}

void Dyadic::trim() {
    while (!limb_.empty() && limb_.back() == 0) limb_.pop_back();
    const auto first = std::find_if(limb_.begin(), limb_.end(), [](std::uint64_t limb) { return limb != 0; });
    exponent_ += 64 * static_cast<int>(first - limb_.begin());
    limb_.erase(limb_.begin(), first);
}

Dyadic Dyadic::operator-() const {
    Dyadic result = *this;
    result.negative_ = !negative_;
    return result;
}

Scaled Dyadic::leading() const {
    if (limb_.empty()) return {};
    const std::size_t n = limb_.size();
    const double size =
        static_cast<double>(limb_[n - 1]) + (n > 1 ? std::ldexp(static_cast<double>(limb_[n - 2]), -64) : 0);
    return Scaled::of(negative_ ? -size : size, top() - 64);
}

std::uint64_t Dyadic::rounded(Format format) const {
    if (limb_.empty()) return 0;
    const std::size_t n = limb_.size();
    const u128 two = u128{limb_[n - 1]} << 64 | (n > 1 ? limb_[n - 2] : 0);
    return round_to_format(leading_of(two, top() - 128, n > 2), negative_, format);
}

Dyadic Dyadic::scaled(int exponent) const {
    Dyadic result = *this;
    result.exponent_ += exponent;
    return result;
}

Dyadic::Limbs Dyadic::limbs_from(int exponent) const {
    const int distance = exponent_ - exponent, shift = distance % 64;
    Limbs result(static_cast<std::size_t>(distance / 64), 0);
    std::uint64_t carry = 0;
    for (const std::uint64_t limb : limb_) {
        result.push_back(limb << shift | carry);
        carry = shift > 0 ? limb >> (64 - shift) : 0;
    }
    result.push_back(carry);
    return result;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
    if (a.limb_.empty()) return b;
    if (b.limb_.empty()) return a;
    Dyadic result;
    result.exponent_ = std::min(a.exponent_, b.exponent_);
    Dyadic::Limbs x = a.limbs_from(result.exponent_), y = b.limbs_from(result.exponent_);
    x.resize(std::max(x.size(), y.size()));
    y.resize(x.size());
    if (a.negative_ == b.negative_) {
        result.limb_ = total(x, y);
        result.negative_ = a.negative_;
    } else {
        const bool swapped = is_less(x, y);
        result.limb_ = swapped ? difference(y, x) : difference(x, y);
        result.negative_ = swapped ? b.negative_ : a.negative_;
    }
    result.trim();
    return result;
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
    Dyadic result;
    result.limb_.resize(a.limb_.size() + b.limb_.size());
    result.exponent_ = a.exponent_ + b.exponent_;
    result.negative_ = a.negative_ != b.negative_;
    for (std::size_t i = 0; i < a.limb_.size(); ++i) {
        u128 carry = 0;
        for (std::size_t k = 0; k < b.limb_.size(); ++k) {
            carry += u128{a.limb_[i]} * b.limb_[k] + result.limb_[i + k];
            result.limb_[i + k] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        result.limb_[i + b.limb_.size()] = static_cast<std::uint64_t>(carry);
    }
    result.trim();
    return result;
}

int sign_with_root(const Dyadic& p, const Dyadic& q, const Dyadic& t) {
    const int left = p.sign(), right = t.sign() == 0 ? 0 : q.sign();
    if (left == 0 || right == 0 || left == right) return left != 0 ? left : right;
    const int larger = (p * p - q * q * t).sign();
    return larger * left;
}

Dyadic value_of_code(std::uint64_t code, Format format) {
    const FloatTraits& traits = traits_of(format);
    const int fraction_bits = traits.precision - 1;
    const std::uint64_t field = code >> fraction_bits, hidden = field != 0 ? 1 : 0,
                        fraction = code & ((std::uint64_t{1} << fraction_bits) - 1);
    const int exponent = traits.min_exponent - fraction_bits + static_cast<int>(field - hidden);
    return Dyadic(fraction | hidden << fraction_bits, exponent, false);
}

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
