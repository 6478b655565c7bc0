// Sums of exponentials for their logarithm in fixed point, with the error counted.
#pragma once

#include <cmath>

#include "exact/elements.hpp"
#include "exact/real_result.hpp"

namespace samesum {

// The greatest value so far and the sum of e^(value - greatest). Values are double or 64-bit integers, whose
// differences are exact.
template <std::size_t limbs, class Value>
class ExponentialState {
  public:
    void add(Value x);
    void add_infinity(bool negative) { (negative ? has_negative_infinity_ : has_infinity_) = true; }
    void add_nan() { has_nan_ = true; }
    void merge(const ExponentialState& other);
    bool is_nan() const { return has_nan_; }

    // Writes the logarithm rounded to how.format, or truncated toward zero; tells whether it is certain.
    bool round(const Finish& how, std::uint64_t& bits) const;

    std::uint64_t rounded(const Finish& how) const {
        std::uint64_t bits;
        round(how, bits);
        return bits;
    }

  private:
    using Number = Fixed<limbs>;

    void raise(Value top);
    bool is_nothing_beside_one() const;

    Value top_{};
    Number sum_;
    u128 error_ = 0;             // of the sum, in units of its last place (Lemma 74)
    double nearest_ = HUGE_VAL;  // distance of the greatest value below the top
    bool has_value_ = false, has_nan_ = false, has_infinity_ = false, has_negative_infinity_ = false;
};

}  // namespace samesum
