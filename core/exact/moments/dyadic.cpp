#include "exact/moments/dyadic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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

}  // namespace samesum
