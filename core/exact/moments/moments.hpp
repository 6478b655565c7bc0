// Variances, deviations and root mean squares from exact sums.
#pragma once

#include <cstdint>

#include "exact/moments/dyadic.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"
#include "methods/norm_method.hpp"

namespace samesum {

enum class MomentKind : std::uint8_t { variance, deviation, root_mean_square };

struct Moment {
    MomentKind kind;
    Format format;          // of the result, a float format
    std::int64_t count;     // elements in the set
    double correction = 0;  // finite: the sum of squared deviations is divided by count - correction
};

// From the exact sum of the elements and that of their squares, rounded once. NaN where an element is not
// finite (an infinite root mean square is infinite), where the set is empty and where the divisor is not
// positive.
std::uint64_t rounded_moment(const Superaccumulator& sum, const Superaccumulator& squares, const Moment& how);

// Results of a normalization decided by exact comparison: b + s (x - m) / d against any number.

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
    std::uint64_t number_ = 1;        // the count
    Scaled leading_total_, inverse_;  // the second one: 1 / (root of `power` + `outside`)
};

}  // namespace samesum
