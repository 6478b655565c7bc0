// Short sets of which a mask leaves different numbers of elements: those with as many of them together.
#pragma once

#include "layout/plan.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

// Whether the sets of a plan are many and short, and their results come in order.
bool are_short_masked_sets(const Plan& plan);

// Results that need the number of elements of each set: means, variances, and what is given the chosen
// elements alone. `none[i]` is result i of a set without any.
void reduce_counted_sets(const Plan& plan, const Result* results, const std::uint64_t* none, std::size_t n);

}  // namespace samesum
