// Variances, deviations and root mean squares from exact sums.
#pragma once

#include <cstdint>

#include "exact/methods.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"

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
std::uint64_t rounded_moment(const WholeWords& sum, const WholeWords& squares, const Moment& how);

}  // namespace samesum
