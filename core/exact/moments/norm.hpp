// Results of a normalization decided by exact comparison: b + s (x - m) / d against any number.
#pragma once

#include "exact/moments/dyadic.hpp"
#include "methods/norm_method.hpp"

namespace samesum {

// One line, from its exact sums (of its elements, and of their squares or magnitudes as the row asks for) or
// from what they give.
class ExactNorm {
  public:
    ExactNorm(const NormRow& row, const Superaccumulator& sum, const Superaccumulator& others,
              std::int64_t count);

    // Of a mean, a variance and what is added to it, all finite, the sum of the last two being positive.
    ExactNorm(double mean, double variance, double epsilon);

    // False if some element is not finite: then every result of the line is NaN.
    bool is_finite() const { return is_finite_; }
    // Of an element of a finite line, rounded once.
    std::uint64_t result(double x, double scale, double bias, Format format) const;
    // 1 / d: an infinity where d is zero.
    std::uint64_t inverse(Format format) const;

  private:
    bool is_nothing() const { return power_.sign() == 0 && outside_.sign() == 0; }
    void find_leading();
    Estimate estimate(double x, double scale, double bias) const;
    // The sign of scale * (numerator / d) + bias - value, the numerator being multiplied by the count.
    int compared(const Dyadic& numerator, const Dyadic& scale, const Dyadic& bias, const Dyadic& value) const;

    bool is_finite_;
    // d is (root of `power` + `outside`) / count; the mean is total / count.
    Dyadic count_, total_, power_, outside_;
    std::uint64_t number_ = 1;  // the count
    // The first bits of the total, and the next ones; 1 / (root of `power` + `outside`).
    WideNumber leading_total_, next_total_, inverse_;
};

}  // namespace samesum
