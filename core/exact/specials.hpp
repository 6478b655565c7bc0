// What is not finite among the elements of a sum: nothing else counts where there is some.
#pragma once

#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

class Specials {
  public:
    void add_nan() { has_nan_ = true; }
    void add_infinity(bool negative) { (negative ? has_negative_infinity_ : has_positive_infinity_) = true; }

    bool has_negative_infinity() const { return has_negative_infinity_; }
    bool is_nan() const { return has_nan_ || (has_negative_infinity_ && has_positive_infinity_); }
    bool is_finite() const { return !has_nan_ && !has_negative_infinity_ && !has_positive_infinity_; }

    // Of the sum, if it is not finite.
    std::uint64_t special_bits(Format format) const {
        return is_nan() ? canonical_nan(format) : overflow_bits(format, has_negative_infinity_);
    }

  protected:
    void merge(const Specials& other) {
        has_nan_ |= other.has_nan_;
        has_negative_infinity_ |= other.has_negative_infinity_;
        has_positive_infinity_ |= other.has_positive_infinity_;
    }

  private:
    bool has_nan_ = false, has_negative_infinity_ = false, has_positive_infinity_ = false;
};

}  // namespace samesum
