// The variance of a set, exact until it is rounded once, from its exact sums.
#pragma once

#include "exact/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

// Of `sum` and `squares` of how.count elements, over the count less how.correction; the root of that with
// Finalize::root. NaN where an element is not finite, of the empty set, and where the divisor is not
// positive.
std::uint64_t rounded_variance(const Superaccumulator& sum, const Superaccumulator& squares,
                               const Finish& how);

}  // namespace samesum
