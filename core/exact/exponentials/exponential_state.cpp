#include "exact/exponentials/exponential_state.hpp"

#include <algorithm>

#include "exact/exponentials/exponential_values.hpp"

namespace samesum {

template <std::size_t limbs, class Value>
void ExponentialState<limbs, Value>::raise(Value top) {
    error_ += u128{sum_.whole() + 1} * Exponential<limbs>::units + 1;
    sum_ = sum_ * exponential_below<limbs>(top, top_);
    nearest_ = distance(top, top_);
    top_ = top;
}

template <std::size_t limbs, class Value>
void ExponentialState<limbs, Value>::add(Value x) {
    if (!has_value_) {
        top_ = x;
        has_value_ = true;
    }
    if (x > top_) raise(x);
    if (x == top_) {
        sum_ += Number{1};
        return;
    }
    const double below = distance(top_, x);
    nearest_ = std::min(nearest_, below);
    error_ += Exponential<limbs>::units;
    if (below < Number::fraction_bits) sum_ += exponential_below<limbs>(top_, x);
}

template <std::size_t limbs, class Value>
void ExponentialState<limbs, Value>::merge(const ExponentialState& other) {
    has_nan_ |= other.has_nan_;
    has_infinity_ |= other.has_infinity_;
    has_negative_infinity_ |= other.has_negative_infinity_;
    if (!other.has_value_) return;
    if (!has_value_) {
        top_ = other.top_;
        has_value_ = true;
    }
    ExponentialState part = other;
    if (part.top_ > top_) raise(part.top_);
    if (part.top_ < top_) part.raise(top_);
    sum_ += part.sum_;
    error_ += part.error_;
    nearest_ = std::min(nearest_, part.nearest_);
}

// Whether the logarithm is less than half of the least positive number of any format, 2^-1075. Each value
// below the top has added `units` to the error.
template <std::size_t limbs, class Value>
bool ExponentialState<limbs, Value>::is_nothing_beside_one() const {
    constexpr double far = 746;
    const double most = static_cast<double>(error_ / Exponential<limbs>::units);
    return sum_ == Number{1} && nearest_ - std::log(most) > far;
}

template <std::size_t limbs, class Value>
bool ExponentialState<limbs, Value>::round(const Finish& how, std::uint64_t& bits) const {
    Superaccumulator base;
    if (has_nan_ || has_infinity_ || !has_value_) {
        has_nan_ ? base.add_nan() : base.add_infinity(!has_infinity_);
        bits = base.rounded({Finalize::itself, how.format, 1});
        return true;
    }
    add_value(base, top_);
    const Number one{1};
    const bool is_one = error_ == 0 ? sum_ == one : top_ == Value{} && is_nothing_beside_one();
    if (is_one) return round_result(base, Number{}, false, 0, how, bits);
    const Number sum = sum_ < one ? one : sum_;
    return round_result(base, Logarithm<limbs>::of(sum), false, error_ + Logarithm<limbs>::units, how, bits);
}

template class ExponentialState<4, double>;
template class ExponentialState<4, std::int64_t>;
template class ExponentialState<4, std::uint64_t>;
template class ExponentialState<21, double>;
template class ExponentialState<21, std::int64_t>;
template class ExponentialState<21, std::uint64_t>;

}  // namespace samesum
